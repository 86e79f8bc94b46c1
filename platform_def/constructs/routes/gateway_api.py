"""Routes as HTTPRoutes of Gateway API, calls of gRPC too.

Calls have a kind of their own, GRPCRoute, but a host name is either kind's alone at a listener: beside an HTTPRoute for
the same hosts Istio accepts a GRPCRoute and never serves it. An HTTPRoute carries calls as well, and has a time limit.

Gateway API has no words for authentication: who is asked is a policy of the controller behind the Gateway, of which
Istio's is known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from platform_def.apis.gateway_api.v1 import HTTP_ROUTE
from platform_def.capabilities import Gateway
from platform_def.config.routing import Cors, Retries
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.backend_tls import backend_policies, gateway_api_refusals, unlike_others
from platform_def.constructs.routes.istio_policy import GROUP, ask_first, limit_bodies
from platform_def.constructs.routes.routing import ANY_HOST, Backend, Routing
from platform_def.errors import ConfigError, Problem

if TYPE_CHECKING:
    from platform_def.apis.gateway_api.v1 import HTTPRouteSpec


def refusals(scope: Scope, routing: Routing, gateway: Gateway) -> Iterator[Problem]:
    """What of a route its kinds, or the controller behind them, cannot say."""
    yield from gateway_api_refusals(routing)
    yield from unlike_others(scope, routing)
    if routing.retries and not gateway.retries:
        text = "HTTPRoutes of the stack's release of Gateway API have no retries"
        yield routing.problem(
            "retries", text, "install `gateway-api: {release: 1.6.1-experimental}`, or leave them out"
        )
    if routing.retries and routing.retries.per_try_seconds:
        text = "Istio sends a request of an HTTPRoute again after a status, and not after a try that took too long"
        yield routing.problem("retries", text, "leave `perTrySeconds` out, or choose the gateway's `api: istio`")
    if routing.max_body_bytes and gateway.controller != "istio":
        text = "Gateway API has no words for the length of bodies; of the controllers behind a Gateway, only Istio "
        text += "is supported here"
        yield routing.problem("maxBodyBytes", text, "limit them in the program, or have Istio serve the Gateway")


def render(scope: Scope, routing: Routing, gateway: Gateway) -> None:
    """The route, and the external authorization before a request passes. ConfigError for unsupported controllers."""
    common: dict[str, object] = {
        "parentRefs": [{"group": GROUP, "kind": "Gateway", "name": gateway.name, "namespace": gateway.namespace}]
    }
    if routing.host != ANY_HOST:
        common["hostnames"] = [routing.host]
    spec = cast("HTTPRouteSpec", {**common, "rules": [_requests(routing)]})
    # It leads to Services beside it; to those of another namespace it needs their leave, a ReferenceGrant.
    Resource(scope, HTTP_ROUTE, routing.name, spec=spec, namespace=routing.namespace, part="after")
    backend_policies(scope, routing)
    if routing.authenticated:
        if gateway.controller != "istio":
            raise ConfigError(
                f"route {routing.name}: it is authenticated, and Gateway API has no words for that; of the controllers "
                f"behind a Gateway, only Istio is supported here",
                hint="have Istio serve the Gateway, or choose a gateway of Emissary's or Istio's own",
            )
        ask_first(scope, routing, gateway)
    if routing.max_body_bytes:
        # As istiod calls the first rule of an HTTPRoute.
        limit_bodies(scope, routing, gateway, route=f"{routing.namespace}.{routing.name}.0")


def _requests(routing: Routing) -> dict[str, object]:
    kind = "Exact" if routing.exact else "PathPrefix"
    match: dict[str, object] = {"path": {"type": kind, "value": routing.path}}
    if routing.headers:
        match["headers"] = [{"type": "Exact", "name": name, "value": each} for name, each in routing.headers.items()]
    rule: dict[str, object] = {"matches": [match]}
    filters = _filters(routing)
    if routing.redirect:
        path = {"type": "ReplaceFullPath", "replaceFullPath": routing.redirect.path}
        redirect = {"path": path, "statusCode": routing.redirect.code}
        return {**rule, "filters": [*filters, {"type": "RequestRedirect", "requestRedirect": redirect}]}
    if routing.rewrite:
        way, field = ("ReplaceFullPath", "replaceFullPath") if routing.exact else _PREFIX
        filters.append({"type": "URLRewrite", "urlRewrite": {"path": {"type": way, field: routing.rewrite}}})
    rule["backendRefs"] = _backends(routing.backends)
    rule["timeouts"] = {"request": f"{routing.timeout_seconds}s"}
    if routing.retries:
        rule["retry"] = _retries(routing.retries)
    return {**rule, "filters": filters} if filters else rule


_PREFIX = ("ReplacePrefixMatch", "replacePrefixMatch")


def _filters(routing: Routing) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    if routing.stripped:
        found.append({"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": [*routing.stripped]}})
    if routing.cors:
        found.append({"type": "CORS", "cors": _cors(routing.cors)})
    return found


def _cors(wanted: Cors) -> dict[str, object]:
    lists = {"allowHeaders": wanted.headers, "exposeHeaders": wanted.expose_headers}
    return {
        "allowOrigins": [*wanted.origins],
        "allowMethods": [*wanted.methods],
        "maxAge": wanted.max_age_seconds,
        **{key: [*names] for key, names in lists.items() if names},
        **({"allowCredentials": True} if wanted.credentials else {}),
    }


CODES = {"connect-failure": (), "gateway-error": (502, 503, 504), "5xx": tuple(range(500, 600))}
"""Statuses after which a request is sent again, beside failed connections."""


def _retries(wanted: Retries) -> dict[str, object]:
    codes = CODES[wanted.after]
    return {"attempts": wanted.attempts, **({"codes": [*codes]} if codes else {})}


def _backends(backends: tuple[Backend, ...]) -> list[dict[str, object]]:
    return [
        # The server's defaults are written out, or the delivery engines always see a difference.
        {"group": "", "kind": "Service", "name": each.service, "port": each.port, "weight": each.percent}
        for each in backends
    ]
