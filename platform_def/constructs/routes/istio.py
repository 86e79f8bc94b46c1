"""Routes as VirtualServices of Istio, with an AuthorizationPolicy at the gateway's pods where they are authenticated.

Istio upgrades connections by default, and speaks HTTP/2 to a Service whose port says `appProtocol: grpc`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from platform_def.apis.istio.networking_v1 import VIRTUAL_SERVICE, VirtualServiceSpec
from platform_def.capabilities import Gateway
from platform_def.config.routing import Cors, Retries
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.backend_tls import destination_rules, istio_refusals, unlike_others
from platform_def.constructs.routes.istio_policy import ask_first, limit_bodies
from platform_def.constructs.routes.routing import Routing
from platform_def.errors import Problem


def refusals(scope: Scope, routing: Routing, gateway: Gateway) -> Iterator[Problem]:  # noqa: ARG001 - others ask
    """What of a route Istio cannot serve."""
    yield from istio_refusals(routing)
    yield from unlike_others(scope, routing)


def render(scope: Scope, routing: Routing, gateway: Gateway) -> None:
    """The VirtualService, and who is asked before a request passes."""
    spec = {
        "gateways": [f"{gateway.namespace}/{gateway.name}"],
        "hosts": [routing.host],
        "http": [rule_of(scope, routing)],
    }
    Resource(scope, VIRTUAL_SERVICE, routing.name, spec=cast(VirtualServiceSpec, spec), part="after")
    destination_rules(scope, routing, gateway)
    if routing.authenticated:
        ask_first(scope, routing, gateway)
    if routing.max_body_bytes:
        limit_bodies(scope, routing, gateway, route=_called(routing))


def rule_of(scope: Scope, routing: Routing) -> dict[str, object]:
    """The rule of the route."""
    match: dict[str, object] = {"uri": {"exact" if routing.exact else "prefix": routing.path}}
    if routing.headers:
        match["headers"] = {name: {"exact": value} for name, value in routing.headers.items()}
    rule: dict[str, object] = {"match": [match]}
    if routing.max_body_bytes:
        rule["name"] = _called(routing)
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
    if routing.cors:
        rule["corsPolicy"] = _cors(routing.cors)
    if routing.retries:
        rule["retries"] = _retries(routing.retries)
    if routing.stripped:
        rule["headers"] = {"request": {"remove": [*routing.stripped]}}
    return rule


def _called(routing: Routing) -> str:
    """What the route is called in Envoy's configuration, where that names it."""
    return f"{routing.namespace}.{routing.name}"


def _cors(wanted: Cors) -> dict[str, object]:
    lists = {"allowHeaders": wanted.headers, "exposeHeaders": wanted.expose_headers}
    return {
        "allowOrigins": [{"exact": each} for each in wanted.origins],
        "allowMethods": [*wanted.methods],
        "maxAge": f"{wanted.max_age_seconds}s",
        **{key: [*names] for key, names in lists.items() if names},
        **({"allowCredentials": True} if wanted.credentials else {}),
    }


def _retries(wanted: Retries) -> dict[str, object]:
    limit = {"perTryTimeout": f"{wanted.per_try_seconds}s"} if wanted.per_try_seconds else {}
    return {"attempts": wanted.attempts, "retryOn": wanted.after, **limit}
