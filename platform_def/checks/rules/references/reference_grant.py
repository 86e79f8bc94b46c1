"""Names of Gateway API that lead into another namespace are granted there, by a ReferenceGrant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.backends import references
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import RenderedObject

_GROUP = "gateway.networking.k8s.io"
_ROUTES = ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")


class _Abroad(NamedTuple):
    """A name that leads into another namespace."""

    path: Path
    group: str
    kind: str
    namespace: str
    name: str


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for kind in (*_ROUTES, "Gateway"):
        for item in context.index.by_kind.get((_GROUP, kind), ()):
            for each in _abroad(item):
                if not _granted(item, each, context):
                    said = f"{each.kind} {each.namespace}/{each.name} is in a namespace without a ReferenceGrant for it"
                    hint = (
                        f"add a ReferenceGrant to namespace {each.namespace}: from {kind} of namespace "
                        f"{item.namespace}, to {each.kind}"
                    )
                    yield item, Fault(dotted((*each.path, "namespace")), said, hint)


def _abroad(item: RenderedObject) -> Iterator[_Abroad]:
    named = _certificates(item.manifest) if item.kind == "Gateway" else references(item.manifest)
    default = "Secret" if item.kind == "Gateway" else "Service"
    for path, each in named:
        namespace = text(each.get("namespace"))
        if namespace and namespace != item.namespace:
            kind = text(each.get("kind")) or default
            yield _Abroad(path, text(each.get("group")), kind, namespace, text(each.get("name")))


def _certificates(gateway: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for index, listener in enumerate(items(at(gateway, "spec.listeners"))):
        for place, each in enumerate(items(at(listener, "tls.certificateRefs"))):
            yield ("spec", "listeners", index, "tls", "certificateRefs", place), mapping(each)


def _granted(item: RenderedObject, abroad: _Abroad, context: Context) -> bool:
    for grant in context.index.by_kind.get((_GROUP, "ReferenceGrant"), ()):
        whence = any(
            (at(each, "group"), at(each, "kind"), at(each, "namespace")) == (_GROUP, item.kind, item.namespace)
            for each in items(at(grant.manifest, "spec.from"))
        )
        to = any(
            (text(at(each, "group")), at(each, "kind")) == (abroad.group, abroad.kind)
            and at(each, "name") in (None, abroad.name)
            for each in items(at(grant.manifest, "spec.to"))
        )
        if grant.namespace == abroad.namespace and whence and to:
            return True
    return False


REFERENCE_GRANT = StackRule(
    id="reference-grant",
    severity="error",
    title="A ReferenceGrant allows every reference of a route or Gateway to another namespace",
    why="The Gateway refuses the reference: requests get 500, or the listener has no certificate.",
    fix="add a ReferenceGrant to the other namespace",
    kinds=frozenset({*_ROUTES, "Gateway"}),
    check=_check,
    without_stack="as a warning",
)
