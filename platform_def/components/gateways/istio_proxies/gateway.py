"""A gateway of Istio's: an Envoy at the edge of the mesh, with all that stands around it.

Its pods are written in full, where upstream leaves them to the injector: what runs is what dist/ says, through the
mirror, and no pod stays without a proxy because it was made before the webhook answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from platform_def.apis.core.core_v1 import Container, PodSpec, ServicePort
from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, AuthorizationPolicySpec
from platform_def.capabilities import Mesh
from platform_def.components.gateways.istio_proxies import pods
from platform_def.components.gateways.istio_proxies.releases import KUBERNETES, UPKEEP, image, withdrawn
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Deployment,
    NetworkPolicy,
    Piece,
    Release,
    Resource,
    Scope,
    Service,
    allow,
    from_cluster,
    from_everywhere,
    http_probe,
    mounts,
    releases,
)
from platform_def.constructs.mesh import PROXY_METRICS

STATUS, AGENT = 15021, 15020
GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name"
"""istiod has Envoy ask pickers only where the pod's label names a Gateway of its namespace to which a pool belongs."""
SECRETS = (allow("", "secrets", verbs=READ),)
"""istiod hands a gateway no certificate that its own account may not read."""


@dataclass(frozen=True, kw_only=True)
class Door:
    """What tells one gateway from another."""

    account: str
    role: str
    selects: Mapping[str, str]
    """Labels by which Istio's objects choose its pods; upstream's."""
    ports: Sequence[ServicePort]
    on_nodes: bool = False
    open_ports: Sequence[int] = ()
    """Of the container, to everybody; none: to pods of the cluster alone."""
    service: Mapping[str, object]
    """Further fields of the Service."""
    annotations: Mapping[str, str] | None = None
    """Of the Service, for the provider of its address."""
    strategy: Mapping[str, object]
    environment: Mapping[str, str]
    gateway: str = ""
    """The Gateway of Gateway API whose InferencePools have their pickers asked."""
    trusted_hops: int = 0
    """Proxies in front of the gateway whose word of the client is believed."""


class GatewayProxy(Piece):
    """Account, pods and Service of a gateway, and the policy that lets requests in."""

    def __init__(self, scope: Scope, name: str, *, door: Door, image: str, mesh: Mesh):
        super().__init__(scope, name)
        component = self.component
        component.makes("ConfigMap", pods.CA)
        account = Account(self, door.account)
        account.allow_in(component.namespace, SECRETS, role=door.role)
        Deployment(
            self,
            name,
            pod=_pod(door, name=name, image=image, mesh=mesh, domain=component.platform.dns_domain),
            ha_replicas=2,
            pod_labels={
                **door.selects,
                "sidecar.istio.io/inject": "false",
                "service.istio.io/canonical-name": name,
                "service.istio.io/canonical-revision": "latest",
                "istio.io/rev": mesh.revision or "default",
                **({GATEWAY_NAME: door.gateway} if door.gateway else {}),
            },
            pod_annotations={"prometheus.io/scrape": "true", "prometheus.io/port": str(AGENT), **_METRICS_PATH},
            extra_spec=door.strategy,
        )
        # external-dns finds a Gateway's Service by this: what the one selects must stand in the selector of the other.
        selector = {**component.selector(name), **door.selects}
        Service(
            self,
            name,
            ports=door.ports,
            extra_spec={"selector": selector, **door.service},
            labels=dict(door.selects),
            annotations=door.annotations,
        )
        if component.platform.network_policies:
            inside = [target for each in door.ports if isinstance(target := each["targetPort"], int)]
            # Balancers, which are outside, ask at the status port whether the gateway is well.
            outside = [from_everywhere(*door.open_ports, STATUS)] if door.open_ports else []
            NetworkPolicy(self, name, openings=[*outside, from_cluster(*inside, AGENT, PROXY_METRICS[1])])
        if any(given.value.denies_by_default for given in component.platform.all(Mesh)):
            # Without it nothing passes. Where the mesh allows by default, it would void ALLOW lists of people's own.
            allowed: AuthorizationPolicySpec = {"selector": {"matchLabels": dict(door.selects)}, "rules": [{}]}
            Resource(self, AUTHORIZATION_POLICY, name, spec={"action": "ALLOW", **allowed}, part="after")


_METRICS_PATH = {"prometheus.io/path": "/stats/prometheus"}


def _pod(door: Door, *, name: str, image: str, mesh: Mesh, domain: str) -> PodSpec:
    files = zip(FILES, (f"{name}-certs", f"{name}-ca-certs"), strict=True)
    made: dict[str, Any] = {
        "serviceAccountName": door.account,
        "securityContext": {"runAsUser": pods.USER, "runAsGroup": pods.USER, "runAsNonRoot": True},
        "containers": [_container(door, name=name, image=image, mesh=mesh, domain=domain)],
        "volumes": [
            *pods.volumes(),
            *({"name": volume, "secret": {"secretName": secret, "optional": True}} for volume, secret in files),
        ],
    }
    if door.on_nodes:
        made["hostNetwork"] = True
        made["dnsPolicy"] = "ClusterFirstWithHostNet"  # else the names of Services would not resolve
    return cast(PodSpec, made)


def _container(door: Door, *, name: str, image: str, mesh: Mesh, domain: str) -> Container:
    owner = f"kubernetes://apis/apps/v1/namespaces/$(POD_NAMESPACE)/deployments/{name}"
    told: dict[str, object] = {"discoveryAddress": mesh.discovery}
    if door.trusted_hops:
        told["gatewayTopology"] = {"numTrustedProxies": door.trusted_hops}
    settings = {
        "ISTIO_META_WORKLOAD_NAME": name,
        "ISTIO_META_OWNER": owner,
        "ISTIO_META_UNPRIVILEGED_POD": "true",
        "PROXY_CONFIG": json.dumps(told, separators=(",", ":")),
        **door.environment,
    }
    numbers = {each["name"]: each["targetPort"] for each in door.ports}
    listed = {key: number for key, number in numbers.items() if isinstance(number, int)}
    if STATUS not in listed.values():
        listed["health"] = STATUS
    folders = {**pods.FOLDERS, **{each: f"/etc/istio/{each}" for each in FILES}}
    made: dict[str, Any] = {
        "name": "istio-proxy",
        "image": image,
        "args": pods.arguments("router", domain),
        "env": [
            *pods.environment(discovery=mesh.discovery, trust_domain=mesh.trust_domain),
            *({"name": key, "value": value} for key, value in settings.items()),
        ],
        "ports": [
            *(_port(key, number, on_nodes=door.on_nodes) for key, number in listed.items()),
            _port(*PROXY_METRICS, on_nodes=door.on_nodes),
        ],
        "startupProbe": http_probe("/healthz/ready", STATUS, delay=1, period=1, failures=30),
        "readinessProbe": http_probe("/healthz/ready", STATUS, period=15, failures=4),
        "resources": pods.RESOURCES,
        "securityContext": pods.SECURE,
        "volumeMounts": mounts(folders),
    }
    return cast(Container, made)


FILES = ("ingressgateway-certs", "ingressgateway-ca-certs")
"""Certificates as files, for servers of Gateways that name a path and no Secret."""


def _port(name: str, number: int, *, on_nodes: bool) -> dict[str, Any]:
    """On the node's network the server would fill in `hostPort`, so it is written."""
    return {"name": name, "containerPort": number, "protocol": "TCP", **({"hostPort": number} if on_nodes else {})}


def _release(version: str, control_plane: str) -> Release:
    return Release(
        version,
        kubernetes=KUBERNETES,
        kubernetes_by="upstream",
        upkeep=UPKEEP[version],
        image=image("proxyv2", version),
        needs={"istio": control_plane},
    )


# Upstream supports proxies that are one minor version behind their control plane, and none that are ahead of it.
RELEASES = releases(_release("1.31.1", ">=1.31,<1.33"), _release("1.30.4", ">=1.30,<1.32"), license=APACHE)
WITHDRAWN = withdrawn("the control plane it asks must be of 1.30 or 1.31")
