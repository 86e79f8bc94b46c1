"""Core types of api.batch.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import Api
from platform_def.crds.typed_dict import TypedDict


class PodFailurePolicyOnExitCodesRequirement(TypedDict, total=False):
    containerName: str
    operator: Required[str]
    values: Required[list[int]]


class PodFailurePolicyOnPodConditionsPattern(TypedDict, total=False):
    status: str
    type: Required[str]


class PodFailurePolicyRule(TypedDict, total=False):
    action: Required[str]
    onExitCodes: PodFailurePolicyOnExitCodesRequirement
    onPodConditions: list[PodFailurePolicyOnPodConditionsPattern]


class PodFailurePolicy(TypedDict, total=False):
    rules: Required[list[PodFailurePolicyRule]]


class JobSchedulingConfiguration(TypedDict, total=False):
    pass


class SuccessPolicyRule(TypedDict, total=False):
    succeededCount: int
    succeededIndexes: str


class SuccessPolicy(TypedDict, total=False):
    rules: Required[list[SuccessPolicyRule]]


class JobSpec(TypedDict, total=False):
    activeDeadlineSeconds: int
    backoffLimit: int
    backoffLimitPerIndex: int
    completionMode: str
    completions: int
    managedBy: str
    manualSelector: bool
    maxFailedIndexes: int
    parallelism: int
    podFailurePolicy: PodFailurePolicy
    podReplacementPolicy: str
    scheduling: JobSchedulingConfiguration
    selector: meta_v1.LabelSelector
    successPolicy: SuccessPolicy
    suspend: bool
    template: Required[core_v1.PodTemplateSpec]
    ttlSecondsAfterFinished: int


class JobTemplateSpec(TypedDict, total=False):
    metadata: meta_v1.ObjectMeta
    spec: JobSpec


class CronJobSpec(TypedDict, total=False):
    concurrencyPolicy: str
    failedJobsHistoryLimit: int
    jobTemplate: Required[JobTemplateSpec]
    schedule: Required[str]
    startingDeadlineSeconds: int
    successfulJobsHistoryLimit: int
    suspend: bool
    timeZone: str


JOB = Api(
    group="batch", version="v1", kind="Job", plural="jobs", spec=JobSpec, suspended_by="spec.suspend", builtin=True
)

CRON_JOB = Api(group="batch", version="v1", kind="CronJob", plural="cronjobs", spec=CronJobSpec, builtin=True)
