"""KServe 0.20 (serving.kserve.io): InferenceService and its servers."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import apps_v1, autoscaling_v2, core_v1
from platform_def.apis.core.pull_secret import ImagePullSecret
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import (
    Cel,
    Default,
    EmptyObject,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    ListType,
    MapType,
    Maximum,
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
from platform_def.crds.typed_dict import TypedDict

TopologySpreadConstraints = Annotated[
    list[core_v1.TopologySpreadConstraint], ListMap("topologyKey", "whenUnsatisfiable")
]
Ports = Annotated[list[core_v1.ContainerPort], ListMap("containerPort", "protocol")]
ResizePolicy = Annotated[list[core_v1.ContainerResizePolicy], ListType("atomic")]
VolumeDevices = Annotated[list[core_v1.VolumeDevice], ListMap("devicePath")]


class HttpGet(TypedDict, total=False):
    """A probe by HTTP."""

    host: str
    httpHeaders: Annotated[list[core_v1.HTTPHeader], ListType("atomic")]
    path: str
    port: IntOrString
    scheme: str


class TcpSocket(TypedDict, total=False):
    """A probe by connecting."""

    host: str
    port: IntOrString


class LivenessProbe(TypedDict, total=False):
    """How the server's health is asked for."""

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
    """Where the model is, by an entry of the Secret `storage-config`."""

    key: str
    """Entry of the Secret; the default one if left out."""
    parameters: dict[str, str]
    """Settings of the storage that override the entry's: bucket, region …."""
    path: str
    """Path of the model in the storage."""
    schemaPath: str
    """Path of a file that describes the model's input."""


class ContainerFields(TypedDict, total=False):
    """What a container may have, as in Kubernetes."""

    args: Annotated[list[str], ListType("atomic")]
    """Arguments of the command."""
    command: Annotated[list[str], ListType("atomic")]
    """Program to run, instead of the image's own."""
    env: Annotated[list[core_v1.EnvVar], ListMap("name")]
    """Environment variables."""
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    """Environment variables from ConfigMaps and Secrets."""
    image: str
    """Image; the runtime's own if left out."""
    imagePullPolicy: str
    """When the image is pulled: Always, IfNotPresent or Never."""
    lifecycle: core_v1.Lifecycle
    """What runs after the start and before the stop."""
    ports: Ports
    """Ports that it listens on; 8080 if left out."""
    resizePolicy: ResizePolicy
    """Whether it restarts when its resources are changed."""
    resources: core_v1.ResourceRequirements
    """Requests and limits; a GPU is a limit such as `nvidia.com/gpu`."""
    restartPolicy: str
    """Always makes an init container a sidecar."""
    restartPolicyRules: Annotated[list[core_v1.ContainerRestartRule], ListType("atomic")]
    """Restarts that depend on how it ended."""
    securityContext: core_v1.SecurityContext
    """User and rights of its processes."""
    startupProbe: core_v1.Probe
    """How its start is watched."""
    stdin: bool
    """Keeps its standard input open."""
    stdinOnce: bool
    """Closes the standard input after the first client."""
    terminationMessagePath: str
    """File with its last words."""
    terminationMessagePolicy: str
    """Where its last words come from: the file, or the log too."""
    tty: bool
    """Gives it a terminal."""
    volumeDevices: VolumeDevices
    """Block devices in the container."""
    volumeMounts: Annotated[list[core_v1.VolumeMount], ListMap("mountPath")]
    """Volumes in the container."""
    workingDir: str
    """Folder that it runs in."""


class ModelFields(ContainerFields, total=False):
    """A container that serves a model, and where the model is."""

    runtimeVersion: str
    """Tag of the runtime's image."""
    storage: Storage
    """Where the model is, by an entry of the Secret `storage-config`; instead of storageUri."""
    storageUri: str
    """Where the model is: `pvc://claim/path`, `s3://…`, `gs://…`, `hf://…`, `oci://…`, `https://…`."""


class ServerFields(ModelFields, total=False):
    """A container that serves a model."""

    livenessProbe: LivenessProbe
    """How its health is asked for."""
    name: str
    """Name of the container; `kserve-container` if left out."""
    readinessProbe: LivenessProbe
    """How it is asked whether it takes requests."""


class Art(ServerFields, total=False):
    """Explainer of the Adversarial Robustness Toolbox."""

    config: dict[str, str]
    """Settings of the explainer."""
    type: str
    """Sort of explainer, such as SquareAttack."""


class TriggerAuthentication(TypedDict, total=False):
    """How KEDA logs in to a source of metrics."""

    name: Required[Annotated[str, Ref("TriggerAuthentication", group="keda.sh")]]
    """Name of the TriggerAuthentication."""


class AuthenticationRef(TypedDict, total=False):
    """Login to a source of metrics."""

    authModes: str
    """How it logs in: basic, bearer, tls or custom."""
    authenticationRef: Required[TriggerAuthentication]
    """KEDA's TriggerAuthentication."""


class ExternalMetric(TypedDict, total=False):
    """A metric that a monitoring system keeps."""

    backend: Literal["prometheus", "graphite"]
    """prometheus or graphite."""
    namespace: str
    """Namespace of the query, where the source has some."""
    query: str
    """Query that gives the value."""
    serverAddress: str
    """Address of the source."""


class Target(TypedDict, total=False):
    """The value that the autoscaler aims at."""

    averageUtilization: Int32
    """Share of the request in percent, averaged over pods."""
    averageValue: Quantity
    """Value averaged over pods."""
    type: Literal["Utilization", "Value", "AverageValue"]
    """Which of the three counts."""
    value: Quantity
    """Value as it stands."""


class External(TypedDict, total=False):
    """Scaling by a metric from outside the cluster's own."""

    authenticationRef: AuthenticationRef
    """Login to the source."""
    metric: Required[ExternalMetric]
    """The metric."""
    target: Required[Target]
    """Value aimed at."""


class PodMetricQuery(TypedDict, total=False):
    """A metric that pods send by OpenTelemetry."""

    backend: Literal["opentelemetry"]
    """opentelemetry."""
    metricNames: list[str]
    """Metrics that are collected."""
    operationOverTime: str
    """How values over time become one: last_one, avg, max, min, rate or count."""
    query: str
    """Query over these metrics."""
    serverAddress: str
    """Address of the scaler that collects them."""


class PodMetric(TypedDict, total=False):
    """Scaling by what the pods report."""

    metric: Required[PodMetricQuery]
    """The metric."""
    target: Required[Target]
    """Value aimed at."""


class Resource(TypedDict, total=False):
    """Scaling by CPU or memory."""

    name: Required[Literal["cpu", "memory"]]
    """cpu or memory."""
    target: Required[Target]
    """Value aimed at."""


class Metric(TypedDict, total=False):
    """One metric that the number of pods follows."""

    external: External
    """A metric of a monitoring system (KEDA)."""
    podmetric: PodMetric
    """A metric of the pods (KEDA and OpenTelemetry)."""
    resource: Resource
    """CPU or memory."""
    type: Required[Literal["Resource", "External", "PodMetric"]]
    """Which of the three it is."""


class AutoScaling(TypedDict, total=False):
    """Scaling by one or more metrics."""

    behavior: autoscaling_v2.HorizontalPodAutoscalerBehavior
    """How fast it grows and shrinks."""
    metrics: list[Metric]
    """Metrics; the one that asks for most pods counts."""


class Batcher(TypedDict, total=False):
    """Gathers requests into batches."""

    maxBatchSize: int
    """Most requests in a batch; 32 if left out."""
    maxLatency: int
    """Milliseconds that a batch may wait to be filled; 5000 if left out."""
    timeout: int
    """Seconds that a batch may take."""


class ContainerLivenessProbe(TypedDict, total=False):
    """How a container's health is asked for."""

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


class Container(ContainerFields, total=False):
    """A container of the pod."""

    livenessProbe: ContainerLivenessProbe
    """How its health is asked for."""
    name: Required[str]
    """Its name; `kserve-container` gets the requests."""
    readinessProbe: ContainerLivenessProbe
    """How it is asked whether it takes requests."""


class LoggerStorage(TypedDict, total=False):
    """Where logged requests are kept."""

    key: str
    """Entry of the Secret `storage-config`."""
    parameters: dict[str, str]
    """Settings that override the entry's."""
    path: str
    """Path in the storage."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount with rights to the storage."""


class Logger(TypedDict, total=False):
    """Copies of requests and answers for another service."""

    batchInterval: str
    """Time after which an incomplete batch is written, such as 5s; only with a batchSize above 1."""
    batchSize: int
    """Records that are written to the storage at once; 1 if left out."""
    marshallerUrl: str
    """Service that turns records into the form in which they are stored; JSON if left out."""
    metadataAnnotations: list[str]
    """Annotations of the service that go along."""
    metadataHeaders: list[str]
    """Headers of the request that go along."""
    mode: Literal["all", "request", "response"]
    """all, request or response."""
    storage: LoggerStorage
    """Storage that keeps them, instead of a receiver."""
    url: str
    """Address that CloudEvents are posted to."""


class Os(TypedDict, total=False):
    """Operating system of the pod."""

    name: str
    """linux or windows."""


class StorageUri(TypedDict, total=False):
    """A model and where it is put."""

    mountPath: Annotated[str, Default("/mnt/models"), MaxLength(255), Pattern("^/.*")]
    """Folder in the container."""
    uri: Required[Annotated[str, MinLength(1)]]
    """Where the model is, in the forms of storageUri."""


class PodFields(TypedDict, total=False):
    """What a pod may have, as in Kubernetes."""

    activeDeadlineSeconds: Int64
    """Seconds that the pod may live."""
    affinity: core_v1.Affinity
    """Where it may run, by nodes and other pods."""
    automountServiceAccountToken: bool
    """Whether the ServiceAccount's token is mounted."""
    dnsConfig: core_v1.PodDNSConfig
    """Name servers and search domains."""
    dnsPolicy: str
    """Where names are looked up."""
    enableServiceLinks: bool
    """Variables for the Services of the namespace."""
    hostAliases: list[core_v1.HostAlias]
    """Lines added to /etc/hosts."""
    hostIPC: bool
    """Shares the node's IPC."""
    hostNetwork: bool
    """Uses the node's network."""
    hostPID: bool
    """Sees the node's processes."""
    hostUsers: bool
    """False: user ids inside are others than on the node."""
    hostname: str
    """Host name of the pod."""
    hostnameOverride: str
    """Full host name that its processes see, whatever the cluster's domain."""
    imagePullSecrets: list[ImagePullSecret]
    """Secrets for images."""
    initContainers: list[core_v1.Container]
    """Containers that run first."""
    nodeName: str
    """Node, past the scheduler."""
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    """Labels of nodes that it may run on."""
    overhead: dict[str, Quantity]
    """Resources of the runtime class itself."""
    preemptionPolicy: str
    """Whether it may push out others: PreemptLowerPriority or Never."""
    priority: Int32
    """Priority as a number; set from the class."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """Its priority."""
    readinessGates: list[core_v1.PodReadinessGate]
    """Further conditions until it is ready."""
    resourceClaims: Annotated[list[core_v1.PodResourceClaim], ListMap("name")]
    """Devices that it claims (DRA)."""
    resources: core_v1.ResourceRequirements
    """Requests and limits of the pod as a whole."""
    restartPolicy: str
    """Always for services."""
    runtimeClassName: Annotated[str, Ref("RuntimeClass", group="node.k8s.io")]
    """Runtime class, such as nvidia."""
    schedulerName: str
    """Scheduler that places it."""
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], ListMap("name")]
    """What must be taken away before it is scheduled."""
    securityContext: core_v1.PodSecurityContext
    """User and rights of its processes."""
    serviceAccount: Annotated[str, Ref("ServiceAccount")]
    """Older name of serviceAccountName."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount of the pod; storage credentials may hang on it."""
    setHostnameAsFQDN: bool
    """The host name is the full name."""
    shareProcessNamespace: bool
    """Its containers see each other's processes."""
    subdomain: str
    """Domain of the host name."""
    terminationGracePeriodSeconds: Int64
    """Seconds that it has to stop."""
    tolerations: list[core_v1.Toleration]
    """Taints that it tolerates."""
    topologySpreadConstraints: TopologySpreadConstraints
    """How pods are spread over nodes and zones."""
    volumes: list[core_v1.Volume]
    """Volumes that containers may mount."""


class ScalingFields(PodFields, total=False):
    """What predictors, canaries, transformers and explainers share."""

    annotations: dict[str, str]
    """Annotations of the pods, added to the service's own."""
    autoScaling: AutoScaling
    """Scaling by several metrics (KEDA, or the HorizontalPodAutoscaler)."""
    batcher: Batcher
    """Gathers requests into batches."""
    canaryTrafficPercent: Int64
    """Share of the requests for the newest revision, in percent; only with Knative."""
    containerConcurrency: Int64
    """Requests that one pod serves at once; more wait. No limit if left out."""
    deploymentStrategy: apps_v1.DeploymentStrategy
    """How pods are replaced, where Deployments run them."""
    labels: dict[str, str]
    """Labels of the pods, added to the service's own."""
    logger: Logger
    """Where requests and answers are logged."""
    maxReplicas: Int32
    """Most pods; no limit if left out."""
    minReplicas: Int32
    """Fewest pods; 1 if left out, and 0 lets it go to sleep where Knative serves it."""
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"]
    """What the autoscaler goes by."""
    scaleMetricType: Literal["Utilization", "Value", "AverageValue"]
    """Whether scaleTarget is a share, a value or an average."""
    scaleTarget: Int32
    """Value of the metric that it aims at."""
    storageUris: Annotated[list[StorageUri], MinItems(1), ListType("atomic")]
    """Several models, each in a folder of its own."""
    timeout: Int64
    """Seconds that a request may take."""


class ComponentFields(ScalingFields, total=False):
    """What predictors, transformers and explainers share."""

    containers: list[Container]
    """Containers of one's own; the first or `kserve-container` serves."""
    os: Os
    """Operating system of the pod."""


class Explainer(ComponentFields, total=False):
    """Says why an answer is what it is."""

    art: Art
    """Explainer of the Adversarial Robustness Toolbox."""


class Confidential(TypedDict, total=False):
    """A model that is stored encrypted and opened in a trusted execution environment."""

    enabled: Required[bool]
    """Whether it is encrypted."""
    resourceId: str
    """Key at the broker service; found from the model if left out."""


class FrameworkServer(ServerFields, total=False):
    """A server for one framework; `model` with a modelFormat is the newer form."""

    confidential: Confidential
    """The model is stored encrypted."""
    protocolVersion: str
    """v1, v2, grpc-v1 or grpc-v2."""


class ModelFormat(TypedDict, total=False):
    """What the model was made with."""

    name: Required[str]
    """sklearn, xgboost, onnx, pytorch, huggingface …."""
    version: str
    """Version of the format, where runtimes differ by it."""


class Model(ServerFields, total=False):
    """The model and what serves it."""

    confidential: Confidential
    """The model is stored encrypted."""
    modelFormat: ModelFormat
    """Format of the model; a runtime for it is looked for."""
    protocolVersion: str
    """v1, v2, grpc-v1 or grpc-v2; the runtime's first if left out."""
    runtime: Annotated[str, Ref("ServingRuntime", group="serving.kserve.io", optional=True)]
    """ServingRuntime or ClusterServingRuntime by its name; looked for by format if left out."""


class OsName(TypedDict, total=False):
    """Operating system of the pod."""

    name: Required[str]
    """linux or windows."""


class WorkerSpec(PodFields, total=False):
    """Further pods of one replica, for models that need several nodes."""

    containers: list[core_v1.Container]
    """Containers of the worker; the runtime's if left out."""
    ephemeralContainers: list[core_v1.EphemeralContainer]
    """Containers for a look inside."""
    os: OsName
    """Operating system of the pod."""
    pipelineParallelSize: int
    """Parts that the layers are split into: pods of one replica."""
    tensorParallelSize: int
    """Parts that each layer is split into: GPUs of one pod."""


class Predictor(ComponentFields, total=False):
    """Serves the model."""

    huggingface: FrameworkServer
    """Hugging Face models."""
    lightgbm: FrameworkServer
    """LightGBM models."""
    model: Model
    """The model and what serves it."""
    name: Annotated[str, Pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of this variant, in the names of its Deployment and Service; a canary must have one."""
    onnx: FrameworkServer
    """ONNX models."""
    paddle: FrameworkServer
    """Paddle models."""
    pmml: FrameworkServer
    """PMML models."""
    pytorch: FrameworkServer
    """PyTorch models (TorchServe)."""
    sklearn: FrameworkServer
    """scikit-learn models."""
    storageContainerName: Annotated[str, Ref("ClusterStorageContainer", group="serving.kserve.io")]
    """ClusterStorageContainer that fetches the model; found by its address if left out."""
    tensorflow: FrameworkServer
    """TensorFlow models."""
    triton: FrameworkServer
    """Models for Triton."""
    workerSpec: WorkerSpec
    """Further pods of one replica, for models that need several nodes."""
    xgboost: FrameworkServer
    """XGBoost models."""


class Transformer(ComponentFields, total=False):
    """Changes requests before the predictor, and answers behind it."""


class CanaryServer(ModelFields, total=False):
    """A server for one framework; `model` is the newer form."""

    confidential: Confidential
    """The model is stored encrypted."""
    livenessProbe: core_v1.Probe
    """How its health is asked for."""
    name: Required[str]
    """Name of the container: `kserve-container`."""
    protocolVersion: str
    """v1, v2, grpc-v1 or grpc-v2."""
    readinessProbe: core_v1.Probe
    """How it is asked whether it takes requests."""


class CanaryModel(CanaryServer, total=False):
    """The model and what serves it."""

    modelFormat: Required[ModelFormat]
    """Format of the model; a runtime for it is looked for."""
    runtime: Annotated[str, Ref("ServingRuntime", group="serving.kserve.io", optional=True)]
    """ServingRuntime or ClusterServingRuntime by its name; looked for by format if left out."""


class CanaryPredictor(ScalingFields, total=False):
    """Serves a further variant of the model; `name` is needed, scaling is not served."""

    containers: list[core_v1.Container]
    """Containers of one's own; the first or `kserve-container` serves."""
    ephemeralContainers: list[core_v1.EphemeralContainer]
    """Containers for a look inside."""
    huggingface: CanaryServer
    """Hugging Face models."""
    lightgbm: CanaryServer
    """LightGBM models."""
    onnx: CanaryServer
    """ONNX models."""
    paddle: CanaryServer
    """Paddle models."""
    pmml: CanaryServer
    """PMML models."""
    pytorch: CanaryServer
    """PyTorch models (TorchServe)."""
    sklearn: CanaryServer
    """scikit-learn models."""
    tensorflow: CanaryServer
    """TensorFlow models."""
    triton: CanaryServer
    """Models for Triton."""
    xgboost: CanaryServer
    """XGBoost models."""
    model: CanaryModel
    """The model and what serves it."""
    name: Annotated[str, Pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of this variant, in the names of its Deployment and Service; a canary must have one."""
    os: OsName
    """Operating system of the pod."""
    storageContainerName: Annotated[str, Ref("ClusterStorageContainer", group="serving.kserve.io")]
    """ClusterStorageContainer that fetches the model; found by its address if left out."""
    workerSpec: WorkerSpec
    """Not served for canaries."""


class Canary(TypedDict, total=False):
    """A further variant of the model that gets a share of the requests."""

    predictor: Required[CanaryPredictor]
    """Serves the variant, with a fixed number of pods; `name` is required."""
    trafficPercent: Required[Annotated[Int32, Minimum(0), Maximum(100)]]
    """Its share of the requests, in percent; 0 starts it without requests."""


class InferenceServiceSpec(TypedDict, total=False):
    """A model that is served, with what prepares requests and explains answers."""

    canary: Annotated[list[Canary], ListType("atomic")]
    """Further variants of the model, for services in the Standard mode."""
    explainer: Explainer
    """Explains answers, under `:explain`."""
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


class CanaryStatus(TypedDict, total=False):
    modelStatus: ModelStatus
    name: Required[str]
    ready: Required[bool]
    trafficPercent: Required[Int32]


class InferenceServiceStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    canaryStatuses: Annotated[list[CanaryStatus], ListType("atomic")]
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
    """ModelMesh: the adapter beside the server."""

    env: list[core_v1.EnvVar]
    """Environment variables of the adapter."""
    memBufferBytes: int
    """Memory kept free beside the models."""
    modelLoadingTimeoutMillis: int
    """Milliseconds that loading may take."""
    runtimeManagementPort: int
    """Port on which the server learns what to load."""
    serverType: str
    """Server that it knows: triton, mlserver, ovms or torchserve."""


class StorageHelper(TypedDict, total=False):
    """ModelMesh: what fetches models."""

    disabled: bool
    """The server fetches models itself."""


class SupportedModelFormat(TypedDict, total=False):
    """A format that the runtime serves."""

    autoSelect: bool
    """Whether it is chosen for this format where a service names no runtime."""
    name: Required[str]
    """Name of the format."""
    priority: Annotated[Int32, Minimum(1)]
    """Which of several is chosen, the highest."""
    version: str
    """Its version; all if left out."""


class ServingRuntimeWorkerSpec(TypedDict, total=False):
    """Further pods of one replica, for models that need several nodes."""

    affinity: core_v1.Affinity
    """Where they may run."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    containers: Required[list[core_v1.Container]]
    """Containers of a worker; the first one works."""
    hostIPC: bool
    """Shares the node's IPC."""
    imagePullSecrets: list[ImagePullSecret]
    """Secrets for images."""
    labels: dict[str, str]
    """Labels of the pods."""
    nodeSelector: dict[str, str]
    """Labels of nodes that they may run on."""
    pipelineParallelSize: int
    """Parts that the layers are split into: pods of one replica."""
    schedulerName: str
    """Scheduler that places them."""
    tensorParallelSize: int
    """Parts that each layer is split into: GPUs of one pod."""
    tolerations: list[core_v1.Toleration]
    """Taints that they tolerate."""
    volumes: list[core_v1.Volume]
    """Volumes that containers may mount."""


class ServingRuntimeSpec(TypedDict, total=False):
    """What serves models of some formats: containers, and how they are talked to."""

    affinity: core_v1.Affinity
    """Where its pods may run."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    builtInAdapter: BuiltInAdapter
    """ModelMesh: the adapter beside the server."""
    containers: Required[list[core_v1.Container]]
    """Its containers; the one called kserve-container serves."""
    disabled: bool
    """It is not used for new services."""
    grpcDataEndpoint: str
    """ModelMesh: where requests by gRPC go."""
    grpcEndpoint: str
    """ModelMesh: where the server learns what to load."""
    hostIPC: bool
    """Shares the node's IPC."""
    httpDataEndpoint: str
    """ModelMesh: where requests by HTTP go."""
    imagePullSecrets: list[ImagePullSecret]
    """Secrets for images."""
    labels: dict[str, str]
    """Labels of the pods."""
    multiModel: bool
    """One pod serves many models (TrainedModel, ModelMesh)."""
    nodeSelector: dict[str, str]
    """Labels of nodes that its pods may run on."""
    protocolVersions: list[str]
    """What it speaks: v1, v2, grpc-v1, grpc-v2."""
    replicas: int
    """ModelMesh: pods of the runtime."""
    schedulerName: str
    """Scheduler that places its pods."""
    storageHelper: StorageHelper
    """ModelMesh: what fetches models."""
    supportedModelFormats: list[SupportedModelFormat]
    """Formats that it serves."""
    tolerations: list[core_v1.Toleration]
    """Taints that its pods tolerate."""
    volumes: list[core_v1.Volume]
    """Volumes that containers may mount."""
    workerSpec: ServingRuntimeWorkerSpec
    """Further pods of one replica, for models that need several nodes."""


class ServingRuntime(TypedDict, total=False):
    spec: ServingRuntimeSpec
    status: EmptyObject


class ClusterServingRuntime(TypedDict, total=False):
    spec: ServingRuntimeSpec
    status: EmptyObject


class SupportedUriFormat(TypedDict, total=False):
    """Addresses that a storage container fetches from; one of both."""

    prefix: str
    """They begin so."""
    regex: str
    """They match this."""


class ClusterStorageContainerSpec(TypedDict, total=False):
    """What fetches models from addresses of some forms."""

    container: Required[core_v1.Container]
    """The init container."""
    supportedUriFormats: Required[list[SupportedUriFormat]]
    """Addresses that it fetches from."""
    supportsMultiModelDownload: Annotated[bool, Default(False)]
    """It fetches several models in one run."""
    workloadType: Annotated[str, Default("initContainer")]
    """initContainer, or localModelDownloadJob for model caches."""


class ClusterStorageContainer(TypedDict, total=False):
    """What fetches models."""

    disabled: bool
    """It is not used."""
    spec: ClusterStorageContainerSpec


class Step(TypedDict, total=False):
    """One step of a node: another node, a service or an address."""

    condition: str
    """Path into the request (GJSON); the step runs where it is found."""
    data: str
    """`$request` or `$response`: what the step gets."""
    dependency: Literal["Soft", "Hard"]
    """Hard: the graph fails with the step; Soft: it goes on."""
    mapPredictionsToInstances: bool
    """The `predictions` of the step before become this step's `instances`."""
    name: str
    """Name of the step."""
    nodeName: str
    """Another node of this graph."""
    serviceName: Annotated[str, Ref("InferenceService", group="serving.kserve.io")]
    """InferenceService of this namespace."""
    serviceUrl: str
    """Any address."""
    weight: Int64
    """Share of the requests in percent, for Splitter."""


class Node(TypedDict, total=False):
    """A place in the graph where requests are shared out."""

    routerType: Required[Literal["Sequence", "Splitter", "Ensemble", "Switch"]]
    """Sequence: one after the other; Splitter: by weight; Ensemble: all, answers merged;
    Switch: the first whose condition holds."""
    steps: list[Step]
    """Its steps."""


class RouterTimeouts(TypedDict, total=False):
    """Time limits of the router, in seconds."""

    serverIdle: Int64
    """Idle connections are closed after this."""
    serverRead: Int64
    """Reading a request."""
    serverWrite: Int64
    """Writing an answer."""
    serviceClient: Int64
    """Waiting for a step."""


class InferenceGraphSpec(TypedDict, total=False):
    """A graph of services that a request goes through."""

    affinity: core_v1.Affinity
    """Where the router may run."""
    maxReplicas: Int32
    """Most pods of the router."""
    minReplicas: Int32
    """Fewest pods of the router."""
    nodeName: str
    """Node, past the scheduler."""
    nodeSelector: dict[str, str]
    """Labels of nodes that the router may run on."""
    nodes: Required[dict[str, Node]]
    """Nodes by name; requests enter at `root`."""
    resources: core_v1.ResourceRequirements
    """Requests and limits of the router."""
    routerTimeouts: RouterTimeouts
    """Time limits of the router."""
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"]
    """What the autoscaler goes by."""
    scaleTarget: Int32
    """Value of the metric that it aims at."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount of the router."""
    timeout: Int64
    """Seconds that a request may take."""
    tolerations: list[core_v1.Toleration]
    """Taints that the router tolerates."""


class InferenceGraphStatus(TypedDict, total=False):
    annotations: dict[str, str]
    conditions: list[Condition]
    deploymentMode: str
    observedGeneration: Int64
    url: str


class TrainedModelModel(TypedDict, total=False):
    """A model that a running server is to load."""

    framework: Required[str]
    """Its format."""
    memory: Required[Quantity]
    """Memory that it needs; models are placed by it."""
    storageUri: Required[str]
    """Where it is, in the forms of an InferenceService's storageUri."""


class TrainedModelSpec(TypedDict, total=False):
    """A further model for a service whose runtime serves many."""

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


class ModelStorage(TypedDict, total=False):
    """Credentials for the download, from the Secret `storage-config`."""

    key: str
    """Entry of the Secret; the one for the model's address if left out."""
    parameters: dict[str, str]
    """Settings that override the entry's: bucket, region …."""


class CacheFields(TypedDict, total=False):
    """What caches of a cluster and of a namespace share."""

    modelSize: Required[Quantity]
    """Size of the model; it must fit the groups' limit."""
    nodeGroups: Required[
        Annotated[list[Annotated[str, Ref("LocalModelNodeGroup", group="serving.kserve.io")]], MinItems(1)]
    ]
    """LocalModelNodeGroups whose nodes keep it."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount", weak=True)]
    """Account with the credentials for the download, in the namespace of the download jobs; in a namespace's own cache,
    in that namespace."""
    sourceModelUri: Required[Annotated[str, Cel("self == oldSelf", "stays as it was created")]]
    """Where it comes from; services with this storageUri use the copy."""
    storage: ModelStorage
    """Credentials for the download, in place of an account's."""


class LocalModelCacheSpec(CacheFields, total=False):
    """A model that is kept on the nodes' own disks, for services of every namespace."""


class LocalModelNamespaceCacheSpec(CacheFields, total=False):
    """A model that is kept on the nodes' own disks, for services of its namespace."""


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
    llmInferenceServices: list[LocalModelCacheStatusInferenceService]
    nodeStatus: dict[
        str,
        Literal["", "NodeNotReady", "NodeDownloadPending", "NodeDownloading", "NodeDownloaded", "NodeDownloadError"],
    ]


class LocalModelNodeGroupSpec(TypedDict, total=False):
    """Nodes that keep models, and where on them."""

    persistentVolumeClaimSpec: Required[core_v1.PersistentVolumeClaimSpec]
    """Claim through which pods see the models."""
    persistentVolumeSpec: Required[core_v1.PersistentVolumeSpec]
    """Volume on the nodes; its node affinity says which nodes."""
    storageLimit: Required[Quantity]
    """Room for models on each node."""


class LocalModelNodeGroupStatus(TypedDict, total=False):
    available: Quantity
    used: Quantity


class LocalModel(TypedDict, total=False):
    modelName: Required[str]
    namespace: str
    nodeGroup: str
    serviceAccountName: str
    sourceModelUri: Required[str]
    storage: ModelStorage


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
    core="1.34",
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
    health=HealthConditions(ready=("Ready",)),
    doc="A model that is served, with what prepares requests and explains answers.",
    makes=(
        Makes("Service"),
        *(Makes("Service", suffix=suffix) for suffix in ("-predictor", "-transformer", "-explainer")),
        Makes("Deployment", suffix="-predictor", group="apps"),
        Makes("Service", "spec.canary[].predictor.name", suffix="-predictor", prefixed=True),
    ),
)

SERVING_RUNTIME = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="ServingRuntime",
    plural="servingruntimes",
    spec=ServingRuntimeSpec,
    top=ServingRuntime,
    core="1.34",
    columns=(
        Column("Disabled", ".spec.disabled", type="boolean"),
        Column("ModelType", ".spec.supportedModelFormats[*].name"),
        Column("Containers", ".spec.containers[*].name"),
        AGE,
    ),
    doc="What serves models of some formats, for services of its namespace.",
)

CLUSTER_SERVING_RUNTIME = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="ClusterServingRuntime",
    plural="clusterservingruntimes",
    namespaced=False,
    spec=ServingRuntimeSpec,
    top=ClusterServingRuntime,
    core="1.34",
    columns=(
        Column("Disabled", ".spec.disabled", type="boolean"),
        Column("ModelType", ".spec.supportedModelFormats[*].name"),
        Column("Containers", ".spec.containers[*].name"),
        AGE,
    ),
    doc="What serves models of some formats, for services of every namespace.",
)

CLUSTER_STORAGE_CONTAINER = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="ClusterStorageContainer",
    plural="clusterstoragecontainers",
    namespaced=False,
    spec=ClusterStorageContainerSpec,
    top=ClusterStorageContainer,
    core="1.34",
)

INFERENCE_GRAPH = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="InferenceGraph",
    plural="inferencegraphs",
    spec=InferenceGraphSpec,
    status=InferenceGraphStatus,
    core="1.34",
    status_subresource=True,
    columns=(Column("URL", ".status.url"), Column("Ready", ".status.conditions[?(@.type=='Ready')].status"), AGE),
    health=HealthConditions(ready=("Ready",)),
    doc="A graph of services that a request goes through.",
    makes=(Makes("Service"),),
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
    health=HealthConditions(ready=("Ready",)),
    doc="A further model for a service whose runtime serves many.",
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
    doc="A model that is kept on the nodes' own disks.",
)

LOCAL_MODEL_NAMESPACE_CACHE = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LocalModelNamespaceCache",
    plural="localmodelnamespacecaches",
    spec=LocalModelNamespaceCacheSpec,
    status=LocalModelCacheStatus,
    status_subresource=True,
    doc="A model that is kept on the nodes' own disks, for services of its namespace.",
)

LOCAL_MODEL_NODE_GROUP = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LocalModelNodeGroup",
    plural="localmodelnodegroups",
    namespaced=False,
    spec=LocalModelNodeGroupSpec,
    status=LocalModelNodeGroupStatus,
    core="1.34",
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
    Definition((LOCAL_MODEL_NAMESPACE_CACHE,)),
    Definition((LOCAL_MODEL_NODE_GROUP,)),
    Definition((LOCAL_MODEL_NODE,)),
)
