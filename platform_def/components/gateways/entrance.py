"""What the stack's `ingress` means to any gateway: ports, kind of Service, how it is updated.

HTTPS is open only where there is a certificate; an open port without a listener fails health checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.cert_manager.v1 import CERTIFICATE, CertificateSpec
from platform_def.apis.core.core_v1 import ServicePort
from platform_def.capabilities import AddressPool, CertificateIssuer, Gateway, HostRecords, LoadBalancer
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import BASELINE_LEVEL
from platform_def.constructs import (
    ExistingObject,
    Need,
    Offers,
    Platform,
    PodSecurityNeed,
    Resource,
    Scope,
    Setting,
    need,
    port,
)

HTTP, HTTPS = 8080, 8443


def open_ports(ingress: Ingress) -> Iterator[tuple[str, int, int]]:
    """What the gateway serves: name, port of the Service, port of the pod."""
    on_node = ingress.kind == "hostNetwork"
    yield "http", 80, (ingress.http_port or HTTP) if on_node else HTTP
    if ingress.tls:
        yield "https", 443, (ingress.https_port or HTTPS) if on_node else HTTPS


def strategy(ingress: Ingress) -> dict[str, object]:
    """On the nodes' network two pods cannot share a node: an update takes one away before it adds one."""
    if ingress.kind != "hostNetwork":
        return {}
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}


def service_ports(ingress: Ingress) -> list[ServicePort]:
    """Ports of the public Service, with the stack's node ports where it names them."""
    nodes = {"http": ingress.http_port, "https": ingress.https_port} if ingress.kind == "nodePort" else {}
    ports = []
    for name, number, target in open_ports(ingress):
        item = port(name, number, target)
        if node := nodes.get(name):
            item["nodePort"] = node
        ports.append(item)
    return ports


def service_type(ingress: Ingress) -> dict[str, object]:
    """A LoadBalancer only where something serves it, and its clients: without a provider it would stay pending."""
    ranges = {"loadBalancerSourceRanges": [*ingress.source_ranges]} if ingress.source_ranges else {}
    chosen = {
        "externalTrafficPolicy": ingress.external_traffic_policy,
        "loadBalancerClass": ingress.load_balancer_class,
    }
    said = {key: value for key, value in chosen.items() if value}
    return {"type": _service_type(ingress), **ranges, **said, **_families(ingress)}


def _service_type(ingress: Ingress) -> str:
    if ingress.balanced:
        return "LoadBalancer"
    return "NodePort" if ingress.kind == "nodePort" else "ClusterIP"


def _families(ingress: Ingress) -> dict[str, object]:
    """Both only where the cluster has both: a Service that only prefers it would lack one without a word."""
    if not ingress.ip_families:
        return {}
    policy = "RequireDualStack" if ingress.dual_stack else "SingleStack"
    return {"ipFamilies": [*ingress.ip_families], "ipFamilyPolicy": policy}


def pool_of(instance: str, chosen: Ingress | None) -> AddressPool | None:
    """The pool of a gateway with an ingress of its own: called as the gateway, or as its own annotation says."""
    by = chosen.pooled if chosen else None
    if chosen is None or by is None:
        return None
    return AddressPool(pool=chosen.annotations.get(by.pool_annotation, instance), addresses=chosen.addresses)


def service_annotations(instance: str, ingress: Ingress, chosen: Ingress | None) -> dict[str, str] | None:
    """Annotations of the public Service: the stack's, and the pool that its address is taken from."""
    pool = pool_of(instance, chosen)
    named = {chosen.pooled.pool_annotation: pool.pool} if pool and chosen and chosen.pooled else {}
    return {**named, **ingress.annotations} or None


def certificate_secret(name: str, ingress: Ingress) -> str:
    """Secret with the certificate: the stack's, or the one that cert-manager fills."""
    return (ingress.tls and ingress.tls.secret) or f"{name}-tls"


def served_hosts(name: str, ingress: Ingress) -> list[tuple[str, str, str]]:
    """Further hosts: what their objects are called, the host, and the Secret with its certificate, if it has one."""
    called = ((f"{name}-{each.slug}", each) for each in ingress.further_hosts)
    return [(made, each.host, (each.tls.secret or f"{made}-tls") if each.tls else "") for made, each in called]


def ingress_of(at: Setting[Any], chosen: Ingress | None, slug: str) -> Ingress:
    """How traffic reaches an instance of a gateway: its own word, else the stack's, which belongs to one gateway.

    That is the one whose routes are made, or where none are made the first instance.
    """
    return chosen or (at.platform.ingress if _is_main(at, slug) else Ingress())


def door_of(at: Setting[Any], chosen: Ingress | None, slug: str) -> Ingress:
    """The same for what is built for all hosts."""
    return chosen.door() if chosen else at.platform.door if _is_main(at, slug) else Ingress().door()


def _is_main(at: Setting[Any], slug: str) -> bool:
    """Whether the stack's `ingress` is that of an instance."""
    main = at.platform.gateway
    if main == "none":
        main = (at.platform.instances(slug) or (at.name,))[0]
    return at.name == main


def needs_of(ingress: Ingress) -> tuple[Need[Any], ...]:
    """What a gateway needs for its entrance: an issuer of the host's certificate, a provider of its address.

    It does not wait for the issuer: one that asks over HTTP is answered by the gateway, and routes to its answers may
    need the gateway's own webhook. The Certificate waits, because it names the issuer.
    """
    signed = any(tls and tls.issuer for tls in (ingress.tls, *(each.tls for each in ingress.further_hosts)))
    signs = (need(CertificateIssuer, order="any"),) if signed else ()
    return (*signs, need(LoadBalancer)) if ingress.pooled else signs


def reached(ingress: Ingress) -> dict[str, Any]:
    """What a Gateway of the stack says of its entrance."""
    return {
        "host": ingress.host,
        "balanced": ingress.balanced,
        "on_nodes": ingress.kind == "hostNetwork",
        "dual_stack": ingress.dual_stack,
    }


def records_of(platform: Platform, gateway: str) -> list[HostRecords]:
    """Who makes records for the hosts of a gateway, which is a component of that name."""
    every = (each.value for each in platform.all(HostRecords))
    return [each for each in every if not each.gateways or gateway in each.gateways]


def record_targets(platform: Platform, gateway: str) -> dict[str, str]:
    """The annotation by which records of a gateway point elsewhere than at its load balancer."""
    targets = dict.fromkeys(target for each in records_of(platform, gateway) for target in each.targets)
    return {"external-dns.kubernetes.io/target": ",".join(targets)} if targets else {}


def offers(instance: str, gateway: Gateway, chosen: Ingress | None) -> Offers:
    """What a gateway gives: its routes, the pool of an ingress of its own, and what that names of the cluster."""
    pool = pool_of(instance, chosen)
    pools = (pool,) if pool else ()
    return Offers(capabilities=(gateway, *pools), existing=tuple(existing(chosen, gateway.namespace)))


def existing(chosen: Ingress | None, namespace: str) -> Iterator[ExistingObject]:
    """What an ingress of a gateway's own names of the cluster; of the stack's it is known."""
    for tls in (chosen.tls, *(each.tls for each in chosen.further_hosts)) if chosen else ():
        if tls and tls.secret:
            yield ExistingObject("Secret", tls.secret, namespace)
        if tls and tls.issuer:
            yield ExistingObject("ClusterIssuer", tls.issuer, group="cert-manager.io")


def security_of(ingress: Ingress) -> PodSecurityNeed:
    """Baseline, unless the gateway listens on the nodes' own network."""
    if ingress.kind == "hostNetwork":
        return PodSecurityNeed(
            "privileged", "ingress.kind is hostNetwork: the gateway listens on the nodes' own network"
        )
    return BASELINE_LEVEL


def certificate(scope: Scope, name: str, ingress: Ingress, *, temporary: bool = False) -> None:
    """The certificate of each host that an issuer signs one for.

    With `temporary` cert-manager signs one itself until there is the issuer's: for a gateway that serves nothing of a
    host whose Secret is missing, such as the challenge by which the issuer would sign.
    """
    if ingress.tls and ingress.host:
        _certificate(scope, name, ingress.host, ingress.tls, temporary=temporary)
    for each in ingress.further_hosts:
        if each.tls:
            _certificate(scope, f"{name}-{each.slug}", each.host, each.tls, temporary=temporary)


def _certificate(scope: Scope, name: str, host: str, tls: Tls, *, temporary: bool) -> None:
    if tls.issuer is None:
        return
    times = {"duration": tls.duration_hours, "renewBefore": tls.renew_before_hours}
    said = {key: f"{hours}h0m0s" for key, hours in times.items() if hours}
    Resource(
        scope,
        CERTIFICATE,
        name,
        spec={
            "secretName": f"{name}-tls",
            "dnsNames": [host],
            "issuerRef": {"kind": "ClusterIssuer", "name": tls.issuer},
            **cast(CertificateSpec, said),
        },
        annotations={"cert-manager.io/issue-temporary-certificate": "true"} if temporary else None,
        part="after",
    )
