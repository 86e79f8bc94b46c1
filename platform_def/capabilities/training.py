"""What jobs that train may name."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Model, Subdomain


class TrainingRuntime(Model):
    """A ClusterTrainingRuntime, as far as a TrainJob must know it."""

    name: Subdomain
    """Its name."""
    groups: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: ["node"])
    """Groups of Jobs whose pods train: `node`, and `launcher` where the first of them starts the others."""
    program: bool = False
    """Whether it brings the training program, so that a TrainJob need not name one."""
    gpus: bool = True
    """Whether its pods ask for the RuntimeClass of GPUs, where the cluster needs one."""
    on_processors: str = ""
    """Runtime that is equal to it and asks for no RuntimeClass, for jobs without GPUs; empty where there is none."""


class RayOperator(Capability):
    """What runs RayJobs, as far as a job must know it."""

    title: ClassVar[str] = "an operator of Ray"

    gang: str = ""
    """Who starts all pods of a Ray cluster together, by the operator's own word; empty where they start one by one."""


class TrainingRuntimes(Capability):
    """The ClusterTrainingRuntimes that TrainJobs may name, and what these give every pod."""

    title: ClassVar[str] = "runtimes of TrainJobs"

    runtimes: list[TrainingRuntime] = Field(default_factory=list)
    """The runtimes."""
    gang: Literal["none", "volcano", "scheduler-plugins", "kai"] = "none"
    """Who starts all pods of a job together."""
    scheduler: str = ""
    """Scheduler that pods ask for so that it does; empty for the cluster's own."""
