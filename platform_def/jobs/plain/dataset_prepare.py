"""Preparing a data set in parts: an indexed Job whose pods each make their share of record files on the shared volume.

Each pod reads its number from JOB_COMPLETION_INDEX and the count from PARTS, and writes files named by its number, so
that a part that failed is made again without the others.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.config.model import Quantity
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import Volume
from platform_def.jobs.plain.batch import job_spec
from platform_def.jobs.plain.gpu_job import plain_role
from platform_def.jobs.pod import make_claims, pod_template
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import TrainingConfig


class DatasetPrepareConfig(TrainingConfig):
    """Parameters of preparing a data set."""

    exchanges_nothing = "its pods do not know each other"

    command: Annotated[list[str], Field(min_length=1)]
    """The program that makes one part, such as `[python, im2rec.py, --pass-through, /data/list, /data/images]`."""
    parts: Annotated[int, Field(ge=1, le=100_000)] = 8
    """Parts that the data set is made in."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 4
    """Pods at once."""
    dataset: Volume | None = Volume(storage="shared")
    """The volume with raw data, where the parts go too; at /data."""
    gpus_per_worker: Annotated[int, Field(ge=0, le=16)] = 0
    """GPUs of each pod, where the program uses some."""
    cpu: Quantity | None = "4"
    """Cores of each pod."""
    memory: Quantity | None = "8Gi"
    """Memory of each pod."""
    retries: Annotated[int, Field(ge=0, le=100)] = 3
    """How often each part is tried again; others go on meanwhile."""


class DatasetPrepare(TemplateJob[DatasetPrepareConfig]):
    """An indexed Job: a pod for each part, so many at once."""

    def build(self) -> None:
        """Claim, and the job."""
        make_claims(self)
        config = self.config
        template = pod_template(self, plain_role(config, {"PARTS": str(config.parts)}))
        spec = job_spec(
            template,
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
