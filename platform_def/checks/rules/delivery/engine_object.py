"""Argo CD and Flux can begin with what their objects say.

Facts: Argo CD 3.6 (`GetDestinationCluster`; the sync options of its engine, which ignores those that it does not know),
Flux 2.8 (`dependsOn` of Kustomizations and HelmReleases).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest, RenderedObject
from platform_def.manifests.updates.replacing import SYNC

_ARGO = "argoproj.io"
_SWITCH = ("true", "false")
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "ApplyOutOfSyncOnly": _SWITCH,
    "ClientSideApplyMigration": _SWITCH,
    "CreateNamespace": _SWITCH,
    "Delete": (*_SWITCH, "confirm"),
    "FailOnSharedResource": _SWITCH,
    "Force": _SWITCH,
    "Prune": (*_SWITCH, "confirm"),
    "PruneLast": _SWITCH,
    "PrunePropagationPolicy": ("background", "foreground", "orphan"),
    "Replace": _SWITCH,
    "RespectIgnoreDifferences": _SWITCH,
    "ServerSideApply": _SWITCH,
    "SkipDryRunOnMissingResource": _SWITCH,
    "Validate": _SWITCH,
}
_ORDERED = (("kustomize.toolkit.fluxcd.io", "Kustomization"), ("helm.toolkit.fluxcd.io", "HelmRelease"))
Node = tuple[str, str]
"""Namespace and name."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in context.own:
        yield from ((item, fault) for fault in item.once(_annotated))
    for kind, path in (("Application", "spec"), ("ApplicationSet", "spec.template.spec")):
        for item in context.index.by_kind.get((_ARGO, kind), ()):
            yield from ((item, fault) for fault in _application(item.manifest, path))
    for group in _ORDERED:
        yield from _circles(context.index.by_kind.get(group, ()))


def _annotated(item: RenderedObject) -> tuple[Fault, ...]:
    annotated = text(mapping(at(item.manifest, "metadata.annotations")).get(SYNC))
    return tuple(_options(f'metadata.annotations["{SYNC}"]', annotated.split(","))) if annotated else ()


def _application(manifest: Manifest, path: str) -> Iterator[Fault]:
    for index, option in enumerate(items(at(manifest, f"{path}.syncPolicy.syncOptions"))):
        yield from _options(f"{path}.syncPolicy.syncOptions[{index}]", [text(option)])
    destination = mapping(at(manifest, f"{path}.destination"))
    if destination.get("server") and destination.get("name"):
        said = "names a cluster and gives an address of one: Argo CD takes the Application for invalid"
        yield Fault(f"{path}.destination", said, "leave `name` or `server` out")


def _options(path: str, options: list[str]) -> Iterator[Fault]:
    for option in filter(None, map(str.strip, options)):
        name, _, value = option.partition("=")
        if "{{" in option:  # a template of an ApplicationSet
            continue
        if name not in _OPTIONS:
            yield Fault(path, f"there is no sync option {name[:40]!r}", nearest(name, _OPTIONS), "warning")
        elif value not in _OPTIONS[name]:
            said = f"the sync option {name} is not {value[:40] or 'empty'!r}"
            yield Fault(path, said, f"write {name}= and one of {', '.join(_OPTIONS[name])}", "warning")


def _circles(found: tuple[RenderedObject, ...] | list[RenderedObject]) -> Iterator[tuple[RenderedObject, Fault]]:
    """Of each circle of objects that wait for each other, the one that comes first by name."""
    named = {(item.namespace or "", item.name): item for item in found}
    waits = {node: _waits_for(item) for node, item in named.items()}
    told: set[Node] = set()
    for node in sorted(named):
        circle = _back_to(node, waits)
        if circle and not told & {*circle}:
            told |= {*circle}
            way = " → ".join(name for _, name in (*circle, circle[0]))
            yield named[node], Fault("spec.dependsOn", f"waits for itself: {way}", "take one of these arrows out")


def _waits_for(item: RenderedObject) -> list[Node]:
    each = map(mapping, items(at(item.manifest, "spec.dependsOn")))
    return [(text(one.get("namespace")) or item.namespace or "", text(one.get("name"))) for one in each]


def _back_to(start: Node, waits: Mapping[Node, list[Node]]) -> tuple[Node, ...]:
    """A shortest way from a node to itself, without its end; empty: there is none."""
    ways: list[tuple[Node, ...]] = [(start,)]
    seen: set[Node] = set()
    for way in ways:
        for following in waits.get(way[-1], ()):
            if following == start:
                return way
            if following not in seen:
                seen.add(following)
                ways.append((*way, following))
    return ()


ENGINE_OBJECT = StackRule(
    id="engine-object",
    severity="error",
    title="Argo CD and Flux can act on their own objects",
    why="The engine refuses the object, waits without end, or passes over an option that it does not know.",
    fix="write what the engine knows",
    check=_check,
)
