"""One build: a component or a job from its configuration and the platform's facts, as data in and data out.

Also the loop of a worker process (`python -m platform_def.pipeline.build.task`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, BinaryIO, Literal, cast

import orjson
from pydantic import TypeAdapter

from platform_def.config.objects import Drift, Made, Stored
from platform_def.config.platform import Platform
from platform_def.config.reads import observed
from platform_def.config.written.watch import Path, watched
from platform_def.errors import PlatformError, Problem, Source, ToolError
from platform_def.manifests.rendered import JOBS, RenderedObject
from platform_def.packages import blamed, exits_raise

What = Literal["component", "hosts", "job", "service"]
"""`hosts`: of a component what names hosts, which `component` then leaves out."""


@dataclass(frozen=True, eq=False)
class Task:
    """What to build: `name` is that of a component of the catalogue, or of the template of a job or a served model."""

    what: What
    name: str
    instance: str
    """What the stack calls it."""
    config: dict[str, object]
    platform: Platform
    watched: Mapping[str, str] = field(default_factory=dict)
    """Fields of the configuration whose being read is noted, each under this name."""
    doubtful: Mapping[Path, str] = field(default_factory=dict)
    """Parts of the platform's facts whose being read is noted, each under this name."""
    tentative: bool = False
    """Whether the stack is wrong elsewhere: code that fails on that says nothing new."""

    @property
    def weight(self) -> int:
        """A guess at how long it takes: those with many APIs first."""
        return len(orjson.dumps(self.config))

    def to_json(self) -> bytes:
        """One line."""
        platform = _platforms().dump_python(self.platform, mode="json")
        return orjson.dumps(
            {
                "what": self.what,
                "name": self.name,
                "instance": self.instance,
                "config": self.config,
                "platform": platform,
                "watched": dict(self.watched),
                "doubtful": [*self.doubtful.items()],
                "tentative": self.tentative,
            }
        )

    @staticmethod
    def from_json(line: bytes) -> Task:
        """The task of a line."""
        data = orjson.loads(line)
        platform = _platforms().validate_json(orjson.dumps(data["platform"]))
        return Task(
            data["what"],
            data["name"],
            data["instance"],
            data["config"],
            platform,
            data["watched"],
            {tuple(path): name for path, name in data["doubtful"]},
            data["tentative"],
        )


@dataclass(frozen=True, eq=False)
class Result:
    """What a build came to: objects, and what it declares about other objects."""

    objects: tuple[RenderedObject, ...]
    drifts: tuple[Drift, ...]
    makes: tuple[Made, ...]
    """What its pods make in the cluster."""
    awaits: tuple[str, ...]
    """Custom resources that its programs look for when they start."""
    stored: tuple[Stored, ...]
    """Where it keeps data."""
    reads: tuple[str, ...]
    """The facts that it has read."""

    def to_json(self) -> dict[str, object]:
        """As JSON-like data."""
        return {
            "objects": [each.to_json() for each in self.objects],
            "drifts": [asdict(each) for each in self.drifts],
            "makes": [each._asdict() for each in self.makes],
            "awaits": list(self.awaits),
            "stored": [each._asdict() for each in self.stored],
            "reads": list(self.reads),
        }

    def with_more(self, other: Result) -> Result:
        """What both builds came to."""
        return Result(
            (*self.objects, *other.objects),
            (*self.drifts, *other.drifts),
            (*self.makes, *other.makes),
            (*self.awaits, *other.awaits),
            (*self.stored, *other.stored),
            tuple(sorted({*self.reads, *other.reads})),
        )

    @staticmethod
    def from_json(data: dict[str, object]) -> Result:
        """From JSON-like data."""
        plain = cast(dict[str, Any], data)
        return Result(
            tuple(RenderedObject(**each) for each in plain["objects"]),
            tuple(Drift(**{**each, "pointers": tuple(each["pointers"])}) for each in plain["drifts"]),
            tuple(Made(**each) for each in plain["makes"]),
            tuple(plain["awaits"]),
            tuple(Stored(**each) for each in plain["stored"]),
            tuple(plain["reads"]),
        )


@dataclass(frozen=True)
class Failure:
    """Why a build gave nothing."""

    problems: tuple[Problem, ...]
    reads: tuple[str, ...] = ()
    """The facts that it had read by then."""

    def to_json(self) -> dict[str, object]:
        """As JSON-like data."""
        return {"problems": [asdict(each) for each in self.problems], "reads": list(self.reads)}

    @staticmethod
    def from_json(data: dict[str, object]) -> Failure:
        """From JSON-like data."""
        plain = cast(dict[str, Any], data)
        return Failure(tuple(map(_problem, plain["problems"])), tuple(plain["reads"]))


def _problem(plain: dict[str, Any]) -> Problem:
    return Problem(**{**plain, "where": Source(**plain["where"]) if plain["where"] else None, "at": tuple(plain["at"])})


@lru_cache(maxsize=1)
def _platforms() -> TypeAdapter[Platform]:
    return TypeAdapter(Platform)


def run(task: Task) -> Result | Failure:
    """Build, in this process; starts Node on the first call. What a component prints goes to stderr: stdout is data."""
    with redirect_stdout(sys.stderr), observed() as reads:
        try:
            return _build(task, reads)
        except ToolError:
            raise  # no fault of the stack
        except PlatformError as error:
            return Failure(error.problems, tuple(sorted(reads)))
        except Exception:
            if not task.tentative:
                raise
            return Failure(())


def _build(task: Task, reads: set[str]) -> Result:
    from platform_def.components import catalogue
    from platform_def.constructs.render import render
    from platform_def.jobs.templates import template
    from platform_def.serving.templates import template as served

    plain, platform = orjson.dumps(task.config), watched(task.platform, task.doubtful)
    if task.what in ("component", "hosts"):
        component = catalogue.component(task.name)
        half: dict[str, Any] = {"half": _HALVES[task.what]} if component.has_hosts() else {}
        with blamed(component):
            config = watched(component.config_model().model_validate_json(plain), _fields(task.watched))
            build = render(lambda scope: component(scope, config=config, platform=platform, name=task.instance, **half))
    else:
        job = template(task.name) if task.what == "job" else served(task.name)
        with blamed(job):
            parameters = watched(job.config_model().model_validate_json(plain), _fields(task.watched))
            build = render(lambda scope: job(scope, config=parameters, platform=platform))
    home, label = (JOBS, task.instance) if task.what == "job" else (task.instance, "")
    objects = (RenderedObject(each.manifest, home, each.part, each.origin, job=label) for each in build.objects)
    return Result(tuple(objects), build.drifts, build.makes, build.awaits, build.stored, tuple(sorted(reads)))


_HALVES = {"component": "build", "hosts": "hosts"}


def _fields(names: Mapping[str, str]) -> dict[Path, str]:
    return {(field,): name for field, name in names.items()}


def answer_to(line: bytes) -> bytes:
    """The line that a worker answers a task's line with: the result, or the problems."""
    try:
        return orjson.dumps(run(Task.from_json(line)).to_json())
    except ToolError as error:
        return orjson.dumps({"tool": Failure(error.problems).to_json()})


def result_of(answer: bytes) -> Result | Failure:
    """What a worker's line says; raises ToolError where a program failed."""
    data = orjson.loads(answer)
    if "tool" in data:
        raise ToolError(Failure.from_json(data["tool"]).problems)
    return Failure.from_json(data) if "problems" in data else Result.from_json(data)


def main() -> None:
    """Answer tasks until the input ends; whatever else writes to the standard output reaches stderr."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin.buffer, answers)


def serve(lines: BinaryIO, answers: BinaryIO) -> None:
    """Answer the task of each line until there are no more."""
    with exits_raise():
        for line in lines:
            answers.write(answer_to(line) + b"\n")
            answers.flush()


if __name__ == "__main__":
    main()
