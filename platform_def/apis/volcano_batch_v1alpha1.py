"""Volcano 1.15 (batch.volcano.sh): jobs whose pods start together."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import (
    Default,
    Int32,
    Int64,
    ListType,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
    Ref,
    Time,
)


class JobTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class NetworkTopology(TypedDict, total=False):
    highestTierAllowed: Annotated[int, Minimum(0)]
    highestTierName: Annotated[str, MaxLength(253)]
    mode: Annotated[Literal["hard", "soft"], Default("hard")]


class Policy(TypedDict, total=False):
    action: str
    event: Literal[
        "*",
        "PodPending",
        "PodRunning",
        "PodFailed",
        "PodEvicted",
        "Unknown",
        "TaskCompleted",
        "OutOfSync",
        "CommandIssued",
        "JobUpdated",
        "TaskFailed",
    ]
    events: list[
        Literal[
            "*",
            "PodPending",
            "PodRunning",
            "PodFailed",
            "PodEvicted",
            "Unknown",
            "TaskCompleted",
            "OutOfSync",
            "CommandIssued",
            "JobUpdated",
            "TaskFailed",
        ]
    ]
    exitCode: Int32
    timeout: str


class DependsOn(TypedDict, total=False):
    iteration: str
    name: list[str]


class PartitionPolicy(TypedDict, total=False):
    minPartitions: Annotated[Int32, Default(0), Minimum(0)]
    networkTopology: NetworkTopology
    partitionSize: Required[Annotated[Int32, Minimum(1)]]
    totalPartitions: Required[Annotated[Int32, Minimum(1)]]


class Task(TypedDict, total=False):
    dependsOn: DependsOn
    maxRetry: Annotated[Int32, Minimum(0)]
    minAvailable: Annotated[Int32, Minimum(0)]
    name: Annotated[str, MaxLength(63), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    partitionPolicy: PartitionPolicy
    policies: list[Policy]
    replicas: Annotated[Int32, Minimum(0)]
    template: core_v1.PodTemplateSpec
    topologyPolicy: Literal["none", "best-effort", "restricted", "single-numa-node"]


class Volume(TypedDict, total=False):
    mountPath: Required[Annotated[str, MinLength(1), Pattern("^[^:]+$")]]
    volumeClaim: core_v1.PersistentVolumeClaimSpec
    volumeClaimName: Annotated[str, MaxLength(253)]


class JobTemplateSpec(TypedDict, total=False):
    maxRetry: Annotated[Int32, Default(3), Minimum(0)]
    minAvailable: Annotated[Int32, Minimum(0)]
    minSuccess: Annotated[Int32, Minimum(1)]
    networkTopology: NetworkTopology
    plugins: dict[str, list[str]]
    policies: list[Policy]
    priorityClassName: Annotated[
        str, MaxLength(253), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
    ]
    queue: Annotated[
        str,
        Default("default"),
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    runningEstimate: str
    schedulerName: Annotated[str, MaxLength(63)]
    tasks: Annotated[list[Task], MinItems(1)]
    ttlSecondsAfterFinished: Annotated[Int32, Minimum(0)]
    volumes: list[Volume]


class JobTemplate(TypedDict, total=False):
    metadata: JobTemplateMetadata
    spec: JobTemplateSpec


class CronJobSpec(TypedDict, total=False):
    concurrencyPolicy: Annotated[Literal["Allow", "Forbid", "Replace"], Default("Allow")]
    failedJobsHistoryLimit: Annotated[Int32, Default(1), Minimum(0)]
    jobTemplate: Required[JobTemplate]
    schedule: Required[str]
    startingDeadlineSeconds: Annotated[Int64, Minimum(0)]
    successfulJobsHistoryLimit: Annotated[Int32, Default(3), Minimum(0)]
    suspend: Annotated[bool, Default(False)]
    timeZone: str


class CronJobStatus(TypedDict, total=False):
    active: Annotated[list[core_v1.ObjectReference], ListType("atomic")]
    lastScheduleTime: Time
    lastSuccessfulTime: Time


class JobSpec(TypedDict, total=False):
    maxRetry: Annotated[Int32, Default(3), Minimum(0)]
    """Times that the job is started again."""
    minAvailable: Annotated[Int32, Minimum(0)]
    """Pods that must fit at once before any starts."""
    minSuccess: Annotated[Int32, Minimum(1)]
    networkTopology: NetworkTopology
    plugins: dict[str, list[str]]
    """What the job gets beside its pods, such as svc, ssh or env."""
    policies: list[Policy]
    """What happens on events, such as a failed pod."""
    priorityClassName: Annotated[
        str,
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("PriorityClass", group="scheduling.k8s.io"),
    ]
    """PriorityClass of the job."""
    queue: Annotated[
        str,
        Default("default"),
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("Queue", group="scheduling.volcano.sh"),
    ]
    """Queue of the job."""
    runningEstimate: str
    schedulerName: Annotated[str, MaxLength(63)]
    """Scheduler of the pods."""
    tasks: Annotated[list[Task], MinItems(1)]
    """Roles of the job."""
    ttlSecondsAfterFinished: Annotated[Int32, Minimum(0)]
    """Seconds after its end when the job is removed."""
    volumes: list[Volume]


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    status: Required[str]


class State(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    phase: Literal[
        "Pending",
        "Aborting",
        "Aborted",
        "Running",
        "Restarting",
        "Completing",
        "Completed",
        "Terminating",
        "Terminated",
        "Failed",
    ]
    reason: str


class TaskStatusCount(TypedDict, total=False):
    phase: dict[str, Int32]


class JobStatus(TypedDict, total=False):
    conditions: list[Condition]
    controlledResources: dict[str, str]
    failed: Annotated[Int32, Minimum(0)]
    minAvailable: Annotated[Int32, Minimum(0)]
    pending: Annotated[Int32, Minimum(0)]
    retryCount: Annotated[Int32, Minimum(0)]
    running: Annotated[Int32, Minimum(0)]
    runningDuration: str
    state: State
    succeeded: Annotated[Int32, Minimum(0)]
    taskStatusCount: dict[str, TaskStatusCount]
    terminating: Annotated[Int32, Minimum(0)]
    unknown: Annotated[Int32, Minimum(0)]
    version: Annotated[Int32, Minimum(0)]


CRON_JOB = Api(
    group="batch.volcano.sh",
    version="v1alpha1",
    kind="CronJob",
    plural="cronjobs",
    spec=CronJobSpec,
    status=CronJobStatus,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
)

JOB = Api(
    group="batch.volcano.sh",
    version="v1alpha1",
    kind="Job",
    plural="jobs",
    spec=JobSpec,
    status=JobStatus,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("STATUS", ".status.state.phase"),
        Column("minAvailable", ".status.minAvailable", type="integer"),
        Column("RUNNINGS", ".status.running", type="integer"),
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("QUEUE", ".spec.queue", priority=1),
    ),
)

CRDS = (
    Definition((CRON_JOB,), short_names=("cronvcjob", "cronvj")),
    Definition((JOB,), short_names=("vcjob", "vj")),
)
