"""KAI 0.17 (scheduling.run.ai): gangs of pods, which KAI makes of workloads."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Int32, Minimum, MinLength, Pattern, Quantity, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Amounts = dict[str, Quantity]


class TopologyConstraint(TypedDict, total=False):
    """How far apart in the network pods may be."""

    preferredTopologyLevel: str
    """Level of the topology within which they run where there is room."""
    requiredTopologyLevel: str
    """Level of the topology within which they run, or not at all."""
    topology: Annotated[str, Ref("Topology", group="kai.scheduler")]
    """The Topology."""


class SubGroup(TypedDict, total=False):
    """Pods of a gang that are counted apart."""

    minMember: Annotated[Int32, Minimum(0)]
    """Pods of it that must fit at once."""
    minSubGroup: Annotated[Int32, Minimum(0)]
    """Of groups within it, how many must fit at once; one of the two."""
    name: Required[Annotated[str, MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]]
    """Its name, which pods carry as label kai.scheduler/subgroup-name."""
    parent: Annotated[str, Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    """The group that it is within; the gang itself if left out."""
    topologyConstraint: TopologyConstraint
    """How far apart its pods may be."""


class PodGroupSpec(TypedDict, total=False):
    """A gang of pods; pods name it by annotation pod-group-name."""

    markUnschedulable: bool
    """Say of pods too that they do not fit."""
    minMember: Annotated[Int32, Minimum(1)]
    """Pods that must fit at once."""
    minSubGroup: Annotated[Int32, Minimum(1)]
    """Groups that must fit at once; one of the two."""
    preemptibility: Literal["preemptible", "non-preemptible"]
    """Whether others may take its place; with a priority of 100 and more none may if left out."""
    preemptionDelay: str
    """How long it waits before it pushes others out: `5m`."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io", optional=True)]
    """PriorityClass of the gang; one that does not exist is taken for 50."""
    queue: Annotated[str, Ref("Queue", group="scheduling.run.ai")]
    """Queue of the gang."""
    schedulingBackoff: Int32
    """-1: it is tried without limit; 1: once in each part of the nodes."""
    stalenessGracePeriod: str
    """How long it goes on with fewer pods than must fit, until the rest goes too; negative: without limit."""
    subGroups: list[SubGroup]
    """Pods that are counted apart."""
    topologyConstraint: TopologyConstraint
    """How far apart its pods may be."""


class Condition(TypedDict, total=False):
    """A fact that the scheduler found."""

    lastTransitionTime: Time
    message: str
    reason: str
    status: str
    transitionID: str
    type: str


class ResourcesStatus(TypedDict, total=False):
    """What its pods have and ask for."""

    allocated: Amounts
    allocatedNonPreemptible: Amounts
    requested: Amounts


class QueueDetails(TypedDict, total=False):
    """The queue that it did not fit into."""

    name: str
    podGroupRequestedNonPreemptibleResources: Amounts
    podGroupRequestedResources: Amounts
    queueAllocatedNonPreemptibleResources: Amounts
    queueAllocatedResources: Amounts
    queueDeservedResources: Amounts
    queueRequestedResources: Amounts
    queueResourceLimits: Amounts


class Details(TypedDict, total=False):
    """Numbers behind a reason."""

    queueDetails: QueueDetails


class Reason(TypedDict, total=False):
    """Why it did not fit."""

    details: Details
    message: str
    reason: str


class SchedulingCondition(TypedDict, total=False):
    """Why it did not fit into a part of the nodes."""

    lastTransitionTime: Time
    message: str
    nodePool: str
    reason: str
    reasons: list[Reason]
    status: str
    transitionID: str
    type: str


class PodGroupStatus(TypedDict, total=False):
    """How far it is."""

    conditions: list[Condition]
    resourcesStatus: ResourcesStatus
    schedulingConditions: list[SchedulingCondition]
    """Why it did not fit, by part of the nodes."""


POD_GROUP = Api(
    group="scheduling.run.ai",
    version="v2alpha2",
    kind="PodGroup",
    plural="podgroups",
    spec=PodGroupSpec,
    status=PodGroupStatus,
    doc="Pods that KAI starts together or not at all.",
    status_subresource=True,
)

CRDS = (Definition((POD_GROUP,), short_names=("pg",)),)
