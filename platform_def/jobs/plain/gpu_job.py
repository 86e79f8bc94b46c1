"""A plain Job with GPUs: any program, on one pod or on several that do not know each other."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.constructs.resource import Resource
from platform_def.jobs.plain.batch import SIBLINGS, job_spec
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import PodConfig, TrainingConfig


class GpuJobConfig(TrainingConfig):
    """Parameters of a plain Job."""

    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Pods; each reads its number from JOB_COMPLETION_INDEX, and the count from WORKERS."""


class GpuJob(TemplateJob[GpuJobConfig]):
    """A Job: pods that run a program to its end, all at once."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        config = self.config
        role = plain_role(config, {"WORKERS": str(config.workers)} if config.workers > 1 else {})
        template = pod_template(self, role, siblings=SIBLINGS)
        spec = job_spec(
            template,
            deadline_hours=config.deadline_hours,
            lifetime=config.lifetime,
            retries=config.retries,
            parts=config.workers,
            at_once=config.workers,
        )
        Resource(self, JOB, self.unique_name, spec=spec)
        make_tensorboard(self)


def plain_role(config: PodConfig, env: dict[str, str]) -> Role:
    """The one role of a plain Job."""
    return Role(container="main", command=config.command, args=config.args, env=env, restart="Never")
