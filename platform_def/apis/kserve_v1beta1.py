"""KServe 0.16 (serving.kserve.io): InferenceService and what stands behind it."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import apps_v1, autoscaling_v2, core_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
    Cel,
    Default,
    EmptyObject,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    ListType,
    MapType,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
    Preserve,
    Quantity,
    Ref,
    Time,
)

TopologySpreadConstraints = Annotated[
    list[core_v1.TopologySpreadConstraint], ListMap("topologyKey", "whenUnsatisfiable")
]
Ports = Annotated[list[core_v1.ContainerPort], ListMap("containerPort", "protocol")]
ResizePolicy = Annotated[list[core_v1.ContainerResizePolicy], ListType("atomic")]
VolumeDevices = Annotated[list[core_v1.VolumeDevice], ListMap("devicePath")]


class HttpGet(TypedDict, total=False):
    host: str
    httpHeaders: Annotated[list[core_v1.HTTPHeader], ListType("atomic")]
    path: str
    port: IntOrString
    scheme: str


class TcpSocket(TypedDict, total=False):
    host: str
    port: IntOrString


class LivenessProbe(TypedDict, total=False):
    exec: core_v1.ExecAction
    failureThreshold: Int32
    grpc: core_v1.GRPCAction
    httpGet: HttpGet
    initialDelaySeconds: Int32
    periodSeconds: Int32
    successThreshold: Int32
    tcpSocket: TcpSocket
    terminationGracePeriodSeconds: Int64
    timeoutSeconds: Int32


class Storage(TypedDict, total=False):
    key: str
    parameters: dict[str, str]
    path: str
    schemaPath: str


class Art(TypedDict, total=False):
    args: Annotated[list[str], ListType("atomic")]
    command: Annotated[list[str], ListType("atomic")]
    config: dict[str, str]
    env: Annotated[list[core_v1.EnvVar], ListMap("name")]
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    image: str
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: LivenessProbe
    name: str
    ports: Ports
    readinessProbe: LivenessProbe
    resizePolicy: ResizePolicy
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeVersion: str
    securityContext: core_v1.SecurityContext
    startupProbe: core_v1.Probe
    stdin: bool
    stdinOnce: bool
    storage: Storage
    storageUri: str
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    type: str
    volumeDevices: VolumeDevices
    volumeMounts: Annotated[list[core_v1.VolumeMount], ListMap("mountPath")]
    workingDir: str


class AuthenticationRefAuthenticationRef(TypedDict, total=False):
    name: Required[str]


class AuthenticationRef(TypedDict, total=False):
    authModes: str
    authenticationRef: Required[AuthenticationRefAuthenticationRef]


class ExternalMetric(TypedDict, total=False):
    backend: Literal["prometheus", "graphite"]
    namespace: str
    query: str
    serverAddress: str


class Target(TypedDict, total=False):
    averageUtilization: Int32
    averageValue: Quantity
    type: Literal["Utilization", "Value", "AverageValue"]
    value: Quantity


class External(TypedDict, total=False):
    authenticationRef: AuthenticationRef
    metric: Required[ExternalMetric]
    target: Required[Target]


class PodmetricMetric(TypedDict, total=False):
    backend: Literal["opentelemetry"]
    metricNames: list[str]
    operationOverTime: str
    query: str
    serverAddress: str


class Podmetric(TypedDict, total=False):
    metric: Required[PodmetricMetric]
    target: Required[Target]


class Resource(TypedDict, total=False):
    name: Required[Literal["cpu", "memory"]]
    target: Required[Target]


class Metric(TypedDict, total=False):
    external: External
    podmetric: Podmetric
    resource: Resource
    type: Required[Literal["Resource", "External", "PodMetric"]]


class AutoScaling(TypedDict, total=False):
    behavior: autoscaling_v2.HorizontalPodAutoscalerBehavior
    metrics: list[Metric]


class Batcher(TypedDict, total=False):
    maxBatchSize: int
    maxLatency: int
    timeout: int


class ContainerLivenessProbe(TypedDict, total=False):
    exec: core_v1.ExecAction
    failureThreshold: Int32
    grpc: core_v1.GRPCAction
    httpGet: HttpGet
    initialDelaySeconds: Int32
    periodSeconds: Int32
    successThreshold: Int32
    tcpSocket: core_v1.TCPSocketAction
    terminationGracePeriodSeconds: Int64
    timeoutSeconds: Int32


class Container(TypedDict, total=False):
    args: Annotated[list[str], ListType("atomic")]
    command: Annotated[list[str], ListType("atomic")]
    env: Annotated[list[core_v1.EnvVar], ListMap("name")]
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    image: str
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: ContainerLivenessProbe
    name: Required[str]
    ports: Ports
    readinessProbe: ContainerLivenessProbe
    resizePolicy: ResizePolicy
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    securityContext: core_v1.SecurityContext
    startupProbe: core_v1.Probe
    stdin: bool
    stdinOnce: bool
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: VolumeDevices
    volumeMounts: Annotated[list[core_v1.VolumeMount], ListMap("mountPath")]
    workingDir: str


class LoggerStorage(TypedDict, total=False):
    key: str
    parameters: dict[str, str]
    path: str
    serviceAccountName: str


class Logger(TypedDict, total=False):
    metadataAnnotations: list[str]
    metadataHeaders: list[str]
    mode: Literal["all", "request", "response"]
    storage: LoggerStorage
    url: str


class Os(TypedDict, total=False):
    name: str


class StorageUris(TypedDict, total=False):
    mountPath: Annotated[str, Default("/mnt/models"), MaxLength(255), Pattern("^/.*")]
    uri: Required[Annotated[str, MinLength(1)]]


class Explainer(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    art: Art
    autoScaling: AutoScaling
    automountServiceAccountToken: bool
    batcher: Batcher
    canaryTrafficPercent: Int64
    containerConcurrency: Int64
    containers: list[Container]
    deploymentStrategy: apps_v1.DeploymentStrategy
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    hostAliases: list[core_v1.HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    imagePullSecrets: list[core_v1.LocalObjectReference]
    initContainers: list[core_v1.Container]
    labels: dict[str, str]
    logger: Logger
    maxReplicas: Int32
    minReplicas: Int32
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: Os
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    readinessGates: list[core_v1.PodReadinessGate]
    resourceClaims: Annotated[list[core_v1.PodResourceClaim], ListMap("name")]
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeClassName: str
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"]
    scaleMetricType: Literal["Utilization", "Value", "AverageValue"]
    scaleTarget: Int32
    schedulerName: str
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], ListMap("name")]
    securityContext: core_v1.PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    storageUris: Annotated[list[StorageUris], MinItems(1), ListType("atomic")]
    subdomain: str
    terminationGracePeriodSeconds: Int64
    timeout: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: TopologySpreadConstraints
    volumes: list[core_v1.Volume]


class Huggingface(TypedDict, total=False):
    args: Annotated[list[str], ListType("atomic")]
    command: Annotated[list[str], ListType("atomic")]
    env: Annotated[list[core_v1.EnvVar], ListMap("name")]
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    image: str
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: LivenessProbe
    name: str
    ports: Ports
    protocolVersion: str
    readinessProbe: LivenessProbe
    resizePolicy: ResizePolicy
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeVersion: str
    securityContext: core_v1.SecurityContext
    startupProbe: core_v1.Probe
    stdin: bool
    stdinOnce: bool
    storage: Storage
    storageUri: str
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: VolumeDevices
    volumeMounts: Annotated[list[core_v1.VolumeMount], ListMap("mountPath")]
    workingDir: str


class ModelFormat(TypedDict, total=False):
    name: Required[str]
    """sklearn, xgboost, onnx, pytorch, huggingface …"""
    version: str


class Model(TypedDict, total=False):
    args: Annotated[list[str], ListType("atomic")]
    command: Annotated[list[str], ListType("atomic")]
    env: Annotated[list[core_v1.EnvVar], ListMap("name")]
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    image: str
    imagePullPolicy: str
    lifecycle: core_v1.Lifecycle
    livenessProbe: LivenessProbe
    modelFormat: ModelFormat
    """Format of the model; a runtime for it is looked for."""
    name: str
    ports: Ports
    protocolVersion: str
    """v1, v2 or grpc-v2."""
    readinessProbe: LivenessProbe
    resizePolicy: ResizePolicy
    resources: core_v1.ResourceRequirements
    """Resources of the container."""
    restartPolicy: str
    runtime: str
    """Runtime by its name, where it shall not be looked for."""
    runtimeVersion: str
    securityContext: core_v1.SecurityContext
    startupProbe: core_v1.Probe
    stdin: bool
    stdinOnce: bool
    storage: Storage
    storageUri: str
    """Where the model is, pvc://claim/path, s3://…, hf://…."""
    terminationMessagePath: str
    terminationMessagePolicy: str
    tty: bool
    volumeDevices: VolumeDevices
    volumeMounts: Annotated[list[core_v1.VolumeMount], ListMap("mountPath")]
    workingDir: str


class WorkerSpec(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    affinity: core_v1.Affinity
    automountServiceAccountToken: bool
    containers: list[core_v1.Container]
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    ephemeralContainers: list[core_v1.EphemeralContainer]
    hostAliases: list[core_v1.HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    imagePullSecrets: list[core_v1.LocalObjectReference]
    initContainers: list[core_v1.Container]
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: AuthenticationRefAuthenticationRef
    overhead: dict[str, Quantity]
    pipelineParallelSize: int
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    readinessGates: list[core_v1.PodReadinessGate]
    resourceClaims: Annotated[list[core_v1.PodResourceClaim], ListMap("name")]
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeClassName: str
    schedulerName: str
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], ListMap("name")]
    securityContext: core_v1.PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    tensorParallelSize: int
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: TopologySpreadConstraints
    volumes: list[core_v1.Volume]


class Predictor(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    autoScaling: AutoScaling
    automountServiceAccountToken: bool
    batcher: Batcher
    """Gathers requests into batches."""
    canaryTrafficPercent: Int64
    """Share of the requests for the newest revision."""
    containerConcurrency: Int64
    """Most requests at once in a pod."""
    containers: list[Container]
    deploymentStrategy: apps_v1.DeploymentStrategy
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    hostAliases: list[core_v1.HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    huggingface: Huggingface
    imagePullSecrets: list[core_v1.LocalObjectReference]
    initContainers: list[core_v1.Container]
    labels: dict[str, str]
    lightgbm: Huggingface
    logger: Logger
    """Where requests and answers are logged."""
    maxReplicas: Int32
    """Most pods."""
    minReplicas: Int32
    """Fewest pods; 0 lets it go to sleep, where Knative serves it."""
    model: Model
    """The model and what serves it."""
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    onnx: Huggingface
    os: Os
    overhead: dict[str, Quantity]
    paddle: Huggingface
    pmml: Huggingface
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    pytorch: Huggingface
    readinessGates: list[core_v1.PodReadinessGate]
    resourceClaims: Annotated[list[core_v1.PodResourceClaim], ListMap("name")]
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeClassName: str
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"]
    """What the autoscaler goes by."""
    scaleMetricType: Literal["Utilization", "Value", "AverageValue"]
    scaleTarget: Int32
    """Value of the metric that it aims at."""
    schedulerName: str
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], ListMap("name")]
    securityContext: core_v1.PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    sklearn: Huggingface
    storageUris: Annotated[list[StorageUris], MinItems(1), ListType("atomic")]
    subdomain: str
    tensorflow: Huggingface
    terminationGracePeriodSeconds: Int64
    timeout: Int64
    """Seconds that a request may take."""
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: TopologySpreadConstraints
    triton: Huggingface
    volumes: list[core_v1.Volume]
    workerSpec: WorkerSpec
    """Further pods of one replica, for models that need several nodes."""
    xgboost: Huggingface


class Transformer(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    autoScaling: AutoScaling
    automountServiceAccountToken: bool
    batcher: Batcher
    canaryTrafficPercent: Int64
    containerConcurrency: Int64
    containers: list[Container]
    deploymentStrategy: apps_v1.DeploymentStrategy
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    hostAliases: list[core_v1.HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    imagePullSecrets: list[core_v1.LocalObjectReference]
    initContainers: list[core_v1.Container]
    labels: dict[str, str]
    logger: Logger
    maxReplicas: Int32
    minReplicas: Int32
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: Os
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    readinessGates: list[core_v1.PodReadinessGate]
    resourceClaims: Annotated[list[core_v1.PodResourceClaim], ListMap("name")]
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeClassName: str
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"]
    scaleMetricType: Literal["Utilization", "Value", "AverageValue"]
    scaleTarget: Int32
    schedulerName: str
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], ListMap("name")]
    securityContext: core_v1.PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    storageUris: Annotated[list[StorageUris], MinItems(1), ListType("atomic")]
    subdomain: str
    terminationGracePeriodSeconds: Int64
    timeout: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: TopologySpreadConstraints
    volumes: list[core_v1.Volume]


class InferenceServiceSpec(TypedDict, total=False):
    explainer: Explainer
    """Explains answers."""
    predictor: Required[Predictor]
    """Serves the model."""
    transformer: Transformer
    """Prepares requests and answers."""


class Address(TypedDict, total=False):
    CACerts: str
    audience: str
    name: str
    url: str


class Traffic(TypedDict, total=False):
    configurationName: str
    latestRevision: bool
    percent: Int64
    revisionName: str
    tag: str
    url: str


class Component(TypedDict, total=False):
    address: Address
    grpcUrl: str
    latestCreatedRevision: str
    latestReadyRevision: str
    latestRolledoutRevision: str
    previousRolledoutRevision: str
    restUrl: str
    traffic: list[Traffic]
    url: str


class Condition(TypedDict, total=False):
    lastTransitionTime: str
    message: str
    reason: str
    severity: str
    status: Required[str]
    type: Required[str]


class Copies(TypedDict, total=False):
    failedCopies: Required[Annotated[int, Default(0)]]
    totalCopies: int


class LastFailureInfo(TypedDict, total=False):
    exitCode: Int32
    location: str
    message: str
    modelRevisionName: str
    reason: Literal[
        "ModelLoadFailed",
        "RuntimeUnhealthy",
        "RuntimeDisabled",
        "NoSupportingRuntime",
        "RuntimeNotRecognized",
        "InvalidPredictorSpec",
    ]
    time: Time


class States(TypedDict, total=False):
    activeModelState: Required[
        Annotated[Literal["", "Pending", "Standby", "Loading", "Loaded", "FailedToLoad"], Default("Pending")]
    ]
    targetModelState: Annotated[Literal["", "Pending", "Standby", "Loading", "Loaded", "FailedToLoad"], Default("")]


class ModelStatus(TypedDict, total=False):
    copies: Copies
    lastFailureInfo: LastFailureInfo
    states: States
    transitionStatus: Required[
        Annotated[Literal["", "UpToDate", "InProgress", "BlockedByFailedLoad", "InvalidSpec"], Default("UpToDate")]
    ]


class InferenceServiceStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    clusterServingRuntimeName: str
    components: dict[str, Component]
    conditions: list[Condition]
    deploymentMode: str
    modelStatus: ModelStatus
    observedGeneration: Int64
    servingRuntimeName: str
    url: str


class InferenceService(TypedDict, total=False):
    spec: InferenceServiceSpec
    status: Annotated[InferenceServiceStatus, Preserve()]


class BuiltInAdapter(TypedDict, total=False):
    env: list[core_v1.EnvVar]
    memBufferBytes: int
    modelLoadingTimeoutMillis: int
    runtimeManagementPort: int
    serverType: str


class StorageHelper(TypedDict, total=False):
    disabled: bool


class SupportedModelFormat(TypedDict, total=False):
    autoSelect: bool
    """It is chosen for this format where a service names no runtime."""
    name: Required[str]
    """Name of the format."""
    priority: Annotated[Int32, Minimum(1)]
    """Which of several is chosen, the highest."""
    version: str
    """Its version."""


class ServingRuntimeWorkerSpec(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    containers: Required[list[core_v1.Container]]
    hostIPC: bool
    imagePullSecrets: list[core_v1.LocalObjectReference]
    labels: dict[str, str]
    nodeSelector: dict[str, str]
    pipelineParallelSize: int
    tensorParallelSize: int
    tolerations: list[core_v1.Toleration]
    volumes: list[core_v1.Volume]


class ServingRuntimeSpec(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    builtInAdapter: BuiltInAdapter
    containers: Required[list[core_v1.Container]]
    """Its containers; the one called kserve-container serves."""
    disabled: bool
    """It is not used for new services."""
    grpcDataEndpoint: str
    grpcEndpoint: str
    hostIPC: bool
    httpDataEndpoint: str
    imagePullSecrets: list[core_v1.LocalObjectReference]
    labels: dict[str, str]
    multiModel: bool
    """One pod serves many models."""
    nodeSelector: dict[str, str]
    protocolVersions: list[str]
    """v1, v2, grpc-v2."""
    replicas: int
    storageHelper: StorageHelper
    supportedModelFormats: list[SupportedModelFormat]
    """Formats that it serves."""
    tolerations: list[core_v1.Toleration]
    volumes: list[core_v1.Volume]
    workerSpec: ServingRuntimeWorkerSpec


class ServingRuntime(TypedDict, total=False):
    spec: ServingRuntimeSpec
    status: EmptyObject


class ClusterServingRuntime(TypedDict, total=False):
    spec: ServingRuntimeSpec
    status: EmptyObject


class SupportedUriFormat(TypedDict, total=False):
    prefix: str
    regex: str


class ClusterStorageContainerSpec(TypedDict, total=False):
    container: Required[core_v1.Container]
    supportedUriFormats: Required[list[SupportedUriFormat]]
    supportsMultiModelDownload: Annotated[bool, Default(False)]
    workloadType: Annotated[str, Default("initContainer")]


class ClusterStorageContainer(TypedDict, total=False):
    disabled: bool
    spec: ClusterStorageContainerSpec


class Step(TypedDict, total=False):
    condition: str
    data: str
    dependency: Literal["Soft", "Hard"]
    name: str
    nodeName: str
    serviceName: str
    serviceUrl: str
    weight: Int64


class Node(TypedDict, total=False):
    routerType: Required[Literal["Sequence", "Splitter", "Ensemble", "Switch"]]
    steps: list[Step]


class RouterTimeouts(TypedDict, total=False):
    serverIdle: Int64
    serverRead: Int64
    serverWrite: Int64
    serviceClient: Int64


class InferenceGraphSpec(TypedDict, total=False):
    affinity: core_v1.Affinity
    maxReplicas: Int32
    minReplicas: Int32
    nodeName: str
    nodeSelector: dict[str, str]
    nodes: Required[dict[str, Node]]
    resources: core_v1.ResourceRequirements
    routerTimeouts: RouterTimeouts
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"]
    scaleTarget: Int32
    serviceAccountName: str
    timeout: Int64
    tolerations: list[core_v1.Toleration]


class InferenceGraphStatus(TypedDict, total=False):
    annotations: dict[str, str]
    conditions: list[Condition]
    deploymentMode: str
    observedGeneration: Int64
    url: str


class TrainedModelModel(TypedDict, total=False):
    framework: Required[str]
    """Its format."""
    memory: Required[Quantity]
    """Memory that it needs."""
    storageUri: Required[str]
    """Where it is."""


class TrainedModelSpec(TypedDict, total=False):
    inferenceService: Required[Annotated[str, Ref("InferenceService", group="serving.kserve.io")]]
    """Service that loads the model."""
    model: Required[TrainedModelModel]
    """The model."""


class TrainedModelStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    observedGeneration: Int64
    url: str


class LocalModelCacheSpec(TypedDict, total=False):
    modelSize: Required[Quantity]
    nodeGroups: Required[Annotated[list[str], MinItems(1)]]
    sourceModelUri: Required[Annotated[str, Cel("self == oldSelf", "stays as it was created")]]


class LocalModelCacheStatusCopies(TypedDict, total=False):
    available: int
    failed: int
    total: int


class LocalModelCacheStatusInferenceService(TypedDict, total=False):
    name: str
    namespace: str


class LocalModelCacheStatus(TypedDict, total=False):
    copies: LocalModelCacheStatusCopies
    inferenceServices: list[LocalModelCacheStatusInferenceService]
    nodeStatus: dict[
        str,
        Literal["", "NodeNotReady", "NodeDownloadPending", "NodeDownloading", "NodeDownloaded", "NodeDownloadError"],
    ]


class LocalModelNodeGroupSpec(TypedDict, total=False):
    persistentVolumeClaimSpec: Required[core_v1.PersistentVolumeClaimSpec]
    persistentVolumeSpec: Required[core_v1.PersistentVolumeSpec]
    storageLimit: Required[Quantity]


class LocalModelNodeGroupStatus(TypedDict, total=False):
    available: Quantity
    used: Quantity


class LocalModel(TypedDict, total=False):
    modelName: Required[str]
    sourceModelUri: Required[str]


class LocalModelNodeSpec(TypedDict, total=False):
    localModels: Required[list[LocalModel]]


class LocalModelNodeStatus(TypedDict, total=False):
    modelStatus: dict[
        str, Literal["", "ModelDownloadPending", "ModelDownloading", "ModelDownloaded", "ModelDownloadError"]
    ]


INFERENCE_SERVICE = Api(
    group="serving.kserve.io",
    version="v1beta1",
    kind="InferenceService",
    plural="inferenceservices",
    spec=InferenceServiceSpec,
    top=InferenceService,
    core="1.33",
    status_subresource=True,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Prev", ".status.components.predictor.traffic[?(@.tag=='prev')].percent", type="integer"),
        Column("Latest", ".status.components.predictor.traffic[?(@.latestRevision==true)].percent", type="integer"),
        Column("PrevRolledoutRevision", ".status.components.predictor.traffic[?(@.tag=='prev')].revisionName"),
        Column("LatestReadyRevision", ".status.components.predictor.traffic[?(@.latestRevision==true)].revisionName"),
        AGE,
    ),
    health=Health(ready=("Ready",)),
)

SERVING_RUNTIME = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="ServingRuntime",
    plural="servingruntimes",
    spec=ServingRuntimeSpec,
    top=ServingRuntime,
    core="1.33",
    columns=(
        Column("Disabled", ".spec.disabled", type="boolean"),
        Column("ModelType", ".spec.supportedModelFormats[*].name"),
        Column("Containers", ".spec.containers[*].name"),
        AGE,
    ),
)

CLUSTER_SERVING_RUNTIME = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="ClusterServingRuntime",
    plural="clusterservingruntimes",
    namespaced=False,
    spec=ServingRuntimeSpec,
    top=ClusterServingRuntime,
    core="1.33",
    columns=(
        Column("Disabled", ".spec.disabled", type="boolean"),
        Column("ModelType", ".spec.supportedModelFormats[*].name"),
        Column("Containers", ".spec.containers[*].name"),
        AGE,
    ),
)

CLUSTER_STORAGE_CONTAINER = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="ClusterStorageContainer",
    plural="clusterstoragecontainers",
    namespaced=False,
    spec=ClusterStorageContainerSpec,
    top=ClusterStorageContainer,
    core="1.33",
)

INFERENCE_GRAPH = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="InferenceGraph",
    plural="inferencegraphs",
    spec=InferenceGraphSpec,
    status=InferenceGraphStatus,
    core="1.33",
    status_subresource=True,
    columns=(Column("URL", ".status.url"), Column("Ready", ".status.conditions[?(@.type=='Ready')].status"), AGE),
    health=Health(ready=("Ready",)),
)

TRAINED_MODEL = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="TrainedModel",
    plural="trainedmodels",
    spec=TrainedModelSpec,
    status=TrainedModelStatus,
    status_subresource=True,
    columns=(Column("URL", ".status.url"), Column("Ready", ".status.conditions[?(@.type=='Ready')].status"), AGE),
    health=Health(ready=("Ready",)),
)

LOCAL_MODEL_CACHE = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LocalModelCache",
    plural="localmodelcaches",
    namespaced=False,
    spec=LocalModelCacheSpec,
    status=LocalModelCacheStatus,
    status_subresource=True,
)

LOCAL_MODEL_NODE_GROUP = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LocalModelNodeGroup",
    plural="localmodelnodegroups",
    namespaced=False,
    spec=LocalModelNodeGroupSpec,
    status=LocalModelNodeGroupStatus,
    core="1.33",
)

LOCAL_MODEL_NODE = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LocalModelNode",
    plural="localmodelnodes",
    namespaced=False,
    spec=LocalModelNodeSpec,
    status=LocalModelNodeStatus,
    status_subresource=True,
)

CRDS = (
    Definition((INFERENCE_SERVICE,), short_names=("isvc",)),
    Definition((SERVING_RUNTIME,)),
    Definition((CLUSTER_SERVING_RUNTIME,)),
    Definition((CLUSTER_STORAGE_CONTAINER,)),
    Definition((INFERENCE_GRAPH,), short_names=("ig",)),
    Definition((TRAINED_MODEL,), short_names=("tm",)),
    Definition((LOCAL_MODEL_CACHE,)),
    Definition((LOCAL_MODEL_NODE_GROUP,)),
    Definition((LOCAL_MODEL_NODE,)),
)
