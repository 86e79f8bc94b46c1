"""Spark operator 2.5 (sparkoperator.k8s.io)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1, networking_v1
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
    Int32,
    Int64,
    ListMap,
    ListType,
    Maximum,
    MaxLength,
    Minimum,
    Nullable,
    OpenObject,
    Pattern,
    Quantity,
    Ref,
    Time,
)

PodName = Annotated[str, Pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")]


class BatchSchedulerOptions(TypedDict, total=False):
    priorityClassName: str
    queue: str
    resources: dict[str, Quantity]


class Deps(TypedDict, total=False):
    archives: list[str]
    excludePackages: list[str]
    files: list[str]
    jars: list[str]
    packages: list[str]
    pyFiles: list[str]
    repositories: list[str]


class ConfigMap(TypedDict, total=False):
    name: Required[str]
    path: Required[str]


class EnvSecretKeyRef(TypedDict, total=False):
    key: Required[str]
    name: Required[str]


class Gpu(TypedDict, total=False):
    name: Required[str]
    quantity: Required[Int64]


class Port(TypedDict, total=False):
    containerPort: Required[Int32]
    name: Required[str]
    protocol: Required[str]


class Secret(TypedDict, total=False):
    name: Required[str]
    path: Required[str]
    secretType: Required[str]


class Driver(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    configMaps: list[ConfigMap]
    coreLimit: str
    coreRequest: str
    cores: Annotated[Int32, Minimum(1)]
    dnsConfig: core_v1.PodDNSConfig
    env: list[core_v1.EnvVar]
    envFrom: list[core_v1.EnvFromSource]
    envSecretKeyRefs: dict[str, EnvSecretKeyRef]
    envVars: dict[str, str]
    gpu: Gpu
    hostAliases: list[core_v1.HostAlias]
    hostNetwork: bool
    image: str
    initContainers: list[core_v1.Container]
    javaOptions: str
    kubernetesMaster: str
    labels: dict[str, str]
    lifecycle: core_v1.Lifecycle
    memory: str
    memoryLimit: str
    memoryOverhead: str
    nodeSelector: dict[str, str]
    podName: PodName
    podSecurityContext: core_v1.PodSecurityContext
    ports: list[Port]
    priorityClassName: str
    schedulerName: str
    secrets: list[Secret]
    securityContext: core_v1.SecurityContext
    serviceAccount: str
    serviceAnnotations: dict[str, str]
    serviceLabels: dict[str, str]
    shareProcessNamespace: bool
    sidecars: list[core_v1.Container]
    template: OpenObject
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    volumeMounts: list[core_v1.VolumeMount]


class DriverIngressOption(TypedDict, total=False):
    ingressAnnotations: dict[str, str]
    ingressTLS: list[networking_v1.IngressTLS]
    ingressURLFormat: str
    serviceAnnotations: dict[str, str]
    serviceLabels: dict[str, str]
    servicePort: Required[Int32]
    servicePortName: Required[str]
    serviceType: str


class DynamicAllocation(TypedDict, total=False):
    enabled: bool
    initialExecutors: Int32
    maxExecutors: Int32
    minExecutors: Int32
    shuffleTrackingEnabled: bool
    shuffleTrackingTimeout: Int64


class Executor(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    configMaps: list[ConfigMap]
    coreLimit: str
    coreRequest: str
    cores: Annotated[Int32, Minimum(1)]
    deleteOnTermination: bool
    dnsConfig: core_v1.PodDNSConfig
    env: list[core_v1.EnvVar]
    envFrom: list[core_v1.EnvFromSource]
    envSecretKeyRefs: dict[str, EnvSecretKeyRef]
    envVars: dict[str, str]
    gpu: Gpu
    hostAliases: list[core_v1.HostAlias]
    hostNetwork: bool
    image: str
    initContainers: list[core_v1.Container]
    instances: Annotated[Int32, Minimum(1)]
    javaOptions: str
    labels: dict[str, str]
    lifecycle: core_v1.Lifecycle
    memory: str
    memoryLimit: str
    memoryOverhead: str
    nodeSelector: dict[str, str]
    podSecurityContext: core_v1.PodSecurityContext
    ports: list[Port]
    priorityClassName: str
    schedulerName: str
    secrets: list[Secret]
    securityContext: core_v1.SecurityContext
    serviceAccount: str
    shareProcessNamespace: bool
    sidecars: list[core_v1.Container]
    template: OpenObject
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    volumeMounts: list[core_v1.VolumeMount]


class Prometheus(TypedDict, total=False):
    configFile: str
    configuration: str
    jmxExporterJar: Required[str]
    port: Annotated[Int32, Maximum(49151), Minimum(1024)]
    portName: str


class Monitoring(TypedDict, total=False):
    exposeDriverMetrics: Required[bool]
    exposeExecutorMetrics: Required[bool]
    metricsProperties: str
    metricsPropertiesFile: str
    prometheus: Prometheus


class RestartPolicy(TypedDict, total=False):
    onFailureRetries: Annotated[Int32, Minimum(0)]
    onFailureRetryInterval: Annotated[Int64, Minimum(1)]
    onSubmissionFailureRetries: Annotated[Int32, Minimum(0)]
    onSubmissionFailureRetryInterval: Annotated[Int64, Minimum(1)]
    type: Literal["Never", "Always", "OnFailure"]


class SparkUIOptions(TypedDict, total=False):
    ingressAnnotations: dict[str, str]
    ingressTLS: list[networking_v1.IngressTLS]
    serviceAnnotations: dict[str, str]
    serviceLabels: dict[str, str]
    servicePort: Int32
    servicePortName: str
    serviceType: str


class ScheduledSparkApplicationTemplate(TypedDict, total=False):
    arguments: list[str]
    batchScheduler: str
    batchSchedulerOptions: BatchSchedulerOptions
    deps: Deps
    driver: Required[Driver]
    driverIngressOptions: list[DriverIngressOption]
    dynamicAllocation: DynamicAllocation
    executor: Required[Executor]
    failureRetries: Int32
    hadoopConf: dict[str, str]
    hadoopConfigMap: str
    image: str
    imagePullPolicy: str
    imagePullSecrets: list[str]
    mainApplicationFile: Required[str]
    mainClass: str
    memoryOverheadFactor: str
    mode: Literal["cluster", "client"]
    monitoring: Monitoring
    nodeSelector: dict[str, str]
    proxyUser: str
    pythonVersion: Literal["2", "3"]
    restartPolicy: RestartPolicy
    retryInterval: Int64
    sparkConf: dict[str, str]
    sparkConfigMap: str
    sparkUIOptions: SparkUIOptions
    sparkVersion: Required[str]
    suspend: bool
    timeToLiveSeconds: Int64
    type: Required[Literal["Java", "Python", "Scala", "R"]]
    volumes: list[core_v1.Volume]


class ScheduledSparkApplicationSpec(TypedDict, total=False):
    concurrencyPolicy: str
    failedRunHistoryLimit: Int32
    schedule: Required[str]
    successfulRunHistoryLimit: Int32
    suspend: bool
    template: Required[ScheduledSparkApplicationTemplate]
    timeZone: str


class ScheduledSparkApplicationStatus(TypedDict, total=False):
    lastRun: Nullable[Time]
    lastRunName: str
    nextRun: Nullable[Time]
    pastFailedRunNames: list[str]
    pastSuccessfulRunNames: list[str]
    reason: str
    scheduleState: str


class SparkApplicationDriver(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    configMaps: list[ConfigMap]
    coreLimit: str
    coreRequest: str
    cores: Annotated[Int32, Minimum(1)]
    dnsConfig: core_v1.PodDNSConfig
    env: list[core_v1.EnvVar]
    envFrom: list[core_v1.EnvFromSource]
    envSecretKeyRefs: dict[str, EnvSecretKeyRef]
    envVars: dict[str, str]
    gpu: Gpu
    hostAliases: list[core_v1.HostAlias]
    hostNetwork: bool
    image: str
    initContainers: list[core_v1.Container]
    javaOptions: str
    kubernetesMaster: str
    labels: dict[str, str]
    lifecycle: core_v1.Lifecycle
    memory: str
    memoryLimit: str
    memoryOverhead: str
    nodeSelector: dict[str, str]
    podName: PodName
    podSecurityContext: core_v1.PodSecurityContext
    ports: list[Port]
    priorityClassName: str
    schedulerName: str
    secrets: list[Secret]
    securityContext: core_v1.SecurityContext
    serviceAccount: Annotated[str, Ref("ServiceAccount")]
    serviceAnnotations: dict[str, str]
    serviceLabels: dict[str, str]
    shareProcessNamespace: bool
    sidecars: list[core_v1.Container]
    template: OpenObject
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    volumeMounts: list[core_v1.VolumeMount]


class SparkApplicationSpec(TypedDict, total=False):
    arguments: list[str]
    """Arguments of the program."""
    batchScheduler: str
    batchSchedulerOptions: BatchSchedulerOptions
    deps: Deps
    driver: Required[SparkApplicationDriver]
    """The driver's pod."""
    driverIngressOptions: list[DriverIngressOption]
    dynamicAllocation: DynamicAllocation
    """Executors come and go with the work."""
    executor: Required[Executor]
    """The executors' pods."""
    failureRetries: Int32
    hadoopConf: dict[str, str]
    hadoopConfigMap: str
    image: str
    """Image of driver and executors."""
    imagePullPolicy: str
    imagePullSecrets: list[str]
    mainApplicationFile: Required[str]
    """The program, local:///… in the image."""
    mainClass: str
    """Class to start, for Java and Scala."""
    memoryOverheadFactor: str
    mode: Literal["cluster", "client"]
    """cluster or client."""
    monitoring: Monitoring
    nodeSelector: dict[str, str]
    proxyUser: str
    pythonVersion: Literal["2", "3"]
    restartPolicy: RestartPolicy
    """When it is started again."""
    retryInterval: Int64
    sparkConf: dict[str, str]
    """Settings of Spark."""
    sparkConfigMap: str
    sparkUIOptions: SparkUIOptions
    sparkVersion: Required[str]
    """Version of Spark in the image."""
    suspend: bool
    timeToLiveSeconds: Int64
    """Seconds after its end when it is removed."""
    type: Required[Literal["Java", "Python", "Scala", "R"]]
    """Python, Java, Scala or R."""
    volumes: list[core_v1.Volume]


class ApplicationState(TypedDict, total=False):
    errorMessage: str
    state: Required[str]


class DriverInfo(TypedDict, total=False):
    podName: str
    webUIAddress: str
    webUIIngressAddress: str
    webUIIngressName: str
    webUIPort: Int32
    webUIServiceName: str


class SparkApplicationStatus(TypedDict, total=False):
    applicationState: ApplicationState
    driverInfo: Required[DriverInfo]
    executionAttempts: Int32
    executorState: dict[str, str]
    lastSubmissionAttemptTime: Nullable[Time]
    sparkApplicationId: str
    submissionAttempts: Int32
    submissionID: str
    terminationTime: Nullable[Time]


class SparkConnectExecutor(TypedDict, total=False):
    cores: Annotated[Int32, Minimum(1)]
    instances: Annotated[Int32, Minimum(0)]
    memory: str
    template: OpenObject


class ServiceMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class IngressPort(TypedDict, total=False):
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


class Ingress(TypedDict, total=False):
    hostname: str
    ip: str
    ipMode: str
    ports: Annotated[list[IngressPort], ListType("atomic")]


class LoadBalancer(TypedDict, total=False):
    ingress: Annotated[list[Ingress], ListType("atomic")]


class ServiceStatus(TypedDict, total=False):
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    loadBalancer: LoadBalancer


class Service(TypedDict, total=False):
    apiVersion: str
    kind: str
    metadata: ServiceMetadata
    spec: core_v1.ServiceSpec
    status: ServiceStatus


class Server(TypedDict, total=False):
    cores: Annotated[Int32, Minimum(1)]
    memory: str
    service: Service
    template: OpenObject


class SparkConnectSpec(TypedDict, total=False):
    dynamicAllocation: DynamicAllocation
    executor: Required[SparkConnectExecutor]
    hadoopConf: dict[str, str]
    image: str
    server: Required[Server]
    sparkConf: dict[str, str]
    sparkVersion: Required[str]


class SparkConnectStatusServer(TypedDict, total=False):
    podIp: str
    podName: str
    serviceName: str


class SparkConnectStatus(TypedDict, total=False):
    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    executors: dict[str, int]
    lastUpdateTime: Time
    server: SparkConnectStatusServer
    startTime: Time
    state: str


SCHEDULED_SPARK_APPLICATION = Api(
    group="sparkoperator.k8s.io",
    version="v1beta2",
    kind="ScheduledSparkApplication",
    plural="scheduledsparkapplications",
    spec=ScheduledSparkApplicationSpec,
    status=ScheduledSparkApplicationStatus,
    required=("spec", "metadata"),
    core="1.32",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Schedule", ".spec.schedule"),
        Column("TimeZone", ".spec.timeZone"),
        Column("Suspend", ".spec.suspend"),
        Column("Last Run", ".status.lastRun", type="date"),
        Column("Last Run Name", ".status.lastRunName"),
        AGE,
    ),
)

SPARK_APPLICATION = Api(
    group="sparkoperator.k8s.io",
    version="v1beta2",
    kind="SparkApplication",
    plural="sparkapplications",
    spec=SparkApplicationSpec,
    status=SparkApplicationStatus,
    required=("spec", "metadata"),
    core="1.32",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Suspend", ".spec.suspend", type="boolean"),
        Column("Status", ".status.applicationState.state"),
        Column("Attempts", ".status.executionAttempts"),
        Column("Start", ".status.lastSubmissionAttemptTime"),
        Column("Finish", ".status.terminationTime"),
        AGE,
    ),
)

SPARK_CONNECT = Api(
    group="sparkoperator.k8s.io",
    version="v1alpha1",
    kind="SparkConnect",
    plural="sparkconnects",
    spec=SparkConnectSpec,
    status=SparkConnectStatus,
    required=("spec", "metadata"),
    core="1.32",
    embedded_metadata=True,
    status_subresource=True,
    columns=(AGE, Column("Status", ".status.state"), Column("PodName", ".status.server.podName")),
)

CRDS = (
    Definition(
        (SCHEDULED_SPARK_APPLICATION,),
        short_names=("scheduledsparkapp",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubeflow/spark-operator/pull/1298"},
    ),
    Definition(
        (SPARK_APPLICATION,),
        short_names=("sparkapp",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubeflow/spark-operator/pull/1298"},
    ),
    Definition(
        (SPARK_CONNECT,),
        short_names=("sparkconn",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubeflow/spark-operator/pull/1298"},
    ),
)
