"""Kueue 0.19 (kueue.x-k8s.io): queues, quotas and what they are counted in."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition, WebhookConversion
from platform_def.apis.schema import (
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
    name: Required[Annotated[str, MaxLength(316), MinLength(1), Ref("AdmissionCheck", group="kueue.x-k8s.io")]]
    onFlavors: Annotated[
        list[
            Annotated[
                str, MaxLength(253), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
            ]
        ],
        MaxItems(64),
        ListType("set"),
    ]


class AdmissionChecksStrategy(TypedDict, total=False):
    admissionChecks: Required[Annotated[list[AdmissionCheck], MaxItems(64), MinItems(1), ListMap("name")]]


class AdmissionScope(TypedDict, total=False):
    admissionMode: Required[Literal["UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"]]


class Constraints(TypedDict, total=False):
    lastAcceptableFlavorName: CohortName


class Migration(TypedDict, total=False):
    constraints: Constraints
    mode: Required[Annotated[Literal["TryPreferredFlavors", "RetainFirstAdmission"], MaxLength(253)]]


class ConcurrentAdmissionPolicy(TypedDict, total=False):
    migration: Required[Migration]


class FairSharing(TypedDict, total=False):
    weight: Annotated[Quantity, Default(1)]


class FlavorFungibility(TypedDict, total=False):
    preference: Preference
    whenCanBorrow: Annotated[Literal["MayStopSearch", "TryNextFlavor"], Default("MayStopSearch")]
    whenCanPreempt: Annotated[Literal["MayStopSearch", "TryNextFlavor"], Default("TryNextFlavor")]


class BorrowWithinCohort(TypedDict, total=False):
    maxPriorityThreshold: Int32
    policy: Annotated[Literal["Never", "LowerPriority"], Default("Never")]


class Preemption(TypedDict, total=False):
    borrowWithinCohort: Annotated[BorrowWithinCohort, Default({})]
    """Whether it pushes out others to borrow."""
    reclaimWithinCohort: Annotated[Literal["Never", "LowerPriority", "Any"], Default("Never")]
    """Never, LowerPriority or Any, of jobs that borrow from it."""
    withinClusterQueue: Annotated[Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"], Default("Never")]
    """Never, LowerPriority or LowerOrNewerEqualPriority."""


class Resource(TypedDict, total=False):
    borrowingLimit: Quantity
    """Most that it takes from its cohort beside that."""
    lendingLimit: Quantity
    """Most of its own that it lends to the cohort."""
    name: Required[str]
    nominalQuota: Required[Quantity]
    """What the queue has of its own."""


class Flavor(TypedDict, total=False):
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
    coveredResources: Required[CoveredResources]
    """Resources of the group (cpu, memory, nvidia.com/gpu)."""
    flavors: Required[Annotated[list[Flavor], MaxItems(64), MinItems(1), ListMap("name")]]
    """Kinds of nodes, in the order in which they are tried."""


class ClusterQueueSpec(TypedDict, total=False):
    admissionChecksStrategy: AdmissionChecksStrategy
    """Checks that must pass before a job starts."""
    admissionScope: AdmissionScope
    cohortName: CohortName
    """Queues of one cohort lend each other what they don't use."""
    concurrentAdmissionPolicy: ConcurrentAdmissionPolicy
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
    weightedShare: Required[Int64]


class FlavorsReservationResource(TypedDict, total=False):
    borrowed: Quantity
    name: Required[str]
    total: Quantity


class FlavorsReservation(TypedDict, total=False):
    name: Required[CohortName]
    resources: Required[Annotated[list[FlavorsReservationResource], MaxItems(64), ListMap("name")]]


class ClusterQueueStatus(TypedDict, total=False):
    admittedWorkloads: Int32
    conditions: Conditions
    fairSharing: ClusterQueueStatusFairSharing
    flavorsReservation: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    flavorsUsage: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    reservingWorkloads: Int32


class ClusterQueue(TypedDict, total=False):
    spec: Annotated[
        ClusterQueueSpec,
        Cel(
            "!has(self.cohortName) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
            "borrowingLimit needs a cohort",
        ),
    ]
    status: ClusterQueueStatus


class AdmissionChecksStrategyAdmissionCheck(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(316), Ref("AdmissionCheck", group="kueue.x-k8s.io")]]
    onFlavors: list[
        Annotated[str, MaxLength(253), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")]
    ]


class ClusterQueueV1beta1AdmissionChecksStrategy(TypedDict, total=False):
    admissionChecks: list[AdmissionChecksStrategyAdmissionCheck]


class ClusterQueueV1beta1AdmissionScope(TypedDict, total=False):
    admissionMode: Required[str]


class ClusterQueueV1beta1FlavorFungibility(TypedDict, total=False):
    preference: Preference
    whenCanBorrow: Annotated[Literal["MayStopSearch", "TryNextFlavor", "Borrow"], Default("MayStopSearch")]
    whenCanPreempt: Annotated[Literal["MayStopSearch", "TryNextFlavor", "Preempt"], Default("TryNextFlavor")]


class ClusterQueueV1beta1ResourceGroup(TypedDict, total=False):
    coveredResources: Required[Annotated[list[str], MaxItems(64), MinItems(1)]]
    flavors: Required[Annotated[list[Flavor], MaxItems(64), MinItems(1), ListMap("name")]]


class ClusterQueueV1beta1Spec(TypedDict, total=False):
    admissionChecks: list[Annotated[str, MaxLength(316)]]
    admissionChecksStrategy: ClusterQueueV1beta1AdmissionChecksStrategy
    admissionScope: ClusterQueueV1beta1AdmissionScope
    cohort: CohortName
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
    consumedResources: Required[dict[str, Quantity]]
    lastUpdate: Required[Time]


class ClusterQueueV1beta1StatusFairSharing(TypedDict, total=False):
    admissionFairSharingStatus: AdmissionFairSharingStatus
    weightedShare: Required[Int64]


class ClusterQueuePendingWorkload(TypedDict, total=False):
    name: Required[str]
    namespace: Required[str]


class PendingWorkloadsStatus(TypedDict, total=False):
    clusterQueuePendingWorkload: Annotated[list[ClusterQueuePendingWorkload], ListType("atomic")]
    lastChangeTime: Required[Time]


class ClusterQueueV1beta1Status(TypedDict, total=False):
    admittedWorkloads: Int32
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    fairSharing: ClusterQueueV1beta1StatusFairSharing
    flavorsReservation: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    flavorsUsage: Annotated[list[FlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    pendingWorkloadsStatus: PendingWorkloadsStatus
    reservingWorkloads: Int32


class ClusterQueueV1beta1(TypedDict, total=False):
    spec: Annotated[
        ClusterQueueV1beta1Spec,
        Cel(
            "!has(self.cohort) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
            "borrowingLimit needs a cohort",
        ),
    ]
    status: ClusterQueueV1beta1Status


class LocalQueueSpec(TypedDict, total=False):
    clusterQueue: Annotated[
        str,
        MaxLength(253),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        Ref("ClusterQueue", group="kueue.x-k8s.io"),
        Cel("self == oldSelf", "stays as it was created"),
    ]
    """The queue that jobs of this namespace go to."""
    fairSharing: FairSharing
    """Weight among the queues of one ClusterQueue."""
    stopPolicy: StopPolicy
    """None; Hold admits nothing new; HoldAndDrain ends what runs, too."""


class LocalQueueStatusFlavorsReservationResource(TypedDict, total=False):
    name: Required[str]
    total: Quantity


class LocalQueueStatusFlavorsReservation(TypedDict, total=False):
    name: Required[CohortName]
    resources: Required[Annotated[list[LocalQueueStatusFlavorsReservationResource], MaxItems(64), ListMap("name")]]


class LocalQueueStatus(TypedDict, total=False):
    admittedWorkloads: Int32
    conditions: Conditions
    fairSharing: ClusterQueueV1beta1StatusFairSharing
    flavorsReservation: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    flavorsUsage: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    reservingWorkloads: Int32


class NodeTaint(TypedDict, total=False):
    effect: Required[str]
    key: Required[str]
    timeAdded: Time
    value: str


class Topology(TypedDict, total=False):
    levels: Required[Annotated[list[str], MaxItems(16), MinItems(1), ListType("atomic")]]
    name: Required[CohortName]


class LocalQueueV1beta1StatusFlavor(TypedDict, total=False):
    name: Required[CohortName]
    nodeLabels: NodeLabels
    nodeTaints: Annotated[list[NodeTaint], MaxItems(8), ListType("atomic")]
    resources: Annotated[list[str], MaxItems(64), ListType("set")]
    topology: Topology


class LocalQueueV1beta1Status(TypedDict, total=False):
    admittedWorkloads: Int32
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    fairSharing: ClusterQueueV1beta1StatusFairSharing
    flavorUsage: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    flavors: Annotated[list[LocalQueueV1beta1StatusFlavor], MaxItems(64), ListMap("name")]
    flavorsReservation: Annotated[list[LocalQueueStatusFlavorsReservation], MaxItems(64), ListMap("name")]
    pendingWorkloads: Int32
    reservingWorkloads: Int32


class ResourceGroupFlavor(TypedDict, total=False):
    name: Required[CohortName]
    resources: Required[Annotated[list[Resource], MaxItems(64), MinItems(1), ListMap("name")]]


class CohortResourceGroup(TypedDict, total=False):
    coveredResources: Required[CoveredResources]
    flavors: Required[Annotated[list[ResourceGroupFlavor], MaxItems(64), MinItems(1), ListMap("name")]]


class CohortSpec(TypedDict, total=False):
    fairSharing: FairSharing
    parentName: CohortName
    """Cohort that this one belongs to."""
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
    fairSharing: ClusterQueueStatusFairSharing


class CohortV1beta1ResourceGroup(TypedDict, total=False):
    coveredResources: Required[Annotated[list[str], MaxItems(64), MinItems(1)]]
    flavors: Required[Annotated[list[ResourceGroupFlavor], MaxItems(64), MinItems(1), ListMap("name")]]


class CohortV1beta1Spec(TypedDict, total=False):
    fairSharing: FairSharing
    parentName: CohortName
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
    fairSharing: ClusterQueueV1beta1StatusFairSharing


class ResourceFlavorSpec(TypedDict, total=False):
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
    """Topology that pods are placed by."""


class ResourceFlavor(TypedDict, total=False):
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
    description: Annotated[str, MaxLength(2048)]
    value: Required[Int32]


class WorkloadPriorityClassV1beta1(TypedDict, total=False):
    description: str
    value: Required[Int32]


class Parameters(TypedDict, total=False):
    apiGroup: Required[ApiGroup]
    kind: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$")]]
    name: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]]


class AdmissionCheckSpec(TypedDict, total=False):
    controllerName: Required[
        Annotated[str, MaxLength(253), MinLength(1), Cel("self == oldSelf", "stays as it was created")]
    ]
    parameters: Parameters


class AdmissionCheckStatus(TypedDict, total=False):
    conditions: Conditions


class AdmissionCheckV1beta1Parameters(TypedDict, total=False):
    apiGroup: Required[CohortName]
    kind: Required[Annotated[str, MaxLength(63), Pattern("^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$")]]
    name: Required[Annotated[str, MaxLength(63), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]]


class AdmissionCheckV1beta1Spec(TypedDict, total=False):
    controllerName: Required[Annotated[str, Cel("self == oldSelf", "stays as it was created")]]
    parameters: AdmissionCheckV1beta1Parameters
    retryDelayMinutes: Annotated[Int64, Default(15)]


class AdmissionCheckV1beta1Status(TypedDict, total=False):
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]


class NodeSelector(TypedDict, total=False):
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
    valueFromProvisioningClassDetail: Required[Annotated[str, MaxLength(32768), MinLength(1)]]


class PodSetUpdates(TypedDict, total=False):
    nodeSelector: Annotated[list[NodeSelector], MaxItems(8), ListMap("key")]


class RetryStrategy(TypedDict, total=False):
    backoffBaseSeconds: Annotated[Int32, Default(60)]
    backoffLimitCount: Annotated[Int32, Default(3)]
    backoffMaxSeconds: Annotated[Int32, Default(1800)]


class ProvisioningRequestConfigSpec(TypedDict, total=False):
    managedResources: Annotated[list[str], MaxItems(100), ListType("set")]
    parameters: Parameters2
    podSetMergePolicy: PodSetMergePolicy
    podSetUpdates: PodSetUpdates
    provisioningClassName: Required[ApiGroup]
    retryStrategy: Annotated[
        RetryStrategy, Default({"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800})
    ]


class ProvisioningRequestConfigV1beta1PodSetUpdates(TypedDict, total=False):
    nodeSelector: Annotated[list[NodeSelector], MaxItems(8)]


class ProvisioningRequestConfigV1beta1Spec(TypedDict, total=False):
    managedResources: Annotated[list[str], MaxItems(100), ListType("set")]
    parameters: Parameters2
    podSetMergePolicy: PodSetMergePolicy
    podSetUpdates: ProvisioningRequestConfigV1beta1PodSetUpdates
    provisioningClassName: Required[CohortName]
    retryStrategy: Annotated[
        RetryStrategy, Default({"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800})
    ]


class ClusterProfileRef(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(256), MinLength(1)]]


class KubeConfig(TypedDict, total=False):
    location: Required[Annotated[str, MaxLength(256), MinLength(1)]]
    locationType: Annotated[Literal["Secret", "Path"], Default("Secret")]


class ClusterSource(TypedDict, total=False):
    clusterProfileRef: ClusterProfileRef
    kubeConfig: KubeConfig


class MultiKueueClusterSpec(TypedDict, total=False):
    clusterSource: Required[
        Annotated[
            ClusterSource,
            Cel(
                "[has(self.kubeConfig),has(self.clusterProfileRef)].filter(x,x==true).size() == 1",
                "kubeConfig or clusterProfileRef, and not both",
            ),
        ]
    ]


class MultiKueueClusterV1beta1KubeConfig(TypedDict, total=False):
    location: Required[str]
    locationType: Required[Annotated[Literal["Secret", "Path"], Default("Secret")]]


class MultiKueueClusterV1beta1Spec(TypedDict, total=False):
    clusterProfileRef: ClusterProfileRef
    kubeConfig: Required[MultiKueueClusterV1beta1KubeConfig]


class MultiKueueConfigSpec(TypedDict, total=False):
    clusters: Required[
        Annotated[
            list[Annotated[str, MaxLength(256)]],
            MaxItems(20),
            MinItems(1),
            ListType("atomic"),
            Cel("size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", "an entry repeats"),
        ]
    ]
    quotaManagement: Literal["Manual", "Automated"]


class MultiKueueConfigV1beta1Spec(TypedDict, total=False):
    clusters: Required[Annotated[list[str], MaxItems(20), MinItems(1), ListType("set")]]


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
    health=Health(ready=("Active",)),
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
    health=Health(ready=("Active",)),
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
    health=Health(ready=("Active",)),
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
    health=Health(ready=("Active",)),
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
    group="kueue.x-k8s.io", version="v1beta2", kind="Topology", plural="topologies", namespaced=False, spec=TopologySpec
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
    health=Health(ready=("Active",)),
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
    health=Health(ready=("Active",)),
)

PROVISIONING_REQUEST_CONFIG = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="ProvisioningRequestConfig",
    plural="provisioningrequestconfigs",
    namespaced=False,
    spec=ProvisioningRequestConfigSpec,
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
    health=Health(ready=("Active",)),
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
    health=Health(ready=("Active",)),
)

MULTI_KUEUE_CONFIG = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="MultiKueueConfig",
    plural="multikueueconfigs",
    namespaced=False,
    spec=MultiKueueConfigSpec,
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
