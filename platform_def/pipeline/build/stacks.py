"""Builds every component and job of every stack: each distinct one once, in parallel where that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platform_def.capabilities import ModelServing
from platform_def.components.catalogue import ALWAYS
from platform_def.errors import PlatformError, Problem
from platform_def.manifests.rendered import Deleted, RenderedComponent, RenderedObject
from platform_def.pipeline.applications.render import render_applications
from platform_def.pipeline.build.results import Results
from platform_def.pipeline.build.task import Failure, Result, Task, What
from platform_def.pipeline.build.workers import Workers
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.resolve.asking import asked, at_the_stack
from platform_def.pipeline.resolve.resolve import Resolved


@dataclass(frozen=True)
class Progress:
    """How far a run has come: `done` of `total` builds, the newest of which was `what`."""

    what: str
    done: int
    total: int
    cached: bool


_LISTS = {"component": "components", "hosts": "components", "job": "jobs", "service": "serving"}
"""Where the stack file has what is built."""
Report = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Built:
    """The components, served models among them, and jobs of one stack."""

    components: Mapping[str, RenderedComponent]
    jobs: Mapping[str, tuple[RenderedObject, ...]]
    doubtful: frozenset[str]
    """Components and jobs that may be others once the stack is right: what was read to build them is in doubt."""
    whole: bool
    """Whether the stack is sound, and nothing is missing: no build failed, and no folder."""
    deleted_of_jobs: tuple[Deleted, ...] = ()
    """What overlays take out of jobs."""


@dataclass(frozen=True, eq=False)
class _Order:
    """One build that some stack wants; `label` is the component's or the job's name."""

    stack: Resolved
    label: str
    task: Task
    key: str

    @property
    def slot(self) -> tuple[str, str, str]:
        return (self.stack.name, self.task.what, self.label)

    @property
    def kept(self) -> bool:
        """Whether its result is kept: what is refused leaves nothing behind."""
        return not self.task.watched and self.stack.sound

    def recall(self, known: Results) -> Result | None:
        """The result of an earlier run that may serve for it: none of what is wrong in part, which it did not note."""
        found = None if self.task.watched else known.find(self.key, self.task.platform)
        return None if found is None or self.stack.doubts.cover(found.reads) else found


def build(
    stacks: Sequence[Resolved],
    problems: list[Problem],
    *,
    root: Path,
    cache: Cache,
    known: Results,
    workers: Workers,
    report: Report,
) -> dict[str, Built]:
    """The built stacks by name; `problems` gets what is wrong with builds and folders, and these are left out."""
    orders = [order for stack in _sound_first(stacks) for order in _orders(stack, cache, problems)]
    results: dict[tuple[str, str, str], Result] = {}

    def finished(order: _Order, result: Result, *, cached: bool) -> None:
        results[order.slot] = result
        report(Progress(f"{order.stack.name}/{order.label}", len(results), len(orders), cached))

    pending, cached = orders, True
    while True:
        for order in pending:
            found = order.recall(known)
            if found is not None:
                finished(order, found, cached=cached)
        pending = [order for order in pending if order.slot not in results]
        if not pending:
            break
        cached = False
        over: set[str] = set()  # what failed under a key is not tried once more for another stack
        unanswered: set[tuple[str, str, str]] = set()
        for order, result in workers.perform({order: order.task for order in _distinct(pending, cache)}):
            if isinstance(result, Result):
                if order.kept:
                    cache.keep(order.key, order.task.platform, result.reads, result.to_json())
                    result = known.shared(result)
                finished(order, result, cached=False)
            elif located := _located(result, order):
                problems += located
                over.add(order.key)
            else:
                unanswered.add(order.slot)
        pending = [order for order in pending if order.slot not in results.keys() | unanswered]
        pending = [order for order in pending if order.key not in over]
    cache.tidy()
    return _assembled(stacks, results, root, problems)


def _sound_first(stacks: Iterable[Resolved]) -> list[Resolved]:
    """Where several have one build, what is wrong with it is reported at a stack in which nothing else is."""
    return sorted(stacks, key=lambda stack: not stack.sound)


def _located(failure: Failure, order: _Order) -> list[Problem]:
    """The problems with the line of what could not be built, where they do not say a better one; none where they may
    follow from what is wrong with the stack.
    """
    if order.stack.doubts.touched(failure.reads):
        return []
    return list(at_the_stack(failure.problems, order.stack.loaded, _LISTS[order.task.what], order.label))


def _orders(stack: Resolved, cache: Cache, problems: list[Problem]) -> Iterator[_Order]:
    for name, chosen in stack.chosen.items():
        with asked(problems, stack.loaded, "components", name, of=chosen.kind):
            plain = chosen.config.model_dump(mode="json")
            yield _order(stack, cache, "component", chosen.kind.slug, name, plain)
            if chosen.kind.has_hosts():
                yield _order(stack, cache, "hosts", chosen.kind.slug, name, plain)
    # What was left out of jobs and models stays so: a job's name hashes what was written.
    for name, job in stack.jobs.items():
        with asked(problems, stack.loaded, "jobs", name, of=type(job)):
            written = job.model_dump(mode="json", exclude_unset=True)
            yield _order(stack, cache, "job", job.template, name, written)
    for name, service in stack.services.items():
        with asked(problems, stack.loaded, "serving", name, of=type(service)):
            written = service.model_dump(mode="json", exclude_unset=True)
            yield _order(stack, cache, "service", service.template, name, written)


def _order(stack: Resolved, cache: Cache, what: What, name: str, label: str, config: dict[str, object]) -> _Order:
    known = f"{name} {label}" if what in ("component", "hosts") else name
    key = cache.key(what, known, config, stack.platform.kubernetes)
    doubtful = stack.doubts.fields(f"{_LISTS[what]}.{label}")
    parts = stack.doubts.parts
    task = Task(what, name, label, config, stack.platform, doubtful, parts, tentative=not stack.sound)
    return _Order(stack, label, task, key)


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
        hosts = [name for name, chosen in stack.chosen.items() if chosen.kind.has_hosts()]
        wanted = (
            ("component", stack.components),
            ("hosts", hosts),
            ("job", stack.jobs),
            ("service", stack.services),
        )
        is_whole = all((stack.name, what, name) in results for what, names in wanted for name in names)
        made = [name for name in stack.components if (stack.name, "component", name) in results]
        components = {name: _component(name, stack, results) for name in made}
        try:
            components |= render_applications(stack, components, root=root)
        except PlatformError as error:
            problems += error.problems
            is_whole = False
        models = [name for name in stack.services if (stack.name, "service", name) in results]
        components |= {name: _model(name, stack, results) for name in models}
        there = [name for name in stack.jobs if (stack.name, "job", name) in results]
        jobs = {name: results[stack.name, "job", name].objects for name in there}
        doubtful = {slot[2] for slot, each in results.items() if slot[0] == stack.name and _in_doubt(stack, each)}
        built[stack.name] = Built(dict(sorted(components.items())), jobs, frozenset(doubtful), is_whole and stack.sound)
    return built


def _in_doubt(stack: Resolved, result: Result) -> bool:
    return not stack.sound and stack.doubts.touched(result.reads)


def _component(name: str, stack: Resolved, results: Mapping[tuple[str, str, str], Result]) -> RenderedComponent:
    result, hosts = results[stack.name, "component", name], results.get((stack.name, "hosts", name))
    result = result.with_more(hosts) if hosts else result
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
