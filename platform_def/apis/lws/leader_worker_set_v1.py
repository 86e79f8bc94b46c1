"""LeaderWorkerSet 0.10 (leaderworkerset.x-k8s.io): groups of pods, a leader and its workers, as one replica."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import apps_v1, core_v1, meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Scale
from platform_def.crds.schema import Default, Int32, Int64, IntOrString, ListMap, Maximum, Minimum
from platform_def.crds.typed_dict import TypedDict


class SubGroupPolicy(TypedDict, total=False):
    """Parts of a group that are placed by themselves."""

    subGroupPolicyType: Annotated[Literal["LeaderWorker", "LeaderExcluded"], Default("LeaderWorker")]
    subGroupSize: Int32
    """Pods of a part; the size of the group, or one less, must be a multiple of it."""


class LeaderWorkerTemplate(TypedDict, total=False):
    """The pods of one group."""

    leaderTemplate: core_v1.PodTemplateSpec
    """The first pod of each group; as workerTemplate if left out."""
    persistentVolumeClaimRetentionPolicy: apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    restartPolicy: Annotated[
        Literal["Default", "RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None"],
        Default("RecreateGroupOnPodRestart"),
    ]
    """What the failure of one pod does: RecreateGroupOnPodRestart starts the whole group again."""
    size: Annotated[Int32, Default(1)]
    """Pods of a group, the leader included."""
    subGroupPolicy: SubGroupPolicy
    volumeClaimTemplates: list[core_v1.PersistentVolumeClaim]
    """Claims of each pod's own, by the names under which containers mount them."""
    workerTemplate: Required[core_v1.PodTemplateSpec]
    """All other pods of the group."""


class NetworkConfig(TypedDict, total=False):
    """How the pods of a group are named."""

    subdomainPolicy: Required[Literal["Shared", "UniquePerReplica"]]
    """Shared: one headless Service for all groups; UniquePerReplica: one for each."""


class RollingUpdateConfiguration(TypedDict, total=False):
    """How many groups an update replaces at a time."""

    maxSurge: Annotated[IntOrString, Default(0)]
    """Groups, or a percentage, beyond replicas while an update runs."""
    maxUnavailable: Annotated[IntOrString, Default(1)]
    """Groups, or a percentage, that may be down while an update runs."""
    partition: Annotated[Int32, Default(0)]
    """Groups with a lower number keep the previous template."""


class RolloutStrategy(TypedDict, total=False):
    """How groups are replaced when their template changes."""

    rollingUpdateConfiguration: RollingUpdateConfiguration
    type: Required[Annotated[Literal["RollingUpdate"], Default("RollingUpdate")]]


class LeaderWorkerSetSpec(TypedDict, total=False):
    """Groups of pods that live and die together."""

    leaderWorkerTemplate: Required[LeaderWorkerTemplate]
    """The pods of a group."""
    networkConfig: NetworkConfig
    replicas: Annotated[Int32, Default(1), Maximum(1000000), Minimum(0)]
    """Number of groups."""
    rolloutStrategy: RolloutStrategy
    startupPolicy: Annotated[Literal["LeaderCreated", "LeaderReady"], Default("LeaderCreated")]
    """LeaderReady: workers are made when their leader is ready."""


class LeaderWorkerSetStatus(TypedDict, total=False):
    """How many groups there are."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    hpaPodSelector: str
    observedGeneration: Int64
    readyReplicas: Int32
    replicas: Int32
    updatedReplicas: Int32


LEADER_WORKER_SET = Api(
    group="leaderworkerset.x-k8s.io",
    version="v1",
    kind="LeaderWorkerSet",
    plural="leaderworkersets",
    spec=LeaderWorkerSetSpec,
    status=LeaderWorkerSetStatus,
    doc="Groups of pods, each a leader and its workers, that are made, placed and replaced together.",
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    scale=Scale(spec=".spec.replicas", status=".status.replicas", selector=".status.hpaPodSelector"),
    health=HealthConditions(ready=("Available",)),
    columns=(
        Column("Ready", ".status.readyReplicas", type="integer"),
        Column("Desired", ".spec.replicas", type="integer"),
        Column("Up-to-date", ".status.updatedReplicas", type="integer"),
        AGE,
    ),
)

CRDS = (Definition((LEADER_WORKER_SET,), short_names=("lws",)),)
