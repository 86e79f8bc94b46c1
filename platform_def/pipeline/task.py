"""One build: a component or a job from its configuration and the platform's facts, as data in and data out.

Also the loop of a worker process (`python -m platform_def.pipeline.task`).
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal, cast

import orjson
from pydantic import TypeAdapter

from platform_def.config.platform import Platform, observed
from platform_def.errors import PlatformError
from platform_def.yaml import dump


@dataclass(frozen=True, eq=False)
class Task:
    """What to build: `what` names a component of the catalogue, or a job's template."""

    what: Literal["component", "job"]
    name: str
    config: dict[str, object]
    platform: Platform

    @property
    def weight(self) -> int:
        """A guess at how long it takes: those with many APIs first."""
        return len(orjson.dumps(self.config))

    def to_json(self) -> bytes:
        """One line."""
        platform = _platforms().dump_python(self.platform, mode="json")
        return orjson.dumps({"what": self.what, "name": self.name, "config": self.config, "platform": platform})

    @staticmethod
    def from_json(line: bytes) -> Task:
        """The task of a line."""
        data = orjson.loads(line)
        platform = _platforms().validate_json(orjson.dumps(data["platform"]))
        return Task(data["what"], data["name"], data["config"], platform)


@dataclass(frozen=True, eq=False)
class Result:
    """What a build came to: objects as `manifest`, `part`, `origin`, `text`; drifting fields; the facts read."""

    objects: list[dict[str, Any]]
    mutations: list[dict[str, Any]]
    reads: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """As JSON-like data."""
        return {"objects": self.objects, "mutations": self.mutations, "reads": list(self.reads)}

    @staticmethod
    def from_json(data: dict[str, object]) -> Result:
        """From JSON-like data."""
        plain = cast(dict[str, Any], data)
        return Result(plain["objects"], plain["mutations"], tuple(plain["reads"]))


@lru_cache(maxsize=1)
def _platforms() -> TypeAdapter[Platform]:
    return TypeAdapter(Platform)


def run(task: Task) -> Result:
    """Build, in this process; starts Node on the first call."""
    from platform_def.components import catalogue
    from platform_def.constructs.render import render
    from platform_def.jobs.templates import template

    made = catalogue.component(task.name) if task.what == "component" else template(task.name)
    with observed() as reads:
        config = made.config_model().model_validate_json(orjson.dumps(task.config))
        build = render(lambda scope: made(scope, config=config, platform=task.platform))
    objects = [{**vars(item), "text": dump(item.manifest)} for item in build.objects]
    return Result(objects, [asdict(mutation) for mutation in build.mutations], tuple(sorted(reads)))


def main() -> None:
    """Answer tasks until the input ends."""
    for line in sys.stdin.buffer:
        try:
            answer = run(Task.from_json(line)).to_json()
        except PlatformError as error:
            answer = {"error": str(error)}
        sys.stdout.buffer.write(orjson.dumps(answer) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
