"""Kueue 0.19 (kueue.x-k8s.io): queues, quotas and what they are counted in."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.kueue import PRIORITY_LABEL, QUEUE_LABEL
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, WebhookConversion
from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    Int64,
    ListMap,
    ListType,
    MapType,
    MaxItems,
    MaxLength,
    MaxProperties,
    MinItems,
    MinLength,
    Pattern,
    Quantity,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

CohortName = Annotated[
    str, MaxLength(253), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
QueueingStrategy = Annotated[Literal["StrictFIFO", "BestEffortFIFO"], Default("BestEffortFIFO")]
StopPolicy = Annotated[Literal["None", "Hold", "HoldAndDrain"], Default("None")]
Preference = Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"]
CoveredResources = Annotated[list[str], MaxItems(64), MinItems(1), ListType("atomic")]
Conditions = Annotated[list[meta_v1.Condition], MaxItems(16), ListMap("type")]
NodeLabels = Annotated[dict[str, str], MaxProperties(8), MapType("atomic")]
ApiGroup = Annotated[
    str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
Parameters2 = Annotated[dict[str, Annotated[str, MaxLength(255)]], MaxProperties(100)]
PodSetMergePolicy = Literal["IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements"]


class AdmissionCheck(TypedDict, total=False):
    """A check for jobs that would start in certain flavors."""

    name: Required[Annotated[str, MaxLength(316), MinLength(1), Ref("AdmissionCheck", group="kueue.x-k8s.io")]]
    """The AdmissionCheck."""
    onFlavors: Annotated[
        list[
            Annotated[
                str,
                MaxLength(253),
                Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
                Ref("ResourceFlavor", group="kueue.x-k8s.io"),
            ]
        ],
        MaxItems(64),
        ListType("set"),
    ]
    """Flavors of the queue that it is for; all if left out."""


class AdmissionChecksStrategy(TypedDict, total=False):
    """Checks that must pass before a job starts, and for which flavors."""

    admissionChecks: Required[Annotated[list[AdmissionCheck], MaxItems(64), MinItems(1), ListMap("name")]]
    """The checks."""


class AdmissionScope(TypedDict, total=False):
    """What counts in the order of a queue's jobs."""

    admissionMode: Required[Literal["UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"]]
    """UsageBasedAdmissionFairSharing: local queues that have used least come first; NoAdmissionFairSharing: use does
    not count."""


class Constraints(TypedDict, total=False):
    """Bounds of a migration."""

    lastAcceptableFlavorName: Annotated[CohortName, Ref("ResourceFlavor", group="kueue.x-k8s.io")]
    """Last flavor, in the queue's order, that a running job moves to; any better one if left out."""


class Migration(TypedDict, total=False):
    """What becomes of a job when a flavor that it prefers gets free."""

    constraints: Constraints
    """Bounds of the migration."""
    mode: Required[Annotated[Literal["TryPreferredFlavors", "RetainFirstAdmission"], MaxLength(253)]]
    """TryPreferredFlavors moves the job there; RetainFirstAdmission leaves it where it started."""


class ConcurrentAdmissionPolicy(TypedDict, total=False):
    """A job is tried in several flavors at once."""

    migration: Required[Migration]
    """What becomes of it when a better flavor gets free."""


class FairSharing(TypedDict, total=False):
    """Weight of a queue or cohort among its equals."""

    weight: Annotated[Quantity, Default(1)]
    """A queue with 2 gets twice what one with 1 gets; with 0 it only gets what nobody else wants."""


class FlavorFungibility(TypedDict, total=False):
    """When the next flavor is tried instead of borrowing or pushing out in this one."""

    preference: Preference
    """Which of the two is better where both are possible; needs TryNextFlavor twice."""
    whenCanBorrow: Annotated[Literal["MayStopSearch", "TryNextFlavor"], Default("MayStopSearch")]
    """MayStopSearch borrows in this flavor; TryNextFlavor looks further first."""
    whenCanPreempt: Annotated[Literal["MayStopSearch", "TryNextFlavor"], Default("TryNextFlavor")]
    """MayStopSearch pushes out in this flavor; TryNextFlavor looks further first."""


class BorrowWithinCohort(TypedDict, total=False):
    """Pushing out jobs of other queues in order to borrow."""

    maxPriorityThreshold: Int32
    """Highest priority of jobs that may be pushed out; any lower than the job's own if left out."""
    policy: Annotated[Literal["Never", "LowerPriority"], Default("Never")]
    """Never, or LowerPriority: jobs of lower priority."""


class Preemption(TypedDict, total=False):
    """Whom a queue's jobs may push out."""

    borrowWithinCohort: Annotated[BorrowWithinCohort, Default({})]
    """Whether they push out jobs of other queues in order to borrow."""
    reclaimWithinCohort: Annotated[Literal["Never", "LowerPriority", "Any"], Default("Never")]
    """Which jobs of other queues that borrow from this one: Never, LowerPriority or Any."""
    withinClusterQueue: Annotated[Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"], Default("Never")]
    """Which jobs of the same queue: Never, LowerPriority or LowerOrNewerEqualPriority."""


class Resource(TypedDict, total=False):
    """Quota of one resource in one flavor."""

    borrowingLimit: Quantity
    """Most that is taken from the cohort beside the queue's own; without limit if left out."""
    lendingLimit: Quantity
    """Most of the queue's own that is lent to the cohort; all if left out."""
    name: Required[str]
    """The resource, such as nvidia.com/gpu."""
    nominalQuota: Required[Quantity]
    """What the queue has of its own."""


class Flavor(TypedDict, total=False):
    """What a queue has in one kind of nodes."""

    name: Required[
        Annotated[
            str,
            MaxLength(253),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
            Ref("ResourceFlavor", group="kueue.x-k8s.io"),
        ]
    ]
    """The ResourceFlavor."""
    resources: Required[Annotated[list[Resource], MaxItems(64), MinItems(1), ListMap("name")]]
    """Quota of each covered resource, in the same order."""


class ResourceGroup(TypedDict, total=False):
    """Resources that a job gets in one and the same flavor."""

    coveredResources: Required[CoveredResources]
    """Resources of the group (cpu, memory, nvidia.com/gpu)."""
    flavors: Required[Annotated[list[Flavor], MaxItems(64), MinItems(1), ListMap("name")]]
    """Kinds of nodes, in the order in which they are tried."""


class ClusterQueueSpec(TypedDict, total=False):
    """A queue for the whole cluster: what its jobs may use together, and who is next."""

    admissionChecksStrategy: AdmissionChecksStrategy
    """Checks that must pass before a job starts."""
    admissionScope: AdmissionScope
    """What counts in the order of jobs beside priority and age."""
    cohortName: Annotated[CohortName, Ref("Cohort", group="kueue.x-k8s.io", optional=True)]
    """Queues of one cohort lend each other what they don't use; alone if left out."""
    concurrentAdmissionPolicy: ConcurrentAdmissionPolicy
    """A job is tried in several flavors at once; one after the other if left out."""
    fairSharing: FairSharing
    """Weight among the cohort's queues."""
    flavorFungibility: Annotated[
        FlavorFungibility,
        Default({}),
        Cel(
            "!has(self.preference) || (self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == 'TryNextFlavor')",
            "preference needs TryNextFlavor twice",
        ),
    ]
    """When the next flavor is tried."""
    namespaceSelector: meta_v1.LabelSelector
    """Namespaces whose local queues may use it; none if left out, all with {}."""
    preemption: Annotated[
        Preemption,
        Default({}),
        Cel(
            "!(self.reclaimWithinCohort == 'Never' && has(self.borrowWithinCohort) &&  self.borrowWithinCohort.policy != 'Never')",
            "without reclaim there is no borrowing by preemption",
        ),
    ]
    """Whom its jobs may push out."""
    queueingStrategy: QueueingStrategy
    """BestEffortFIFO, or StrictFIFO (the oldest job holds back those behind it)."""
    resourceGroups: Annotated[
        list[
            Annotated[
                ResourceGroup,
                Cel(
                    "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
                    "each flavor lists all coveredResources",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]
    """Quotas; resources that go together are in one group."""
    stopPolicy: StopPolicy
    """None; Hold admits nothing new; HoldAndDrain ends what runs, too."""


class ClusterQueueStatusFairSharing(TypedDict, total=False):
    """Share of the queue."""

    weightedShare: Required[Int64]


class FlavorsReservationResource(TypedDict, total=False):
    """Use of a resource."""

    borrowed: Quantity
    name: Required[str]
    total: Quantity


class FlavorsReservation(TypedDict, total=False):
    """Use of a flavor."""

    name: Required[CohortName]
    resources: Required[Annotated[list[FlavorsReservationResource], MaxItems(64), ListMap("name")]]


class ClusterQueueStatus(TypedDict, total=False):
    """What Kueue reports."""

    admittedWorkloads: Int32
    conditions: Conditions
    fairSharing: ClusterQueueStatusFairSharing
    flavorsReservation: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    flavorsUsage: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    reservingWorkloads: Int32


class ClusterQueue(TypedDict, total=False):
    """A queue with its rules."""

    spec: Annotated[
        ClusterQueueSpec,
        Cel(
            "!has(self.cohortName) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
            "borrowingLimit needs a cohort",
        ),
    ]
    status: ClusterQueueStatus


class AdmissionChecksStrategyAdmissionCheck(TypedDict, total=False):
    """A check for jobs that would start in certain flavors."""

    name: Required[Annotated[str, MaxLength(316), Ref("AdmissionCheck", group="kueue.x-k8s.io")]]
    onFlavors: list[
        Annotated[
            str,
            MaxLength(253),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
            Ref("ResourceFlavor", group="kueue.x-k8s.io"),
        ]
    ]


class ClusterQueueV1beta1AdmissionChecksStrategy(TypedDict, total=False):
    """Checks that must pass before a job starts."""

    admissionChecks: list[AdmissionChecksStrategyAdmissionCheck]


class ClusterQueueV1beta1AdmissionScope(TypedDict, total=False):
    """What counts in the order of a queue's jobs."""

    admissionMode: Required[str]


class ClusterQueueV1beta1FlavorFungibility(TypedDict, total=False):
    """When the next flavor is tried."""

    preference: Preference
    whenCanBorrow: Annotated[Literal["MayStopSearch", "TryNextFlavor", "Borrow"], Default("MayStopSearch")]
    whenCanPreempt: Annotated[Literal["MayStopSearch", "TryNextFlavor", "Preempt"], Default("TryNextFlavor")]


class ClusterQueueV1beta1ResourceGroup(TypedDict, total=False):
    """Resources that a job gets in one and the same flavor."""

    coveredResources: Required[Annotated[list[str], MaxItems(64), MinItems(1)]]
    flavors: Required[Annotated[list[Flavor], MaxItems(64), MinItems(1), ListMap("name")]]


class ClusterQueueV1beta1Spec(TypedDict, total=False):
    """A queue, as v1beta1 writes it."""

    admissionChecks: list[Annotated[str, MaxLength(316), Ref("AdmissionCheck", group="kueue.x-k8s.io")]]
    admissionChecksStrategy: ClusterQueueV1beta1AdmissionChecksStrategy
    admissionScope: ClusterQueueV1beta1AdmissionScope
    cohort: Annotated[CohortName, Ref("Cohort", group="kueue.x-k8s.io", optional=True)]
    fairSharing: FairSharing
    flavorFungibility: Annotated[
        ClusterQueueV1beta1FlavorFungibility,
        Default({}),
        Cel(
            "!has(self.preference) || (self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == 'TryNextFlavor')",
            "preference needs TryNextFlavor twice",
        ),
    ]
    namespaceSelector: meta_v1.LabelSelector
    preemption: Annotated[
        Preemption,
        Default({}),
        Cel(
            "!(self.reclaimWithinCohort == 'Never' && has(self.borrowWithinCohort) &&  self.borrowWithinCohort.policy != 'Never')",
            "without reclaim there is no borrowing by preemption",
        ),
    ]
    queueingStrategy: QueueingStrategy
    resourceGroups: Annotated[
        list[
            Annotated[
                ClusterQueueV1beta1ResourceGroup,
                Cel(
                    "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
                    "each flavor lists all coveredResources",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]
    stopPolicy: StopPolicy


class AdmissionFairSharingStatus(TypedDict, total=False):
    """Use over time."""

    consumedResources: Required[dict[str, Quantity]]
    lastUpdate: Required[Time]


class ClusterQueueV1beta1StatusFairSharing(TypedDict, total=False):
    """Share of the queue."""

    admissionFairSharingStatus: AdmissionFairSharingStatus
    weightedShare: Required[Int64]


class ClusterQueuePendingWorkload(TypedDict, total=False):
    """A job that waits."""

    name: Required[str]
    namespace: Required[str]


class PendingWorkloadsStatus(TypedDict, total=False):
    """Jobs that wait."""

    clusterQueuePendingWorkload: Annotated[list[ClusterQueuePendingWorkload], ListType("atomic")]
    lastChangeTime: Required[Time]


class ClusterQueueV1beta1Status(TypedDict, total=False):
    """What Kueue reports."""

    admittedWorkloads: Int32
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    fairSharing: ClusterQueueV1beta1StatusFairSharing
    flavorsReservation: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    flavorsUsage: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    pendingWorkloadsStatus: PendingWorkloadsStatus
    reservingWorkloads: Int32


class ClusterQueueV1beta1(TypedDict, total=False):
    """A queue with its rules."""

    spec: Annotated[
        ClusterQueueV1beta1Spec,
        Cel(
            "!has(self.cohort) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
            "borrowingLimit needs a cohort",
        ),
    ]
    status: ClusterQueueV1beta1Status


class LocalQueueSpec(TypedDict, total=False):
    """The way from a namespace to a ClusterQueue; jobs name it by a label."""

    clusterQueue: Annotated[
        str,
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("ClusterQueue", group="kueue.x-k8s.io"),
        Cel("self == oldSelf", "stays as it was created"),
    ]
    """The queue that jobs of this namespace go to; it must admit the namespace."""
    fairSharing: FairSharing
    """Weight among the queues of one ClusterQueue."""
    stopPolicy: StopPolicy
    """None; Hold admits nothing new; HoldAndDrain ends what runs, too."""


class LocalQueueStatusFlavorsReservationResource(TypedDict, total=False):
    """Use of a resource."""

    name: Required[str]
    total: Quantity


class LocalQueueStatusFlavorsReservation(TypedDict, total=False):
    """Use of a flavor."""

    name: Required[CohortName]
    resources: Required[Annotated[list[LocalQueueStatusFlavorsReservationResource], MaxItems(64), ListMap("name")]]


class LocalQueueStatus(TypedDict, total=False):
    """What Kueue reports."""

    admittedWorkloads: Int32
    conditions: Conditions
    fairSharing: ClusterQueueV1beta1StatusFairSharing
    flavorsReservation: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    flavorsUsage: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    reservingWorkloads: Int32


class NodeTaint(TypedDict, total=False):
    """A taint that nodes of a flavor have."""

    effect: Required[str]
    """NoSchedule, PreferNoSchedule or NoExecute."""
    key: Required[str]
    """Key of the taint."""
    timeAdded: Time
    """Not used."""
    value: str
    """Value of the taint."""


class Topology(TypedDict, total=False):
    """Levels of a flavor."""

    levels: Required[Annotated[list[str], MaxItems(16), MinItems(1), ListType("atomic")]]
    name: Required[CohortName]


class LocalQueueV1beta1StatusFlavor(TypedDict, total=False):
    """A flavor of the queue."""

    name: Required[CohortName]
    nodeLabels: NodeLabels
    nodeTaints: Annotated[list[NodeTaint], MaxItems(8), ListType("atomic")]
    resources: Annotated[list[str], MaxItems(64), ListType("set")]
    topology: Topology


class LocalQueueV1beta1Status(TypedDict, total=False):
    """What Kueue reports."""

    admittedWorkloads: Int32
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    fairSharing: ClusterQueueV1beta1StatusFairSharing
    flavorUsage: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    flavors: Annotated[list[LocalQueueV1beta1StatusFlavor], MaxItems(64), ListMap("name")]
    flavorsReservation: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    reservingWorkloads: Int32


class ResourceGroupFlavor(TypedDict, total=False):
    """What a cohort has in one kind of nodes, beside its queues."""

    name: Required[Annotated[CohortName, Ref("ResourceFlavor", group="kueue.x-k8s.io")]]
    """The ResourceFlavor."""
    resources: Required[Annotated[list[Resource], MaxItems(64), MinItems(1), ListMap("name")]]
    """Quota of each covered resource, in the same order."""


class CohortResourceGroup(TypedDict, total=False):
    """Resources that a job gets in one and the same flavor."""

    coveredResources: Required[CoveredResources]
    """Resources of the group (cpu, memory, nvidia.com/gpu)."""
    flavors: Required[Annotated[list[ResourceGroupFlavor], MaxItems(64), MinItems(1), ListMap("name")]]
    """Kinds of nodes, in the order in which they are tried."""


class CohortSpec(TypedDict, total=False):
    """Queues and further cohorts that lend each other what they don't use."""

    fairSharing: FairSharing
    """Weight among the cohorts of one parent."""
    parentName: Annotated[CohortName, Ref("Cohort", group="kueue.x-k8s.io", optional=True)]
    """Cohort that this one belongs to; none above it if left out."""
    resourceGroups: Annotated[
        list[
            Annotated[
                CohortResourceGroup,
                Cel(
                    "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
                    "each flavor lists all coveredResources",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]
    """Quotas of the cohort beside its queues'."""


class CohortStatus(TypedDict, total=False):
    """What Kueue reports."""

    fairSharing: ClusterQueueStatusFairSharing


class CohortV1beta1ResourceGroup(TypedDict, total=False):
    """Resources that a job gets in one and the same flavor."""

    coveredResources: Required[Annotated[list[str], MaxItems(64), MinItems(1)]]
    flavors: Required[Annotated[list[ResourceGroupFlavor], MaxItems(64), MinItems(1), ListMap("name")]]


class CohortV1beta1Spec(TypedDict, total=False):
    """A cohort, as v1beta1 writes it."""

    fairSharing: FairSharing
    parentName: Annotated[CohortName, Ref("Cohort", group="kueue.x-k8s.io", optional=True)]
    resourceGroups: Annotated[
        list[
            Annotated[
                CohortV1beta1ResourceGroup,
                Cel(
                    "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
                    "each flavor lists all coveredResources",
                ),
            ]
        ],
        MaxItems(16),
        ListType("atomic"),
    ]


class CohortV1beta1Status(TypedDict, total=False):
    """What Kueue reports."""

    fairSharing: ClusterQueueV1beta1StatusFairSharing


class ResourceFlavorSpec(TypedDict, total=False):
    """A kind of nodes that quotas are counted in."""

    nodeLabels: NodeLabels
    """Labels of the nodes that it stands for; pods get them as their selector."""
    nodeTaints: Annotated[
        list[NodeTaint],
        MaxItems(8),
        ListType("atomic"),
        Cel(
            "self.all(x, x.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",
            "effects are NoSchedule, PreferNoSchedule and NoExecute",
        ),
    ]
    """Taints of the nodes; jobs without the toleration don't get the flavor."""
    tolerations: Annotated[
        list[core_v1.Toleration],
        MaxItems(8),
        ListType("atomic"),
        Cel("self.all(x, !has(x.key) ? x.operator == 'Exists' : true)", "without a key the operator is Exists"),
        Cel(
            "self.all(x, has(x.tolerationSeconds) ? x.effect == 'NoExecute' : true)",
            "tolerationSeconds goes with NoExecute",
        ),
        Cel("self.all(x, !has(x.operator) || x.operator in ['Equal', 'Exists'])", "operators are Equal and Exists"),
        Cel("self.all(x, has(x.operator) && x.operator == 'Exists' ? !has(x.value) : true)", "Exists takes no value"),
        Cel(
            "self.all(x, !has(x.effect) || x.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",
            "effects are NoSchedule, PreferNoSchedule and NoExecute",
        ),
    ]
    """Tolerations that pods get with the flavor."""
    topologyName: Annotated[
        str,
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("Topology", group="kueue.x-k8s.io"),
    ]
    """Topology that pods are placed by; by none if left out."""


class ResourceFlavor(TypedDict, total=False):
    """A kind of nodes with its rules."""

    spec: Annotated[
        ResourceFlavorSpec,
        Cel("!has(self.topologyName) || self.nodeLabels.size() >= 1", "a topology needs nodeLabels"),
        Cel(
            "!has(oldSelf.topologyName) || (has(self.nodeLabels) == has(oldSelf.nodeLabels) && (!has(self.nodeLabels) || self.nodeLabels == oldSelf.nodeLabels))",
            "nodeLabels stay while there is a topologyName",
        ),
        Cel(
            "!has(oldSelf.topologyName) || (has(self.tolerations) == has(oldSelf.tolerations) && (!has(self.tolerations) || self.tolerations == oldSelf.tolerations))",
            "tolerations stay while there is a topologyName",
        ),
        Cel(
            "!has(oldSelf.topologyName) || (has(self.topologyName) && self.topologyName == oldSelf.topologyName)",
            "topologyName stays once it is set",
        ),
    ]


class ResourceFlavorV1beta1(TypedDict, total=False):
    """A kind of nodes with its rules."""

    spec: Annotated[
        ResourceFlavorSpec,
        Cel("!has(self.topologyName) || self.nodeLabels.size() >= 1", "a topology needs nodeLabels"),
        Cel(
            "!has(oldSelf.topologyName) || (has(self.nodeLabels) == has(oldSelf.nodeLabels) && (!has(self.nodeLabels) || self.nodeLabels == oldSelf.nodeLabels))",
            "nodeLabels stay while there is a topologyName",
        ),
        Cel(
            "!has(oldSelf.topologyName) || (has(self.tolerations) == has(oldSelf.tolerations) && (!has(self.tolerations) || self.tolerations == oldSelf.tolerations))",
            "tolerations stay while there is a topologyName",
        ),
        Cel(
            "!has(oldSelf.topologyName) || (has(self.topologyName) && self.topologyName == oldSelf.topologyName)",
            "topologyName stays once it is set",
        ),
    ]


class Level(TypedDict, total=False):
    """A level of a topology."""

    nodeLabel: Required[
        Annotated[
            str,
            MaxLength(316),
            MinLength(1),
            Pattern(
                r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            ),
        ]
    ]
    """Label of nodes whose value names their place at this level."""


class TopologySpec(TypedDict, total=False):
    """How nodes are arranged, so that the pods of a job land near each other."""

    levels: Required[
        Annotated[
            list[Level],
            MaxItems(16),
            MinItems(1),
            ListType("atomic"),
            Cel("self == oldSelf", "stays as it was created"),
            Cel("size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", "an entry repeats"),
            Cel(
                "size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",
                "kubernetes.io/hostname is the lowest level",
            ),
        ]
    ]
    """From the widest (block) to the narrowest (host)."""


class WorkloadPriorityClass(TypedDict, total=False):
    """Priority of jobs in queues, apart from that of their pods."""

    description: Annotated[str, MaxLength(2048)]
    """What it is for."""
    value: Required[Int32]
    """The greater comes first and may push out the smaller."""


class WorkloadPriorityClassV1beta1(TypedDict, total=False):
    """Priority of jobs in queues."""

    description: str
    value: Required[Int32]


class Parameters(TypedDict, total=False):
    """The object with the settings of a check."""

    apiGroup: Required[ApiGroup]
    """Its group."""
    kind: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$")]]
    """Its kind, such as ProvisioningRequestConfig or MultiKueueConfig."""
    name: Required[
        Annotated[
            str,
            MaxLength(63),
            MinLength(1),
            Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
            Ref("ProvisioningRequestConfig", group="kueue.x-k8s.io", kind_field="kind", group_field="apiGroup"),
        ]
    ]
    """Its name."""


class AdmissionCheckSpec(TypedDict, total=False):
    """Somebody who is asked before a job starts."""

    controllerName: Required[
        Annotated[str, MaxLength(253), MinLength(1), Cel("self == oldSelf", "stays as it was created")]
    ]
    """Who is asked: kueue.x-k8s.io/provisioning-request, kueue.x-k8s.io/multikueue, or one of your own."""
    parameters: Parameters
    """The object with its settings."""


class AdmissionCheckStatus(TypedDict, total=False):
    """What Kueue reports."""

    conditions: Conditions


class AdmissionCheckV1beta1Parameters(TypedDict, total=False):
    """The object with the settings of a check."""

    apiGroup: Required[CohortName]
    kind: Required[Annotated[str, MaxLength(63), Pattern("^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$")]]
    name: Required[
        Annotated[
            str,
            MaxLength(63),
            Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
            Ref("ProvisioningRequestConfig", group="kueue.x-k8s.io", kind_field="kind", group_field="apiGroup"),
        ]
    ]


class AdmissionCheckV1beta1Spec(TypedDict, total=False):
    """A check, as v1beta1 writes it."""

    controllerName: Required[Annotated[str, Cel("self == oldSelf", "stays as it was created")]]
    parameters: AdmissionCheckV1beta1Parameters
    retryDelayMinutes: Annotated[Int64, Default(15)]


class AdmissionCheckV1beta1Status(TypedDict, total=False):
    """What Kueue reports."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]


class NodeSelector(TypedDict, total=False):
    """A node selector that a provisioning fills in."""

    key: Required[
        Annotated[
            str,
            MaxLength(317),
            MinLength(1),
            Pattern(
                r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            ),
        ]
    ]
    """Label of the nodes."""
    valueFromProvisioningClassDetail: Required[Annotated[str, MaxLength(32768), MinLength(1)]]
    """Which detail of the provisioning gives its value."""


class PodSetUpdates(TypedDict, total=False):
    """What pods get after a provisioning."""

    nodeSelector: Annotated[list[NodeSelector], MaxItems(8), ListMap("key")]
    """Node selectors to add."""


class RetryStrategy(TypedDict, total=False):
    """When a failed provisioning is tried again."""

    backoffBaseSeconds: Annotated[Int32, Default(60)]
    """Seconds before the first try; doubled each time."""
    backoffLimitCount: Annotated[Int32, Default(3)]
    """Tries."""
    backoffMaxSeconds: Annotated[Int32, Default(1800)]
    """Most seconds between tries."""


class ProvisioningRequestConfigSpec(TypedDict, total=False):
    """How nodes are asked for with the cluster autoscaler before a job starts."""

    managedResources: Annotated[list[str], MaxItems(100), ListType("set")]
    """Resources for which nodes are asked for; all if left out."""
    parameters: Parameters2
    """Settings of the provisioning class."""
    podSetMergePolicy: PodSetMergePolicy
    """Which pod sets of a job are asked for as one; none if left out."""
    podSetUpdates: PodSetUpdates
    """What pods get after the provisioning."""
    provisioningClassName: Required[ApiGroup]
    """Class of the request, such as check-capacity.autoscaling.x-k8s.io."""
    retryStrategy: Annotated[
        RetryStrategy, Default({"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800})
    ]
    """When a failed request is tried again."""


class ProvisioningRequestConfigV1beta1PodSetUpdates(TypedDict, total=False):
    """What pods get after a provisioning."""

    nodeSelector: Annotated[list[NodeSelector], MaxItems(8)]


class ProvisioningRequestConfigV1beta1Spec(TypedDict, total=False):
    """A provisioning, as v1beta1 writes it."""

    managedResources: Annotated[list[str], MaxItems(100), ListType("set")]
    parameters: Parameters2
    podSetMergePolicy: PodSetMergePolicy
    podSetUpdates: ProvisioningRequestConfigV1beta1PodSetUpdates
    provisioningClassName: Required[CohortName]
    retryStrategy: Annotated[
        RetryStrategy, Default({"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800})
    ]


class ClusterProfileRef(TypedDict, total=False):
    """A cluster as the cluster inventory knows it."""

    name: Required[Annotated[str, MaxLength(256), MinLength(1)]]
    """Its ClusterProfile, in Kueue's namespace."""


class KubeConfig(TypedDict, total=False):
    """Access to a cluster by a kubeconfig."""

    location: Required[Annotated[str, MaxLength(256), MinLength(1)]]
    """Name of a Secret in Kueue's namespace with the key kubeconfig, or a path in Kueue's pod."""
    locationType: Annotated[Literal["Secret", "Path"], Default("Secret")]
    """Secret or Path."""


class ClusterSource(TypedDict, total=False):
    """How another cluster is reached: by one of the two."""

    clusterProfileRef: ClusterProfileRef
    """Through the cluster inventory."""
    kubeConfig: KubeConfig
    """By a kubeconfig."""


class MultiKueueClusterSpec(TypedDict, total=False):
    """Another cluster that jobs may be sent to."""

    clusterSource: Required[
        Annotated[
            ClusterSource,
            Cel(
                "[has(self.kubeConfig),has(self.clusterProfileRef)].filter(x,x==true).size() == 1",
                "kubeConfig or clusterProfileRef, and not both",
            ),
        ]
    ]
    """How it is reached."""


class MultiKueueClusterV1beta1KubeConfig(TypedDict, total=False):
    """Access to a cluster by a kubeconfig."""

    location: Required[str]
    locationType: Required[Annotated[Literal["Secret", "Path"], Default("Secret")]]


class MultiKueueClusterV1beta1Spec(TypedDict, total=False):
    """Another cluster, as v1beta1 writes it."""

    clusterProfileRef: ClusterProfileRef
    kubeConfig: Required[MultiKueueClusterV1beta1KubeConfig]


class MultiKueueConfigSpec(TypedDict, total=False):
    """Clusters that a check sends jobs to."""

    clusters: Required[
        Annotated[
            list[Annotated[str, MaxLength(256), Ref("MultiKueueCluster", group="kueue.x-k8s.io", weak=True)]],
            MaxItems(20),
            MinItems(1),
            ListType("atomic"),
            Cel("size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", "an entry repeats"),
        ]
    ]
    """The clusters; the first that has room gets the job."""
    quotaManagement: Literal["Manual", "Automated"]
    """Manual (the default): you keep quotas here equal to those there; Automated: Kueue does, behind a feature gate."""


class MultiKueueConfigV1beta1Spec(TypedDict, total=False):
    """Clusters, as v1beta1 writes them."""

    clusters: Required[
        Annotated[
            list[Annotated[str, Ref("MultiKueueCluster", group="kueue.x-k8s.io", weak=True)]],
            MaxItems(20),
            MinItems(1),
            ListType("set"),
        ]
    ]


CLUSTER_QUEUE = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="ClusterQueue",
    plural="clusterqueues",
    namespaced=False,
    spec=ClusterQueueSpec,
    top=ClusterQueue,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Cohort", ".spec.cohortName"),
        Column("Strategy", ".spec.queueingStrategy", priority=1),
        Column("Pending Workloads", ".status.pendingWorkloads", type="integer"),
        Column("Admitted Workloads", ".status.admittedWorkloads", type="integer", priority=1),
    ),
    health=HealthConditions(ready=("Active",)),
    doc="A queue for the whole cluster: what its jobs may use together, and who is next.",
)

CLUSTER_QUEUE_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="ClusterQueue",
    plural="clusterqueues",
    namespaced=False,
    spec=ClusterQueueV1beta1Spec,
    top=ClusterQueueV1beta1,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Cohort", ".spec.cohort"),
        Column("Strategy", ".spec.queueingStrategy", priority=1),
        Column("Pending Workloads", ".status.pendingWorkloads", type="integer"),
        Column("Admitted Workloads", ".status.admittedWorkloads", type="integer", priority=1),
    ),
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 ClusterQueue is on its way out: write v1beta2",
    health=HealthConditions(ready=("Active",)),
)

LOCAL_QUEUE = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="LocalQueue",
    plural="localqueues",
    spec=LocalQueueSpec,
    status=LocalQueueStatus,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("ClusterQueue", ".spec.clusterQueue"),
        Column("Pending Workloads", ".status.pendingWorkloads", type="integer"),
        Column("Admitted Workloads", ".status.admittedWorkloads", type="integer"),
    ),
    health=HealthConditions(ready=("Active",)),
    doc="The way from a namespace to a ClusterQueue; jobs name it by a label.",
    label=QUEUE_LABEL,
)

LOCAL_QUEUE_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="LocalQueue",
    plural="localqueues",
    spec=LocalQueueSpec,
    status=LocalQueueV1beta1Status,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("ClusterQueue", ".spec.clusterQueue"),
        Column("Pending Workloads", ".status.pendingWorkloads", type="integer"),
        Column("Admitted Workloads", ".status.admittedWorkloads", type="integer"),
    ),
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 LocalQueue is on its way out: write v1beta2",
    health=HealthConditions(ready=("Active",)),
    label=QUEUE_LABEL,
)

COHORT = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="Cohort",
    plural="cohorts",
    namespaced=False,
    spec=CohortSpec,
    status=CohortStatus,
    status_subresource=True,
    doc="Queues and further cohorts that lend each other what they don't use.",
)

COHORT_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="Cohort",
    plural="cohorts",
    namespaced=False,
    spec=CohortV1beta1Spec,
    status=CohortV1beta1Status,
    status_subresource=True,
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 Cohort is on its way out: write v1beta2",
)

RESOURCE_FLAVOR = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="ResourceFlavor",
    plural="resourceflavors",
    namespaced=False,
    spec=ResourceFlavorSpec,
    top=ResourceFlavor,
    core="1.37",
    doc="A kind of nodes that quotas are counted in.",
)

RESOURCE_FLAVOR_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="ResourceFlavor",
    plural="resourceflavors",
    namespaced=False,
    spec=ResourceFlavorSpec,
    top=ResourceFlavorV1beta1,
    core="1.37",
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 ResourceFlavor is on its way out: write v1beta2",
)

TOPOLOGY = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="Topology",
    plural="topologies",
    namespaced=False,
    spec=TopologySpec,
    doc="How nodes are arranged, so that the pods of a job land near each other.",
)

TOPOLOGY_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="Topology",
    plural="topologies",
    namespaced=False,
    spec=TopologySpec,
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 Topology is on its way out: write v1beta2",
)

WORKLOAD_PRIORITY_CLASS = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="WorkloadPriorityClass",
    plural="workloadpriorityclasses",
    namespaced=False,
    spec=WorkloadPriorityClass,
    top_level=True,
    columns=(Column("Value", ".value", type="integer"),),
    doc="Priority of jobs in queues, apart from that of their pods.",
    label=PRIORITY_LABEL,
)

WORKLOAD_PRIORITY_CLASS_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="WorkloadPriorityClass",
    plural="workloadpriorityclasses",
    namespaced=False,
    spec=WorkloadPriorityClassV1beta1,
    top_level=True,
    columns=(Column("Value", ".value", type="integer"),),
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 WorkloadPriorityClass is on its way out: write v1beta2",
    label=PRIORITY_LABEL,
)

ADMISSION_CHECK = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="AdmissionCheck",
    plural="admissionchecks",
    namespaced=False,
    spec=AdmissionCheckSpec,
    status=AdmissionCheckStatus,
    core="1.37",
    status_subresource=True,
    health=HealthConditions(ready=("Active",)),
    doc="Somebody who is asked before a job starts.",
)

ADMISSION_CHECK_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="AdmissionCheck",
    plural="admissionchecks",
    namespaced=False,
    spec=AdmissionCheckV1beta1Spec,
    status=AdmissionCheckV1beta1Status,
    core="1.37",
    status_subresource=True,
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 AdmissionCheck is on its way out: write v1beta2",
    health=HealthConditions(ready=("Active",)),
)

PROVISIONING_REQUEST_CONFIG = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="ProvisioningRequestConfig",
    plural="provisioningrequestconfigs",
    namespaced=False,
    spec=ProvisioningRequestConfigSpec,
    doc="How nodes are asked for with the cluster autoscaler before a job starts.",
)

PROVISIONING_REQUEST_CONFIG_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="ProvisioningRequestConfig",
    plural="provisioningrequestconfigs",
    namespaced=False,
    spec=ProvisioningRequestConfigV1beta1Spec,
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 ProvisioningRequestConfig is on its way out: write v1beta2",
)

MULTI_KUEUE_CLUSTER = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="MultiKueueCluster",
    plural="multikueueclusters",
    namespaced=False,
    spec=MultiKueueClusterSpec,
    status=AdmissionCheckStatus,
    core="1.37",
    status_subresource=True,
    columns=(Column("Connected", ".status.conditions[?(@.type=='Active')].status"), AGE),
    health=HealthConditions(ready=("Active",)),
    doc="Another cluster that jobs may be sent to.",
)

MULTI_KUEUE_CLUSTER_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="MultiKueueCluster",
    plural="multikueueclusters",
    namespaced=False,
    spec=MultiKueueClusterV1beta1Spec,
    status=AdmissionCheckV1beta1Status,
    core="1.37",
    status_subresource=True,
    columns=(Column("Connected", ".status.conditions[?(@.type=='Active')].status"), AGE),
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 MultiKueueCluster is on its way out: write v1beta2",
    health=HealthConditions(ready=("Active",)),
)

MULTI_KUEUE_CONFIG = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="MultiKueueConfig",
    plural="multikueueconfigs",
    namespaced=False,
    spec=MultiKueueConfigSpec,
    doc="Clusters that a check sends jobs to.",
)

MULTI_KUEUE_CONFIG_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="MultiKueueConfig",
    plural="multikueueconfigs",
    namespaced=False,
    spec=MultiKueueConfigV1beta1Spec,
    storage=False,
)

CRDS = (
    Definition(
        (CLUSTER_QUEUE_V1BETA1, CLUSTER_QUEUE),
        short_names=("cq",),
        conversion=WebhookConversion(service="kueue-webhook-service", namespace="kueue-system", path="/convert"),
    ),
    Definition(
        (LOCAL_QUEUE_V1BETA1, LOCAL_QUEUE),
        short_names=("queue", "queues", "lq"),
        conversion=WebhookConversion(service="kueue-webhook-service", namespace="kueue-system", path="/convert"),
    ),
    Definition(
        (COHORT_V1BETA1, COHORT),
        short_names=("co",),
        conversion=WebhookConversion(service="kueue-webhook-service", namespace="kueue-system", path="/convert"),
    ),
    Definition((RESOURCE_FLAVOR_V1BETA1, RESOURCE_FLAVOR), short_names=("flavor", "flavors", "rf")),
    Definition((TOPOLOGY_V1BETA1, TOPOLOGY), short_names=("topo",)),
    Definition((WORKLOAD_PRIORITY_CLASS_V1BETA1, WORKLOAD_PRIORITY_CLASS), short_names=("wpc",)),
    Definition((ADMISSION_CHECK_V1BETA1, ADMISSION_CHECK), short_names=("ac",)),
    Definition((PROVISIONING_REQUEST_CONFIG_V1BETA1, PROVISIONING_REQUEST_CONFIG), short_names=("prc",)),
    Definition(
        (MULTI_KUEUE_CLUSTER_V1BETA1, MULTI_KUEUE_CLUSTER),
        short_names=("mkc",),
        conversion=WebhookConversion(service="kueue-webhook-service", namespace="kueue-system", path="/convert"),
    ),
    Definition((MULTI_KUEUE_CONFIG_V1BETA1, MULTI_KUEUE_CONFIG), short_names=("mkconf",)),
)
