"""The order in which a stack's parts are applied, computed from its objects and the few declared requirements.

What is ordered is the part (`cert-manager/crds`), never the component: components may need each other, parts may not.
A part's wave is its longest path, so that an insertion moves only what depends on it. A claim may stay pending for any
length of time: only parts and jobs whose objects name a claim wait for a part `after` that holds claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from platform_def.config.objects import Part
from platform_def.errors import ConfigError, Problem
from platform_def.manifests.graph import Graph
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack

Edges = Mapping[str, Mapping[str, str]]
"""Part → the parts that it waits for, each with the reason; a part is written `component/part`."""
_CLAIM = "PersistentVolumeClaim"


def order(stack: RenderedStack) -> RenderedStack:
    """The stack with the wave of every part, from 0, and what parts and jobs wait for.

    Parts that wait for each other raise ConfigError.
    """
    graph = _graph(stack)
    needs = edges(stack, graph)
    jobs = {job: job_edges(stack, job, graph) for job in stack.jobs}
    return replace(stack, waves=waves(needs), needs=needs, job_needs=jobs, servers=servers(stack, needs, graph))


def edges(stack: RenderedStack, graph: Graph | None = None) -> Edges:
    """What each part of the components waits for directly, sorted; the same pair has the first reason found.

    What a webhook needs itself comes before it and is not asked about: such an edge would close a circle, and is none.
    Nor does anything wait for a Profile on which that Profile's controller waits.
    """
    graph = graph or _graph(stack)
    found: dict[str, dict[str, str]] = {}
    asked: list[tuple[int, str, str, str]] = []
    for component in _by_name(stack):
        for part in component.parts:
            here = f"{component.name}/{part}"
            found[here] = {**_declared(component, part, stack), **_awaited(component, part, graph)}
            for need, reason, gives_way in _shown(component, part, graph):
                if gives_way:
                    asked.append((gives_way, here, need, reason))
                else:
                    found[here].setdefault(need, reason)
    for _, here, need, reason in sorted(asked, key=lambda each: each[0]):
        if not _waits(need, here, found):
            found[here].setdefault(need, reason)
    return {part: dict(sorted(needs.items())) for part, needs in found.items()}


def job_edges(stack: RenderedStack, job: str, graph: Graph | None = None) -> Mapping[str, str]:
    """What a training job waits for: the parts that its objects need, and their components up to `_ready`."""
    graph = graph or _graph(stack)
    needs: dict[str, str] = {}
    for item in stack.jobs[job]:
        for part, reason, _ in _waits_for(item, graph):
            name, _, kind = part.rpartition("/")
            component = stack.components[name]
            latest = max(kind, _ready(component) or kind, key=component.parts.index)
            needs.setdefault(f"{name}/{latest}", reason)
    return dict(sorted(needs.items()))


def job_wave(stack: RenderedStack, job: str) -> int:
    """The wave in which a training job may start: after all that it waits for."""
    return 1 + max((stack.waves[part] for part in stack.job_needs[job]), default=-1)


def servers(stack: RenderedStack, needs: Edges, graph: Graph) -> Mapping[str, list[str]]:
    """The parts that hold the programs that serve a part's custom resources.

    They must outlive it: only they can let go of a resource with a finalizer. One for which that would close a circle
    is left out.
    """
    known = {part: list(found) for part, found in needs.items()}
    found: dict[str, set[str]] = {}
    for component in _by_name(stack):
        for item in component.objects:
            here, definition = f"{component.name}/{item.part}", graph.definition(f"{item.kind}.{item.group}")
            server = f"{definition.component}/main" if definition else here
            if server == here or server not in known:
                continue
            if server not in known[here] and not _waits(server, here, known):
                known[here].append(server)
            if server in known[here]:
                found.setdefault(here, set()).add(server)
    return {part: sorted(programs) for part, programs in sorted(found.items())}


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


def _graph(stack: RenderedStack) -> Graph:
    """Of the components alone: nothing waits for a job."""
    components = _by_name(stack)
    index = ObjectIndex(item for component in components for item in component.objects)
    return Graph(index, (made for component in components for made in component.made()))


def _waits_for(item: RenderedObject, graph: Graph) -> Iterator[tuple[str, str, int]]:
    """The parts without which the object is refused or does not start, the reason, and to what it gives way."""
    for edge in graph.edges(item):
        if not edge.weak:
            yield f"{edge.target.component}/{edge.target.part}", str(edge), edge.gives_way


def _declared(component: RenderedComponent, part: Part, stack: RenderedStack) -> dict[str, str]:
    """What a part waits for although none of its objects shows it."""
    before = component.parts[: component.parts.index(part)]
    needs = {f"{component.name}/{before[-1]}": f"{part} comes after {before[-1]}"} if before else {}
    if part != "crds" and all(earlier == "crds" for earlier in before):
        for name in component.requires:
            required = stack.components.get(name)
            ready = _ready(required) if required is not None and name != component.name else None
            if ready:
                needs.setdefault(f"{name}/{ready}", f"{component.name} requires {name}")
    return needs


def _awaited(component: RenderedComponent, part: Part, graph: Graph) -> dict[str, str]:
    """Definitions of other components that its programs look for when they start and never again."""
    needs: dict[str, str] = {}
    for name in component.awaits if part == "main" else ():
        definition = graph.definition(name)
        if definition and definition.component != component.name:
            where = f"{definition.component}/{definition.part}"
            needs.setdefault(where, f"{component.name} looks for {name} when it starts")
    return needs


def _shown(component: RenderedComponent, part: Part, graph: Graph) -> Iterator[tuple[str, str, int]]:
    """What a part waits for by its objects."""
    here = f"{component.name}/{part}"
    for item in component.objects:
        if item.part == part:
            yield from (each for each in _waits_for(item, graph) if each[0] != here)


def _waits(part: str, other: str, graph: Mapping[str, Iterable[str]]) -> bool:
    """Whether a part waits for another one, directly or not."""
    seen, left = {part}, [part]
    while left:
        for need in graph.get(left.pop(), ()):
            if need == other:
                return True
            if need not in seen:
                seen.add(need)
                left.append(need)
    return False


def _by_name(stack: RenderedStack) -> list[RenderedComponent]:
    return [component for _, component in sorted(stack.components.items())]


def _ready(component: RenderedComponent) -> Part | None:
    """The part with which a component is ready for others: its last one, unless that is an `after` with claims."""
    claims = any((item.part, item.group, item.kind) == ("after", "", _CLAIM) for item in component.objects)
    parts = [part for part in component.parts if not (claims and part == "after")]
    return parts[-1] if parts else None


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
