"""Volcano 1.15 (scheduling.volcano.sh): queues and gangs of pods."""

from __future__ import annotations

from typing import Annotated, Literal

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.schema import (
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
from platform_def.crds.typed_dict import TypedDict


class NetworkTopology(TypedDict, total=False):
    """How far apart in the network the pods of a gang may be."""

    highestTierAllowed: Annotated[int, Minimum(0)]
    """Highest tier of HyperNodes that the gang may span; 1 is the narrowest."""
    highestTierName: Annotated[str, MaxLength(253)]
    """The same by the tier's name; one of the two."""
    mode: Annotated[Literal["hard", "soft"], Default("hard")]
    """hard: pods wait for such a place; soft: it is preferred."""


class SubGroupPolicy(TypedDict, total=False):
    """Pods of a gang that are placed together."""

    labelSelector: meta_v1.LabelSelector
    """Labels of the pods."""
    matchLabelKeys: Annotated[list[str], ListType("atomic")]
    """Labels whose values divide them into groups."""
    minSubGroups: Annotated[Int32, Default(0), Minimum(0)]
    """Groups that must fit at once."""
    name: Annotated[str, MaxLength(253)]
    """Name of the policy."""
    networkTopology: NetworkTopology
    """How far apart the pods of one group may be."""
    subGroupSize: Annotated[Int32, Default(1), Minimum(1)]
    """Pods of a group."""


class PodGroupSpec(TypedDict, total=False):
    """A gang of pods; controllers make it for jobs, people for pods of their own."""

    minMember: Annotated[Int32, Minimum(0)]
    """Pods that must fit at once."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    minTaskMember: dict[str, Int32]
    """Pods of each task that must fit at once."""
    networkTopology: NetworkTopology
    """How far apart in the network the pods may be."""
    priorityClassName: Annotated[str, MaxLength(253), Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: Annotated[
        str,
        Default("default"),
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("Queue", group="scheduling.volcano.sh"),
    ]
    """Queue of the gang."""
    subGroupPolicy: list[SubGroupPolicy]
    """Pods that are placed together."""


class Condition(TypedDict, total=False):
    """A fact that the scheduler found."""

    lastTransitionTime: Time
    message: str
    reason: str
    status: str
    transitionID: str
    type: str


class PodGroupStatus(TypedDict, total=False):
    """What the scheduler reports."""

    conditions: list[Condition]
    failed: Annotated[Int32, Minimum(0)]
    phase: Literal["Pending", "Running", "Unknown", "Inqueue", "Completed"]
    running: Annotated[Int32, Minimum(0)]
    succeeded: Annotated[Int32, Minimum(0)]


class NodeGroupAffinity(TypedDict, total=False):
    """Groups of nodes, by their label volcano.sh/nodegroup-name."""

    preferredDuringSchedulingIgnoredDuringExecution: list[str]
    """Groups that are tried first."""
    requiredDuringSchedulingIgnoredDuringExecution: list[str]
    """Groups that nothing else comes into question beside."""


class Affinity(TypedDict, total=False):
    """Which nodes a queue's pods run on (plug-in nodegroup)."""

    nodeGroupAffinity: NodeGroupAffinity
    """Groups of nodes that they run on."""
    nodeGroupAntiAffinity: NodeGroupAffinity
    """Groups of nodes that they keep away from."""


class ExtendCluster(TypedDict, total=False):
    """A cluster that the queue's jobs may go to."""

    capacity: dict[str, Quantity]
    """What it has."""
    name: str
    """Its name."""
    weight: Int32
    """Share of it."""


class Guarantee(TypedDict, total=False):
    """What is kept free for a queue."""

    resource: dict[str, Quantity]
    """How much of each resource."""


class QueueSpec(TypedDict, total=False):
    """A queue for the whole cluster: its share, and the most that its jobs may use together."""

    affinity: Affinity
    """Which nodes the jobs run on; any if left out."""
    capability: dict[str, Quantity]
    """Most that the queue's jobs use together; without limit if left out."""
    dequeueStrategy: Annotated[Literal["fifo", "traverse"], Default("traverse")]
    """fifo: the oldest job holds back those behind it; traverse: the next one that fits goes first."""
    deserved: dict[str, Quantity]
    """What the queue gets when others want it too (plug-in capacity)."""
    extendClusters: list[ExtendCluster]
    """Clusters that its jobs may go to; not read by Volcano's own scheduler."""
    guarantee: Guarantee
    """What is kept free for the queue."""
    parent: Annotated[
        str,
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("Queue", group="scheduling.volcano.sh"),
    ]
    """Queue that this one belongs to; root if left out."""
    priority: Annotated[Int32, Minimum(0)]
    """Queues with the greater number are served first, and give back last."""
    reclaimable: bool
    """Others may get back what the queue uses beyond its share; true if left out."""
    type: Annotated[str, MaxLength(253)]
    """What it is for; only shown."""
    weight: Annotated[Int32, Default(1), Maximum(65535), Minimum(1)]
    """Share among the queues (plug-in proportion)."""


class Reservation(TypedDict, total=False):
    """What is kept free."""

    nodes: list[str]
    resource: dict[str, Quantity]


class QueueStatus(TypedDict, total=False):
    """What the controller reports."""

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
    doc="A gang of pods: all start together or none does.",
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
    doc="A queue for the whole cluster: its share, and the most that its jobs may use together.",
)

CRDS = (
    Definition((POD_GROUP,), short_names=("pg", "podgroup-v1beta1")),
    Definition((QUEUE,), short_names=("q", "queue-v1beta1")),
)
