"""Builds every component and job of every stack: each distinct one once, in parallel where that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platform_def.errors import PlatformError, Problem
from platform_def.manifests.links import Made
from platform_def.manifests.rendered import Drifting, RenderedComponent, RenderedObject
from platform_def.pipeline.applications import render_applications
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.files import JOBS
from platform_def.pipeline.resolve import Resolved
from platform_def.pipeline.task import Result, Task
from platform_def.pipeline.workers import Workers


@dataclass(frozen=True)
class Progress:
    """How far a run has come: `done` of `total` builds, the newest of which was `what`."""

    what: str
    done: int
    total: int
    cached: bool


Report = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Built:
    """The components and jobs of one stack, before overlays."""

    components: Mapping[str, RenderedComponent]
    jobs: Mapping[str, tuple[RenderedObject, ...]]


@dataclass(frozen=True, eq=False)
class _Order:
    """One build that some stack wants; `label` is the component's or the job's name."""

    stack: str
    label: str
    task: Task
    key: str

    @property
    def slot(self) -> tuple[str, str, str]:
        return (self.stack, self.task.what, self.label)


def build(stacks: Sequence[Resolved], *, root: Path, cache: Cache, jobs: int, report: Report) -> dict[str, Built]:
    """The built stacks by name; raises ConfigError with the problems of all applications."""
    orders = [order for stack in stacks for order in _orders(stack, cache)]
    results: dict[tuple[str, str, str], Result] = {}

    def finished(order: _Order, result: Result, *, cached: bool) -> None:
        results[order.slot] = result
        report(Progress(f"{order.stack}/{order.label}", len(results), len(orders), cached))

    with Workers(jobs) as workers:
        pending, cached = orders, True
        while True:
            for order in pending:
                known = cache.find(order.key, order.task.platform)
                if known is not None:
                    finished(order, Result.from_json(known), cached=cached)
            pending = [order for order in pending if order.slot not in results]
            if not pending:
                break
            cached = False
            for order, result in workers.perform({order: order.task for order in _distinct(pending, cache)}):
                cache.keep(order.key, order.task.platform, result.reads, result.to_json())
                finished(order, result, cached=False)
            pending = [order for order in pending if order.slot not in results]
    cache.tidy()
    return _assembled(stacks, results, root)


def _orders(stack: Resolved, cache: Cache) -> Iterator[_Order]:
    for name, config in stack.components.items():
        plain = config.model_dump(mode="json")
        yield _Order(
            stack.name,
            name,
            Task("component", name, plain, stack.platform),
            _key(cache, "component", name, plain, stack),
        )
    for name, job in stack.jobs.items():
        plain = job.model_dump(mode="json")
        yield _Order(
            stack.name,
            name,
            Task("job", job.template, plain, stack.platform),
            _key(cache, "job", job.template, plain, stack),
        )


def _key(cache: Cache, what: str, name: str, config: dict[str, object], stack: Resolved) -> str:
    return cache.key(what, name, config, stack.platform.kubernetes)


def _distinct(pending: Sequence[_Order], cache: Cache) -> list[_Order]:
    """One order for each result that can differ: by key, and by the values of the facts that builds under it read."""
    chosen: dict[tuple[str, str], _Order] = {}
    for order in pending:
        facts = cache.facts(order.key)
        chosen.setdefault((order.key, order.task.platform.digest(facts) if facts else ""), order)
    return list(chosen.values())


def _assembled(
    stacks: Sequence[Resolved], results: Mapping[tuple[str, str, str], Result], root: Path
) -> dict[str, Built]:
    problems: list[Problem] = []
    built: dict[str, Built] = {}
    for stack in stacks:
        components = {name: _component(name, stack, results) for name in stack.components}
        try:
            components |= render_applications(stack, components, root=root)
        except PlatformError as error:
            problems += error.problems
        jobs = {name: _objects(JOBS, results[stack.name, "job", name], job=name) for name in stack.jobs}
        built[stack.name] = Built(dict(sorted(components.items())), jobs)
    if problems:
        raise PlatformError(problems)
    return built


def _component(name: str, stack: Resolved, results: Mapping[tuple[str, str, str], Result]) -> RenderedComponent:
    result = results[stack.name, "component", name]
    drifting = tuple(
        Drifting(each["api_version"], each["kind"], each["name"], tuple(each["pointers"]), each["by"])
        for each in result.mutations
    )
    makes = tuple(Made(**each) for each in result.makes)
    return RenderedComponent(name, _objects(name, result), stack.requires.get(name, ()), drifting, makes)


def _objects(name: str, result: Result, *, job: str = "") -> tuple[RenderedObject, ...]:
    return tuple(
        RenderedObject(
            item["manifest"],
            name,
            item["part"],
            item["origin"],
            job=job,
            file_text=item["text"],
            known_links=item["links"],
        )
        for item in result.objects
    )
