"""SeldonDeployment, as Seldon Core 1.17 and 1.18 serve it."""
# ruff: noqa: D101, UP013

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.core import autoscaling_v2, core_v1, meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Definition, Scale
from platform_def.crds.schema import (
    Bare,
    Doc,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    MapType,
    Nullable,
    Quantity,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict


class ContainerResource(TypedDict, total=False):
    """Resources of one container."""

    container: Required[str]
    name: Required[str]
    targetAverageUtilization: Int32
    targetAverageValue: Quantity


class External(TypedDict, total=False):
    """A metric from outside the cluster."""

    metricName: Required[str]
    metricSelector: meta_v1.LabelSelector
    targetAverageValue: Quantity
    targetValue: Quantity


class Target(TypedDict, total=False):
    """The object that a metric describes."""

    apiVersion: str
    kind: Required[str]
    name: Required[Annotated[str, Ref("Service", kind_field="kind", group_field="apiVersion", weak=True)]]


class Object(TypedDict, total=False):
    """A metric of some object."""

    averageValue: Quantity
    metricName: Required[str]
    selector: meta_v1.LabelSelector
    target: Required[Target]
    targetValue: Required[Quantity]


class Pods(TypedDict, total=False):
    """A metric of the pods."""

    metricName: Required[str]
    selector: meta_v1.LabelSelector
    targetAverageValue: Required[Quantity]


class Resource(TypedDict, total=False):
    """Resources of the pods."""

    name: Required[str]
    targetAverageUtilization: Int32
    targetAverageValue: Quantity


Metric = TypedDict(
    "Metric",
    {
        "containerResource": 'Annotated[ContainerResource, Doc("Resources of one container.")]',
        "external": 'Annotated[External, Doc("A metric from outside the cluster.")]',
        "object": 'Annotated[Object, Doc("A metric of some object.")]',
        "pods": 'Annotated[Pods, Doc("A metric of the pods.")]',
        "resource": 'Annotated[Resource, Doc("Resources of the pods.")]',
        "type": 'Required[Annotated[str, Doc("Which of them it is.")]]',
    },
    total=False,
)


class HpaSpec(TypedDict, total=False):
    """Scaling by the HorizontalPodAutoscaler."""

    maxReplicas: Required[Int32]
    """Most pods."""
    metrics: list[Metric]
    """Metrics in the form of autoscaling/v2beta1."""
    metricsv2: list[autoscaling_v2.MetricSpec]
    """Metrics in the form of autoscaling/v2."""
    minReplicas: Int32
    """Fewest pods; 1 if left out."""


class Policy(TypedDict, total=False):
    periodSeconds: Required[Int32]
    type: Required[str]
    value: Required[Int32]


class ScaleDown(TypedDict, total=False):
    policies: list[Policy]
    selectPolicy: str
    stabilizationWindowSeconds: Int32


class Behavior(TypedDict, total=False):
    scaleDown: ScaleDown
    scaleUp: ScaleDown


class HorizontalPodAutoscalerConfig(TypedDict, total=False):
    behavior: Behavior


class Advanced(TypedDict, total=False):
    horizontalPodAutoscalerConfig: HorizontalPodAutoscalerConfig
    restoreToOriginalReplicaCount: bool


class Fallback(TypedDict, total=False):
    """Pods while KEDA gets no metric."""

    failureThreshold: Required[Int32]
    """Failures in a row that count."""
    replicas: Required[Int32]
    """Pods."""


class AuthenticationRef(TypedDict, total=False):
    """How KEDA logs in to a source of metrics."""

    kind: str
    """TriggerAuthentication (the default) or ClusterTriggerAuthentication."""
    name: Required[Annotated[str, Ref("TriggerAuthentication", group="keda.sh", kind_field="kind")]]
    """Its name."""


class Trigger(TypedDict, total=False):
    """A metric of KEDA."""

    authenticationRef: AuthenticationRef
    """Login to the source."""
    metadata: Required[dict[str, str]]
    """Settings of the trigger."""
    metricType: str
    """How the metric is compared."""
    name: str
    """Its name."""
    type: Required[str]
    """Its sort, such as prometheus."""


class KedaSpec(TypedDict, total=False):
    """Scaling by KEDA."""

    advanced: Advanced
    """Further settings."""
    cooldownPeriod: Int32
    """Seconds until it goes down to the fewest."""
    fallback: Fallback
    """Pods while it gets no metric."""
    idleReplicaCount: Int32
    """Pods while nothing triggers."""
    maxReplicaCount: Int32
    """Most pods."""
    minReplicaCount: Int32
    """Fewest pods."""
    pollingInterval: Int32
    """Seconds between looks."""
    triggers: Required[list[Trigger]]
    """Metrics."""


class ComponentMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    clusterName: str
    creationTimestamp: Nullable[Time]
    deletionGracePeriodSeconds: Int64
    deletionTimestamp: Time
    finalizers: list[str]
    generateName: str
    generation: Int64
    labels: dict[str, str]
    name: str
    namespace: str
    ownerReferences: list[meta_v1.OwnerReference]
    resourceVersion: str
    selfLink: str
    uid: str


class PdbSpec(TypedDict, total=False):
    """Pods that must stay when nodes are drained."""

    maxUnavailable: IntOrString
    """Most that may go at once."""
    minAvailable: IntOrString
    """Fewest that stay."""


class Os(TypedDict, total=False):
    """Operating system of the pod."""

    name: Required[str]


class TopologySpreadConstraint(TypedDict, total=False):
    labelSelector: meta_v1.LabelSelector
    maxSkew: Required[Int32]
    minDomains: Int32
    topologyKey: Required[str]
    whenUnsatisfiable: Required[str]


class PullSecret(TypedDict, total=False):
    """A Secret with credentials of a registry."""

    name: Annotated[str, Ref("Secret", weak=True)]


ImagePullSecret = Annotated[PullSecret, MapType("atomic")]


class PredictorComponentSpec(TypedDict, total=False):
    """A pod, as in Kubernetes."""

    activeDeadlineSeconds: Int64
    affinity: core_v1.Affinity
    automountServiceAccountToken: bool
    containers: Required[list[core_v1.Container]]
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    ephemeralContainers: list[core_v1.EphemeralContainer]
    hostAliases: list[core_v1.HostAlias]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostname: str
    imagePullSecrets: list[ImagePullSecret]
    initContainers: list[core_v1.Container]
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: Os
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    readinessGates: list[core_v1.PodReadinessGate]
    restartPolicy: str
    runtimeClassName: Annotated[str, Ref("RuntimeClass", group="node.k8s.io")]
    schedulerName: str
    securityContext: core_v1.PodSecurityContext
    serviceAccount: Annotated[str, Ref("ServiceAccount")]
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: Annotated[list[TopologySpreadConstraint], ListMap("topologyKey", "whenUnsatisfiable")]
    volumes: list[core_v1.Volume]


class ComponentSpec(TypedDict, total=False):
    """A pod with containers of the graph, and how it scales."""

    hpaSpec: HpaSpec
    """Scaling by the HorizontalPodAutoscaler."""
    kedaSpec: KedaSpec
    """Scaling by KEDA."""
    metadata: ComponentMetadata
    """Labels, annotations and name of the pod."""
    pdbSpec: PdbSpec
    """Pods that must stay when nodes are drained."""
    replicas: Int32
    """Pods; the predictor's if left out."""
    spec: PredictorComponentSpec
    """The pod; a container bears the name of its step."""


class EngineResources(TypedDict, total=False):
    """Requests and limits."""

    limits: dict[str, Quantity]
    """Limits."""
    requests: dict[str, Quantity]
    """Requests."""


class Endpoint(TypedDict, total=False):
    """Where a step listens; Seldon picks it."""

    grpcPort: Int32
    """Port for gRPC."""
    httpPort: Int32
    """Port for HTTP."""
    service_host: str
    """Host."""
    service_port: Int32
    """Port, in the older form."""
    type: str
    """REST or GRPC, in the older form."""


class Explainer(TypedDict, total=False):
    """Says why an answer is what it is."""

    config: dict[str, str]
    """Settings, by name."""
    containerSpec: core_v1.Container
    """The container, where it is one's own."""
    endpoint: Endpoint
    """Where it listens."""
    envSecretRefName: Annotated[str, Ref("Secret")]
    """Secret with variables for fetching the explainer."""
    initParameters: str
    """Parameters for making it, as JSON."""
    modelUri: str
    """Where the explainer is."""
    replicas: Int32
    """Its pods."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount with rights to the explainer."""
    storageInitializerImage: str
    """Image that fetches it."""
    type: str
    """Sort of explainer, such as AnchorTabular."""


class Logger(TypedDict, total=False):
    """Where copies of requests and answers are sent."""

    mode: str
    """all, request or response."""
    url: str
    """Receiver of CloudEvents."""


class Parameter(TypedDict, total=False):
    """A parameter of the step's class."""

    name: Required[str]
    """Its name."""
    type: Required[str]
    """INT, FLOAT, DOUBLE, STRING or BOOL."""
    value: Required[str]
    """Its value, as text."""


class StepFields(TypedDict, total=False):
    """A step of the graph."""

    endpoint: Endpoint
    """Where the step listens."""
    envSecretRefName: Annotated[str, Ref("Secret")]
    """Secret with variables for fetching the model."""
    implementation: str
    """A server that Seldon brings, such as SKLEARN_SERVER; left out for a container of one's own."""
    logger: Logger
    """Where requests and answers are logged."""
    methods: list[str]
    """What the step does, where `type` does not say it."""
    modelUri: str
    """Where the model is: `s3://…`, `gs://…`, `pvc://claim/path`."""
    name: Required[str]
    """Name of the step; the container that is called so runs it."""
    parameters: list[Parameter]
    """Parameters of the step."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount with rights to the model."""
    storageInitializerImage: str
    """Image that fetches the model."""
    type: str
    """MODEL, ROUTER, COMBINER, TRANSFORMER or OUTPUT_TRANSFORMER."""


class Step10(StepFields, total=False):
    """A step of the graph, in whatever depth."""


class Step9(StepFields, total=False):
    children: list[Step10]


class Step8(StepFields, total=False):
    children: list[Step9]


class Step7(StepFields, total=False):
    children: list[Step8]


class Step6(StepFields, total=False):
    children: list[Step7]


class Step5(StepFields, total=False):
    children: list[Step6]


class Step4(StepFields, total=False):
    children: list[Step5]


class Step3(StepFields, total=False):
    children: list[Step4]


class Step2(StepFields, total=False):
    children: list[Step3]


class Step1(StepFields, total=False):
    children: list[Step2]


class Graph(StepFields, total=False):
    """The first step of the graph."""

    children: list[Annotated[Step1, Bare()]]
    """The steps behind it, ten deep; the same fields again."""


class Ssl(TypedDict, total=False):
    """TLS of the pods."""

    certSecretName: Annotated[str, Ref("Secret")]
    """Secret with the certificate."""


class SvcOrchSpec(TypedDict, total=False):
    """The orchestrator that leads requests through the graph."""

    env: list[core_v1.EnvVar]
    """Its environment variables."""
    replicas: Int32
    """Its pods, where they are its own."""
    resources: core_v1.ResourceRequirements
    """Its requests and limits."""


class Predictor(TypedDict, total=False):
    """A variant with its share of the requests."""

    annotations: dict[str, str]
    """Annotations of the pods."""
    componentSpecs: list[ComponentSpec]
    """Pods with the steps' containers."""
    engineResources: EngineResources
    """Older form of svcOrchSpec.resources."""
    explainer: Explainer
    """Explains answers."""
    graph: Required[Graph]
    """What a request goes through."""
    labels: dict[str, str]
    """Labels of the pods."""
    name: Required[str]
    """Name of the variant."""
    progressDeadlineSeconds: Int32
    """Seconds that a rollout may take."""
    replicas: Int32
    """Pods of the variant; 1 if left out."""
    shadow: bool
    """It gets a copy of all requests, and its answers are dropped."""
    ssl: Ssl
    """TLS of the pods."""
    svcOrchSpec: SvcOrchSpec
    """The orchestrator."""
    traffic: Int32
    """Share of the requests in percent."""


class SeldonDeploymentSpec(TypedDict, total=False):
    """A graph of models, in one or more variants."""

    annotations: dict[str, str]
    """Settings of Seldon (`seldon.io/…`) for all variants."""
    name: str
    """Name of the deployment in metrics."""
    oauth_key: str
    """No longer read."""
    oauth_secret: str
    """No longer read."""
    predictors: Required[list[Predictor]]
    """Variants that share the requests."""
    protocol: str
    """What is spoken: seldon, v2 or tensorflow."""
    replicas: Int32
    """Pods of each variant that says none."""
    serverType: str
    """rpc (the default) or kafka."""
    transport: str
    """rest or grpc; both if left out."""


class Address(TypedDict, total=False):
    url: str


class Condition(TypedDict, total=False):
    lastTransitionTime: str
    message: str
    reason: str
    severity: str
    status: Required[str]
    type: Required[str]


class DeploymentStatus(TypedDict, total=False):
    availableReplicas: Int32
    description: str
    explainerFor: str
    name: str
    replicas: Int32
    status: str


class ServiceStatus(TypedDict, total=False):
    explainerFor: str
    grpcEndpoint: str
    httpEndpoint: str
    svcName: str


class SeldonDeploymentStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    deploymentStatus: dict[str, DeploymentStatus]
    description: str
    observedGeneration: Int64
    replicas: Int32
    serviceStatus: dict[str, ServiceStatus]
    state: str


SELDON_DEPLOYMENT = Api(
    group="machinelearning.seldon.io",
    version="v1",
    kind="SeldonDeployment",
    plural="seldondeployments",
    spec=SeldonDeploymentSpec,
    status=SeldonDeploymentStatus,
    core="1.25",
    status_subresource=True,
    scale=Scale(spec=".spec.replicas", status=".status.replicas"),
    health=HealthConditions(ready=("Ready",)),
    doc="A graph of models, in one or more variants that share the requests.",
)

SELDON_DEPLOYMENT_V1ALPHA2 = Api(
    group="machinelearning.seldon.io",
    version="v1alpha2",
    kind="SeldonDeployment",
    plural="seldondeployments",
    spec=SeldonDeploymentSpec,
    status=SeldonDeploymentStatus,
    core="1.25",
    status_subresource=True,
    scale=Scale(spec=".spec.replicas", status=".status.replicas"),
    storage=False,
    health=HealthConditions(ready=("Ready",)),
    rules=(Bare(),),
)

SELDON_DEPLOYMENT_V1ALPHA3 = Api(
    group="machinelearning.seldon.io",
    version="v1alpha3",
    kind="SeldonDeployment",
    plural="seldondeployments",
    spec=SeldonDeploymentSpec,
    status=SeldonDeploymentStatus,
    core="1.25",
    status_subresource=True,
    scale=Scale(spec=".spec.replicas", status=".status.replicas"),
    storage=False,
    health=HealthConditions(ready=("Ready",)),
    rules=(Bare(),),
)

CRDS = (Definition((SELDON_DEPLOYMENT, SELDON_DEPLOYMENT_V1ALPHA2, SELDON_DEPLOYMENT_V1ALPHA3), short_names=("sdep",)),)
