"""Paths of different VirtualServices of one host do not begin with each other: Istio serves them by age."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_KIND = ("networking.istio.io", "VirtualService")
_PLAIN = frozenset({"uri", "name", "ignoreUriCase"})
"""What a condition may say beside the path; with any other, requests that it does not meet go on to the next route."""


class _Path(NamedTuple):
    item: RenderedObject
    place: str
    """Where the object says it."""
    value: str
    takes_all: bool
    """It takes every request whose path begins so."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    told: set[tuple[str, str]] = set()
    for host, paths in _by_host(context).items():
        wide: defaultdict[str, list[_Path]] = defaultdict(list)
        for path in paths:
            if path.takes_all and path.value != "/":  # Istio moves `/` behind all others
                wide[path.value].append(path)
        for path in paths:
            other = _hides(path, wide)
            if other and (str(path.item), path.place) not in told:
                told.add((str(path.item), path.place))
                said = f"'{path.value}' begins with '{other.value}' of {other.item}, at the host {host}"
                yield path.item, Fault(path.place, said)


def _hides(path: _Path, wide: Mapping[str, list[_Path]]) -> _Path | None:
    """Who takes the requests for a path, where that is of an older object. Of two equal paths one is told."""
    for end in range(1, len(path.value) + 1):
        for other in wide.get(path.value[:end], ()):
            twins = path.takes_all and other.value == path.value
            if other.item is not path.item and not (twins and str(path.item) < str(other.item)):
                return other
    return None


def _by_host(context: Context) -> Mapping[str, list[_Path]]:
    """The paths at each host of each gateway; hosts that are written differently are matched by the more exact one."""
    found: defaultdict[str, list[_Path]] = defaultdict(list)
    for item in context.index.by_kind.get(_KIND, ()):
        gateways = [_gateway(text(each), item) for each in items(at(item.manifest, "spec.gateways"))]
        doors = [each for each in gateways if each]
        paths = list(_paths(item)) if doors else []
        for host in items(at(item.manifest, "spec.hosts")):
            for door in doors:
                found[f"{text(host)} of Gateway {door}"] += paths
    return found


def _gateway(name: str, item: RenderedObject) -> str:
    """Namespace and name; empty for the mesh, where each pod asks for one host."""
    return "" if name in ("", "mesh") else name if "/" in name else f"{item.namespace}/{name}"


def _paths(item: RenderedObject) -> Iterator[_Path]:
    for index, rule in enumerate(items(at(item.manifest, "spec.http"))):
        for place, match in enumerate(items(at(rule, "match"))):
            found: Mapping[str, Any] = mapping(at(match, "uri"))
            for how in ("prefix", "exact"):
                if value := text(found.get(how)):
                    takes_all = how == "prefix" and mapping(match).keys() <= _PLAIN
                    yield _Path(item, dotted(("spec", "http", index, "match", place, "uri", how)), value, takes_all)


ROUTE_OVERLAP = StackRule(
    id="route-overlap",
    severity="warning",
    title="No path of a VirtualService begins with that of another one at its host",
    why="Istio tries them in the order in which they were created: the older one may take the longer path's requests.",
    fix="put both paths into one VirtualService, the longer one first, or choose another path",
    kinds=frozenset({_KIND[1]}),
    check=_check,
)
