"""Workloads that end: Jobs, and CronJobs that make them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal, cast

import orjson

from platform_def.apis.core.batch_v1 import CRON_JOB, JOB, CronJobSpec, JobSpec
from platform_def.apis.core.core_v1 import PodSpec
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.workloads.workload import Workload

OUT_OF_MESH = {"sidecar.istio.io/inject": "false"}
"""Annotation of pods that no proxy of a mesh may stand beside."""


class Job(Workload):
    """A Job that prepares something and ends. Its name must change with its content: a Job cannot be edited."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        role: str = "",
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        namespace: str = "",
        part: Literal["main", "after"] = "main",
        hashed: bool = False,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`role` is what stacks call it: its name without the hash. With `hashed` the name gets one of everything that
        cannot be edited, so that a change of image, registry or resources is a Job of its own."""
        super().__init__(scope, name, role)
        template = self.template(
            {"restartPolicy": "OnFailure", **pod},
            labels=pod_labels,
            annotations={**OUT_OF_MESH, **(pod_annotations or {})},  # a proxy beside it would never end
        )
        spec = {"template": template, "backoffLimit": 6, **(extra_spec or {})}
        self.name = f"{name}-{_digest(spec)}" if hashed else name
        Resource(
            self,
            JOB,
            self.name,
            spec=cast(JobSpec, spec),
            labels=self.component.labels(self.role),
            namespace=namespace or None,
            part=part,
        )


class CronJob(Workload):
    """A Job on a schedule."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        schedule: str,
        role: str = "",
        pod_annotations: Mapping[str, str] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`schedule` is a cron line; `extra_spec` holds further fields of the spec, such as `timeZone`."""
        super().__init__(scope, name, role)
        annotations = {**OUT_OF_MESH, **(pod_annotations or {})}
        template = self.template({"restartPolicy": "OnFailure", **pod}, annotations=annotations)
        spec = {
            "schedule": schedule,
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": {"template": template}},
            **(extra_spec or {}),
        }
        Resource(self, CRON_JOB, name, spec=cast(CronJobSpec, spec), labels=self.component.labels(name))


def _digest(spec: Mapping[str, object]) -> str:
    return hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
