"""Builds every component and job of every stack: each distinct one once, in parallel where that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platform_def.capabilities import ModelServing
from platform_def.components.catalogue import ALWAYS
from platform_def.errors import PlatformError, Problem
from platform_def.manifests.rendered import RenderedComponent, RenderedObject
from platform_def.pipeline.applications.render import render_applications
from platform_def.pipeline.build.cache import Cache
from platform_def.pipeline.build.task import Result, Task
from platform_def.pipeline.build.workers import BuildError, Workers
from platform_def.pipeline.resolve.asking import answering, at_the_stack
from platform_def.pipeline.resolve.resolve import Resolved


@dataclass(frozen=True)
class Progress:
    """How far a run has come: `done` of `total` builds, the newest of which was `what`."""

    what: str
    done: int
    total: int
    cached: bool


_LISTS = {"component": "components", "job": "jobs", "service": "serving"}
"""Where the stack file has what is built."""
Report = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Built:
    """The components, served models among them, and jobs of one stack, before overlays."""

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


def build(
    stacks: Sequence[Resolved], problems: list[Problem], *, root: Path, cache: Cache, jobs: int, report: Report
) -> dict[str, Built]:
    """The built stacks by name; those of which a build or a folder failed are missing, and `problems` says why."""
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
            failed: dict[str, list[Problem]] = {}
            for order, result in workers.perform({order: order.task for order in _distinct(pending, cache)}):
                if isinstance(result, BuildError):
                    failed.setdefault(order.key, []).extend(_located(result, stacks))
                    continue
                cache.keep(order.key, order.task.platform, result.reads, result.to_json())
                finished(order, result, cached=False)
            problems += (problem for found in failed.values() for problem in found)
            # What failed under a key is not tried once more for another stack.
            pending = [order for order in pending if order.slot not in results and order.key not in failed]
    cache.tidy()
    return _assembled(stacks, results, root, problems)


def _located(error: BuildError, stacks: Sequence[Resolved]) -> Iterator[Problem]:
    """The problems with the line of what could not be built, where they do not say a better one."""
    order = error.task
    assert isinstance(order, _Order)
    (loaded,) = (stack.loaded for stack in stacks if stack.name == order.stack)
    own = (_LISTS[order.task.what], order.label)
    return at_the_stack(error.error.problems, loaded, *own)


def _orders(stack: Resolved, cache: Cache) -> Iterator[_Order]:
    for name, chosen in stack.chosen.items():
        with answering(stack.loaded, "components", name, of=chosen.kind):
            plain = chosen.config.model_dump(mode="json")
        yield _Order(
            stack.name,
            name,
            Task("component", chosen.kind.slug, name, plain, stack.platform),
            _key(cache, "component", f"{chosen.kind.slug} {name}", plain, stack),
        )
    for name, job in stack.jobs.items():
        # What was left out stays so: a job's name hashes what was written.
        with answering(stack.loaded, "jobs", name, of=type(job)):
            written = job.model_dump(mode="json", exclude_unset=True)
        yield _Order(
            stack.name,
            name,
            Task("job", job.template, name, written, stack.platform),
            _key(cache, "job", job.template, written, stack),
        )

    for name, service in stack.services.items():
        with answering(stack.loaded, "serving", name, of=type(service)):
            written = service.model_dump(mode="json", exclude_unset=True)
        yield _Order(
            stack.name,
            name,
            Task("service", service.template, name, written, stack.platform),
            _key(cache, "service", service.template, written, stack),
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
    stacks: Sequence[Resolved],
    results: Mapping[tuple[str, str, str], Result],
    root: Path,
    problems: list[Problem],
) -> dict[str, Built]:
    built: dict[str, Built] = {}
    for stack in stacks:
        wanted = (("component", stack.components), ("job", stack.jobs), ("service", stack.services))
        is_whole = all((stack.name, what, name) in results for what, names in wanted for name in names)
        made = [name for name in stack.components if (stack.name, "component", name) in results]
        components = {name: _component(name, stack, results) for name in made}
        try:
            components |= render_applications(stack, components, root=root)
        except PlatformError as error:
            problems += error.problems
            continue
        if is_whole:
            components |= {name: _model(name, stack, results) for name in stack.services}
            jobs = {name: results[stack.name, "job", name].objects for name in stack.jobs}
            built[stack.name] = Built(dict(sorted(components.items())), jobs)
    return built


def _component(name: str, stack: Resolved, results: Mapping[tuple[str, str, str], Result]) -> RenderedComponent:
    result = results[stack.name, "component", name]
    requires = stack.requires.get(name, ())
    return RenderedComponent(
        name, result.objects, requires, result.drifts, result.makes, result.awaits, stored=result.stored
    )


def _model(name: str, stack: Resolved, results: Mapping[tuple[str, str, str], Result]) -> RenderedComponent:
    """A served model, delivered as a component is: after the namespaces, and after what serves it."""
    serving = stack.platform.all(ModelServing)
    return RenderedComponent(
        name, results[stack.name, "service", name].objects, (*ALWAYS, *sorted(each.by for each in serving))
    )
