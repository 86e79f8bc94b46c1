"""Subsets that routes of Istio send requests to are defined by a DestinationRule of that host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.errors import nearest
from platform_def.manifests.backends import destinations
from platform_def.manifests.links import service_address
from platform_def.manifests.loose import at, items, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_GROUP = "networking.istio.io"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in context.index.by_kind.get((_GROUP, "VirtualService"), ()):
        for path, destination in destinations(item.manifest):
            subset, host = text(destination.get("subset")), _host(destination.get("host"), item)
            defined = context.once(_subsets).get(host)
            if subset and subset not in (defined or ()):
                said = f"no DestinationRule here defines the subset '{subset[:60]}' of {text(destination.get('host'))}"
                yield item, Fault(dotted((*path, "subset")), said, nearest(subset, defined) if defined else None)


def _host(host: object, item: RenderedObject) -> str:
    name, namespace = service_address(text(host))
    return f"{name}.{namespace or item.namespace}" if name else text(host)


def _subsets(context: Context) -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for item in context.index.by_kind.get((_GROUP, "DestinationRule"), ()):
        names = {text(at(each, "name")) for each in items(at(item.manifest, "spec.subsets"))}
        found[_host(at(item.manifest, "spec.host"), item)] |= names
    return found


MESH_SUBSET = StackRule(
    id="mesh-subset",
    severity="error",
    title="Every subset that a VirtualService names is defined for that host",
    why="The proxy knows no such destination and answers 503.",
    fix="add it to `subsets:` of the host's DestinationRule",
    kinds=frozenset({"VirtualService"}),
    check=_check,
    without_stack="as a warning",
)
