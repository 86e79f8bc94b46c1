"""Which kinds of Gateway API istiod reads; it passes over others without a word in their status.

Facts: the collections of its Gateway controller, and the oldest bundles that it takes CRDs of (Istio 1.30 and 1.31).
With the variable `PILOT_ENABLE_ALPHA_GATEWAY_API` 1.30 reads TCPRoutes too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.crds.versions import age

ALPHA = "PILOT_ENABLE_ALPHA_GATEWAY_API"
_ALWAYS = ("Gateway", "GatewayClass", "GRPCRoute", "HTTPRoute", "ReferenceGrant")
_FROM: Mapping[str, str] = {"BackendTLSPolicy": "1.4", "ListenerSet": "1.5", "TLSRoute": "1.5", "TCPRoute": "1.6"}
"""The oldest bundle of CRDs by kind."""


def kinds_read(config: ComponentConfig, platform: Platform) -> Iterator[str]:
    """Those that a control plane of the stack reads, given the bundle that the stack has."""
    yield from _ALWAYS
    fact = platform.component("gateway-api")
    bundle = fact.release if fact else ""
    for kind, oldest in _FROM.items():
        if kind == "TCPRoute" and age(config.version) < age("1.31"):
            if _says_alpha(config):
                yield kind
        elif not bundle or age(bundle)[1] >= age(oldest)[1]:
            yield kind


def _says_alpha(config: ComponentConfig) -> bool:
    workload = config.workloads.get("istiod")
    containers = workload.containers.values() if workload else ()
    return any(each.env.get(ALPHA) == "true" for each in containers)
