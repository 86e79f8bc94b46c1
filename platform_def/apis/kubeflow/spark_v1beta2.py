"""Spark operator 2.5 (sparkoperator.k8s.io)."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1, networking_v1
from platform_def.crds.health import StateHealth
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import (
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
from platform_def.crds.typed_dict import TypedDict

PodName = Annotated[str, Pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")]


class BatchSchedulerOptions(TypedDict, total=False):
    """Gang scheduling of driver and executors."""

    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: Annotated[str, Ref("Queue", group="scheduling.volcano.sh")]
    """Queue of the gang scheduler; its default queue if left out."""
    resources: dict[str, Quantity]
    """Resources that must be free before the driver starts; what the pods ask for if left out."""


class Deps(TypedDict, total=False):
    """What the program needs beside its image; fetched by driver and executors."""

    archives: list[str]
    """Archives that executors unpack in their working folder."""
    excludePackages: list[str]
    """Maven packages (group:artifact) that are not fetched, though others need them."""
    files: list[str]
    """Files for the working folder of driver and executors."""
    jars: list[str]
    """JAR files for the class path."""
    packages: list[str]
    """Maven packages (group:artifact:version) for the class path."""
    pyFiles: list[str]
    """Python files and archives for the module path."""
    repositories: list[str]
    """Further Maven repositories."""


class ConfigMap(TypedDict, total=False):
    """A ConfigMap mounted as a folder."""

    name: Required[Annotated[str, Ref("ConfigMap")]]
    """Name of the ConfigMap."""
    path: Required[str]
    """Folder where it is mounted."""


class EnvSecretKeyRef(TypedDict, total=False):
    """A key of a Secret for an environment variable."""

    key: Required[str]
    """Key of the Secret's data."""
    name: Required[Annotated[str, Ref("Secret", key="key")]]
    """Name of the Secret."""


class Gpu(TypedDict, total=False):
    """Devices of one kind."""

    name: Required[str]
    """Resource, such as nvidia.com/gpu."""
    quantity: Required[Int64]
    """Devices of each pod."""


class Port(TypedDict, total=False):
    """A port of a pod."""

    containerPort: Required[Int32]
    """Number of the port."""
    name: Required[str]
    """Its name."""
    protocol: Required[str]
    """TCP, UDP or SCTP."""


class Secret(TypedDict, total=False):
    """A Secret mounted as a folder."""

    name: Required[Annotated[str, Ref("Secret")]]
    """Name of the Secret."""
    path: Required[str]
    """Folder where it is mounted."""
    secretType: Required[str]
    """GCPServiceAccount and HadoopDelegationToken also set the environment that libraries look at; Generic does not."""


class Driver(TypedDict, total=False):
    """The pod that runs the program and directs the executors."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods the pod is near to or far from."""
    annotations: dict[str, str]
    """Annotations of the pod."""
    configMaps: list[ConfigMap]
    """ConfigMaps mounted as folders."""
    coreLimit: str
    """Hard limit of CPU, such as 1200m; none if left out."""
    coreRequest: str
    """CPU that is asked for, where it differs from cores."""
    cores: Annotated[Int32, Minimum(1)]
    """CPU cores; 1 if left out."""
    dnsConfig: core_v1.PodDNSConfig
    """Name resolution of the pod."""
    env: list[core_v1.EnvVar]
    """Environment of the container."""
    envFrom: list[core_v1.EnvFromSource]
    """Environment from whole Secrets and ConfigMaps."""
    envSecretKeyRefs: dict[str, EnvSecretKeyRef]
    """Environment from keys of Secrets; use env."""
    envVars: dict[str, str]
    """Environment as plain text; use env."""
    gpu: Gpu
    """GPUs of the pod."""
    hostAliases: list[core_v1.HostAlias]
    """Lines for the pod's hosts file."""
    hostNetwork: bool
    """True: the pod uses its node's network."""
    image: str
    """Image of the pod; the application's if left out."""
    initContainers: list[core_v1.Container]
    """Containers that run first."""
    javaOptions: str
    """Options of the Java machine, without heap size."""
    kubernetesMaster: str
    """Address of the API server as executors reach it; the cluster's own if left out."""
    labels: dict[str, str]
    """Labels of the pod."""
    lifecycle: core_v1.Lifecycle
    """What runs when the container starts and before it is stopped."""
    memory: str
    """Memory of the Java machine, such as 512m; 1g if left out."""
    memoryLimit: str
    """Memory limit of the pod; memory and overhead if left out."""
    memoryOverhead: str
    """Memory beside the Java machine's; a share of memory if left out."""
    nodeSelector: dict[str, str]
    """Labels of nodes that the pod runs on."""
    podName: PodName
    """Name of the pod; <application>-driver if left out."""
    podSecurityContext: core_v1.PodSecurityContext
    """User, group and rights of the pod."""
    ports: list[Port]
    """Further ports of the pod."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the pod."""
    schedulerName: str
    """Scheduler of the pod."""
    secrets: list[Secret]
    """Secrets mounted as folders."""
    securityContext: core_v1.SecurityContext
    """User and rights of the container."""
    serviceAccount: Annotated[str, Ref("ServiceAccount")]
    """Service account of the pod; the driver makes executors with it."""
    serviceAnnotations: dict[str, str]
    """Annotations of the driver's Service."""
    serviceLabels: dict[str, str]
    """Labels of the driver's Service."""
    shareProcessNamespace: bool
    """True: containers of the pod see each other's processes."""
    sidecars: list[core_v1.Container]
    """Further containers."""
    template: OpenObject
    """Pod template that the other fields are put into; unknown to older Spark than 3.0."""
    terminationGracePeriodSeconds: Int64
    """Seconds that the pod has to stop."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pod puts up with."""
    volumeMounts: list[core_v1.VolumeMount]
    """Where the container mounts the application's volumes."""


class DriverIngressOption(TypedDict, total=False):
    """A way from outside to a port of the driver."""

    ingressAnnotations: dict[str, str]
    """Annotations of the Ingress."""
    ingressTLS: list[networking_v1.IngressTLS]
    """TLS of the Ingress."""
    ingressURLFormat: str
    """Address of the Ingress, with placeholders for the application's name and namespace."""
    serviceAnnotations: dict[str, str]
    """Annotations of the Service."""
    serviceLabels: dict[str, str]
    """Labels of the Service."""
    servicePort: Required[Int32]
    """Port of the driver that is reached."""
    servicePortName: Required[str]
    """Name of the port."""
    serviceType: str
    """Type of the Service; ClusterIP if left out."""


class DynamicAllocation(TypedDict, total=False):
    """Executors come and go with the work."""

    enabled: bool
    """True: they do."""
    initialExecutors: Int32
    """Executors at the start."""
    maxExecutors: Int32
    """Most executors."""
    minExecutors: Int32
    """Fewest executors."""
    shuffleTrackingEnabled: bool
    """True: executors stay while their shuffle data is needed, so that no shuffle service is; true if left out."""
    shuffleTrackingTimeout: Int64
    """Milliseconds after which an executor with shuffle data goes all the same."""


class Executor(TypedDict, total=False):
    """The pods that do the work."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods the pods are near to or far from."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    configMaps: list[ConfigMap]
    """ConfigMaps mounted as folders."""
    coreLimit: str
    """Hard limit of CPU, such as 1200m; none if left out."""
    coreRequest: str
    """CPU that is asked for, where it differs from cores."""
    cores: Annotated[Int32, Minimum(1)]
    """CPU cores of each; 1 if left out."""
    deleteOnTermination: bool
    """False: pods stay when they are done, so that they can be looked at."""
    dnsConfig: core_v1.PodDNSConfig
    """Name resolution of the pods."""
    env: list[core_v1.EnvVar]
    """Environment of the container."""
    envFrom: list[core_v1.EnvFromSource]
    """Environment from whole Secrets and ConfigMaps."""
    envSecretKeyRefs: dict[str, EnvSecretKeyRef]
    """Environment from keys of Secrets; use env."""
    envVars: dict[str, str]
    """Environment as plain text; use env."""
    gpu: Gpu
    """GPUs of each pod."""
    hostAliases: list[core_v1.HostAlias]
    """Lines for the pods' hosts file."""
    hostNetwork: bool
    """True: the pods use their nodes' network."""
    image: str
    """Image of the pods; the application's if left out."""
    initContainers: list[core_v1.Container]
    """Containers that run first."""
    instances: Annotated[Int32, Minimum(1)]
    """Number of executors; 1 if left out."""
    javaOptions: str
    """Options of the Java machine, without heap size."""
    labels: dict[str, str]
    """Labels of the pods."""
    lifecycle: core_v1.Lifecycle
    """What runs when the container starts and before it is stopped."""
    memory: str
    """Memory of the Java machine, such as 512m; 1g if left out."""
    memoryLimit: str
    """Memory limit of each pod; memory and overhead if left out."""
    memoryOverhead: str
    """Memory beside the Java machine's; a share of memory if left out."""
    nodeSelector: dict[str, str]
    """Labels of nodes that the pods run on."""
    podSecurityContext: core_v1.PodSecurityContext
    """User, group and rights of the pods."""
    ports: list[Port]
    """Further ports of the pods."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the pods."""
    schedulerName: str
    """Scheduler of the pods."""
    secrets: list[Secret]
    """Secrets mounted as folders."""
    securityContext: core_v1.SecurityContext
    """User and rights of the container."""
    serviceAccount: Annotated[str, Ref("ServiceAccount")]
    """Service account of the pods."""
    shareProcessNamespace: bool
    """True: containers of a pod see each other's processes."""
    sidecars: list[core_v1.Container]
    """Further containers."""
    template: OpenObject
    """Pod template that the other fields are put into; unknown to older Spark than 3.0."""
    terminationGracePeriodSeconds: Int64
    """Seconds that a pod has to stop."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    volumeMounts: list[core_v1.VolumeMount]
    """Where the container mounts the application's volumes."""


class Prometheus(TypedDict, total=False):
    """Metrics for Prometheus through its JMX exporter."""

    configFile: str
    """Configuration of the exporter, a file in the image; goes before configuration."""
    configuration: str
    """Configuration of the exporter, written out; the operator's if left out."""
    jmxExporterJar: Required[str]
    """The exporter, a file in the image."""
    port: Annotated[Int32, Maximum(49151), Minimum(1024)]
    """Port of the metrics; 8090 if left out."""
    portName: str
    """Name of the port."""


class Monitoring(TypedDict, total=False):
    """Metrics of driver and executors."""

    exposeDriverMetrics: Required[bool]
    """True: the driver gives metrics."""
    exposeExecutorMetrics: Required[bool]
    """True: executors do."""
    metricsProperties: str
    """Spark's metrics.properties, written out; the operator's if left out."""
    metricsPropertiesFile: str
    """metrics.properties, a file in the image."""
    prometheus: Prometheus
    """For Prometheus."""


class RestartPolicy(TypedDict, total=False):
    """When an application is started again."""

    onFailureRetries: Annotated[Int32, Minimum(0)]
    """Times that a failed application is started again, with OnFailure."""
    onFailureRetryInterval: Annotated[Int64, Minimum(1)]
    """Seconds to wait before that, multiplied by the number of tries."""
    onSubmissionFailureRetries: Annotated[Int32, Minimum(0)]
    """Times that a failed submission is tried again, with OnFailure."""
    onSubmissionFailureRetryInterval: Annotated[Int64, Minimum(1)]
    """Seconds to wait before that, multiplied by the number of tries."""
    type: Literal["Never", "Always", "OnFailure"]
    """Never, Always or OnFailure."""


class SparkUIOptions(TypedDict, total=False):
    """Way to the driver's web page."""

    ingressAnnotations: dict[str, str]
    """Annotations of the Ingress."""
    ingressTLS: list[networking_v1.IngressTLS]
    """TLS of the Ingress."""
    serviceAnnotations: dict[str, str]
    """Annotations of the Service."""
    serviceLabels: dict[str, str]
    """Labels of the Service."""
    servicePort: Int32
    """Port of the Service."""
    servicePortName: str
    """Name of the port."""
    serviceType: str
    """Type of the Service; ClusterIP if left out."""


class SparkApplicationSpec(TypedDict, total=False):
    """A Spark program with its driver and executors."""

    arguments: list[str]
    """Arguments of the program."""
    batchScheduler: str
    """Gang scheduler: volcano, yunikorn or kube-scheduler; none if left out."""
    batchSchedulerOptions: BatchSchedulerOptions
    """Its queue and priority."""
    deps: Deps
    """What the program needs beside its image."""
    driver: Required[Driver]
    """The driver's pod."""
    driverIngressOptions: list[DriverIngressOption]
    """Ways from outside to ports of the driver."""
    dynamicAllocation: DynamicAllocation
    """Executors come and go with the work."""
    executor: Required[Executor]
    """The executors' pods."""
    failureRetries: Int32
    """Not read any more; see restartPolicy."""
    hadoopConf: dict[str, str]
    """Settings of Hadoop; the operator writes spark.hadoop. before them."""
    hadoopConfigMap: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with Hadoop's files (core-site.xml), mounted in all pods."""
    image: str
    """Image of driver and executors."""
    imagePullPolicy: str
    """When images are pulled."""
    imagePullSecrets: list[Annotated[str, Ref("Secret", weak=True)]]
    """Secrets to pull images with."""
    mainApplicationFile: Required[str]
    """The program: local:///… is a file in the image."""
    mainClass: str
    """Class to start, for Java and Scala."""
    memoryOverheadFactor: str
    """Share of memory that is added for what is not the Java machine's; 0.1, or 0.4 without Java, if left out."""
    mode: Literal["cluster", "client"]
    """cluster: the driver is a pod; client: it runs where it is submitted."""
    monitoring: Monitoring
    """Metrics."""
    nodeSelector: dict[str, str]
    """Labels of nodes that all pods run on; not beside the pods' own fields."""
    proxyUser: str
    """Hadoop user in whose name the program runs."""
    pythonVersion: Literal["2", "3"]
    """Python of the program: 2 or 3."""
    restartPolicy: RestartPolicy
    """When it is started again; never if left out."""
    retryInterval: Int64
    """Not read any more; see restartPolicy."""
    sparkConf: dict[str, str]
    """Settings of Spark; those that fields of this object set go before them."""
    sparkConfigMap: Annotated[str, Ref("ConfigMap")]
    """ConfigMap with Spark's files (spark-env.sh, log4j.properties), mounted in all pods."""
    sparkUIOptions: SparkUIOptions
    """Way to the driver's web page."""
    sparkVersion: Required[str]
    """Version of Spark in the image."""
    suspend: bool
    """True: it does not run; Kueue sets it to hold an application back until there is room."""
    timeToLiveSeconds: Int64
    """Seconds after its end when it is removed; never if left out."""
    type: Required[Literal["Java", "Python", "Scala", "R"]]
    """Python, Java, Scala or R."""
    volumes: list[core_v1.Volume]
    """Volumes that pods may mount."""


class ScheduledSparkApplicationSpec(TypedDict, total=False):
    """A Spark program that runs on a schedule."""

    concurrencyPolicy: str
    """What happens when the last run is not over: Allow (the default), Forbid or Replace."""
    failedRunHistoryLimit: Int32
    """Failed runs that are kept; 1 if left out."""
    schedule: Required[str]
    """When it runs, in cron's notation or as @every 10m."""
    successfulRunHistoryLimit: Int32
    """Successful runs that are kept; 1 if left out."""
    suspend: bool
    """True: no new runs."""
    template: Required[SparkApplicationSpec]
    """The program."""
    timeZone: str
    """Time zone of the schedule, such as Europe/Berlin; the operator's if left out."""


class ScheduledSparkApplicationStatus(TypedDict, total=False):
    """What the operator reports."""

    lastRun: Nullable[Time]
    lastRunName: str
    nextRun: Nullable[Time]
    pastFailedRunNames: list[str]
    pastSuccessfulRunNames: list[str]
    reason: str
    scheduleState: str


class ApplicationState(TypedDict, total=False):
    """How the application is."""

    errorMessage: str
    state: Required[str]


class DriverInfo(TypedDict, total=False):
    """Where the driver is."""

    podName: str
    webUIAddress: str
    webUIIngressAddress: str
    webUIIngressName: str
    webUIPort: Int32
    webUIServiceName: str


class SparkApplicationStatus(TypedDict, total=False):
    """What the operator reports."""

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
    """The pods that do the work."""

    cores: Annotated[Int32, Minimum(1)]
    """CPU cores of each."""
    instances: Annotated[Int32, Minimum(0)]
    """Number of executors."""
    memory: str
    """Memory of the Java machine, such as 512m."""
    template: OpenObject
    """Pod template that the other fields are put into."""


class ServiceMetadata(TypedDict, total=False):
    """Name and labels of a Service."""

    annotations: dict[str, str]
    """Annotations of the Service."""
    finalizers: list[str]
    """Not used."""
    labels: dict[str, str]
    """Labels of the Service."""
    name: str
    """Name of the Service; <server>-server if left out."""
    namespace: str
    """Not used."""


class IngressPort(TypedDict, total=False):
    """A port of a load balancer."""

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
    """An address of a load balancer."""

    hostname: str
    ip: str
    ipMode: str
    ports: Annotated[list[IngressPort], ListType("atomic")]


class LoadBalancer(TypedDict, total=False):
    """The load balancer of a Service."""

    ingress: Annotated[list[Ingress], ListType("atomic")]


class ServiceStatus(TypedDict, total=False):
    """Not used here."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    loadBalancer: LoadBalancer


class Service(TypedDict, total=False):
    """The Service that clients reach the server by."""

    apiVersion: str
    """v1."""
    kind: str
    """Service."""
    metadata: ServiceMetadata
    """Its name and labels."""
    spec: core_v1.ServiceSpec
    """Its ports and type."""
    status: ServiceStatus
    """Not used."""


class Server(TypedDict, total=False):
    """The pod that clients connect to."""

    cores: Annotated[Int32, Minimum(1)]
    """CPU cores."""
    memory: str
    """Memory of the Java machine, such as 512m."""
    service: Service
    """The Service that clients reach it by."""
    template: OpenObject
    """Pod template that the other fields are put into."""


class SparkConnectSpec(TypedDict, total=False):
    """A Spark Connect server that clients send their work to."""

    dynamicAllocation: DynamicAllocation
    """Executors come and go with the work."""
    executor: Required[SparkConnectExecutor]
    """The executors' pods."""
    hadoopConf: dict[str, str]
    """Settings of Hadoop; the operator writes spark.hadoop. before them."""
    image: str
    """Image of server and executors."""
    server: Required[Server]
    """The server's pod."""
    sparkConf: dict[str, str]
    """Settings of Spark."""
    sparkVersion: Required[str]
    """Version of Spark in the image."""


class SparkConnectStatusServer(TypedDict, total=False):
    """Where the server is."""

    podIp: str
    podName: str
    serviceName: str


class SparkConnectStatus(TypedDict, total=False):
    """What the operator reports."""

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
    references={
        "spec.template.driver.template": "PodTemplateSpec",
        "spec.template.executor.template": "PodTemplateSpec",
        "spec.template.driverIngressOptions[].ingressTLS[].secretName": Ref("Secret", weak=True),
        "spec.template.sparkUIOptions.ingressTLS[].secretName": Ref("Secret", weak=True),
    },
    doc="A Spark program that runs on a schedule.",
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
    references={
        "spec.driver.template": "PodTemplateSpec",
        "spec.executor.template": "PodTemplateSpec",
        "spec.driverIngressOptions[].ingressTLS[].secretName": Ref("Secret", weak=True),
        "spec.sparkUIOptions.ingressTLS[].secretName": Ref("Secret", weak=True),
    },
    doc="A Spark program with its driver and executors.",
    health=StateHealth("status.applicationState.state", ready=("COMPLETED",), failed=("FAILED", "SUBMISSION_FAILED")),
    suspended_by="spec.suspend",
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
    references={"spec.executor.template": "PodTemplateSpec", "spec.server.template": "PodTemplateSpec"},
    makes=(Makes("Service", "spec.server.service.metadata.name"),),
    doc="A Spark Connect server that clients send their work to.",
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
