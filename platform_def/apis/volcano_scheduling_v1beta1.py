"""Volcano 1.15 (scheduling.volcano.sh): queues and gangs of pods."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from platform_def.apis.core import meta_v1
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import (
    Default,
    Int32,
    ListType,
    Maximum,
    MaxLength,
    Minimum,
    Pattern,
    Quantity,
    Ref,
    Time,
)


class NetworkTopology(TypedDict, total=False):
    highestTierAllowed: Annotated[int, Minimum(0)]
    highestTierName: Annotated[str, MaxLength(253)]
    mode: Annotated[Literal["hard", "soft"], Default("hard")]


class SubGroupPolicy(TypedDict, total=False):
    labelSelector: meta_v1.LabelSelector
    matchLabelKeys: Annotated[list[str], ListType("atomic")]
    minSubGroups: Annotated[Int32, Default(0), Minimum(0)]
    name: Annotated[str, MaxLength(253)]
    networkTopology: NetworkTopology
    subGroupSize: Annotated[Int32, Default(1), Minimum(1)]


class PodGroupSpec(TypedDict, total=False):
    minMember: Annotated[Int32, Minimum(0)]
    minResources: dict[str, Quantity]
    minTaskMember: dict[str, Int32]
    networkTopology: NetworkTopology
    priorityClassName: Annotated[str, MaxLength(253)]
    queue: Annotated[
        str,
        Default("default"),
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    subGroupPolicy: list[SubGroupPolicy]


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    reason: str
    status: str
    transitionID: str
    type: str


class PodGroupStatus(TypedDict, total=False):
    conditions: list[Condition]
    failed: Annotated[Int32, Minimum(0)]
    phase: Literal["Pending", "Running", "Unknown", "Inqueue", "Completed"]
    running: Annotated[Int32, Minimum(0)]
    succeeded: Annotated[Int32, Minimum(0)]


class NodeGroupAffinity(TypedDict, total=False):
    preferredDuringSchedulingIgnoredDuringExecution: list[str]
    requiredDuringSchedulingIgnoredDuringExecution: list[str]


class Affinity(TypedDict, total=False):
    nodeGroupAffinity: NodeGroupAffinity
    nodeGroupAntiAffinity: NodeGroupAffinity


class ExtendCluster(TypedDict, total=False):
    capacity: dict[str, Quantity]
    name: str
    weight: Int32


class Guarantee(TypedDict, total=False):
    resource: dict[str, Quantity]


class QueueSpec(TypedDict, total=False):
    affinity: Affinity
    capability: dict[str, Quantity]
    """Most that the queue's jobs use together."""
    dequeueStrategy: Annotated[Literal["fifo", "traverse"], Default("traverse")]
    deserved: dict[str, Quantity]
    """What the queue gets when others want it too."""
    extendClusters: list[ExtendCluster]
    guarantee: Guarantee
    """What is kept free for the queue."""
    parent: Annotated[
        str,
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("Queue", group="scheduling.volcano.sh"),
    ]
    """Queue that this one belongs to."""
    priority: Annotated[Int32, Minimum(0)]
    reclaimable: bool
    """Others may get back what the queue uses beyond its share."""
    type: Annotated[str, MaxLength(253)]
    weight: Annotated[Int32, Default(1), Maximum(65535), Minimum(1)]
    """Share among the queues."""


class Reservation(TypedDict, total=False):
    nodes: list[str]
    resource: dict[str, Quantity]


class QueueStatus(TypedDict, total=False):
    allocated: dict[str, Quantity]
    completed: Annotated[Int32, Minimum(0)]
    inqueue: Annotated[Int32, Minimum(0)]
    pending: Annotated[Int32, Minimum(0)]
    reservation: Reservation
    running: Annotated[Int32, Minimum(0)]
    state: Literal["Open", "Closed", "Closing", "Unknown"]
    unknown: Annotated[Int32, Minimum(0)]


POD_GROUP = Api(
    group="scheduling.volcano.sh",
    version="v1beta1",
    kind="PodGroup",
    plural="podgroups",
    spec=PodGroupSpec,
    status=PodGroupStatus,
    core="1.37",
    columns=(
        Column("STATUS", ".status.phase"),
        Column("minMember", ".spec.minMember", type="integer"),
        Column("RUNNINGS", ".status.running", type="integer"),
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("QUEUE", ".spec.queue", priority=1),
    ),
)

QUEUE = Api(
    group="scheduling.volcano.sh",
    version="v1beta1",
    kind="Queue",
    plural="queues",
    namespaced=False,
    spec=QueueSpec,
    status=QueueStatus,
    status_subresource=True,
    columns=(Column("PARENT", ".spec.parent"),),
)

CRDS = (
    Definition((POD_GROUP,), short_names=("pg", "podgroup-v1beta1")),
    Definition((QUEUE,), short_names=("q", "queue-v1beta1")),
)
