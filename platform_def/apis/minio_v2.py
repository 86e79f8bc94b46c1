"""MinIO operator 7.1 (minio.min.io, sts.min.io)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import Cel, Int32, Int64, ListMap, MinLength, Nullable, Time

Servers = Annotated[Int32, Cel("self == oldSelf", "stays as it was created")]


class Application(TypedDict, total=False):
    namespace: Required[str]
    serviceaccount: Required[str]


class PolicyBindingSpec(TypedDict, total=False):
    application: Required[Application]
    policies: Required[list[str]]


class Usage(TypedDict, total=False):
    authotizations: Int64


class PolicyBindingStatus(TypedDict, total=False):
    currentState: Required[str]
    usage: Required[Nullable[Usage]]


class TenantScheduler(TypedDict, total=False):
    name: Required[str]


class Bucket(TypedDict, total=False):
    name: str
    objectLock: bool
    region: str


class CertConfig(TypedDict, total=False):
    commonName: str
    dnsNames: list[str]
    organizationName: list[str]


class ExposeServices(TypedDict, total=False):
    console: bool
    minio: bool


class ExternalCaCertSecret(TypedDict, total=False):
    name: Required[str]
    type: str


class Domains(TypedDict, total=False):
    console: str
    minio: list[str]


class Features(TypedDict, total=False):
    bucketDNS: bool
    domains: Domains
    enableSFTP: bool


class Kes(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    clientCertSecret: ExternalCaCertSecret
    containerSecurityContext: core_v1.SecurityContext
    env: list[core_v1.EnvVar]
    externalCertSecret: ExternalCaCertSecret
    gcpCredentialSecretName: str
    gcpWorkloadIdentityPool: str
    image: str
    imagePullPolicy: str
    kesSecret: Required[core_v1.LocalObjectReference]
    keyName: str
    labels: dict[str, str]
    nodeSelector: dict[str, str]
    replicas: Int32
    resources: core_v1.ResourceRequirements
    securityContext: core_v1.PodSecurityContext
    serviceAccountName: str
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: list[core_v1.TopologySpreadConstraint]


class Logging(TypedDict, total=False):
    anonymous: bool
    json: bool
    quiet: bool


class Pool(TypedDict, total=False):
    affinity: core_v1.Affinity
    annotations: dict[str, str]
    containerSecurityContext: core_v1.SecurityContext
    labels: dict[str, str]
    name: Required[Annotated[str, MinLength(1)]]
    nodeSelector: dict[str, str]
    resources: core_v1.ResourceRequirements
    runtimeClassName: str
    securityContext: core_v1.PodSecurityContext
    servers: Required[Servers]
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: list[core_v1.TopologySpreadConstraint]
    volumeClaimTemplate: Required[core_v1.PersistentVolumeClaim]
    volumesPerServer: Required[Servers]


class PoolsMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class ServiceMetadata(TypedDict, total=False):
    consoleServiceAnnotations: dict[str, str]
    consoleServiceLabels: dict[str, str]
    kesServiceAnnotations: dict[str, str]
    kesServiceLabels: dict[str, str]
    minioServiceAnnotations: dict[str, str]
    minioServiceLabels: dict[str, str]


class SideCars(TypedDict, total=False):
    containers: list[core_v1.Container]
    resources: core_v1.ResourceRequirements
    volumeClaimTemplates: list[core_v1.PersistentVolumeClaim]
    volumes: list[core_v1.Volume]


class TenantSpec(TypedDict, total=False):
    additionalVolumeMounts: list[core_v1.VolumeMount]
    additionalVolumes: list[core_v1.Volume]
    buckets: list[Bucket]
    certConfig: CertConfig
    certExpiryAlertThreshold: Int32
    configuration: core_v1.LocalObjectReference
    env: list[core_v1.EnvVar]
    exposeServices: ExposeServices
    externalCaCertSecret: list[ExternalCaCertSecret]
    externalCertSecret: list[ExternalCaCertSecret]
    externalClientCertSecret: ExternalCaCertSecret
    externalClientCertSecrets: list[ExternalCaCertSecret]
    features: Features
    image: str
    imagePullPolicy: str
    imagePullSecret: core_v1.LocalObjectReference
    initContainers: list[core_v1.Container]
    kes: Kes
    lifecycle: core_v1.Lifecycle
    liveness: core_v1.Probe
    logging: Logging
    mountPath: str
    podManagementPolicy: str
    pools: Required[Annotated[list[Pool], ListMap("name")]]
    poolsMetadata: PoolsMetadata
    priorityClassName: str
    prometheusOperator: bool
    prometheusOperatorScrapeMetricsPaths: list[str]
    readiness: core_v1.Probe
    requestAutoCert: bool
    serviceAccountName: str
    serviceMetadata: ServiceMetadata
    sideCars: SideCars
    startup: core_v1.Probe
    subPath: str
    users: list[core_v1.LocalObjectReference]


class Client(TypedDict, total=False):
    certName: str
    domains: list[str]
    expiresIn: str
    expiry: str
    serialNo: str


class CustomCertificates(TypedDict, total=False):
    client: list[Client]
    minio: list[Client]
    minioCAs: list[Client]


class Certificates(TypedDict, total=False):
    autoCertEnabled: Nullable[bool]
    customCertificates: Nullable[CustomCertificates]


class TenantStatusPool(TypedDict, total=False):
    legacySecurityContext: bool
    ssName: Required[str]
    state: Required[str]


class Tier(TypedDict, total=False):
    Name: Required[str]
    Type: str
    totalSize: Required[Int64]


class TenantStatusUsage(TypedDict, total=False):
    capacity: Int64
    rawCapacity: Int64
    rawUsage: Int64
    tiers: list[Tier]
    usage: Int64


class TenantStatus(TypedDict, total=False):
    availableReplicas: Required[Int32]
    certificates: Required[Nullable[Certificates]]
    currentState: Required[str]
    drivesHealing: Int32
    drivesOffline: Int32
    drivesOnline: Int32
    healthMessage: str
    healthStatus: str
    pools: Required[Nullable[list[TenantStatusPool]]]
    provisionedBuckets: bool
    provisionedUsers: bool
    revision: Required[Int32]
    syncVersion: Required[str]
    usage: TenantStatusUsage
    waitingOnReady: Time
    writeQuorum: Int32


class Tenant(TypedDict, total=False):
    scheduler: TenantScheduler
    spec: Required[TenantSpec]
    status: TenantStatus


POLICY_BINDING = Api(
    group="sts.min.io",
    version="v1beta1",
    kind="PolicyBinding",
    plural="policybindings",
    spec=PolicyBindingSpec,
    status=PolicyBindingStatus,
    status_subresource=True,
    columns=(Column("State", ".status.currentState"), AGE),
)

POLICY_BINDING_V1ALPHA1 = Api(
    group="sts.min.io",
    version="v1alpha1",
    kind="PolicyBinding",
    plural="policybindings",
    spec=PolicyBindingSpec,
    status=PolicyBindingStatus,
    status_subresource=True,
    columns=(Column("State", ".status.currentState"), AGE),
    storage=False,
)

TENANT = Api(
    group="minio.min.io",
    version="v2",
    kind="Tenant",
    plural="tenants",
    spec=TenantSpec,
    top=Tenant,
    core="1.32",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("State", ".status.currentState"), Column("Health", ".status.healthStatus"), AGE),
)

CRDS = (
    Definition((POLICY_BINDING_V1ALPHA1, POLICY_BINDING), short_names=("policybinding",)),
    Definition((TENANT,), short_names=("tenant",)),
)
