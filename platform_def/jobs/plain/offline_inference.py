"""Inference over many inputs that are all there: an indexed Job whose pods share the shards and write each result once.

The image needs Python 3, whose own library runs what deals out the shards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import DATASETS_FOLDER, AbsolutePath
from platform_def.jobs.plain.batch import job_spec
from platform_def.jobs.pod import Role, make_claims, pod_template
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig


class OfflineInferenceConfig(TrainingConfig):
    """Parameters of offline inference."""

    exchanges_nothing = "its pods do not know each other"

    command: Annotated[list[str], Field(min_length=1)]
    """The program. With `{input}` and `{output}` among its words it runs for each shard. Without, it runs once in each
    pod, reads a line `{"input": …, "output": …}` for each shard, writes the result there and answers with a line."""
    input: AbsolutePath
    """Folder with the input, on a volume of the job: `/data/images`, `/datasets/faces`."""
    pattern: Annotated[str, Field(pattern=r"^[A-Za-z0-9*?._\[\]/-]+$", max_length=200)] = "*"
    """Which files below it are input: `*.jsonl`."""
    rows_per_shard: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    """Cut files with a row in each line into shards of so many; by default a shard is a file."""
    results: AbsolutePath = "/output"
    """Folder for the results, on a volume of the job; each is called after its input."""
    suffix: Annotated[str, Field(pattern=r"^\.[A-Za-z0-9._-]+$", max_length=40)] = ".out"
    """What stands behind the input's name in a result's."""
    parts: Annotated[int, Field(ge=1, le=100_000)] = 8
    """Parts that the shards are dealt into; each is tried again by itself."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Pods at once."""
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    """How often each part is tried again; it goes on where it was."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and folders that no volume holds."""
        yield from super().problems(platform)
        held = [path for path, _ in self.mounted().values()]
        readable = [*held, *(f"{DATASETS_FOLDER}/{name}" for name in self.datasets)]
        hint = "name the volume by `dataset:`, `datasets:`, `output:` or `volumes:`"
        if not _inside(self.input, readable):
            yield JobProblem("input", f"no volume of the job holds {self.input}", hint)
        if not _inside(self.results, held):
            yield JobProblem(
                "results", f"no volume of the job holds {self.results}, so results go with their pod", hint
            )
        if _inside(self.results, [self.input]):
            text = f"results below {self.input} would be input of the next try"
            yield JobProblem("results", text, "write them to a folder beside it")


class OfflineInference(TemplateJob[OfflineInferenceConfig]):
    """An indexed Job: a pod for each part, so many at once."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        config = self.config
        role = Role(
            container="main",
            command=["python3", "-c", _program(), self.settings(), *config.command],
            args=config.args,
            env={"PARTS": str(config.parts)},
            restart="Never",
        )
        spec = job_spec(
            pod_template(self, role),
            deadline_hours=config.deadline_hours,
            lifetime=config.lifetime,
            retries=config.retries,
            parts=config.parts,
            at_once=config.workers,
        )
        if config.parts > 1:
            del spec["backoffLimit"]
            spec["backoffLimitPerIndex"] = config.retries
        Resource(self, JOB, self.unique_name, spec=spec)

    def settings(self) -> str:
        """Settings of the program that deals out the shards."""
        config = self.config
        content = {
            "input": config.input,
            "pattern": config.pattern,
            "rows": config.rows_per_shard or 0,
            "results": config.results,
            "suffix": config.suffix,
        }
        return json.dumps(content, sort_keys=True)


def _inside(path: str, folders: list[str]) -> bool:
    return any(PurePosixPath(path).is_relative_to(folder) for folder in folders)


@cache
def _program() -> str:
    return Path(__file__).with_name("shard_runner.py").read_text()
