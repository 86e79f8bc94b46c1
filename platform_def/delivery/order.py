"""The order in which a stack's parts are applied, computed from its objects and the few declared requirements.

What is ordered is the part (`cert-manager/crds`), never the component: components may need each other, parts may not.
A part's wave is its longest path, so that an insertion moves only what depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from platform_def.errors import ConfigError, Problem
from platform_def.manifests.rendered import Part, RenderedComponent, RenderedObject, RenderedStack

Edges = Mapping[str, Mapping[str, str]]
"""Part → the parts that it waits for, each with the reason; a part is written `component/part`."""


def order(stack: RenderedStack) -> RenderedStack:
    """The stack with the wave of every part, from 0; parts that wait for each other raise ConfigError."""
    return replace(stack, waves=waves(edges(stack)))


def edges(stack: RenderedStack) -> Edges:
    """What each part of the components waits for directly, sorted; the same pair has the first reason found."""
    providers = _Providers.of(stack)
    return {
        f"{component.name}/{part}": dict(sorted(_needs(component, part, stack, providers).items()))
        for component in _by_name(stack)
        for part in component.parts
    }


def job_edges(stack: RenderedStack, job: str) -> Mapping[str, str]:
    """What a training job waits for: the namespace that it runs in, and all of the operators that serve its kinds."""
    providers = _Providers.of(stack)
    needs: dict[str, str] = {}
    for item in stack.jobs[job]:
        for part, reason in providers.needs(item):
            operator = stack.components[part.rpartition("/")[0]]
            needs.setdefault(_last(operator), reason)
    return dict(sorted(needs.items()))


def waves(graph: Edges) -> Mapping[str, int]:
    """The longest path of each part through the graph, from 0; circles raise ConfigError with the reasons."""
    found: dict[str, int] = {}
    waiting = dict(graph)
    while waiting:
        ready = [part for part, needs in waiting.items() if all(need in found for need in needs)]
        if not ready:
            raise ConfigError(_circles(waiting))
        for part in ready:
            found[part] = 1 + max((found[need] for need in waiting.pop(part)), default=-1)
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class _Providers:
    """Which part brings a kind or a namespace."""

    kinds: Mapping[tuple[str, str], tuple[str, str]]
    """(group, kind) → part, name of the CRD."""
    namespaces: Mapping[str, str]

    @classmethod
    def of(cls, stack: RenderedStack) -> _Providers:
        kinds: dict[tuple[str, str], tuple[str, str]] = {}
        namespaces: dict[str, str] = {}
        for component in _by_name(stack):
            for item in component.objects:
                if item.kind == "CustomResourceDefinition":
                    kinds.setdefault(_served(item), (_part(item), item.name))
                elif item.kind == "Namespace" and not item.group:
                    namespaces.setdefault(item.name, _part(item))
        return cls(kinds, namespaces)

    def needs(self, item: RenderedObject) -> Iterator[tuple[str, str]]:
        """The parts that an object waits for, with the reason."""
        if (item.group, item.kind) in self.kinds:
            part, crd = self.kinds[item.group, item.kind]
            yield part, f"{item} is served by the CRD {crd}"
        if item.namespace is not None and item.namespace in self.namespaces:
            yield self.namespaces[item.namespace], f"{item} lives in the namespace {item.namespace}"


def _served(crd: RenderedObject) -> tuple[str, str]:
    """Group and kind that a CRD serves; empty ones of a CRD so broken that the checks, which come later, report it."""
    spec = crd.manifest.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(names, dict):
        return ("", "")
    return (str(spec.get("group", "")), str(names.get("kind", "")))


def _needs(component: RenderedComponent, part: Part, stack: RenderedStack, providers: _Providers) -> dict[str, str]:
    here = f"{component.name}/{part}"
    before = component.parts[: component.parts.index(part)]
    needs = {f"{component.name}/{before[-1]}": f"{part} comes after {before[-1]}"} if before else {}
    if part != "crds" and all(earlier == "crds" for earlier in before):
        for name in component.requires:
            required = stack.components.get(name)
            if required is not None and required.parts and name != component.name:
                needs.setdefault(_last(required), f"{component.name} requires {name}")
    for item in component.objects:
        if item.part == part:
            for provider, reason in providers.needs(item):
                if provider != here:
                    needs.setdefault(provider, reason)
    return needs


def _by_name(stack: RenderedStack) -> list[RenderedComponent]:
    return [component for _, component in sorted(stack.components.items())]


def _part(item: RenderedObject) -> str:
    return f"{item.component}/{item.part}"


def _last(component: RenderedComponent) -> str:
    """Whoever waits for the last part of a component waits for all of them."""
    return f"{component.name}/{component.parts[-1]}"


def _circles(waiting: Edges) -> Iterable[Problem]:
    """One problem for each circle among parts of which none can be first."""
    left = {part: [need for need in needs if need in waiting] for part, needs in waiting.items()}
    while left:
        circle = _circle(left)
        steps = "".join(f"\n    {part} waits for {need}: {waiting[part][need]}" for part, need in circle)
        way = " → ".join([circle[0][0], *(need for _, need in circle)])
        yield Problem(
            f"parts wait for each other in a circle: {way}{steps}",
            hint="drop one of these requirements, or put its object into another part or component",
        )
        left = _without({part for part, _ in circle}, left)


def _circle(left: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """The first circle met from the first part on; every part here has a need."""
    path = [min(left)]
    while path[-1] not in path[:-1]:
        path.append(min(left[path[-1]]))
    circle = path[path.index(path[-1]) : -1]
    start = circle.index(min(circle))
    circle = circle[start:] + circle[:start]
    return list(zip(circle, [*circle[1:], circle[0]], strict=True))


def _without(parts: set[str], left: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What still goes round once these parts are out of the way."""
    kept = {part: [need for need in needs if need not in parts] for part, needs in left.items() if part not in parts}
    free = {part for part, needs in kept.items() if not needs}
    return _without(free, kept) if free else kept
