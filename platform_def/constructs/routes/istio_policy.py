"""Who is asked before a request passes a gateway of Istio's, whichever API its routes are written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from platform_def.apis.istio.networking_rest_v1 import ENVOY_FILTER
from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, AuthorizationPolicySpec
from platform_def.capabilities import AuthorizationService, Gateway, GatewayPath
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.routing import ANY_HOST, Routing

GROUP = "gateway.networking.k8s.io"


def ask_first(scope: Scope, routing: Routing, gateway: Gateway) -> None:
    """A policy in the gateway's namespace that has the stack's authorization service decide.

    Istio compares paths after it has normalised them, as its routes do; `/katib/*` is all that is below `/katib/`.
    """
    given = scope.owner.platform.one(AuthorizationService, who=f"route {routing.name}")
    operation: dict[str, object] = {"paths": [routing.path if routing.exact else f"{routing.path}*"]}
    if not routing.exact and gateway.api == "gateway-api" and routing.path != "/":
        # A prefix of Gateway API is the path without the slash too.
        operation["paths"] = [routing.path.rstrip("/"), f"{routing.path}*"]
    public = sorted(f"{each}*" if each.endswith("/") else each for each in _public_below(scope, routing))
    if public:
        operation["notPaths"] = public
    if routing.host != ANY_HOST:
        operation["hosts"] = [routing.host, f"{routing.host}:*"]
    spec = {
        "action": "CUSTOM",
        "provider": {"name": given.value.name},
        **_at(gateway),
        "rules": _rules(routing, operation),
    }
    Resource(
        scope,
        AUTHORIZATION_POLICY,
        f"{routing.namespace}-{routing.name}",
        spec=cast(AuthorizationPolicySpec, spec),
        namespace=gateway.namespace,
        part="after",
    )


def _rules(routing: Routing, operation: Mapping[str, object]) -> list[dict[str, object]]:
    """Every request; with CORS all but the question that browsers ask before it, which carries no login.

    Envoy answers that one itself, after this policy, where it comes from one of the sites for one of the methods. Any
    other OPTIONS request goes on to the Service, so it is asked about.
    """
    if not routing.cors:
        return [{"to": [{"operation": operation}]}]
    origins = ["http*"] if "*" in routing.cors.origins else [*routing.cors.origins]
    known = {"origin": origins, "access-control-request-method": [*routing.cors.methods]}
    others = [{"key": f"request.headers[{name}]", "notValues": values} for name, values in known.items()]
    return [
        {"to": [{"operation": {**operation, "notMethods": ["OPTIONS"]}}]},
        *({"to": [{"operation": operation}], "when": [each]} for each in others),
    ]


def limit_bodies(scope: Scope, routing: Routing, gateway: Gateway, *, route: str) -> None:
    """Envoy's filter for the length of bodies, at one route: neither Istio nor Gateway API has a word for it.

    `route` is what istiod calls the route in Envoy's configuration. The filter is off at all others.
    """
    name = f"{routing.namespace}-{routing.name}"
    limit = {"max_request_bytes": routing.max_body_bytes}
    before = {"name": _MANAGER, "subFilter": {"name": "envoy.filters.http.router"}}
    added = {"name": name, "disabled": True, "typed_config": {"@type": _BUFFER, **limit}}
    here = {"typed_per_filter_config": {name: {"@type": f"{_BUFFER}PerRoute", "buffer": limit}}}
    patches = [
        {
            "applyTo": "HTTP_FILTER",
            "match": {"context": "GATEWAY", "listener": {"filterChain": {"filter": before}}},
            "patch": {"operation": "INSERT_BEFORE", "value": added},
        },
        {
            "applyTo": "HTTP_ROUTE",
            "match": {"context": "GATEWAY", "routeConfiguration": {"vhost": {"route": {"name": route}}}},
            "patch": {"operation": "MERGE", "value": here},
        },
    ]
    pods = {"workloadSelector": {"labels": dict(gateway.pods)}} if gateway.pods else _at(gateway)
    spec = {**pods, "configPatches": patches}
    Resource(scope, ENVOY_FILTER, name, spec=spec, namespace=gateway.namespace, part="after")


_MANAGER = "envoy.filters.network.http_connection_manager"
_BUFFER = "type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer"


def _public_below(scope: Scope, routing: Routing) -> set[str]:
    """Public paths below the route's, which other routes lead elsewhere: this policy must not ask there."""
    if routing.exact:
        return set()
    given = (each.value for each in scope.owner.platform.all(GatewayPath) if each.value.access == "public")
    return {each.path for each in given if each.path != routing.path and each.path.startswith(routing.path)}


def _at(gateway: Gateway) -> Mapping[str, object]:
    """Which pods ask. A reference to a Gateway reaches only pods that istiod made for it, by a label that it gives
    them: on others the policy would be stored and hold for nothing."""
    if gateway.pods:
        return {"selector": {"matchLabels": dict(gateway.pods)}}
    if gateway.api == "gateway-api":
        return {"targetRefs": [{"group": GROUP, "kind": "Gateway", "name": gateway.name}]}
    return {}
