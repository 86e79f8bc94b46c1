"""Which entries of a stack's `storage:` a component serves, and what is wrong with them, whatever its driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

from platform_def.config.storage import Provisioned, StaticVolume
from platform_def.constructs.component import Setting
from platform_def.errors import ConfigError, Problem, nearest

E = TypeVar("E", bound=Provisioned)


def entries_of(
    at: Setting[Any],
    component: str,
    kind: type[E],
    check: Callable[[Mapping[str, E]], Iterable[Problem]] = lambda _: (),
) -> dict[str, E]:
    """The entries of a kind that an instance of `component` serves, by the name of their class.

    Raises ConfigError with all that it cannot serve; `check` says what of its own entries the driver refuses.
    """
    instances = at.platform.instances(component) or (at.name,)
    every = {name: entry for name, entry in sorted(at.platform.storage.items()) if isinstance(entry, kind)}
    own = own_entries(at, component, kind)
    problems = [*([] if own else [_nothing_to_serve(at.name, kind)]), *check(own)]
    if at.name == instances[0]:
        problems += _served_by_nobody(driver_of(kind), every, instances)
    if problems:
        raise ConfigError(problems)
    return {entry.class_name or name: entry for name, entry in own.items()}


def own_entries(at: Setting[Any], component: str, kind: type[E]) -> dict[str, E]:
    """Those entries by their own names, right or wrong: those that name the instance; the first's may name none."""
    first = (at.platform.instances(component) or (at.name,))[0]
    return {
        name: entry
        for name, entry in sorted(at.platform.storage.items())
        if isinstance(entry, kind) and (entry.served_by or first) == at.name
    }


def static_problems(
    at: Setting[Any], component: str, kind: type[Provisioned], volumes: Mapping[str, StaticVolume]
) -> Iterator[Problem]:
    """Volumes of data that is there already, on entries that the component does not serve."""
    known = own_entries(at, component, kind)
    for name, volume in volumes.items():
        if volume.storage not in known:
            text = f"components.{at.name}.volumes.{name}.storage: '{volume.storage}' is no entry with driver"
            hint = nearest(volume.storage, known) or f"entries: {', '.join(known) or 'there is none'}"
            at_line = ("components", at.name, "volumes", name, "storage")
            yield Problem(f"{text} {driver_of(kind)} that it serves", hint=hint, at=at_line)
        yield from _strange_teams(at, name, volume)


def _strange_teams(at: Setting[Any], name: str, volume: StaticVolume) -> Iterator[Problem]:
    teams = [team.name for team in at.platform.teams]
    for wanted in volume.teams if isinstance(volume.teams, list) else ():
        if wanted not in teams:
            text = f"components.{at.name}.volumes.{name}.teams: the stack has no team '{wanted}'"
            hint = nearest(wanted, teams) or "teams are listed under `teams:`"
            yield Problem(text, hint=hint, at=("components", at.name, "volumes", name, "teams"))
    if volume.teams == "all" and not teams:
        text = f"components.{at.name}.volumes.{name}.teams: the stack has no teams, so that there would be no claim"
        yield Problem(text, hint="write `namespace:`", at=("components", at.name, "volumes", name, "teams"))


def driver_of(kind: type[Provisioned]) -> str:
    """The driver's name, as entries have it."""
    return str(get_args(kind.model_fields["driver"].annotation)[0])


def _nothing_to_serve(instance: str, kind: type[Provisioned]) -> Problem:
    driver = driver_of(kind)
    return Problem(
        f"components.{instance}: storage has no entry with driver {driver} for it, so there is nothing to serve",
        hint=f"add under storage: `shared: {kind.example[:-1]}, servedBy: {instance}}}`, or remove the component",
    )


def _served_by_nobody(driver: str, entries: Mapping[str, Provisioned], instances: Sequence[str]) -> Iterator[Problem]:
    for name, entry in entries.items():
        if entry.served_by and entry.served_by not in instances:
            hint = nearest(entry.served_by, instances) or f"there are {', '.join(instances)}"
            text = f"storage.{name}.servedBy: no component '{entry.served_by}' makes {driver} volumes"
            yield Problem(text, hint=hint, at=("storage", name, "servedBy"))
