"""Routes as VirtualServices of Istio, with an AuthorizationPolicy at the gateway's pods where they are authenticated.

Istio upgrades connections by default, and speaks HTTP/2 to a Service whose port says `appProtocol: grpc`.
"""

from __future__ import annotations

from typing import cast

from platform_def.apis.istio.networking_v1 import VIRTUAL_SERVICE, VirtualServiceSpec
from platform_def.capabilities import Gateway
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.istio_policy import ask_first
from platform_def.constructs.routes.routing import Routing


def render(scope: Scope, routing: Routing, gateway: Gateway) -> None:
    """The VirtualService, and who is asked before a request passes."""
    spec = {
        "gateways": [f"{gateway.namespace}/{gateway.name}"],
        "hosts": [routing.host],
        "http": [rule_of(scope, routing)],
    }
    Resource(scope, VIRTUAL_SERVICE, routing.name, spec=cast(VirtualServiceSpec, spec), part="after")
    if routing.authenticated:
        ask_first(scope, routing, gateway)


def rule_of(scope: Scope, routing: Routing) -> dict[str, object]:
    """The rule of the route."""
    rule: dict[str, object] = {"match": [{"uri": {"exact" if routing.exact else "prefix": routing.path}}]}
    if routing.redirect:
        return {**rule, "redirect": {"uri": routing.redirect.path, "redirectCode": routing.redirect.code}}
    several = len(routing.backends) > 1
    rule["route"] = [
        {
            "destination": {
                "host": scope.owner.service_host(backend.service, backend.namespace),
                "port": {"number": backend.port},
            },
            **({"weight": backend.percent} if several else {}),
        }
        for backend in routing.backends
    ]
    if routing.timeout_seconds:
        # Without one Istio never ends a request; its API refuses 0s.
        rule["timeout"] = f"{routing.timeout_seconds}s"
    if routing.rewrite:
        rule["rewrite"] = {"uri": routing.rewrite}
    if routing.stripped:
        rule["headers"] = {"request": {"remove": [*routing.stripped]}}
    return rule
