"""Knative Serving 1.23 (serving.knative.dev)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.core import core_v1
from platform_def.apis.core.pull_secret import ImagePullSecret
from platform_def.crds.health import READY, HealthConditions
from platform_def.crds.model import Api, Column, Definition, Makes
from platform_def.crds.schema import (
    Default,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    ListType,
    MapType,
    OpenObject,
    Preserve,
    Ref,
)
from platform_def.crds.typed_dict import TypedDict


class ConfigurationTemplateMetadata(TypedDict, total=False):
    """Labels and annotations of the revisions."""

    annotations: dict[str, str]
    """Annotations; `autoscaling.knative.dev/…` set the autoscaler."""
    finalizers: list[str]
    """Finalizers."""
    labels: dict[str, str]
    """Labels."""
    name: str
    """Name of the revision, beginning with the service's; made up if left out."""
    namespace: str
    """The service's own."""


class ValueFrom(TypedDict, total=False):
    """Where a variable's value comes from."""

    configMapKeyRef: core_v1.ConfigMapKeySelector
    """A key of a ConfigMap."""
    fieldRef: Annotated[OpenObject, MapType("atomic")]
    """A field of the pod; only where Knative allows it."""
    resourceFieldRef: Annotated[OpenObject, MapType("atomic")]
    """Resources of the container; only where Knative allows it."""
    secretKeyRef: core_v1.SecretKeySelector
    """A key of a Secret."""


class Env(TypedDict, total=False):
    """An environment variable."""

    name: Required[str]
    """Its name."""
    value: str
    """Its value."""
    valueFrom: ValueFrom
    """Where the value comes from."""


class Grpc(TypedDict, total=False):
    """A probe by gRPC's health service."""

    port: Int32
    """Port; the container's if left out."""
    service: Annotated[str, Default("")]
    """Service that is asked for."""


class HttpGet(TypedDict, total=False):
    """A probe by HTTP."""

    host: str
    """Host; the pod's address if left out."""
    httpHeaders: Annotated[list[core_v1.HTTPHeader], ListType("atomic")]
    """Headers of the probe."""
    path: str
    """Path."""
    port: IntOrString
    """Port; the container's if left out."""
    scheme: str
    """HTTP or HTTPS."""


class TcpSocket(TypedDict, total=False):
    """A probe by connecting."""

    host: str
    """Host; the pod's address if left out."""
    port: IntOrString
    """Port; the container's if left out."""


class LivenessProbe(TypedDict, total=False):
    """How the container's health is asked for."""

    exec: core_v1.ExecAction
    """Command that succeeds."""
    failureThreshold: Int32
    """Failures in a row that count."""
    grpc: Grpc
    """gRPC's health service."""
    httpGet: HttpGet
    """A request that succeeds."""
    initialDelaySeconds: Int32
    """Seconds until the first probe."""
    periodSeconds: Int32
    """Seconds between probes; 0 probes as often as Knative likes."""
    successThreshold: Int32
    """Successes in a row that count."""
    tcpSocket: TcpSocket
    """A connection that succeeds."""
    timeoutSeconds: Int32
    """Seconds that a probe may take."""


class Port(TypedDict, total=False):
    """The port that gets the requests."""

    containerPort: Int32
    """Its number; 8080 if left out."""
    name: str
    """http1 (the default) or h2c, for HTTP/2 and gRPC."""
    protocol: Annotated[str, Default("TCP")]
    """TCP."""


class SecurityContext(TypedDict, total=False):
    """User and rights of its processes."""

    allowPrivilegeEscalation: bool
    """Whether a process may gain rights."""
    capabilities: core_v1.Capabilities
    """Capabilities added and dropped."""
    privileged: bool
    """Runs as on the node itself; only where Knative allows it."""
    readOnlyRootFilesystem: bool
    """The image's files can't be changed."""
    runAsGroup: Int64
    """Group id."""
    runAsNonRoot: bool
    """Refuses to run as root."""
    runAsUser: Int64
    """User id."""
    seccompProfile: core_v1.SeccompProfile
    """System calls that are allowed."""


class VolumeMount(TypedDict, total=False):
    """A volume in the container."""

    mountPath: Required[str]
    """Where."""
    mountPropagation: str
    """Whether mounts made later are seen."""
    name: Required[str]
    """Name of the volume."""
    readOnly: bool
    """It can't be written to."""
    subPath: str
    """A folder of the volume instead of all."""


class Container(TypedDict, total=False):
    """A container of the pod."""

    args: Annotated[list[str], ListType("atomic")]
    """Arguments of the command."""
    command: Annotated[list[str], ListType("atomic")]
    """Program to run, instead of the image's own."""
    env: Annotated[list[Env], ListMap("name")]
    """Environment variables."""
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    """Environment variables from ConfigMaps and Secrets."""
    image: str
    """Image; its tag is resolved to a digest once, for each revision."""
    imagePullPolicy: str
    """When the image is pulled: Always, IfNotPresent or Never."""
    livenessProbe: LivenessProbe
    """How its health is asked for."""
    name: str
    """Its name; user-container if left out."""
    ports: list[Port]
    """The port that gets the requests; one container has one."""
    readinessProbe: LivenessProbe
    """How it is asked whether it takes requests; a connection if left out."""
    resources: core_v1.VolumeResourceRequirements
    """Requests and limits."""
    securityContext: SecurityContext
    """User and rights of its processes."""
    startupProbe: LivenessProbe
    """How its start is watched."""
    terminationMessagePath: str
    """File with its last words."""
    terminationMessagePolicy: str
    """Where its last words come from: the file, or the log too."""
    volumeMounts: Annotated[list[VolumeMount], ListMap("mountPath")]
    """Volumes in the container."""
    workingDir: str
    """Folder that it runs in."""


class Source(TypedDict, total=False):
    """One part of a projected volume."""

    configMap: core_v1.ConfigMapProjection
    """Files from a ConfigMap."""
    downwardAPI: core_v1.DownwardAPIProjection
    """Files from the pod's own fields."""
    secret: core_v1.SecretProjection
    """Files from a Secret."""
    serviceAccountToken: core_v1.ServiceAccountTokenProjection
    """A token of the ServiceAccount."""


class Projected(TypedDict, total=False):
    """A volume made of several parts."""

    defaultMode: Int32
    """Mode bits of its files."""
    sources: Annotated[list[Source], ListType("atomic")]
    """The parts."""


class Volume(TypedDict, total=False):
    """A volume that containers may mount."""

    configMap: core_v1.ConfigMapVolumeSource
    """Files from a ConfigMap."""
    csi: OpenObject
    """Of a CSI driver; only where Knative allows it."""
    emptyDir: OpenObject
    """An empty folder; only where Knative allows it."""
    ephemeral: OpenObject
    """A claim that lives as long as the pod; only where Knative allows it."""
    hostPath: OpenObject
    """A folder of the node; only where Knative allows it."""
    image: OpenObject
    """Files of an image; only where Knative allows it."""
    name: Required[str]
    """Its name."""
    persistentVolumeClaim: OpenObject
    """A claim; only where Knative allows it."""
    projected: Projected
    """Several of these in one."""
    secret: core_v1.SecretVolumeSource
    """Files from a Secret."""


class ConfigurationTemplateSpec(TypedDict, total=False):
    """A revision's pod, and how requests are given to it."""

    affinity: OpenObject
    """Where it may run; only where Knative allows it."""
    automountServiceAccountToken: bool
    """Whether the ServiceAccount's token is mounted."""
    containerConcurrency: Int64
    """Requests that one pod serves at once; 0, the default, for no limit."""
    containers: Required[list[Container]]
    """Its containers; one of them has a port and gets the requests."""
    dnsConfig: OpenObject
    """Name servers and search domains; only where Knative allows it."""
    dnsPolicy: str
    """Where names are looked up; only where Knative allows it."""
    enableServiceLinks: bool
    """Variables for the Services of the namespace; false if left out."""
    hostAliases: list[OpenObject]
    """Lines added to /etc/hosts; only where Knative allows it."""
    hostIPC: bool
    """Shares the node's IPC; only where Knative allows it."""
    hostNetwork: bool
    """Uses the node's network; only where Knative allows it."""
    hostPID: bool
    """Sees the node's processes; only where Knative allows it."""
    idleTimeoutSeconds: Int64
    """Seconds that an answer may pause."""
    imagePullSecrets: Annotated[list[ImagePullSecret], ListMap("name")]
    """Secrets for its images."""
    initContainers: list[OpenObject]
    """Containers that run first; only where Knative allows it."""
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    """Labels of nodes that it may run on; only where Knative allows it."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """Its priority; only where Knative allows it."""
    responseStartTimeoutSeconds: Int64
    """Seconds until the first byte of an answer."""
    runtimeClassName: Annotated[str, Ref("RuntimeClass", group="node.k8s.io")]
    """Runtime class, such as nvidia; only where Knative allows it."""
    schedulerName: str
    """Scheduler that places it; only where Knative allows it."""
    securityContext: OpenObject
    """User and rights of its processes; only where Knative allows it."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount of the pod."""
    shareProcessNamespace: bool
    """Its containers see each other's processes; only where Knative allows it."""
    timeoutSeconds: Int64
    """Seconds that a request may take; 300 if left out."""
    tolerations: list[OpenObject]
    """Taints that it tolerates; only where Knative allows it."""
    topologySpreadConstraints: list[OpenObject]
    """How pods are spread; only where Knative allows it."""
    volumes: Annotated[list[Volume], ListMap("name")]
    """Volumes that containers may mount."""


class ConfigurationTemplate(TypedDict, total=False):
    """What each revision is made from."""

    metadata: Annotated[ConfigurationTemplateMetadata, Preserve()]
    """Labels and annotations of the revision."""
    spec: ConfigurationTemplateSpec
    """Its pod."""


class ConfigurationSpec(TypedDict, total=False):
    """A pod of which each change becomes a revision."""

    template: ConfigurationTemplate
    """What each revision is made from."""


class Condition(TypedDict, total=False):
    lastTransitionTime: str
    message: str
    reason: str
    severity: str
    status: Required[str]
    type: Required[str]


class ConfigurationStatus(TypedDict, total=False):
    annotations: dict[str, str]
    conditions: list[Condition]
    latestCreatedRevisionName: str
    latestReadyRevisionName: str
    observedGeneration: Int64


class DomainMappingRef(TypedDict, total=False):
    """What a host name leads to."""

    address: str
    """Name of one of its addresses."""
    apiVersion: str
    """API version of the target."""
    group: str
    """API group, instead of apiVersion."""
    kind: Required[str]
    """Kind of the target."""
    name: Required[
        Annotated[
            str,
            Ref(
                "Service",
                group="serving.knative.dev",
                kind_field="kind",
                group_field="apiVersion",
                namespace="namespace",
            ),
        ]
    ]
    """Name of the target."""
    namespace: str
    """Its namespace, which is this one."""


class Tls(TypedDict, total=False):
    """The certificate of the host name."""

    secretName: Required[Annotated[str, Ref("Secret")]]
    """Secret with `tls.crt` and `tls.key`."""


class DomainMappingSpec(TypedDict, total=False):
    """A host name of one's own for a service; it is the object's name."""

    ref: Required[DomainMappingRef]
    """What the host name leads to."""
    tls: Tls
    """A certificate of one's own."""


class Address(TypedDict, total=False):
    CACerts: str
    audience: str
    name: str
    url: str


class DomainMappingStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    observedGeneration: Int64
    url: str


class ContainerStatus(TypedDict, total=False):
    imageDigest: str
    name: str


class RevisionStatus(TypedDict, total=False):
    actualReplicas: Int32
    annotations: dict[str, str]
    conditions: list[Condition]
    containerStatuses: list[ContainerStatus]
    desiredReplicas: Int32
    initContainerStatuses: list[ContainerStatus]
    logUrl: str
    observedGeneration: Int64


class Traffic(TypedDict, total=False):
    """One share of the requests."""

    configurationName: Annotated[str, Ref("Configuration", group="serving.knative.dev")]
    """Configuration whose newest ready revision gets them; only in a Route."""
    latestRevision: bool
    """Whether the newest ready revision gets them."""
    percent: Int64
    """The share; all shares are 100 together."""
    revisionName: Annotated[str, Ref("Revision", group="serving.knative.dev", optional=True)]
    """Revision that gets them."""
    tag: str
    """Name for a host name of its own."""
    url: str
    """Written by Knative."""


class RouteSpec(TypedDict, total=False):
    """Where requests of a host name go."""

    traffic: list[Traffic]
    """Shares of the requests."""


class RouteStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    observedGeneration: Int64
    traffic: list[Traffic]
    url: str


class ServiceSpec(TypedDict, total=False):
    """A service that grows with its requests, down to no pods at all."""

    template: ConfigurationTemplate
    """The pod; each change of it becomes a revision."""
    traffic: list[Traffic]
    """Shares of the requests by revision; all to the newest if left out."""


class ServiceStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    latestCreatedRevisionName: str
    latestReadyRevisionName: str
    observedGeneration: Int64
    traffic: list[Traffic]
    url: str


_VOLUMES = {
    "spec.volumes[].configMap.name": Ref("ConfigMap", optional="optional"),
    "spec.volumes[].secret.secretName": Ref("Secret", optional="optional"),
    "spec.volumes[].projected.sources[].configMap.name": Ref("ConfigMap", optional="optional"),
    "spec.volumes[].projected.sources[].secret.name": Ref("Secret", optional="optional"),
    "spec.volumes[].persistentVolumeClaim.claimName": Ref("PersistentVolumeClaim"),
}
_IN_TEMPLATE = {f"spec.template.{path}": ref for path, ref in _VOLUMES.items()}


CONFIGURATION = Api(
    group="serving.knative.dev",
    version="v1",
    kind="Configuration",
    plural="configurations",
    spec=ConfigurationSpec,
    status=ConfigurationStatus,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("LatestCreated", ".status.latestCreatedRevisionName"),
        Column("LatestReady", ".status.latestReadyRevisionName"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
    health=READY,
    references=_IN_TEMPLATE,
)

DOMAIN_MAPPING = Api(
    group="serving.knative.dev",
    version="v1beta1",
    kind="DomainMapping",
    plural="domainmappings",
    spec=DomainMappingSpec,
    status=DomainMappingStatus,
    status_subresource=True,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
    health=READY,
)

REVISION = Api(
    group="serving.knative.dev",
    version="v1",
    kind="Revision",
    plural="revisions",
    spec=ConfigurationTemplateSpec,
    status=RevisionStatus,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("Config Name", r".metadata.labels['serving\.knative\.dev/configuration']"),
        Column("Generation", r".metadata.labels['serving\.knative\.dev/configurationGeneration']"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        Column("Actual Replicas", ".status.actualReplicas", type="integer"),
        Column("Desired Replicas", ".status.desiredReplicas", type="integer"),
    ),
    health=HealthConditions(ready=("Ready",)),
    references=_VOLUMES,
)

ROUTE = Api(
    group="serving.knative.dev",
    version="v1",
    kind="Route",
    plural="routes",
    spec=RouteSpec,
    status=RouteStatus,
    status_subresource=True,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
    health=READY,
    makes=(Makes("Service"),),
)

SERVICE = Api(
    group="serving.knative.dev",
    version="v1",
    kind="Service",
    plural="services",
    spec=ServiceSpec,
    status=ServiceStatus,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("URL", ".status.url"),
        Column("LatestCreated", ".status.latestCreatedRevisionName"),
        Column("LatestReady", ".status.latestReadyRevisionName"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
    health=READY,
    doc="A service that grows with its requests, down to no pods at all, and keeps its revisions.",
    makes=(
        Makes("Service"),
        Makes("Configuration", group="serving.knative.dev"),
        Makes("Route", group="serving.knative.dev"),
    ),
    references=_IN_TEMPLATE,
)

CRDS = (
    Definition((CONFIGURATION,), short_names=("config", "cfg"), categories=("all", "knative", "serving")),
    Definition((DOMAIN_MAPPING,), short_names=("dm",), categories=("all", "knative", "serving")),
    Definition((REVISION,), short_names=("rev",), categories=("all", "knative", "serving")),
    Definition((ROUTE,), short_names=("rt",), categories=("all", "knative", "serving")),
    Definition((SERVICE,), short_names=("kservice", "ksvc"), categories=("all", "knative", "serving")),
)
