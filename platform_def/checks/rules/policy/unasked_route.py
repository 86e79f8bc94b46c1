"""Routes of people's own at a gateway of Istio's are asked for a login where the stack has one, as Emissary's all are.

Facts: Emissary asks its AuthService about every Mapping that does not say `bypass_auth`; Istio asks where an
AuthorizationPolicy of the action CUSTOM at the gateway's pods says so, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.capabilities import AuthorizationService, Gateway
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_POLICY = ("security.istio.io", "AuthorizationPolicy")
_ROUTES = (("networking.istio.io", "VirtualService"), ("gateway.networking.k8s.io", "HTTPRoute"))


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    platform = context.stack.platform
    services = platform.all(AuthorizationService)
    doors = [given.value for given in platform.all(Gateway) if given.value.api != "emissary"] if services else []
    for kind in _ROUTES if doors else ():
        for item in context.index.by_kind.get(kind, ()):
            if context.is_users_own(item):
                yield from ((item, fault) for door in doors if (fault := _fault(item, door, context)))


def _fault(item: RenderedObject, door: Gateway, context: Context) -> Fault | None:
    if (door.namespace, door.name) not in _gateways(item):
        return None
    asked = [each for each in context.index.by_kind.get(_POLICY, ()) if each.namespace == door.namespace]
    operations = [each for policy in asked for each in _operations(policy.manifest)]
    for place, path in _paths(item.manifest):
        if not any(_covers(each, path) for each in operations):
            return Fault(
                place, f"the gateway {door.name} lets everyone pass at {path}: no policy there asks for a login"
            )
    return None


def _gateways(item: RenderedObject) -> set[tuple[str, str]]:
    """Namespaces and names of the gateways that a route is attached to."""
    home = item.namespace or ""
    if item.kind == "VirtualService":
        named = [text(each).rpartition("/") for each in items(at(item.manifest, "spec.gateways"))]
        return {(namespace or home, name) for namespace, _, name in named}
    parents = map(mapping, items(at(item.manifest, "spec.parentRefs")))
    return {(text(each.get("namespace")) or home, text(each.get("name"))) for each in parents}


def _paths(route: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a route says its paths, and the paths."""
    for field, matches in (("http", "match"), ("rules", "matches")):
        for index, rule in enumerate(map(mapping, items(at(route, f"spec.{field}")))):
            for match in map(mapping, items(rule.get(matches)) or ({},)):
                uri = mapping(match.get("uri"))
                said = text(uri.get("prefix")) or text(uri.get("exact")) or text(at(match, "path.value"))
                yield f"spec.{field}[{index}]", said or "/"


def _operations(policy: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a policy that asks applies to; without a word everything."""
    if at(policy, "spec.action") != "CUSTOM":
        return
    for rule in map(mapping, items(at(policy, "spec.rules"))):
        for to in map(mapping, items(rule.get("to")) or ({},)):
            yield mapping(to.get("operation"))


def _covers(operation: Mapping[str, Any], path: str) -> bool:
    wanted, left_out = items(operation.get("paths")), items(operation.get("notPaths"))
    return (not wanted or _among(path, wanted)) and not _among(path, left_out)


def _among(path: str, patterns: object) -> bool:
    every = map(text, items(patterns))
    return any(path == each or (each.endswith("*") and path.startswith(each[:-1])) for each in every)


UNASKED_ROUTE = StackRule(
    id="unasked-route",
    severity="warning",
    title="Routes of your own are asked for a login where the stack has one",
    why="Behind Emissary every route is asked for a login, behind Istio only those with a policy: a page that moves is "
    "open to anyone who reaches the gateway.",
    fix="add an AuthorizationPolicy of the action CUSTOM for its path in the gateway's namespace, or waive it for a "
    "page that is to be public",
    check=_check,
    without_stack="not at all",
)
