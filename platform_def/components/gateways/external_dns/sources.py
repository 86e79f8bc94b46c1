"""Where external-dns reads host names and addresses, and the rights that each of these sources takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

SourceName = Literal[
    "ambassador-host",
    "gateway-grpcroute",
    "gateway-httproute",
    "ingress",
    "istio-gateway",
    "istio-virtualservice",
    "service",
]


@dataclass(frozen=True)
class DnsSource:
    """What one source reads."""

    rules: Sequence[PolicyRule]
    """What its code lists, watches and gets, at v0.23.0."""
    api: str = ""
    """The custom resource, as `Kind.group`; external-dns exits when it is not served."""


_ISTIO = (
    allow("", "services", verbs=READ),
    allow("networking.k8s.io", "ingresses", verbs=READ),
    allow("networking.istio.io", "gateways", verbs=READ),
)
_ROUTES = (allow("", "namespaces", verbs=READ), allow("gateway.networking.k8s.io", "gateways", verbs=READ))


def _routes(plural: str, kind: str) -> DnsSource:
    rules = (*_ROUTES, allow("gateway.networking.k8s.io", plural, verbs=READ))
    return DnsSource(rules, f"{kind}.gateway.networking.k8s.io")


SOURCES: Mapping[SourceName, DnsSource] = {
    # Upstream's chart leaves out the Service that a Host names, whose address is the record's.
    "ambassador-host": DnsSource(
        (allow("", "services", verbs="get"), allow("getambassador.io", "hosts", verbs=READ)), "Host.getambassador.io"
    ),
    "gateway-grpcroute": _routes("grpcroutes", "GRPCRoute"),
    "gateway-httproute": _routes("httproutes", "HTTPRoute"),
    "ingress": DnsSource((allow("networking.k8s.io", "ingresses", verbs=READ),)),
    "istio-gateway": DnsSource(_ISTIO, "Gateway.networking.istio.io"),
    "istio-virtualservice": DnsSource(
        (*_ISTIO, allow("networking.istio.io", "virtualservices", verbs=READ)), "VirtualService.networking.istio.io"
    ),
    "service": DnsSource(
        (
            allow("", "pods services", verbs=READ),
            allow("", "nodes", verbs="list watch"),
            allow("discovery.k8s.io", "endpointslices", verbs=READ),
        )
    ),
}
OF_GATEWAY: Mapping[str, SourceName] = {
    "emissary": "ambassador-host",
    "gateway-api": "gateway-httproute",
    "istio": "istio-gateway",
}
"""The source that reads a gateway's hosts, by the API of its routes."""


def rules_for(sources: Sequence[SourceName]) -> list[PolicyRule]:
    """The rights of all of them, each rule once."""
    made: list[PolicyRule] = []
    for name in sources:
        made += [each for each in SOURCES[name].rules if each not in made]
    return made
