"""Routes as HTTPRoutes of Gateway API, calls of gRPC too.

Calls have a kind of their own, GRPCRoute, but a host name is either kind's alone at a listener: beside an HTTPRoute for
the same hosts Istio accepts a GRPCRoute and never serves it. An HTTPRoute carries calls as well, and has a time limit.

Gateway API has no words for authentication: who is asked is a policy of the controller behind the Gateway, of which
Istio's is known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from platform_def.apis.gateway_api.v1 import HTTP_ROUTE
from platform_def.capabilities import Gateway
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.istio_policy import GROUP, ask_first
from platform_def.constructs.routes.routing import ANY_HOST, Backend, Routing
from platform_def.errors import ConfigError

if TYPE_CHECKING:
    from platform_def.apis.gateway_api.v1 import HTTPRouteSpec


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
    if routing.authenticated:
        if gateway.controller != "istio":
            raise ConfigError(
                f"route {routing.name}: it is authenticated, and Gateway API has no words for that; of the controllers "
                f"behind a Gateway, only Istio is supported here",
                hint="have Istio serve the Gateway, or choose a gateway of Emissary's or Istio's own",
            )
        ask_first(scope, routing, gateway)


def _requests(routing: Routing) -> dict[str, object]:
    kind = "Exact" if routing.exact else "PathPrefix"
    rule: dict[str, object] = {"matches": [{"path": {"type": kind, "value": routing.path}}]}
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
    return {**rule, "filters": filters} if filters else rule


_PREFIX = ("ReplacePrefixMatch", "replacePrefixMatch")


def _filters(routing: Routing) -> list[dict[str, object]]:
    if not routing.stripped:
        return []
    return [{"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": [*routing.stripped]}}]


def _backends(backends: tuple[Backend, ...]) -> list[dict[str, object]]:
    return [
        # The server's defaults are written out, or the delivery engines always see a difference.
        {"group": "", "kind": "Service", "name": each.service, "port": each.port, "weight": each.percent}
        for each in backends
    ]
