"""Lays the overlays of one stack on its components and jobs, and says what is wrong with all of them at once.

Of a component that could not be built, or may be another once the stack is right, the overlays are only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from platform_def.errors import PlatformError, Problem
from platform_def.pipeline.build.stacks import Built
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.claims import with_claims_behind
from platform_def.pipeline.overlays import of_jobs, overlay
from platform_def.pipeline.overlays.overlay import Overlay
from platform_def.pipeline.resolve.resolve import Resolved

T = TypeVar("T")
R = TypeVar("R")


def overlays_on(stack: Resolved, built: Built, problems: list[Problem], *, root: Path, cache: Cache) -> Built:
    """The built stack after its overlays; it is not whole where one is wrong, and `problems` says why."""
    found: list[Problem] = []
    of_components = overlay.find(root, stack.name)
    components = _each(
        built.components,
        of_components,
        lambda one, overlays: with_claims_behind(overlay.apply(one, overlays, root=root, cache=cache)),
        found,
        doubtful=built.doubtful,
    )
    missing = (stack.loaded.stack.components.keys() - components.keys()) & of_components.keys()
    found += _read({name: of_components[name] for name in missing}, root)
    of_each = of_jobs.find(root, stack.name)
    jobs = _each(
        {name: (name, objects) for name, objects in built.jobs.items()},
        of_each,
        lambda one, overlays: of_jobs.apply(*one, overlays, root=root, cache=cache),
        found,
        doubtful=built.doubtful,
    )
    found += _read({name: of_each[name] for name in of_each.keys() & {*stack.loaded.job_names()} - jobs.keys()}, root)
    problems += found
    return replace(
        built,
        components=components,
        jobs={name: objects for name, (objects, _) in jobs.items()},
        deleted_of_jobs=tuple(each for _, deleted in jobs.values() for each in deleted),
        whole=built.whole and not found,
    )


def _each(
    built: Mapping[str, T],
    overlays: Mapping[str, Sequence[Overlay]],
    apply: Callable[[T, Sequence[Overlay]], R],
    problems: list[Problem],
    *,
    doubtful: frozenset[str],
) -> dict[str, R]:
    """What can be relied on, after its overlays; those that are refused are missing."""
    done: dict[str, R] = {}
    for name in (each for each in built if each not in doubtful):
        try:
            done[name] = apply(built[name], overlays.get(name, ()))
        except PlatformError as error:
            problems += error.problems
    return done


def _read(overlays: Mapping[str, Iterable[Overlay]], root: Path) -> Iterator[Problem]:
    """What is wrong with overlays, whatever they are laid on."""
    for each in (one for several in overlays.values() for one in several):
        try:
            overlay.read(each, root)
        except PlatformError as error:
            yield from error.problems
