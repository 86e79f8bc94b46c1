"""Knative Serving 1.21 (serving.knative.dev)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.health import READY, Health
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import (
    Default,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    ListType,
    MapType,
    OpenObject,
    Preserve,
)


class ConfigurationTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class ValueFrom(TypedDict, total=False):
    configMapKeyRef: core_v1.ConfigMapKeySelector
    fieldRef: Annotated[OpenObject, MapType("atomic")]
    resourceFieldRef: Annotated[OpenObject, MapType("atomic")]
    secretKeyRef: core_v1.SecretKeySelector


class Env(TypedDict, total=False):
    name: Required[str]
    value: str
    valueFrom: ValueFrom


class Grpc(TypedDict, total=False):
    port: Int32
    service: Annotated[str, Default("")]


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
    grpc: Grpc
    httpGet: HttpGet
    initialDelaySeconds: Int32
    periodSeconds: Int32
    successThreshold: Int32
    tcpSocket: TcpSocket
    timeoutSeconds: Int32


class Port(TypedDict, total=False):
    containerPort: Int32
    name: str
    protocol: Annotated[str, Default("TCP")]


class SecurityContext(TypedDict, total=False):
    allowPrivilegeEscalation: bool
    capabilities: core_v1.Capabilities
    privileged: bool
    readOnlyRootFilesystem: bool
    runAsGroup: Int64
    runAsNonRoot: bool
    runAsUser: Int64
    seccompProfile: core_v1.SeccompProfile


class VolumeMount(TypedDict, total=False):
    mountPath: Required[str]
    mountPropagation: str
    name: Required[str]
    readOnly: bool
    subPath: str


class Container(TypedDict, total=False):
    args: Annotated[list[str], ListType("atomic")]
    command: Annotated[list[str], ListType("atomic")]
    env: Annotated[list[Env], ListMap("name")]
    envFrom: Annotated[list[core_v1.EnvFromSource], ListType("atomic")]
    image: str
    imagePullPolicy: str
    livenessProbe: LivenessProbe
    name: str
    ports: list[Port]
    readinessProbe: LivenessProbe
    resources: core_v1.VolumeResourceRequirements
    securityContext: SecurityContext
    startupProbe: LivenessProbe
    terminationMessagePath: str
    terminationMessagePolicy: str
    volumeMounts: Annotated[list[VolumeMount], ListMap("mountPath")]
    workingDir: str


class Source(TypedDict, total=False):
    configMap: core_v1.ConfigMapProjection
    downwardAPI: core_v1.DownwardAPIProjection
    secret: core_v1.SecretProjection
    serviceAccountToken: core_v1.ServiceAccountTokenProjection


class Projected(TypedDict, total=False):
    defaultMode: Int32
    sources: Annotated[list[Source], ListType("atomic")]


class Volume(TypedDict, total=False):
    configMap: core_v1.ConfigMapVolumeSource
    csi: OpenObject
    emptyDir: OpenObject
    hostPath: OpenObject
    image: OpenObject
    name: Required[str]
    persistentVolumeClaim: OpenObject
    projected: Projected
    secret: core_v1.SecretVolumeSource


class ConfigurationTemplateSpec(TypedDict, total=False):
    affinity: OpenObject
    automountServiceAccountToken: bool
    containerConcurrency: Int64
    containers: Required[list[Container]]
    dnsConfig: OpenObject
    dnsPolicy: str
    enableServiceLinks: bool
    hostAliases: list[OpenObject]
    hostIPC: bool
    hostNetwork: bool
    hostPID: bool
    idleTimeoutSeconds: Int64
    imagePullSecrets: Annotated[list[core_v1.LocalObjectReference], ListMap("name")]
    initContainers: list[OpenObject]
    nodeSelector: Annotated[dict[str, str], MapType("atomic")]
    priorityClassName: str
    responseStartTimeoutSeconds: Int64
    runtimeClassName: str
    schedulerName: str
    securityContext: OpenObject
    serviceAccountName: str
    shareProcessNamespace: bool
    timeoutSeconds: Int64
    tolerations: list[OpenObject]
    topologySpreadConstraints: list[OpenObject]
    volumes: Annotated[list[Volume], ListMap("name")]


class ConfigurationTemplate(TypedDict, total=False):
    metadata: Annotated[ConfigurationTemplateMetadata, Preserve()]
    spec: ConfigurationTemplateSpec


class ConfigurationSpec(TypedDict, total=False):
    template: ConfigurationTemplate


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
    address: str
    apiVersion: str
    group: str
    kind: Required[str]
    name: Required[str]
    namespace: str


class Tls(TypedDict, total=False):
    secretName: Required[str]


class DomainMappingSpec(TypedDict, total=False):
    ref: Required[DomainMappingRef]
    tls: Tls


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
    configurationName: str
    latestRevision: bool
    percent: Int64
    revisionName: str
    tag: str
    url: str


class RouteSpec(TypedDict, total=False):
    traffic: list[Traffic]


class RouteStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    observedGeneration: Int64
    traffic: list[Traffic]
    url: str


class ServiceSpec(TypedDict, total=False):
    template: ConfigurationTemplate
    """The pod, without what Knative sets itself."""
    traffic: list[Traffic]
    """Shares of the requests by revision."""


class ServiceStatus(TypedDict, total=False):
    address: Address
    annotations: dict[str, str]
    conditions: list[Condition]
    latestCreatedRevisionName: str
    latestReadyRevisionName: str
    observedGeneration: Int64
    traffic: list[Traffic]
    url: str


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
    health=Health(ready=("Ready",)),
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
)

CRDS = (
    Definition((CONFIGURATION,), short_names=("config", "cfg"), categories=("all", "knative", "serving")),
    Definition((DOMAIN_MAPPING,), short_names=("dm",), categories=("all", "knative", "serving")),
    Definition((REVISION,), short_names=("rev",), categories=("all", "knative", "serving")),
    Definition((ROUTE,), short_names=("rt",), categories=("all", "knative", "serving")),
    Definition((SERVICE,), short_names=("kservice", "ksvc"), categories=("all", "knative", "serving")),
)
