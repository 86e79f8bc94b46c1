"""Overlay folders that belong to no stack, component or job: what is asked of all stacks together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from platform_def.components.catalogue import ALWAYS, catalogue
from platform_def.errors import Problem
from platform_def.pipeline.load import stack_files
from platform_def.pipeline.overlays import of_jobs, overlay
from platform_def.pipeline.resolve.resolve import Resolved


@dataclass(frozen=True)
class Having:
    """What a stack has that overlays may be for."""

    stack: str
    components: Sequence[str]
    """Served models and the user's own among them."""
    beyond: Sequence[str]
    """Those that the catalogue does not know."""
    jobs: Sequence[str]


def having_of(stack: Resolved) -> Having:
    """The same of a stack; of one that is wrong what its files name."""
    jobs = list(stack.loaded.job_names())
    if not stack.sound:
        named = [*stack.loaded.stack.components]
        return Having(stack.name, [*ALWAYS, *named], named, jobs)
    own = [*stack.applications, *stack.services]
    return Having(stack.name, [*stack.components, *own], own, jobs)


def stray_overlays(root: Path, stacks: Iterable[Having]) -> Iterator[Problem]:
    """What is wrong with overlay folders; of stacks that are not among these no more is known than that they exist."""
    told = {each.stack: each for each in stacks}
    having: dict[str, Iterable[str]] = {name: catalogue() for name in stack_files(root)}
    having |= {name: {*each.components} for name, each in told.items()}
    known = {*catalogue(), *(name for each in told.values() for name in each.beyond)}
    yield from overlay.folder_problems(root, having, known)
    jobs: dict[str, Iterable[str]] = {name: each.jobs for name, each in told.items()}
    for scope in (overlay.ALL, *having):
        yield from of_jobs.folder_problems(root, scope, jobs, all_known=jobs.keys() >= having.keys())
