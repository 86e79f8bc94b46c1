"""Who is asked before a request passes a gateway of Istio's, whichever API its routes are written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

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
        "rules": [{"to": [{"operation": operation}]}],
    }
    Resource(
        scope,
        AUTHORIZATION_POLICY,
        f"{routing.namespace}-{routing.name}",
        spec=cast(AuthorizationPolicySpec, spec),
        namespace=gateway.namespace,
        part="after",
    )


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
