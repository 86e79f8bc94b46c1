"""KServe 0.16: LLMInferenceService and its presets."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1
from platform_def.apis.core.pull_secret import ImagePullSecret
from platform_def.apis.gateway_api import inference_v1alpha2
from platform_def.apis.kserve import llm_route_v1alpha1 as kserve_llm_route_v1alpha1
from platform_def.crds.health import Health
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    AnyValue,
    Default,
    Int32,
    Int64,
    ListMap,
    ListType,
    MapType,
    Maximum,
    MaxLength,
    Minimum,
    MinLength,
    Pattern,
    Quantity,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict

Namespace = Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


class Lora(TypedDict, total=False):
    """Adapters served beside the model."""

    adapters: AnyValue
    """The adapters, each in the form of a model."""


class Model(TypedDict, total=False):
    """The model."""

    criticality: Literal["Critical", "Standard", "Sheddable"]
    """What happens when there is too much to do: Critical comes first, Sheddable is refused."""
    lora: Lora
    """Adapters served beside the model."""
    name: str
    """Name that requests carry; the service's own if left out."""
    uri: Required[str]
    """Where the model is: `hf://…`, `pvc://claim/path`, `s3://…`, `oci://…`."""


class Parallelism(TypedDict, total=False):
    """How one replica is spread over GPUs and nodes."""

    data: Annotated[Int32, Minimum(1)]
    """Copies that share the work of a replica."""
    dataLocal: Annotated[Int32, Minimum(1)]
    """Copies on one node; data divided by it gives the pods of a replica."""
    dataRPCPort: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Port by which copies talk to each other."""
    expert: bool
    """Whether the experts of a mixture model are spread over the GPUs."""
    pipeline: Annotated[Int32, Minimum(1)]
    """Parts that the layers are split into."""
    tensor: Annotated[Int32, Minimum(1)]
    """Parts that each layer is split into: GPUs of one pod."""


class Os(TypedDict, total=False):
    """Operating system of the pod."""

    name: Required[str]
    """linux or windows."""


class Pod(TypedDict, total=False):
    """A pod, as in Kubernetes."""

    activeDeadlineSeconds: Int64
    affinity: core_v1.Affinity
    automountServiceAccountToken: bool
    containers: Annotated[list[core_v1.Container], ListMap("name")]
    dnsConfig: core_v1.PodDNSConfig
    dnsPolicy: str
    enableServiceLinks: bool
    ephemeralContainers: Annotated[list[core_v1.EphemeralContainer], ListMap("name")]
    hostAliases: Annotated[list[core_v1.HostAlias], ListMap("ip")]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    hostUsers: bool
    hostname: str
    imagePullSecrets: Annotated[list[ImagePullSecret], ListMap("name")]
    initContainers: Annotated[list[core_v1.Container], ListMap("name")]
    nodeName: str
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    os: Os
    overhead: dict[str, Quantity]
    preemptionPolicy: str
    priority: Int32
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    readinessGates: Annotated[list[core_v1.PodReadinessGate], ListType("atomic")]
    resourceClaims: Annotated[list[core_v1.PodResourceClaim], ListMap("name")]
    resources: core_v1.ResourceRequirements
    restartPolicy: str
    runtimeClassName: Annotated[str, Ref("RuntimeClass", group="node.k8s.io")]
    schedulerName: str
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], ListMap("name")]
    securityContext: core_v1.PodSecurityContext
    serviceAccount: Annotated[str, Ref("ServiceAccount")]
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    setHostnameAsFQDN: bool
    shareProcessNamespace: bool
    subdomain: str
    terminationGracePeriodSeconds: Int64
    tolerations: Annotated[list[core_v1.Toleration], ListType("atomic")]
    topologySpreadConstraints: Annotated[
        list[core_v1.TopologySpreadConstraint], ListMap("topologyKey", "whenUnsatisfiable")
    ]
    volumes: Annotated[list[core_v1.Volume], ListMap("name")]


class Prefill(TypedDict, total=False):
    """Pods of their own for reading prompts, apart from those that write answers."""

    parallelism: Parallelism
    """How one of their replicas is spread."""
    replicas: Annotated[Int32, Minimum(0)]
    """How many replicas there are; 1 if left out."""
    template: Pod
    """Their pod; a preset's if left out."""
    worker: Pod
    """Further pods of one replica, where it needs several nodes."""


class GatewayRef(TypedDict, total=False):
    """A Gateway."""

    name: Annotated[
        str, MaxLength(253), MinLength(1), Ref("Gateway", group="gateway.networking.k8s.io", namespace="namespace")
    ]
    """Its name."""
    namespace: Namespace
    """Its namespace; the service's own if left out."""


class Gateway(TypedDict, total=False):
    """Gateways by which requests come in; the default one if empty."""

    refs: list[GatewayRef]
    """The Gateways."""


class HttpRouteName(TypedDict, total=False):
    """An HTTPRoute of the same namespace."""

    name: Annotated[str, Default(""), Ref("HTTPRoute", group="gateway.networking.k8s.io")]


HttpRouteRef = Annotated[HttpRouteName, MapType("atomic")]


class PoolName(TypedDict, total=False):
    """An InferencePool of the same namespace."""

    name: Annotated[str, Default(""), Ref("InferencePool", group="inference.networking.x-k8s.io")]


PoolRef = Annotated[PoolName, MapType("atomic")]


class BaseName(TypedDict, total=False):
    """A preset of the same namespace, or of KServe's own."""

    name: Annotated[str, Default(""), Ref("LLMInferenceServiceConfig", group="serving.kserve.io", optional=True)]


BaseRef = Annotated[BaseName, MapType("atomic")]


class ConfigHttp(TypedDict, total=False):
    """The HTTPRoute; one is made if both are left out."""

    refs: list[HttpRouteRef]
    """HTTPRoutes that exist."""
    spec: kserve_llm_route_v1alpha1.ConfigRouteSpec
    """The HTTPRoute that is made."""


class ConfigRoute(TypedDict, total=False):
    """How requests are led to the pods."""

    http: ConfigHttp
    """By an HTTPRoute."""


class Pool(TypedDict, total=False):
    """The pods among which the scheduler picks."""

    ref: PoolRef
    """InferencePool that exists."""
    spec: inference_v1alpha2.InferencePoolSpec
    """The InferencePool that is made."""


class Scheduler(TypedDict, total=False):
    """Picks a pod for each request by load and cache; a preset's if empty."""

    pool: Pool
    """The pods among which it picks; one pool is made if left out."""
    template: Pod
    """Its own pod."""


class ConfigRouter(TypedDict, total=False):
    """How requests reach the pods; by a Service alone if left out."""

    gateway: Gateway
    """Gateways by which requests come in."""
    ingress: Gateway
    """Older Ingress, for clusters without Gateway API."""
    route: ConfigRoute
    """How requests are led to the pods."""
    scheduler: Scheduler
    """Picks a pod for each request."""


class LLMInferenceServiceConfigSpec(TypedDict, total=False):
    """A preset: what services that name it begin with."""

    baseRefs: list[BaseRef]
    """Presets below this one; later ones go before earlier ones."""
    model: Model
    """The model."""
    parallelism: Parallelism
    """How one replica is spread over GPUs and nodes."""
    prefill: Prefill
    """Pods of their own for reading prompts."""
    replicas: Annotated[Int32, Minimum(0)]
    """How many replicas there are."""
    router: ConfigRouter
    """How requests reach the pods."""
    template: Pod
    """The pod that serves; the container called main gets the model."""
    worker: Pod
    """Further pods of one replica, where it needs several nodes (LeaderWorkerSet)."""


class Http(TypedDict, total=False):
    """The HTTPRoute; one is made if both are left out."""

    refs: list[HttpRouteRef]
    """HTTPRoutes that exist."""
    spec: kserve_llm_route_v1alpha1.RouteSpec
    """The HTTPRoute that is made."""


class Route(TypedDict, total=False):
    """How requests are led to the pods."""

    http: Http
    """By an HTTPRoute."""


class Router(TypedDict, total=False):
    """How requests reach the pods; by a Service alone if left out."""

    gateway: Gateway
    """Gateways by which requests come in."""
    ingress: Gateway
    """Older Ingress, for clusters without Gateway API."""
    route: Route
    """How requests are led to the pods."""
    scheduler: Scheduler
    """Picks a pod for each request."""


class LLMInferenceServiceSpec(TypedDict, total=False):
    """A language model that is served, on one node or many."""

    baseRefs: list[BaseRef]
    """Presets that it begins with; later ones go before earlier ones, its own fields before all."""
    model: Model
    """The model."""
    parallelism: Parallelism
    """How one replica is spread over GPUs and nodes."""
    prefill: Prefill
    """Pods of their own for reading prompts; the others only write answers then."""
    replicas: Annotated[Int32, Minimum(0)]
    """How many replicas there are; 1 if left out."""
    router: Router
    """How requests reach the pods."""
    template: Pod
    """The pod that serves; the container called main gets the model. A preset's if left out."""
    worker: Pod
    """Further pods of one replica, where it needs several nodes (LeaderWorkerSet)."""


class Address(TypedDict, total=False):
    CACerts: str
    audience: str
    name: str
    url: str


class Condition(TypedDict, total=False):
    lastTransitionTime: str
    message: str
    reason: str
    severity: str
    status: Required[str]
    type: Required[str]


class LLMInferenceServiceStatus(TypedDict, total=False):
    address: Address
    addresses: list[Address]
    annotations: dict[str, str]
    conditions: list[Condition]
    observedGeneration: Int64
    url: str


LLM_INFERENCE_SERVICE = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LLMInferenceService",
    plural="llminferenceservices",
    spec=LLMInferenceServiceSpec,
    status=LLMInferenceServiceStatus,
    core="1.33",
    status_subresource=True,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        AGE,
        Column("URLs", ".status.addresses[*].url", priority=1),
    ),
    health=Health(ready=("Ready",)),
    doc="A language model that is served, on one node or many.",
)

LLM_INFERENCE_SERVICE_CONFIG = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LLMInferenceServiceConfig",
    plural="llminferenceserviceconfigs",
    spec=LLMInferenceServiceConfigSpec,
    core="1.33",
    doc="A preset for language models: what services that name it begin with.",
)

CRDS = (
    Definition((LLM_INFERENCE_SERVICE,), short_names=("llmisvc",)),
    Definition((LLM_INFERENCE_SERVICE_CONFIG,)),
)
