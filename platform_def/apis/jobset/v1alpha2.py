"""JobSet 0.12 (jobset.x-k8s.io): Jobs that start, fail and end together; its one owner, Trainer uses it too."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import batch_v1, core_v1, meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import Cel, Default, Int32, ListMap, ListType, MaxItems, Minimum
from platform_def.crds.typed_dict import TypedDict


class Coordinator(TypedDict, total=False):
    """The pod whose address all pods of the set get as label and annotation."""

    jobIndex: int
    """Job of the group, counted from 0."""
    podIndex: int
    """Pod of the Job, counted from 0."""
    replicatedJob: Required[str]
    """Group that the pod belongs to."""


Action = Literal[
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
]


class Rule(TypedDict, total=False):
    """What to do when a Job fails in a certain way."""

    action: Required[Action]
    """FailJobSet ends the set; RestartJobSet starts all of its Jobs again, RestartJob only the one that failed. Both
    count towards maxRestarts; those with AndIgnoreMaxRestarts do not. RestartJob needs JobSet's feature gate of that
    name."""
    name: Required[str]
    """Name of the rule; failurePolicyRule and a number if left out."""
    onJobFailureMessagePatterns: list[str]
    """Expressions, one of which the message of the failed Job matches; any message if left out."""
    onJobFailureReasons: list[str]
    """Reasons of failed Jobs that it is for, such as PodFailurePolicy; all if left out."""
    targetReplicatedJobs: Annotated[list[str], ListType("atomic")]
    """Groups that it is for; all if left out."""


class FailurePolicy(TypedDict, total=False):
    """What happens when a Job fails."""

    maxRestarts: Int32
    """Restarts of the set and of single Jobs, counted together, before a failure is final; 0 if left out."""
    restartStrategy: Annotated[Literal["Recreate", "BlockingRecreate", "InPlaceRestart"], Default("Recreate")]
    """Recreate makes each Job again when the old one is gone; BlockingRecreate waits for all of them; InPlaceRestart
    restarts containers and keeps pods."""
    rules: list[Rule]
    """What to do by reason of failure; the first that fits counts."""


class Network(TypedDict, total=False):
    """How the pods of a set find each other."""

    enableDNSHostnames: bool
    """Pods have host names <set>-<group>-<job>-<pod>; true if left out."""
    publishNotReadyAddresses: bool
    """Names of pods resolve before the pods are ready; true if left out."""
    subdomain: str
    """Subdomain of the pods' host names, and name of their Service; the set's name if left out."""


class DependsOn(TypedDict, total=False):
    """A group to wait for."""

    name: Required[str]
    """The group, which stands earlier in the list."""
    status: Required[Literal["Ready", "Complete"]]
    """Ready: its pods are; Complete: its Jobs have succeeded."""


class ReplicatedJob(TypedDict, total=False):
    """A group of equal Jobs."""

    dependsOn: Annotated[
        list[DependsOn], MaxItems(5), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    """Groups that must be ready or complete before this one starts."""
    groupName: Annotated[str, Default("default")]
    """Groups with one name are counted together in the pods' environment and labels."""
    name: Required[str]
    """Name of the group, part of the names of its Jobs and pods."""
    replicas: Annotated[Int32, Default(1)]
    """Number of Jobs in the group."""
    template: Required[batch_v1.JobTemplateSpec]
    """The Job; its parallelism says how many pods it has."""


class StartupPolicy(TypedDict, total=False):
    """Whether groups wait for each other."""

    startupPolicyOrder: Required[Literal["AnyOrder", "InOrder"]]
    """AnyOrder: all at once; InOrder: each group when the one before it is ready."""


class SuccessPolicy(TypedDict, total=False):
    """When a set has succeeded."""

    operator: Required[Literal["All", "Any"]]
    """All: when every Job of the groups has; Any: with the first."""
    targetReplicatedJobs: Annotated[list[str], ListType("atomic")]
    """Groups that count; all if left out."""


class RetentionPolicy(TypedDict, total=False):
    """What becomes of claims."""

    whenDeleted: Annotated[Literal["Delete", "Retain"], Default("Delete")]
    """Delete: claims go with the set; Retain: they stay."""


class VolumeClaimPolicy(TypedDict, total=False):
    """Claims that the set makes and its pods share."""

    retentionPolicy: RetentionPolicy
    """What becomes of the claims when the set is deleted."""
    templates: Annotated[list[core_v1.PersistentVolumeClaim], MaxItems(50), ListType("atomic")]
    """The claims; a container mounts one by a volumeMount of its name."""


class JobSetSpec(TypedDict, total=False):
    """Jobs that start, fail and end together."""

    coordinator: Coordinator
    """The pod whose address all others get."""
    failurePolicy: Annotated[FailurePolicy, Cel("self == oldSelf", "stays as it was created")]
    """What happens when a Job fails; the set fails with it if left out."""
    managedBy: str
    """Controller in charge of the set: JobSet's own if left out, or Kueue's MultiKueue."""
    network: Annotated[Network, Cel("self == oldSelf", "stays as it was created")]
    """How the pods find each other."""
    replicatedJobs: Annotated[list[ReplicatedJob], ListMap("name")]
    """Groups of equal Jobs."""
    startupPolicy: Annotated[StartupPolicy, Cel("self == oldSelf", "stays as it was created")]
    """Whether the groups start in their order; superseded by dependsOn."""
    successPolicy: Annotated[SuccessPolicy, Cel("self == oldSelf", "stays as it was created")]
    """When the set has succeeded; with all of its Jobs if left out."""
    suspend: bool
    """True: no pods run; Kueue sets it to hold a set back until there is room."""
    ttlSecondsAfterFinished: Annotated[Int32, Minimum(0)]
    """Seconds after its end when the set is removed; never if left out."""
    volumeClaimPolicies: Annotated[
        list[
            Annotated[
                VolumeClaimPolicy,
                Cel(
                    "self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
                    "templates of volumes have no namespace",
                ),
            ]
        ],
        MaxItems(50),
        ListType("atomic"),
        Cel("self == oldSelf", "stays as it was created"),
    ]
    """Claims that the set makes and its pods share."""


class ReplicatedJobsStatus(TypedDict, total=False):
    """Jobs of one group."""

    active: Required[Int32]
    failed: Required[Int32]
    jobRestarts: Annotated[list[Int32], MaxItems(1024), ListType("atomic")]
    jobRestartsCountTowardsMax: Annotated[list[Int32], MaxItems(1024), ListType("atomic")]
    name: Required[str]
    ready: Required[Int32]
    succeeded: Required[Int32]
    suspended: Required[Int32]


class JobSetStatus(TypedDict, total=False):
    """What the controller reports."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    currentInPlaceRestartAttempt: Annotated[Int32, Minimum(0)]
    previousInPlaceRestartAttempt: Annotated[Int32, Minimum(0)]
    replicatedJobsStatus: Annotated[list[ReplicatedJobsStatus], ListMap("name")]
    restarts: Int32
    restartsCountTowardsMax: Int32
    terminalState: str


CheckedJobSetSpec = Annotated[
    JobSetSpec,
    Cel(
        "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder'"
        " && self.replicatedJobs.exists(x, has(x.dependsOn)))",
        "startupPolicy InOrder and dependsOn exclude each other",
    ),
]
"""With the rule on the whole; Trainer's runtimes embed it."""


class JobSet(TypedDict, total=False):
    """A set."""

    spec: CheckedJobSetSpec
    status: JobSetStatus


JOB_SET = Api(
    group="jobset.x-k8s.io",
    version="v1alpha2",
    kind="JobSet",
    plural="jobsets",
    spec=JobSetSpec,
    top=JobSet,
    core="1.36",
    embedded_metadata=True,
    filled=("spec.failurePolicy.rules[].name",),
    status_subresource=True,
    columns=(
        Column("TerminalState", ".status.terminalState"),
        Column("Restarts", ".status.restarts"),
        Column("Completed", '.status.conditions[?(@.type=="Completed")].status'),
        Column("Suspended", ".spec.suspend"),
        AGE,
    ),
    health=HealthConditions(ready=("Completed",), failed=("Failed",), suspended=("Suspended",)),
    makes=(Makes("Service", "spec.network.subdomain"),),
    doc="Jobs that start, fail and end together, and find each other by host name.",
    suspended_by="spec.suspend",
)

CRDS = (Definition((JOB_SET,)),)
