"""What a stack may choose about Kubeflow Trainer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.training.trainer.releases import RELEASES, WITHDRAWN
from platform_def.components.training.trainer.runtimes import RuntimeName
from platform_def.config.model import Name
from platform_def.constructs import CertificateChoice


class TrainerConfig(CertificateChoice):
    """What a stack may choose about Kubeflow Trainer."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "kubeflow-system"
    """Namespace of the controller, upstream's."""
    runtimes: list[RuntimeName] | None = None
    """Runtimes to install; by default all of the release, those of torchtune where a pool has the GPUs that they ask
    for: two whole ones a node."""
    fine_tuning_pool: Name | None = None
    """Node pool of the runtimes of torchtune; by default the first that has these GPUs. A TrainJob may say another."""
    without_gpus: list[RuntimeName] = Field(default_factory=list)
    """Runtimes for nodes without GPUs: their pods ask for no RuntimeClass, which the others do where GPUs need one."""
    grace_period_seconds: Annotated[int, Field(ge=1, le=3600)] = 120
    """Time between SIGTERM, when a pod must go, and the end, in all runtimes, unless a TrainJob says another."""
    gang_scheduler: Literal["none", "volcano", "scheduler-plugins"] | None = None
    """Who starts all pods of a job together, in all runtimes; by default the gang scheduler that the stack has, if any.
    One named here must be in the cluster: a component of the stack, or there already."""
    threads: Annotated[int, Field(ge=1, le=64)] = 5
    """TrainJobs that are reconciled at once; upstream's."""
    progress: bool = False
    """Feature gate TrainJobStatus, alpha: training programs tell the controller how far they are."""
