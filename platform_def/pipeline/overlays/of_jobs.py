"""Overlays of training jobs: kustomize Components in `overlays/<stack>/_jobs/<job>/` and `overlays/_all/_jobs/<job>/`.

A job's object cannot change once it runs, so the bytes of its overlays are part of its name: with another overlay it is
another job. No patch can name what its own bytes rename, so that patches choose objects by kind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from platform_def.errors import PlatformError, Problem, Source, nearest
from platform_def.manifests.rendered import JOBS, Deleted, RenderedComponent, RenderedObject
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.overlays import overlay
from platform_def.pipeline.overlays.overlay import ALL, FOLDER, Overlay, folders, leaving
from platform_def.pipeline.user_files import leaves


def find(root: Path, stack: str) -> dict[str, list[Overlay]]:
    """Overlays of a stack's jobs by job: those for all stacks first."""
    return overlay.within(root, [f"{FOLDER}/{scope}/{JOBS}" for scope in (ALL, stack)])


def digests(root: Path, stack: str, jobs: Iterable[str], problems: list[Problem]) -> dict[str, str]:
    """A hash of the bytes of each job's overlays, by job; what cannot be read goes to `problems`."""
    found = find(root, stack)
    made: dict[str, str] = {}
    for job in jobs:
        try:
            each = "".join(overlay.digest(one, root) for one in found.get(job, ()))
        except PlatformError as error:
            problems += error.problems
            continue
        if each:
            made[job] = hashlib.sha256(each.encode()).hexdigest()
    return made


def folder_problems(root: Path, scope: str, jobs: Mapping[str, Iterable[str]], *, all_known: bool) -> Iterator[Problem]:
    """Overlay folders of a scope that belong to no job; `jobs` gives those of each stack whose jobs are known."""
    name = f"{FOLDER}/{scope}/{JOBS}"
    if leaves(root / name, root):
        yield leaving(name)
        return
    known = {job for each in jobs.values() for job in each} if scope == ALL else set(jobs.get(scope, ()))
    asked = all_known if scope == ALL else scope in jobs
    for path in folders(root, name):
        if leaves(path, root):
            yield leaving(f"{name}/{path.name}")
        elif asked and path.name not in known:
            what = "no stack has" if scope == ALL else f"stack {scope} does not have"
            yield Problem(
                f"overlay for a job '{path.name}' that {what}",
                Source(f"{name}/{path.name}"),
                nearest(path.name, known),
            )


def apply(
    job: str, objects: Sequence[RenderedObject], overlays: Sequence[Overlay], *, root: Path, cache: Cache
) -> tuple[tuple[RenderedObject, ...], tuple[Deleted, ...]]:
    """The objects of a job after its overlays, and what these take out; ConfigError for what is refused."""
    if not overlays:
        return tuple(objects), ()
    after = overlay.apply(RenderedComponent(f"job {job}", tuple(objects)), overlays, root=root, cache=cache)
    return tuple(replace(item, component=JOBS, job=job) for item in after.objects), after.deleted
