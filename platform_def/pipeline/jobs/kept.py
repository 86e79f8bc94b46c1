"""Jobs whose name stayed and whose content would change: engines only create them, so the change never arrives.

Read from dist/ as it lies there, like what leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platform_def.errors import PlatformError
from platform_def.jobs.templates import template
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import JOBS
from platform_def.pipeline.load import Loaded
from platform_def.yaml import load


@dataclass(frozen=True)
class KeptJob:
    """A job that stays as it was created."""

    stack: str
    job: str
    where: str
    """The job's line in the stack file."""
    object: str
    path: str
    """What first differs in it."""
    rerun: int
    """The number that starts it again, as it is now."""

    @property
    def line(self) -> str:
        """For a person."""
        return (
            f"{self.where}: job {self.job} stays as it was created, though {self.path} of {self.object} would be "
            f"another now\n  hint: to start it again as it is now, write `rerun: {self.rerun}`"
        )


def kept_jobs(
    out: Path, stacks: Mapping[str, Mapping[str, bytes]], loaded: Mapping[str, Loaded]
) -> tuple[KeptJob, ...]:
    """The jobs that engines started or may have started, and that a write of these stacks changes in dist/ alone."""
    delivered = {name: each for name, each in loaded.items() if each.stack.delivery.engine != "none"}
    return tuple(
        job for name in sorted(delivered) for job in _of_stack(out / name, delivered[name], stacks.get(name, {}))
    )


def _of_stack(folder: Path, loaded: Loaded, files: Mapping[str, bytes]) -> Iterator[KeptJob]:
    for index, job in enumerate(loaded.stack.jobs):
        name, rerun = job.get("name"), job.get("rerun")
        if job.get("sync") is not True or not isinstance(name, str) or _recurs(job):
            continue
        for path, content in sorted(files.items()):
            before = _object(folder / path) if path.startswith(f"{JOBS}/{name}/") else None
            if before is None:
                continue
            after = _loaded(content)
            steps = _difference(before.get("spec"), after.get("spec"), ("spec",))
            if steps:
                where = str(loaded.where("jobs", index) or loaded.file)
                again = rerun + 1 if isinstance(rerun, int) else 1
                said = f"{after.get('kind')} {after['metadata']['name']}"
                yield KeptJob(loaded.name, name, where, said, dotted(steps), again)
                break


def _recurs(job: Mapping[str, Any]) -> bool:
    """Whether engines change its object in its place."""
    model = template(str(job.get("template"))).config_model()
    return bool(model.from_file(job).recurring)


def _object(path: Path) -> dict[str, Any] | None:
    """The object as it was delivered; None where there was none, or it has been broken meanwhile."""
    try:
        return _loaded(path.read_bytes())
    except (OSError, PlatformError):
        return None


def _loaded(content: bytes) -> dict[str, Any]:
    found = load(content)
    return found if isinstance(found, dict) else {}


def _difference(one: object, other: object, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The path of the first place where two values differ; empty where they are alike."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted({*one, *other})
        return next((found for key in keys if (found := _difference(one.get(key), other.get(key), (*path, key)))), ())
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next((found for index, pair in pairs if (found := _difference(*pair, (*path, index)))), ())
    return () if one == other else path
