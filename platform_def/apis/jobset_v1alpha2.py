"""JobSet 0.11 (jobset.x-k8s.io): Jobs that start, fail and end together; its one owner, Trainer uses it too."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import batch_v1, core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import Cel, Default, Int32, ListMap, ListType, MaxItems, Minimum


class Coordinator(TypedDict, total=False):
    jobIndex: int
    podIndex: int
    replicatedJob: Required[str]


class Rule(TypedDict, total=False):
    action: Required[Literal["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"]]
    name: Required[str]
    onJobFailureMessagePatterns: list[str]
    onJobFailureReasons: list[str]
    targetReplicatedJobs: Annotated[list[str], ListType("atomic")]


class FailurePolicy(TypedDict, total=False):
    maxRestarts: Int32
    """Times that the whole set is started again."""
    restartStrategy: Annotated[Literal["Recreate", "BlockingRecreate", "InPlaceRestart"], Default("Recreate")]
    rules: list[Rule]
    """What to do by reason of failure; the first that fits counts."""


class Network(TypedDict, total=False):
    enableDNSHostnames: bool
    publishNotReadyAddresses: bool
    subdomain: str
    """Subdomain of the pods' host names."""


class DependsOn(TypedDict, total=False):
    name: Required[str]
    status: Required[Literal["Ready", "Complete"]]


class ReplicatedJob(TypedDict, total=False):
    dependsOn: Annotated[
        list[DependsOn], MaxItems(5), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    """Groups that must be ready or complete before this one starts."""
    groupName: Annotated[str, Default("default")]
    """Groups with one name are counted together."""
    name: Required[str]
    """Name of the group."""
    replicas: Annotated[Int32, Default(1)]
    """Number of Jobs in the group."""
    template: Required[batch_v1.JobTemplateSpec]
    """The Job."""


class StartupPolicy(TypedDict, total=False):
    startupPolicyOrder: Required[Literal["AnyOrder", "InOrder"]]


class SuccessPolicy(TypedDict, total=False):
    operator: Required[Literal["All", "Any"]]
    targetReplicatedJobs: Annotated[list[str], ListType("atomic")]


class RetentionPolicy(TypedDict, total=False):
    whenDeleted: Annotated[Literal["Delete", "Retain"], Default("Delete")]


class VolumeClaimPolicy(TypedDict, total=False):
    retentionPolicy: RetentionPolicy
    templates: Annotated[list[core_v1.PersistentVolumeClaim], MaxItems(50), ListType("atomic")]


class JobSetSpec(TypedDict, total=False):
    coordinator: Coordinator
    """The pod that the others find by an annotation."""
    failurePolicy: Annotated[FailurePolicy, Cel("self == oldSelf", "stays as it was created")]
    """What happens when a Job fails."""
    managedBy: str
    """Controller in charge of the set."""
    network: Annotated[Network, Cel("self == oldSelf", "stays as it was created")]
    """How the pods find each other."""
    replicatedJobs: Annotated[list[ReplicatedJob], ListMap("name")]
    """Groups of equal Jobs."""
    startupPolicy: Annotated[StartupPolicy, Cel("self == oldSelf", "stays as it was created")]
    """Whether the groups start in their order."""
    successPolicy: Annotated[SuccessPolicy, Cel("self == oldSelf", "stays as it was created")]
    """When the set has succeeded."""
    suspend: bool
    """True holds the set back."""
    ttlSecondsAfterFinished: Annotated[Int32, Minimum(0)]
    """Seconds after its end when the set is removed."""
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


class ReplicatedJobsStatus(TypedDict, total=False):
    active: Required[Int32]
    failed: Required[Int32]
    name: Required[str]
    ready: Required[Int32]
    succeeded: Required[Int32]
    suspended: Required[Int32]


class JobSetStatus(TypedDict, total=False):
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    currentInPlaceRestartAttempt: Annotated[Int32, Minimum(0)]
    previousInPlaceRestartAttempt: Annotated[Int32, Minimum(0)]
    replicatedJobsStatus: Annotated[list[ReplicatedJobsStatus], ListMap("name")]
    restarts: Int32
    restartsCountTowardsMax: Int32
    terminalState: str


class JobSet(TypedDict, total=False):
    spec: Annotated[
        JobSetSpec,
        Cel(
            "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && self.replicatedJobs.exists(x, has(x.dependsOn)))",
            "startupPolicy InOrder and dependsOn exclude each other",
        ),
    ]
    status: JobSetStatus


JOB_SET = Api(
    group="jobset.x-k8s.io",
    version="v1alpha2",
    kind="JobSet",
    plural="jobsets",
    spec=JobSetSpec,
    top=JobSet,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("TerminalState", ".status.terminalState"),
        Column("Restarts", ".status.restarts"),
        Column("Completed", '.status.conditions[?(@.type=="Completed")].status'),
        Column("Suspended", ".spec.suspend"),
        AGE,
    ),
    health=Health(ready=("Completed",), failed=("Failed",), suspended=("Suspended",)),
)

CRDS = (Definition((JOB_SET,)),)
