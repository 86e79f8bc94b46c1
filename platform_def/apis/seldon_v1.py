"""SeldonDeployment, as Seldon Core 1.17 and 1.18 serve it."""
# ruff: noqa: D101, UP013

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import autoscaling_v2, core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import Api, Definition, Scale
from platform_def.apis.schema import Int32, Int64, IntOrString, ListMap, MapType, Nullable, Quantity, Ref, Time


class ContainerResource(TypedDict, total=False):
    container: Required[str]
    name: Required[str]
    targetAverageUtilization: Int32
    targetAverageValue: Quantity


class External(TypedDict, total=False):
    metricName: Required[str]
    metricSelector: meta_v1.LabelSelector
    targetAverageValue: Quantity
    targetValue: Quantity


class Target(TypedDict, total=False):
    apiVersion: str
    kind: Required[str]
    name: Required[str]


class Object(TypedDict, total=False):
    averageValue: Quantity
    metricName: Required[str]
    selector: meta_v1.LabelSelector
    target: Required[Target]
    targetValue: Required[Quantity]


class Pods(TypedDict, total=False):
    metricName: Required[str]
    selector: meta_v1.LabelSelector
    targetAverageValue: Required[Quantity]


class Resource(TypedDict, total=False):
    name: Required[str]
    targetAverageUtilization: Int32
    targetAverageValue: Quantity


Metric = TypedDict(
    "Metric",
    {
        "containerResource": "ContainerResource",
        "external": "External",
        "object": "Object",
        "pods": "Pods",
        "resource": "Resource",
        "type": "Required[str]",
    },
    total=False,
)


class HpaSpec(TypedDict, total=False):
    maxReplicas: Required[Int32]
    metrics: list[Metric]
    metricsv2: list[autoscaling_v2.MetricSpec]
    minReplicas: Int32


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
    failureThreshold: Required[Int32]
    replicas: Required[Int32]


class AuthenticationRef(TypedDict, total=False):
    kind: str
    name: Required[str]


class Trigger(TypedDict, total=False):
    authenticationRef: AuthenticationRef
    metadata: Required[dict[str, str]]
    metricType: str
    name: str
    type: Required[str]


class KedaSpec(TypedDict, total=False):
    advanced: Advanced
    cooldownPeriod: Int32
    fallback: Fallback
    idleReplicaCount: Int32
    maxReplicaCount: Int32
    minReplicaCount: Int32
    pollingInterval: Int32
    triggers: Required[list[Trigger]]


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
    maxUnavailable: IntOrString
    minAvailable: IntOrString


class Os(TypedDict, total=False):
    name: Required[str]


class TopologySpreadConstraint(TypedDict, total=False):
    labelSelector: meta_v1.LabelSelector
    maxSkew: Required[Int32]
    minDomains: Int32
    topologyKey: Required[str]
    whenUnsatisfiable: Required[str]


class PredictorComponentSpec(TypedDict, total=False):
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
    imagePullSecrets: list[core_v1.LocalObjectReference]
    initContainers: list[core_v1.Container]
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: Os
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: str
    readinessGates: list[core_v1.PodReadinessGate]
    restartPolicy: str
    runtimeClassName: str
    schedulerName: str
    securityContext: core_v1.PodSecurityContext
    serviceAccount: str
    serviceAccountName: str
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: Int64
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: Annotated[list[TopologySpreadConstraint], ListMap("topologyKey", "whenUnsatisfiable")]
    volumes: list[core_v1.Volume]


class ComponentSpec(TypedDict, total=False):
    hpaSpec: HpaSpec
    kedaSpec: KedaSpec
    metadata: ComponentMetadata
    pdbSpec: PdbSpec
    replicas: Int32
    spec: PredictorComponentSpec


class EngineResources(TypedDict, total=False):
    limits: dict[str, Quantity]
    requests: dict[str, Quantity]


class Endpoint(TypedDict, total=False):
    grpcPort: Int32
    httpPort: Int32
    service_host: str
    service_port: Int32
    type: str


class Explainer(TypedDict, total=False):
    config: dict[str, str]
    containerSpec: core_v1.Container
    endpoint: Endpoint
    envSecretRefName: str
    initParameters: str
    modelUri: str
    replicas: Int32
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class Logger(TypedDict, total=False):
    mode: str
    url: str


class Parameter(TypedDict, total=False):
    name: Required[str]
    type: Required[str]
    value: Required[str]


class ChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildren(TypedDict, total=False):
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildrenChildrenChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildrenChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildrenChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class ChildrenChildren(TypedDict, total=False):
    children: list[ChildrenChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class Children(TypedDict, total=False):
    children: list[ChildrenChildren]
    endpoint: Endpoint
    envSecretRefName: str
    implementation: str
    logger: Logger
    methods: list[str]
    modelUri: str
    name: Required[str]
    parameters: list[Parameter]
    serviceAccountName: str
    storageInitializerImage: str
    type: str


class Graph(TypedDict, total=False):
    children: list[Children]
    """The steps behind it."""
    endpoint: Endpoint
    envSecretRefName: Annotated[str, Ref("Secret")]
    implementation: str
    """A server that Seldon brings, such as SKLEARN_SERVER."""
    logger: Logger
    methods: list[str]
    modelUri: str
    """Where the model is."""
    name: Required[str]
    """Name of the step; the container that is called so runs it."""
    parameters: list[Parameter]
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    storageInitializerImage: str
    type: str
    """MODEL, ROUTER, COMBINER, TRANSFORMER or OUTPUT_TRANSFORMER."""


class Ssl(TypedDict, total=False):
    certSecretName: str


class SvcOrchSpec(TypedDict, total=False):
    env: list[core_v1.EnvVar]
    replicas: Int32
    resources: core_v1.ResourceRequirements


class Predictor(TypedDict, total=False):
    annotations: dict[str, str]
    componentSpecs: list[ComponentSpec]
    """Pods with the steps' containers."""
    engineResources: EngineResources
    explainer: Explainer
    graph: Required[Graph]
    """What a request goes through."""
    labels: dict[str, str]
    name: Required[str]
    """Name of the variant."""
    progressDeadlineSeconds: Int32
    replicas: Int32
    """Pods of the variant."""
    shadow: bool
    """It gets a copy of all requests, and its answers are dropped."""
    ssl: Ssl
    svcOrchSpec: SvcOrchSpec
    traffic: Int32
    """Share of the requests in percent."""


class SeldonDeploymentSpec(TypedDict, total=False):
    annotations: dict[str, str]
    name: str
    """Name of the deployment in metrics."""
    oauth_key: str
    oauth_secret: str
    predictors: Required[list[Predictor]]
    """Variants that share the requests."""
    protocol: str
    """seldon, v2 or tensorflow."""
    replicas: Int32
    serverType: str
    transport: str
    """rest or grpc."""


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
    health=Health(ready=("Ready",)),
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
    health=Health(ready=("Ready",)),
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
    health=Health(ready=("Ready",)),
)

CRDS = (Definition((SELDON_DEPLOYMENT, SELDON_DEPLOYMENT_V1ALPHA2, SELDON_DEPLOYMENT_V1ALPHA3), short_names=("sdep",)),)
