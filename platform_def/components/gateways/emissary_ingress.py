"""What the stack's `ingress` means to Emissary: ports, kind of Service, Listeners and Hosts.

Emissary listens to nothing and answers for no host name by itself; all of that is said here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.apis.core.core_v1 import ContainerPort, ServicePort
from platform_def.apis.emissary_v3alpha1 import HostSpec, ListenerSpec, TLSContextSpec
from platform_def.config.cluster import Ingress
from platform_def.constructs.service import port

NAME = "emissary-ingress"
"""Name that upstream's chart gives to the gateway's objects."""
ISSUED = "emissary-ingress-tls"
"""Secret that cert-manager fills where the stack names an issuer."""
HTTP, HTTPS, ADMIN = 8080, 8443, 8877
SERVICE_TYPES: Mapping[str, str] = {"cloud": "LoadBalancer", "metallb": "LoadBalancer", "nodePort": "NodePort"}


def open_ports(ingress: Ingress) -> Iterator[tuple[str, int, int]]:
    """What the gateway serves: name, port of the Service, port of the pod. HTTPS only where there is a certificate."""
    on_node = ingress.kind == "hostNetwork"
    yield "http", 80, (ingress.http_port or HTTP) if on_node else HTTP
    if ingress.tls:
        yield "https", 443, (ingress.https_port or HTTPS) if on_node else HTTPS


def container_ports(ingress: Ingress) -> list[ContainerPort]:
    """The pod's ports; on the node's network the server would fill in `hostPort`, so it is written."""
    numbers = {**{name: number for name, _, number in open_ports(ingress)}, "admin": ADMIN}
    ports: list[ContainerPort] = [
        {"name": name, "containerPort": number, "protocol": "TCP"} for name, number in numbers.items()
    ]
    if ingress.kind == "hostNetwork":
        for item in ports:
            item["hostPort"] = item["containerPort"]
    return ports


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
    """A LoadBalancer only where something serves it: without one it would be pending for ever."""
    return {"type": SERVICE_TYPES.get(ingress.kind, "ClusterIP")}


def listeners(ingress: Ingress) -> Iterator[tuple[str, ListenerSpec]]:
    """One Listener a port, for Hosts of all namespaces."""
    for name, _, number in open_ports(ingress):
        yield (
            f"{NAME}-{name}",
            {
                "port": number,
                "protocol": "HTTPS" if name == "https" else "HTTP",
                # Envoy writes X-Forwarded-Proto itself, unless the Module says to trust a balancer in front.
                "securityModel": "XFP",
                "hostBinding": {"namespace": {"from": "ALL"}},
            },
        )


def host_names(ingress: Ingress) -> tuple[str, ...]:
    """What the Host header may be: all of it is compared, and browsers write ports other than 80 and 443 into it."""
    if ingress.host is None:
        return ("*",)
    return (ingress.host, f"{ingress.host}:*") if ingress.kind in ("nodePort", "hostNetwork") else (ingress.host,)


def hosts(ingress: Ingress) -> Iterator[tuple[str, HostSpec]]:
    """The stack's host: with a certificate HTTP is sent to HTTPS, without one it is served as it comes."""
    made: HostSpec = {"requestPolicy": {"insecure": {"action": "Redirect" if ingress.tls else "Route"}}}
    if ingress.tls:
        made["tlsSecret"] = {"name": ingress.tls.secret or ISSUED}
        made["tlsContext"] = {"name": NAME}
    for suffix, hostname in zip(("", "-port"), host_names(ingress), strict=False):
        yield f"{NAME}{suffix}", {"hostname": hostname, **made}
    if ingress.tls:
        # Emissary drops a Host whose Secret is missing, and without any Host it serves every route in the clear. This
        # one keeps it from that: it stands for a name that cannot exist, and refuses.
        yield f"{NAME}-closed", {"hostname": "closed.invalid", "requestPolicy": {"insecure": {"action": "Reject"}}}


def tls_contexts(ingress: Ingress) -> Iterator[tuple[str, TLSContextSpec]]:
    """The certificate: Hosts of one name and several ports are only served when they share one context."""
    if ingress.tls:
        yield NAME, {"secret": ingress.tls.secret or ISSUED, "hosts": [*host_names(ingress)]}
