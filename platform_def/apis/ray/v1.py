"""KubeRay 1.7 (ray.io/v1)."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1, networking_v1
from platform_def.crds.health import HealthConditions, StateHealth
from platform_def.crds.model import Api, Column, Makes
from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    Int64,
    ListMap,
    ListType,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Nullable,
    Pattern,
    Quantity,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

ManagedBy = Annotated[
    str,
    Cel("self == oldSelf", "the controller in charge stays what it is"),
    Cel(
        "self in ['ray.io/kuberay-operator', 'kueue.x-k8s.io/multikueue']",
        "managedBy is ray.io/kuberay-operator or kueue.x-k8s.io/multikueue",
    ),
]
Policy = Literal["DeleteCluster", "DeleteWorkers", "DeleteSelf", "DeleteNone"]


class AuthOptions(TypedDict, total=False):
    """Who may use the Ray cluster."""

    enableK8sTokenAuth: bool
    """Tokens of the Kubernetes cluster are taken too."""
    mode: Literal["disabled", "token"]
    """token: who connects shows the token of the Secret; disabled: everybody who reaches the head may run programs."""
    secretName: str
    """Secret with the token; the operator makes one of the cluster's name if left out."""


class AutoscalerOptions(TypedDict, total=False):
    """The autoscaler's container beside the head."""

    args: list[str]
    command: list[str]
    env: list[core_v1.EnvVar]
    envFrom: list[core_v1.EnvFromSource]
    idleTimeoutSeconds: Int32
    """Seconds that a worker without work stays; 60 if left out."""
    image: str
    """Image; the head's if left out."""
    imagePullPolicy: str
    resources: core_v1.ResourceRequirements
    securityContext: core_v1.SecurityContext
    upscalingMode: Literal["Default", "Aggressive", "Conservative"]
    """How fast workers are added: Default, Conservative, or Aggressive (all that are wanted at once)."""
    version: Literal["v1", "v2"]
    """v1 or v2; v2 needs Ray 2.10 or newer."""
    volumeMounts: list[core_v1.VolumeMount]


class RedisCredential(TypedDict, total=False):
    """A credential of Redis."""

    value: str
    valueFrom: core_v1.EnvVarSource


class GcsStorage(TypedDict, total=False):
    """The volume of the control store's own database."""

    accessModes: list[str]
    claimName: str
    deletionPolicy: Literal["DeleteWithCluster", "Retain"]
    size: Quantity
    storageClassName: str
    subPath: str


class GcsFaultToleranceOptions(TypedDict, total=False):
    """Where the head keeps its state, so that the cluster outlives the head's pod."""

    backend: Annotated[Literal["redis", "rocksdb"], Cel("self == oldSelf", "the backend of a cluster stays what it is")]
    """redis, or rocksdb on a volume of the head (alpha)."""
    externalStorageNamespace: str
    """Prefix of the keys in Redis; the uid of the cluster if left out."""
    redisAddress: str
    """Address of Redis, host:port."""
    redisPassword: RedisCredential
    redisUsername: RedisCredential
    storage: GcsStorage
    """The head's volume, for rocksdb."""


class HeadServiceMetadata(TypedDict, total=False):
    """Metadata of a Service that the operator makes."""

    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class PortStatus(TypedDict, total=False):
    """A port of a load balancer, as it is reported."""

    error: Required[
        Annotated[
            str,
            MaxLength(316),
            Pattern(
                r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            ),
        ]
    ]
    port: Required[Int32]
    protocol: Required[str]


class IngressStatus(TypedDict, total=False):
    """An address of a load balancer, as it is reported."""

    hostname: str
    ip: str
    ipMode: str
    ports: Annotated[list[PortStatus], ListType("atomic")]


class LoadBalancer(TypedDict, total=False):
    """Addresses of a load balancer, as they are reported."""

    ingress: Annotated[list[IngressStatus], ListType("atomic")]


class HeadServiceStatus(TypedDict, total=False):
    """What a Service reports."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    loadBalancer: LoadBalancer


class HeadService(TypedDict, total=False):
    """A Service that is made as it is written here."""

    apiVersion: str
    kind: str
    metadata: HeadServiceMetadata
    spec: core_v1.ServiceSpec
    status: HeadServiceStatus


class IngressTls(TypedDict, total=False):
    """A certificate of the IngressStatus."""

    hosts: Annotated[list[str], ListType("atomic")]
    secretName: str


class IngressOptions(TypedDict, total=False):
    """The IngressStatus of the head's dashboard."""

    host: str
    path: str
    pathType: Literal["Exact", "Prefix", "ImplementationSpecific"]
    tls: list[IngressTls]


class HeadGroupSpec(TypedDict, total=False):
    """The pod that leads the cluster."""

    enableIngress: bool
    """An IngressStatus for the dashboard, which has no login of its own."""
    headService: HeadService
    ingressOptions: IngressOptions
    labels: dict[str, str]
    """Labels that Ray knows its nodes by."""
    rayStartParams: dict[str, str]
    """Flags of `ray start`, without dashes: `{dashboard-host: '0.0.0.0'}`."""
    resources: dict[str, str]
    """What the head offers to Ray, instead of what its container's limits say."""
    serviceType: str
    """Type of the head's Service; ClusterIP if left out."""
    template: Required[core_v1.PodTemplateSpec]
    """The pod; its first container is Ray."""


class CollectorOptions(TypedDict, total=False):
    """The sidecar that collects events and logs."""

    env: list[core_v1.EnvVar]
    image: str
    imagePullPolicy: str
    resources: core_v1.ResourceRequirements


class HistoryServerOptions(TypedDict, total=False):
    """What is kept of the cluster after its end."""

    collectorOptions: CollectorOptions


class PodRules(TypedDict, total=False):
    """What pods may reach, and who may reach them."""

    egressRules: list[networking_v1.NetworkPolicyEgressRule]
    ingressRules: list[networking_v1.NetworkPolicyIngressRule]


class WorkerGroupRules(TypedDict, total=False):
    """The same for one group of workers."""

    egressRules: list[networking_v1.NetworkPolicyEgressRule]
    groupName: Required[str]
    ingressRules: list[networking_v1.NetworkPolicyIngressRule]


class NetworkPolicy(TypedDict, total=False):
    """The operator's network policies around the cluster."""

    head: PodRules
    mode: Annotated[Literal["DenyAll", "DenyAllIngress", "DenyAllEgress"], Default("DenyAll")]
    worker: PodRules
    workerGroups: Annotated[list[WorkerGroupRules], ListMap("groupName")]


class TlsOptions(TypedDict, total=False):
    """Encryption between the cluster's pods."""

    enabled: bool


class UpgradeStrategy(TypedDict, total=False):
    """What happens to pods when the cluster's specification changes."""

    type: Literal["Recreate", "None"]


class ScaleStrategy(TypedDict, total=False):
    """Which pods go first."""

    workersToDelete: list[str]


class WorkerGroupSpec(TypedDict, total=False):
    """Workers that are alike."""

    groupName: Required[str]
    """Name of the group within the cluster."""
    idleTimeoutSeconds: Int32
    """Seconds that a worker of this group without work stays; autoscaler v2 alone."""
    labels: dict[str, str]
    """Labels that Ray knows its nodes by."""
    maxReplicas: Required[Annotated[Int32, Default(2147483647)]]
    """Most workers."""
    minReplicas: Required[Annotated[Int32, Default(0)]]
    """Fewest workers."""
    numOfHosts: Annotated[Int32, Default(1)]
    """Pods that make one worker, for accelerators over several hosts."""
    priority: Annotated[Int32, Default(0)]
    """Groups with more of it are grown first; autoscaler v2 alone."""
    rayStartParams: dict[str, str]
    """Flags of `ray start`, without dashes."""
    replicas: Annotated[Int32, Default(0)]
    """Workers at the start; the autoscaler changes it."""
    resources: dict[str, str]
    """What a worker offers to Ray, instead of what its container's limits say."""
    scaleStrategy: ScaleStrategy
    suspend: bool
    """True: the group has no pods."""
    template: Required[core_v1.PodTemplateSpec]
    """The pod; its first container is Ray."""


class RayClusterSpec(TypedDict, total=False):
    """A head and groups of workers."""

    authOptions: AuthOptions
    """Who may use the cluster."""
    autoscalerOptions: AutoscalerOptions
    enableInTreeAutoscaling: bool
    """Workers are added and removed by what waits."""
    gcsFaultToleranceOptions: GcsFaultToleranceOptions
    """Keeps the head's state outside its pod."""
    headGroupSpec: Required[HeadGroupSpec]
    """The head."""
    headServiceAnnotations: dict[str, str]
    historyServerOptions: HistoryServerOptions
    managedBy: ManagedBy
    """Controller in charge: KubeRay's if left out, or Kueue's MultiKueue."""
    networkPolicy: NetworkPolicy
    rayVersion: str
    """Version of Ray in the images, for the autoscaler's own."""
    suspend: bool
    """True: no pods run; Kueue sets it to hold a cluster back until there is room."""
    tlsOptions: TlsOptions
    upgradeStrategy: UpgradeStrategy
    """Recreate: changed pods are recreated; None: they stay as they are."""
    workerGroupSpecs: list[WorkerGroupSpec]
    """Groups of workers."""


class HeadInfo(TypedDict, total=False):
    """Where the head is."""

    podIP: str
    podName: str
    serviceIP: str
    serviceName: str


class RayClusterStatus(TypedDict, total=False):
    """What the operator reports."""

    availableWorkerReplicas: Int32
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    desiredCPU: Quantity
    desiredGPU: Quantity
    desiredMemory: Quantity
    desiredTPU: Quantity
    desiredWorkerReplicas: Int32
    endpoints: dict[str, str]
    head: HeadInfo
    lastUpdateTime: Nullable[Time]
    maxWorkerReplicas: Int32
    minWorkerReplicas: Int32
    observedGeneration: Int64
    readyWorkerReplicas: Int32
    reason: str
    state: str
    stateTransitionTimes: dict[str, Time]


class DeletionCondition(TypedDict, total=False):
    """How the job ended."""

    jobDeploymentStatus: Literal["Failed"]
    jobStatus: Literal["SUCCEEDED", "FAILED"]
    ttlSeconds: Annotated[Int32, Default(0), Minimum(0)]


class DeletionRule(TypedDict, total=False):
    """What goes at an end, and when."""

    condition: Required[
        Annotated[
            DeletionCondition,
            Cel(
                "!(has(self.jobStatus) && has(self.jobDeploymentStatus))",
                "a condition names jobStatus or jobDeploymentStatus, not both",
            ),
            Cel(
                "has(self.jobStatus) || has(self.jobDeploymentStatus)",
                "a condition needs jobStatus or jobDeploymentStatus",
            ),
        ]
    ]
    policy: Required[Policy]


class DeletionPolicy(TypedDict, total=False):
    """What goes at an end."""

    policy: Policy


class DeletionStrategy(TypedDict, total=False):
    """What of the cluster goes when the job is over."""

    deletionRules: Annotated[list[DeletionRule], MinItems(1), ListType("atomic")]
    onFailure: DeletionPolicy
    onSuccess: DeletionPolicy


class SubmitterConfig(TypedDict, total=False):
    """The Job that hands the program in."""

    backoffLimit: Int32


class RayJobSpec(TypedDict, total=False):
    """A program and the Ray cluster that runs it."""

    activeDeadlineSeconds: Int32
    """Seconds after which the job is stopped and counts as failed."""
    backoffLimit: Annotated[Int32, Default(0)]
    """Times that the job is tried again, each time with a cluster of its own."""
    clusterSelector: dict[str, str]
    """A cluster that is there, by label, instead of one of its own."""
    deletionStrategy: Annotated[
        DeletionStrategy,
        Cel(
            "!((has(self.onSuccess) || has(self.onFailure)) && has(self.deletionRules))",
            "onSuccess and onFailure do not go with deletionRules",
        ),
        Cel(
            "((has(self.onSuccess) && has(self.onFailure)) || has(self.deletionRules))",
            "deletionRules are needed, or both onSuccess and onFailure",
        ),
    ]
    """What of the cluster goes, by how the job ended."""
    entrypoint: str
    """The command that runs on the head, as in a shell: `python /code/train.py`."""
    entrypointNumCpus: float
    """Cores kept for the program itself."""
    entrypointNumGpus: float
    """GPUs kept for the program itself."""
    entrypointResources: str
    jobId: str
    managedBy: ManagedBy
    metadata: dict[str, str]
    preRunningDeadlineSeconds: Annotated[Int32, Minimum(1)]
    """Seconds that it may take until the program runs."""
    rayClusterSpec: RayClusterSpec
    """The cluster that is made for it."""
    runtimeEnvYAML: str
    """Ray's runtime environment: packages, variables, working folder; as a text of YAML."""
    shutdownAfterJobFinishes: bool
    """The cluster goes when the job is over; needed where Kueue suspends jobs."""
    submissionMode: Annotated[str, Default("K8sJobMode")]
    """Who hands the program in: K8sJobMode (a Job), HTTPMode (the operator), SidecarMode (beside the head)."""
    submitterConfig: SubmitterConfig
    submitterPodTemplate: core_v1.PodTemplateSpec
    """Pod of the Job that hands the program in; of the head's image if left out."""
    suspend: bool
    """True: no pods run; Kueue sets it."""
    ttlSecondsAfterFinished: Annotated[Int32, Default(0)]
    """Seconds until then."""


class RayCronJobSpec(TypedDict, total=False):
    """A Ray job by a clock."""

    jobTemplate: Required[RayJobSpec]
    """The job."""
    schedule: Required[str]
    """When, as in a CronJob."""
    suspend: bool
    """True: no further jobs are made."""
    timeZone: Annotated[str, MinLength(1)]
    """Name of the schedule's time zone, such as Etc/UTC."""


class RayCronJobStatus(TypedDict, total=False):
    """What the operator reports."""

    lastScheduleTime: Time


class RayJobInfo(TypedDict, total=False):
    """When the program ran."""

    endTime: Time
    startTime: Time


class RayJobStatus(TypedDict, total=False):
    """What the operator reports."""

    dashboardURL: str
    endTime: Time
    failed: Annotated[Int32, Default(0)]
    jobDeploymentStatus: str
    jobId: str
    jobStatus: str
    jobStatusCheckFailureStartTime: Time
    message: str
    observedGeneration: Int64
    rayClusterName: str
    rayClusterStatus: RayClusterStatus
    rayJobInfo: RayJobInfo
    reason: str
    startTime: Time
    succeeded: Annotated[Int32, Default(0)]


class ClusterUpgradeOptions(TypedDict, total=False):
    """How traffic moves to the next cluster, by Gateway API."""

    gatewayClassName: Required[str]
    intervalSeconds: Required[Int32]
    maxSurgePercent: Annotated[Int32, Default(100)]
    stepSizePercent: Required[Int32]


class RayServiceUpgradeStrategy(TypedDict, total=False):
    """How a changed service is replaced."""

    clusterUpgradeOptions: ClusterUpgradeOptions
    type: str


class RayServiceSpec(TypedDict, total=False):
    """Applications of Ray Serve and the cluster that runs them."""

    deploymentUnhealthySecondThreshold: Int32
    excludeHeadPodFromServeSvc: bool
    """Requests go to workers alone."""
    managedBy: ManagedBy
    rayClusterConfig: Required[RayClusterSpec]
    """The cluster that runs them."""
    rayClusterDeletionDelaySeconds: Annotated[Int32, Minimum(0)]
    """Seconds that the previous cluster stays after a move."""
    serveConfigV2: str
    """Applications of Ray Serve, as its own configuration; a text of YAML."""
    serveService: HeadService
    """The Service of the applications."""
    serviceUnhealthySecondThreshold: Int32
    suspend: bool
    upgradeStrategy: RayServiceUpgradeStrategy
    """NewCluster moves to a new cluster once that is ready; None changes the one that runs."""


class DeploymentStatus(TypedDict, total=False):
    """One deployment of an application."""

    message: str
    status: str


class ApplicationStatus(TypedDict, total=False):
    """One application."""

    message: str
    serveDeploymentStatuses: dict[str, DeploymentStatus]
    status: str


class ActiveServiceStatus(TypedDict, total=False):
    """A cluster of the service."""

    applicationStatuses: dict[str, ApplicationStatus]
    lastTrafficMigratedTime: Time
    rayClusterName: str
    rayClusterStatus: RayClusterStatus
    targetCapacity: Int32
    trafficRoutedPercent: Int32


class RayServiceStatus(TypedDict, total=False):
    """What the operator reports."""

    activeServiceStatus: ActiveServiceStatus
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    lastUpdateTime: Time
    numServeEndpoints: Int32
    observedGeneration: Int64
    pendingServiceStatus: ActiveServiceStatus
    serviceStatus: str


RAY_CLUSTER = Api(
    group="ray.io",
    version="v1",
    kind="RayCluster",
    plural="rayclusters",
    spec=RayClusterSpec,
    status=RayClusterStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("desired workers", ".status.desiredWorkerReplicas", type="integer"),
        Column("available workers", ".status.availableWorkerReplicas", type="integer"),
        Column("cpus", ".status.desiredCPU"),
        Column("memory", ".status.desiredMemory"),
        Column("gpus", ".status.desiredGPU"),
        Column("tpus", ".status.desiredTPU", priority=1),
        Column("status", ".status.state"),
        Column("age", ".metadata.creationTimestamp", type="date"),
        Column("head pod IP", ".status.head.podIP", priority=1),
        Column("head service IP", ".status.head.serviceIP", priority=1),
    ),
    health=StateHealth("status.state", ready=("ready",), failed=("failed",), suspended=("suspended",)),
    makes=(Makes("Service", suffix="-head-svc"),),
    doc="A Ray cluster: a head and workers that run Python functions and actors together.",
    suspended_by="spec.suspend",
)

RAY_CRON_JOB = Api(
    group="ray.io",
    version="v1",
    kind="RayCronJob",
    plural="raycronjobs",
    spec=RayCronJobSpec,
    status=RayCronJobStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("schedule", ".spec.schedule"),
        Column("timezone", ".spec.timeZone"),
        Column("last schedule", ".status.lastScheduleTime", type="date"),
        Column("age", ".metadata.creationTimestamp", type="date"),
        Column("suspend", ".spec.suspend", type="boolean"),
    ),
    doc="Ray jobs by a clock.",
)

RAY_JOB = Api(
    group="ray.io",
    version="v1",
    kind="RayJob",
    plural="rayjobs",
    spec=RayJobSpec,
    status=RayJobStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("job status", ".status.jobStatus"),
        Column("deployment status", ".status.jobDeploymentStatus"),
        Column("ray cluster name", ".status.rayClusterName"),
        Column("start time", ".status.startTime"),
        Column("end time", ".status.endTime"),
        Column("age", ".metadata.creationTimestamp", type="date"),
    ),
    health=StateHealth(
        "status.jobDeploymentStatus",
        ready=("Complete",),
        failed=("Failed", "ValidationFailed"),
        suspended=("Suspended",),
    ),
    doc="A program on a Ray cluster that is made for it.",
    suspended_by="spec.suspend",
)

RAY_SERVICE = Api(
    group="ray.io",
    version="v1",
    kind="RayService",
    plural="rayservices",
    spec=RayServiceSpec,
    status=RayServiceStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("service status", ".status.serviceStatus"),
        Column("num serve endpoints", ".status.numServeEndpoints"),
    ),
    health=HealthConditions(ready=("Ready",), suspended=("Suspended",)),
    makes=(
        Makes("Service", suffix="-head-svc"),
        Makes("Service", suffix="-serve-svc"),
    ),
    doc="Models and applications of Ray Serve on a Ray cluster, replaced without a pause.",
)
