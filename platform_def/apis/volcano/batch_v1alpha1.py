"""Volcano 1.15 (batch.volcano.sh): jobs whose pods start together."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1
from platform_def.crds.health import StateHealth
from platform_def.crds.model import Api, Column, Definition, Makes
from platform_def.crds.schema import (
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
from platform_def.crds.typed_dict import TypedDict


class JobTemplateMetadata(TypedDict, total=False):
    """Labels and annotations of jobs."""

    annotations: dict[str, str]
    """Annotations of the jobs."""
    finalizers: list[str]
    """Not used."""
    labels: dict[str, str]
    """Labels of the jobs."""
    name: str
    """Not used: names follow from the schedule's."""
    namespace: str
    """Not used: it is the schedule's."""


class NetworkTopology(TypedDict, total=False):
    """How far apart in the network the pods of a gang may be."""

    highestTierAllowed: Annotated[int, Minimum(0)]
    """Highest tier of HyperNodes that the gang may span; 1 is the narrowest."""
    highestTierName: Annotated[str, MaxLength(253)]
    """The same by the tier's name; one of the two."""
    mode: Annotated[Literal["hard", "soft"], Default("hard")]
    """hard: pods wait for such a place; soft: it is preferred."""


class Policy(TypedDict, total=False):
    """What happens on an event."""

    action: str
    """What is done: AbortJob, RestartJob, RestartTask, RestartPod, TerminateJob, CompleteJob, ResumeJob …."""
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
    """The event; PodFailed and PodEvicted are the usual ones, and * is any."""
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
    """Several events with one answer."""
    exitCode: Int32
    """Exit code of a container instead of an event; not 0."""
    timeout: str
    """How long the event must last before the action, such as 10m."""


class DependsOn(TypedDict, total=False):
    """Tasks to wait for."""

    iteration: str
    """any: one of them is enough; all: every one."""
    name: list[str]
    """The tasks."""


class PartitionPolicy(TypedDict, total=False):
    """A task cut into parts that are each placed together."""

    minPartitions: Annotated[Int32, Default(0), Minimum(0)]
    """Parts that must fit at once."""
    networkTopology: NetworkTopology
    """How far apart the pods of one part may be."""
    partitionSize: Required[Annotated[Int32, Minimum(1)]]
    """Pods of a part."""
    totalPartitions: Required[Annotated[Int32, Minimum(1)]]
    """Parts; times partitionSize that is the task's replicas."""


class Task(TypedDict, total=False):
    """A role of a job: how many pods, and what runs in them."""

    dependsOn: DependsOn
    """Tasks that must run before this one starts."""
    maxRetry: Annotated[Int32, Minimum(0)]
    """Times that the task is tried again; 3 if left out."""
    minAvailable: Annotated[Int32, Minimum(0)]
    """Pods of the task that must fit at once; all of them if left out."""
    name: Annotated[str, MaxLength(63), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the task, part of its pods' names."""
    partitionPolicy: PartitionPolicy
    """Cuts the task into parts that are each placed together."""
    policies: list[Policy]
    """What happens on events of this task; goes before the job's."""
    replicas: Annotated[Int32, Minimum(0)]
    """Pods of the task."""
    template: core_v1.PodTemplateSpec
    """The pod."""
    topologyPolicy: Literal["none", "best-effort", "restricted", "single-numa-node"]
    """How CPUs and devices of a pod stand to NUMA zones of its node."""


class Volume(TypedDict, total=False):
    """A claim that all pods of the job mount."""

    mountPath: Required[Annotated[str, MinLength(1), Pattern("^[^:]+$")]]
    """Folder where it is mounted."""
    volumeClaim: core_v1.PersistentVolumeClaimSpec
    """The claim that is made for the job."""
    volumeClaimName: Annotated[str, MaxLength(253), Ref("PersistentVolumeClaim", optional=True)]
    """Name of the claim; one that is there already, where volumeClaim is left out."""


class JobSpec(TypedDict, total=False):
    """A batch job whose pods start together."""

    maxRetry: Annotated[Int32, Default(3), Minimum(0)]
    """Times that the job is started again before it fails."""
    minAvailable: Annotated[Int32, Minimum(0)]
    """Pods that must fit at once before any starts; all if left out."""
    minSuccess: Annotated[Int32, Minimum(1)]
    """Pods that must succeed for the job to have succeeded; all if left out."""
    networkTopology: NetworkTopology
    """How far apart in the network the pods may be."""
    plugins: dict[str, list[str]]
    """What the job gets beside its pods, with arguments: svc (names for pods), ssh, env, pytorch, tensorflow, mpi …."""
    policies: list[Policy]
    """What happens on events, such as a failed pod; tasks may say otherwise."""
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
    """How long it will run, such as 1h, for schedulers that plan by it."""
    schedulerName: Annotated[str, MaxLength(63)]
    """Scheduler of the pods; volcano if left out."""
    tasks: Annotated[list[Task], MinItems(1)]
    """Roles of the job."""
    ttlSecondsAfterFinished: Annotated[Int32, Minimum(0)]
    """Seconds after its end when the job is removed; never if left out."""
    volumes: list[Volume]
    """Claims that all pods mount."""


class JobTemplate(TypedDict, total=False):
    """The job that a schedule makes."""

    metadata: JobTemplateMetadata
    """Its labels and annotations."""
    spec: JobSpec
    """What runs."""


class CronJobSpec(TypedDict, total=False):
    """A batch job that runs by the clock."""

    concurrencyPolicy: Annotated[Literal["Allow", "Forbid", "Replace"], Default("Allow")]
    """What happens when the last job is not over: Allow another, Forbid it, or Replace the old one."""
    failedJobsHistoryLimit: Annotated[Int32, Default(1), Minimum(0)]
    """Failed jobs that are kept."""
    jobTemplate: Required[JobTemplate]
    """The job."""
    schedule: Required[str]
    """When it runs, in cron's notation."""
    startingDeadlineSeconds: Annotated[Int64, Minimum(0)]
    """Seconds that a job may start late; later ones are left out. No limit if left out."""
    successfulJobsHistoryLimit: Annotated[Int32, Default(3), Minimum(0)]
    """Successful jobs that are kept."""
    suspend: Annotated[bool, Default(False)]
    """True: no new jobs."""
    timeZone: str
    """Time zone of the schedule, such as Europe/Berlin; the controller's if left out."""


class CronJobStatus(TypedDict, total=False):
    """What the controller reports."""

    active: Annotated[list[core_v1.ObjectReference], ListType("atomic")]
    lastScheduleTime: Time
    lastSuccessfulTime: Time


class Condition(TypedDict, total=False):
    """A state that the job was in."""

    lastTransitionTime: Time
    status: Required[str]


class State(TypedDict, total=False):
    """How the job is."""

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
    """Pods of a task by phase."""

    phase: dict[str, Int32]


class JobStatus(TypedDict, total=False):
    """What the controller reports."""

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
    doc="A batch job that runs by the clock.",
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
    makes=(Makes("Service"),),
    doc="A batch job whose pods start together.",
    health=StateHealth("status.state.phase", ready=("Completed",), failed=("Failed", "Aborted", "Terminated")),
)

CRDS = (
    Definition((CRON_JOB,), short_names=("cronvcjob", "cronvj")),
    Definition((JOB,), short_names=("vcjob", "vj")),
)
