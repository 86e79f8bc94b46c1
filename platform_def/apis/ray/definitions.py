"""The custom resources of KubeRay, each with the versions that it serves."""

from __future__ import annotations

from platform_def.apis.ray import v1, v1alpha1
from platform_def.crds.model import Definition

DEFINITIONS = (
    Definition((v1.RAY_CLUSTER, v1alpha1.RAY_CLUSTER), categories=("all",)),
    Definition((v1.RAY_CRON_JOB,), categories=("all",)),
    Definition((v1.RAY_JOB, v1alpha1.RAY_JOB), categories=("all",)),
    Definition((v1.RAY_SERVICE, v1alpha1.RAY_SERVICE), categories=("all",)),
)
