"""KAI 0.17 (kai.scheduler): what its operator installs, and how."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Int32, Quantity, Ref
from platform_def.crds.typed_dict import TypedDict


class Image(TypedDict, total=False):
    """An image in parts, which are joined as repository/name:tag."""

    name: str
    pullPolicy: str
    repository: str
    tag: str


class K8sClientConfig(TypedDict, total=False):
    """How fast a program may ask the API server."""

    burst: int
    """Requests at once."""
    qps: int
    """Requests a second."""


class PodDisruptionBudget(TypedDict, total=False):
    """A budget of the pods, where there are several."""

    enabled: bool
    maxUnavailable: Int32
    """Pods that may be away at once; 1 if left out."""


class Service(TypedDict, total=False):
    """What all programs of KAI have in common."""

    affinity: core_v1.Affinity
    """Where its pods run; that for all programs if left out."""
    enabled: bool
    """Whether it runs."""
    image: Image
    """Its image; repository and tag are the operator's own if left out."""
    k8sClientConfig: K8sClientConfig
    """How fast it may ask the API server."""
    podDisruptionBudget: PodDisruptionBudget
    """A budget; of admission, pod grouper and schedulers alone."""
    resources: core_v1.ResourceRequirements
    """What its container asks for; what is left out is filled in, limits of processors too."""


class ContainerPolicy(TypedDict, total=False):
    """Bounds of what a VerticalPodAutoscaler recommends for a container."""

    containerName: str
    controlledResources: list[str]
    controlledValues: Literal["RequestsAndLimits", "RequestsOnly"]
    maxAllowed: dict[str, Quantity]
    minAllowed: dict[str, Quantity]
    mode: Literal["Auto", "Off"]


class ResourcePolicy(TypedDict, total=False):
    """Bounds of what a VerticalPodAutoscaler recommends."""

    containerPolicies: list[ContainerPolicy]


class EvictionRequirement(TypedDict, total=False):
    """When a VerticalPodAutoscaler may evict a pod."""

    changeRequirement: Required[Literal["TargetHigherThanRequests", "TargetLowerThanRequests"]]
    resources: Required[list[str]]


class UpdatePolicy(TypedDict, total=False):
    """When a VerticalPodAutoscaler changes pods."""

    evictionRequirements: list[EvictionRequirement]
    minReplicas: Int32
    updateMode: Literal["Off", "Initial", "Recreate", "InPlaceOrRecreate", "Auto"]


class Vpa(TypedDict, total=False):
    """A VerticalPodAutoscaler for each program."""

    enabled: bool
    """Whether there is one."""
    resourcePolicy: ResourcePolicy
    updatePolicy: UpdatePolicy


class Webhook(TypedDict, total=False):
    """Ports of the admission server."""

    metricsPort: int
    """Port of metrics."""
    port: int
    """Port of the Service."""
    probePort: int
    """Port of health checks."""
    targetPort: int
    """Port of the container."""


class Admission(TypedDict, total=False):
    """The webhooks that pods for KAI pass."""

    blockNvidiaVisibleDevices: bool
    """Refuse pods that choose cards by NVIDIA_VISIBLE_DEVICES, past the device plugin."""
    gpuFractionRuntimeClassName: Annotated[str, Ref("RuntimeClass", group="node.k8s.io")]
    """RuntimeClass that pods with a part of a card get; empty for none."""
    gpuPodRuntimeClassName: str
    """The previous name of the field above."""
    gpuSharing: bool
    """Let pods ask for a part of a card by annotation."""
    mutatingWebhookConfigurationName: str
    """Name of what the operator makes; its rights know the default alone."""
    queueLabelSelector: bool
    """Ask the webhooks only about namespaces that carry the label of queues."""
    replicas: Int32
    """Pods of it."""
    service: Service
    validatingWebhookConfigurationName: str
    """Name of what the operator makes; its rights know the default alone."""
    vpa: Vpa
    webhook: Webhook


class Plugin(TypedDict, total=False):
    """A plug-in of the binder."""

    arguments: dict[str, str]
    """In place of the default ones."""
    enabled: bool
    priority: int
    """Those with greater numbers come first."""


class ResourceReservation(TypedDict, total=False):
    """Pods that hold the cards whose parts other pods share."""

    allocationTimeout: int
    """Seconds until such a pod must have its card."""
    appLabel: str
    """Their label `app`, by which the scheduler knows them."""
    image: Image
    namespace: Annotated[str, Ref("Namespace")]
    """Namespace that they run in."""
    podResources: core_v1.ResourceRequirements
    reservationContainerSecurityContext: core_v1.SecurityContext
    reservationPodSecurityContext: core_v1.PodSecurityContext
    runtimeClassName: str
    """Their RuntimeClass."""
    serviceAccountName: str
    """Their account."""


class Binder(TypedDict, total=False):
    """What gives pods to the nodes that the scheduler chose."""

    cdiEnabled: bool
    """Cards are handed over by CDI; the operator asks the ClusterPolicy of the GPU operator if left out."""
    maxConcurrentReconciles: int
    """Pods that are bound at once."""
    metricsPort: int
    plugins: dict[str, Plugin]
    probePort: int
    replicas: Int32
    resourceReservation: ResourceReservation
    service: Service
    volumeBindingTimeoutSeconds: int
    """How long volumes may take."""
    vpa: Vpa


class Global(TypedDict, total=False):
    """What holds for all programs."""

    additionalImagePullSecrets: list[str]
    """Names of pull secrets."""
    affinity: core_v1.Affinity
    daemonsetsTolerations: list[core_v1.Toleration]
    imagesPullSecret: str
    """One pull secret: the older field."""
    jsonLog: bool
    namespaceLabelSelector: dict[str, str]
    """Labels of namespaces that webhooks and pod grouper look at; all if left out."""
    nodePoolLabelKey: str
    """Label by which shards divide nodes; kai.scheduler/node-pool if left out."""
    nodeSelector: dict[str, str]
    openshift: bool
    """Leave the securityContext to OpenShift."""
    podLabelSelector: dict[str, str]
    """Labels of pods that webhooks and pod grouper look at; all if left out."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of all pods."""
    queueLabelKey: str
    """Label that names a queue; kai.scheduler/queue if left out."""
    replicaCount: Int32
    """Pods of each program that says no number of its own."""
    requireDefaultPodAntiAffinityTerm: bool
    """Never two pods of a program on one node."""
    schedulerName: str
    """Name that pods ask for; kai-scheduler if left out."""
    securityContext: core_v1.SecurityContext
    """Of all containers."""
    tolerations: list[core_v1.Toleration]
    vpa: Vpa


class Args(TypedDict, total=False):
    """Arguments of the node scale adjuster."""

    gpuMemoryToFractionRatio: float
    nodeScaleNamespace: str
    """Namespace of its pods."""
    nodeScaleServiceAccount: str
    scalingPodImage: Image
    """Their image."""


class NodeScaleAdjuster(TypedDict, total=False):
    """Pods that ask a cluster autoscaler for a whole card where parts of one are wanted."""

    args: Args
    service: Service
    vpa: Vpa


class NumaPlacementExporter(TypedDict, total=False):
    """What tells the scheduler on which NUMA nodes pods run."""

    driftResyncInterval: str
    nodeSelector: dict[str, str]
    podResourcesHostPath: str
    podResourcesSocket: str
    pollInterval: str
    service: Service
    sysfsHostPath: str
    tolerations: list[core_v1.Toleration]


class ControllerServiceWebhook(TypedDict, total=False):
    """A port."""

    name: str
    port: int
    targetPort: int


class ControllerService(TypedDict, total=False):
    """Ports of a Service."""

    webhook: ControllerServiceWebhook


class Webhooks(TypedDict, total=False):
    """What a program validates."""

    enableValidation: bool
    webhookConfigurationNamePrefix: str
    """Begin of the configuration's name; the operator's rights know the default alone."""


class PodGroupController(TypedDict, total=False):
    """What writes how far PodGroups are."""

    controllerService: ControllerService
    maxConcurrentReconciles: int
    replicas: Int32
    service: Service
    vpa: Vpa
    webhooks: Webhooks


class PodGrouperArgs(TypedDict, total=False):
    """How pods become PodGroups."""

    defaultPrioritiesConfigMapName: str
    """ConfigMap with a PriorityClass for each kind of workload."""
    defaultPrioritiesConfigMapNamespace: str
    gangScheduleKnative: bool
    """A revision of Knative is a gang."""
    genericKartaFallback: bool
    """Ask Karta objects about kinds that it does not know itself."""


class PodGrouper(TypedDict, total=False):
    """What makes a PodGroup of the pods of a workload."""

    args: PodGrouperArgs
    k8sClientConfig: K8sClientConfig
    maxConcurrentReconciles: int
    replicas: Int32
    service: Service
    vpa: Vpa


class ExternalPrometheusHealthProbe(TypedDict, total=False):
    """How the operator sees whether a Prometheus answers; in seconds."""

    interval: int
    maxRetries: int
    timeout: int


class ServiceMonitor(TypedDict, total=False):
    """ServiceMonitors that the operator makes."""

    bearerTokenFile: str
    enabled: bool
    interval: str
    scrapeTimeout: str


class Prometheus(TypedDict, total=False):
    """Where the use of queues over time is kept."""

    accountingLabelKey: str
    accountingLabelValue: str
    enablePersistentStorage: bool
    enabled: bool
    """Whether there is a Prometheus for it."""
    externalPrometheusHealthProbe: ExternalPrometheusHealthProbe
    externalPrometheusUrl: str
    """Address of one that is there already."""
    instanceName: str
    retentionPeriod: str
    sampleInterval: str
    serviceMonitor: ServiceMonitor
    storageClassName: str
    storageSize: str


class QueueControllerControllerService(TypedDict, total=False):
    """Ports of a Service."""

    metrics: ControllerServiceWebhook
    webhook: ControllerServiceWebhook


class QueueController(TypedDict, total=False):
    """What writes how much of queues is in use, and validates them."""

    controllerService: QueueControllerControllerService
    metricsNamespace: str
    queueLabelToDefaultMetricValue: str
    queueLabelToMetricLabel: str
    replicas: Int32
    service: Service
    vpa: Vpa
    webhooks: Webhooks


class SchedulerService(TypedDict, total=False):
    """The Service of a scheduler's metrics."""

    port: int
    targetPort: int
    type: str


class Scheduler(TypedDict, total=False):
    """What all schedulers have in common; each belongs to a SchedulingShard."""

    GOGC: int
    """How late Go collects garbage, in percent."""
    replicas: Int32
    """Pods of each, of which one works."""
    schedulerService: SchedulerService
    service: Service
    vpa: Vpa


ConfigSpec = TypedDict(
    "ConfigSpec",
    {
        "admission": "Admission",
        "binder": "Binder",
        "global": "Global",
        "namespace": 'Annotated[str, Ref("Namespace")]',
        "nodeScaleAdjuster": "NodeScaleAdjuster",
        "numaPlacementExporter": "NumaPlacementExporter",
        "podGroupController": "PodGroupController",
        "podGrouper": "PodGrouper",
        "prometheus": "Prometheus",
        "queueController": "QueueController",
        "scheduler": "Scheduler",
    },
    total=False,
)


class ConfigStatus(TypedDict, total=False):
    """What the operator found."""

    conditions: list[meta_v1.Condition]


HEALTH = HealthConditions(
    ready=("Deployed", "Available", "DependenciesFulfilled"), false_is_failed=("DependenciesFulfilled",)
)
"""As the operator says it, which names the generation in each condition and not beside them."""

CONFIG = Api(
    group="kai.scheduler",
    version="v1",
    kind="Config",
    plural="configs",
    namespaced=False,
    spec=ConfigSpec,
    status=ConfigStatus,
    doc="What KAI's operator installs; there is one, called kai-config.",
    core="1.37",
    health=HEALTH,
    status_subresource=True,
)

CRDS = (Definition((CONFIG,)),)
