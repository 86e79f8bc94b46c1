"""A pod to work in: the volume, the image and the GPUs that a job will have, for as long as is said.

`kubectl exec -it job/<name> -- bash` opens it. It ends by itself, so that no GPUs stay taken over a weekend.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import Volume
from platform_def.jobs.plain.batch import job_spec
from platform_def.jobs.plain.gpu_job import plain_role
from platform_def.jobs.pod import make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import PodConfig

# A shell that is the first process of a container ignores SIGTERM unless it traps it.
WAIT = ["sh", "-c", 'trap "exit 0" TERM; sleep infinity & wait']


class DevelopmentConfig(PodConfig):
    """Parameters of a development pod."""

    command: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: list(WAIT))
    """What runs in it; by default it waits for you."""
    gpus_per_worker: Annotated[int, Field(ge=0, le=16)] = 0
    """Its GPUs."""
    dataset: Volume | None = None
    """The volume with the data, at /data: the one of the jobs."""
    deadline_hours: Annotated[int, Field(ge=1, le=24 * 31)] = 12
    """It ends after this time."""


class Development(TemplateJob[DevelopmentConfig]):
    """A Job of one pod that waits for people."""

    def build(self) -> None:
        """Claims, and the pod."""
        make_claims(self)
        template = pod_template(self, plain_role(self.config, {}))
        spec = job_spec(template, deadline_hours=self.config.deadline_hours, lifetime=self.config.lifetime, retries=0)
        Resource(self, JOB, self.unique_name, spec=spec)
        make_tensorboard(self)
