"""The parameters of every job that trains, with what is impossible of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.config.platform import Platform
from platform_def.jobs.fields import PodFields
from platform_def.jobs.limits import training_problems
from platform_def.jobs.parameters import CleanPods
from platform_def.jobs.problem import JobProblem


class PodConfig(PodFields):
    """What a pod of a job runs, and what it gets there."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool, the team or the storage cannot give."""
        yield from training_problems(self, platform)


class TrainingConfig(PodConfig):
    """A job of several pods that an operator runs."""

    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Pods that train."""
    clean_pods: CleanPods = "Running"
    """Pods that are removed when the job is over. `Running` keeps those that ended, with their logs. A pod whose
    program fails again and again still counts as running: only `None` keeps it."""
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    """How often the job's pods are restarted, all of them, before the job has failed."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.workers

    @property
    def trainers(self) -> int:
        """Pods with GPUs, where the job has some."""
        return self.workers
