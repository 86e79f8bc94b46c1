"""The files of the repository that jobs are made from: read before anything is built, so that a build stays a function
of data."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from platform_def.errors import ConfigError, PlatformError, Problem, Source
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.template import JobConfig
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.doubts import Doubts
from platform_def.pipeline.user_files import content_of, followed, reading
from platform_def.yaml import JsonValue, load_all, load_each

LARGEST_BYTES = 1 << 20
"""What an API server takes as one object, etcd's limit of a request."""


def documents(
    loaded: Loaded, jobs: Iterable[tuple[int, JobConfig]], problems: list[Problem], doubts: Doubts
) -> dict[str, tuple[JsonValue, ...]]:
    """The documents of every file that a job names, by file; what is wrong goes to `problems`."""
    made: dict[str, tuple[JsonValue, ...]] = {}
    for index, job in jobs:
        for file in job.files():
            try:
                made[file] = tuple(load_all(_content(loaded.root, file), file=file))
            except PlatformError as error:
                doubts.reads.add(f"document:{file}")
                place = loaded.where("jobs", index, "file") or loaded.where("jobs", index)
                for each in error.problems:
                    said = each.where if each.where and each.where.line else place
                    problems.append(Problem(f"jobs[{index}] ({job.name}): {file}: {each.text}", said, each.hint))
    return made


def _content(root: Path, file: str) -> bytes:
    base, path = followed(root), followed(root / file)
    if not path.is_relative_to(base):
        raise ConfigError("is outside the repository")
    if not path.is_file():
        raise ConfigError("is not there, or is no file", hint="write its path from the repository's root")
    with reading(file):
        data = content_of(path)
    if len(data) > LARGEST_BYTES:
        raise ConfigError(f"has {len(data)} bytes, more than the {LARGEST_BYTES} that an API server takes")
    return data


def place_in(loaded: Loaded, problem: JobProblem) -> Source | None:
    """The line of a job's own file that a problem speaks of; None where it speaks of the stack's."""
    if not problem.file:
        return None
    with suppress(PlatformError):
        found, _ = load_each(_content(loaded.root, problem.file), file=problem.file)
        if found:
            return Source(problem.file, found[0].line_of(problem.path))
    return Source(problem.file)
