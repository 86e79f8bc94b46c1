"""XGBoost or LightGBM: boosted trees over several pods, as an XGBoostJob.

The operator gives each process MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE, and for LightGBM WORKER_ADDRS and
WORKER_PORT: the program starts XGBoost's tracker in rank 0 and joins it in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.kubeflow import training_v1 as kubeflow_v1
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import replica, run_policy, unretried
from platform_def.jobs.pod import Role, make_claims, pod_template
from platform_def.jobs.queueing import as_one
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig


class XgBoostConfig(TrainingConfig):
    """Parameters of an XGBoost job."""

    needs = ("XGBoostJob.kubeflow.org",)

    command: list[str] = Field(default_factory=list)
    """The training program, the same in all pods; by default the image's entrypoint, with `args`."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 2
    """Pods that train, the master included."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool or the team cannot give, and words that an XGBoost job has no use for."""
        yield from super().problems(platform)
        yield from unretried(self, "a rank that comes back alone cannot join the others")
        if self.tensorboard:
            yield JobProblem("tensorboard", "XGBoost writes no logs for TensorBoard", "leave it out")


class XgBoost(TemplateJob[XgBoostConfig]):
    """An XGBoostJob: a master, which also trains, and workers."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        template = pod_template(self, Role(container="xgboost", command=self.config.command, args=self.config.args))
        near = template["metadata"]["annotations"]
        near |= as_one(near, lone=1, others=self.config.workers - 1)
        # A rank that comes back alone cannot join again: its exit ends the job, which `rerun` starts from a checkpoint.
        replicas = {"Master": replica(1, template, restart="Never")}
        if self.config.workers > 1:
            replicas["Worker"] = replica(self.config.workers - 1, template, restart="Never")
        spec: kubeflow_v1.XGBoostJobSpec = {
            "xgbReplicaSpecs": replicas,
            "runPolicy": run_policy(self.config, self.platform),
        }
        Resource(self, kubeflow_v1.XGBOOST_JOB, self.unique_name, spec=spec)
