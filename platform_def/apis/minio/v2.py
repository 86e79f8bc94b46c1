"""MinIO operator 7.1 (minio.min.io, sts.min.io)."""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.core import core_v1
from platform_def.crds.health import StateHealth
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import Cel, Int32, Int64, ListMap, MinLength, Nullable, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Servers = Annotated[Int32, Cel("self == oldSelf", "stays as it was created")]


class Application(TypedDict, total=False):
    """A service account of some namespace."""

    namespace: Required[str]
    """Its namespace."""
    serviceaccount: Required[Annotated[str, Ref("ServiceAccount", namespace="namespace", weak=True)]]
    """Its name."""


class PolicyBindingSpec(TypedDict, total=False):
    """What pods with a service account may do in a tenant, without keys of their own."""

    application: Required[Application]
    """The service account."""
    policies: Required[list[str]]
    """Policies of MinIO that hold for it."""


class Usage(TypedDict, total=False):
    """Use of the binding."""

    authotizations: Int64


class PolicyBindingStatus(TypedDict, total=False):
    """What the operator reports."""

    currentState: Required[str]
    usage: Required[Nullable[Usage]]


class TenantScheduler(TypedDict, total=False):
    """Scheduler of a tenant's pods."""

    name: Required[str]
    """Name of the scheduler."""


class Bucket(TypedDict, total=False):
    """A bucket that is made with the tenant."""

    name: str
    """Name of the bucket."""
    objectLock: bool
    """True: its objects can be locked against being deleted."""
    region: str
    """Region of the bucket."""


class CertConfig(TypedDict, total=False):
    """What stands in certificates that the operator makes."""

    commonName: str
    """Common name."""
    dnsNames: list[str]
    """Further names."""
    organizationName: list[str]
    """Organisations."""


class ExposeServices(TypedDict, total=False):
    """Which Services get an address outside the cluster (type LoadBalancer)."""

    console: bool
    """The console."""
    minio: bool
    """The object store."""


class ExternalCaCertSecret(TypedDict, total=False):
    """A certificate in a Secret."""

    name: Required[Annotated[str, Ref("Secret")]]
    """Name of the Secret."""
    type: str
    """kubernetes.io/tls, cert-manager.io/v1, or Opaque with the keys public.crt and private.key."""


class Domains(TypedDict, total=False):
    """Names that a tenant is reached by."""

    console: str
    """Address of the console."""
    minio: list[str]
    """Names of the object store."""


class Features(TypedDict, total=False):
    """What a tenant has beside the object store."""

    bucketDNS: bool
    """Not used any more."""
    domains: Domains
    """Names that it is reached by."""
    enableSFTP: bool
    """True: objects are reached by SFTP, too."""


class Kes(TypedDict, total=False):
    """Server for encryption keys (KES)."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods the pods are near to or far from."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    clientCertSecret: ExternalCaCertSecret
    """Certificate that MinIO shows KES."""
    containerSecurityContext: core_v1.SecurityContext
    """User and rights of the container."""
    env: list[core_v1.EnvVar]
    """Environment of the container."""
    externalCertSecret: ExternalCaCertSecret
    """Certificate of KES; the operator makes one if left out."""
    gcpCredentialSecretName: Annotated[str, Ref("Secret")]
    """Secret with credentials for Google's key service."""
    gcpWorkloadIdentityPool: str
    """Workload identity pool for Google's key service."""
    image: str
    """Image of the pods; the operator's default if left out."""
    imagePullPolicy: str
    """When images are pulled."""
    kesSecret: Required[core_v1.LocalObjectReference]
    """Secret with the server's configuration."""
    keyName: str
    """Key that objects are encrypted with."""
    labels: dict[str, str]
    """Labels of the pods."""
    nodeSelector: dict[str, str]
    """Labels of nodes that the pods run on."""
    replicas: Int32
    """Number of pods."""
    resources: core_v1.ResourceRequirements
    """What each pod asks for."""
    securityContext: core_v1.PodSecurityContext
    """User, group and rights of the pods."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """Service account of the pods; one that the operator makes if left out."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    topologySpreadConstraints: list[core_v1.TopologySpreadConstraint]
    """How the pods are spread over nodes and zones."""


class Logging(TypedDict, total=False):
    """How the servers log."""

    anonymous: bool
    """True: names of objects and hosts are left out."""
    json: bool
    """True: as JSON."""
    quiet: bool
    """True: less at the start."""


class Pool(TypedDict, total=False):
    """A group of equal servers; a tenant grows by further pools."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods the pods are near to or far from."""
    annotations: dict[str, str]
    """Annotations of the pods."""
    containerSecurityContext: core_v1.SecurityContext
    """User and rights of the container."""
    labels: dict[str, str]
    """Labels of the pods."""
    name: Required[Annotated[str, MinLength(1)]]
    """Name of the pool."""
    nodeSelector: dict[str, str]
    """Labels of nodes that the pods run on."""
    resources: core_v1.ResourceRequirements
    """What each pod asks for."""
    runtimeClassName: Annotated[str, Ref("RuntimeClass", group="node.k8s.io")]
    """RuntimeClass of the pods."""
    securityContext: core_v1.PodSecurityContext
    """User, group and rights of the pods."""
    servers: Required[Servers]
    """Number of servers (pods)."""
    tolerations: list[core_v1.Toleration]
    """Taints of nodes that the pods put up with."""
    topologySpreadConstraints: list[core_v1.TopologySpreadConstraint]
    """How the pods are spread over nodes and zones."""
    volumeClaimTemplate: Required[core_v1.PersistentVolumeClaim]
    """The claim of each volume."""
    volumesPerServer: Required[Servers]
    """Volumes of each server."""


class PoolsMetadata(TypedDict, total=False):
    """Labels and annotations of all pools' StatefulSets."""

    annotations: dict[str, str]
    """Annotations."""
    labels: dict[str, str]
    """Labels."""


class ServiceMetadata(TypedDict, total=False):
    """Labels and annotations of a tenant's Services."""

    consoleServiceAnnotations: dict[str, str]
    """Annotations of the console's."""
    consoleServiceLabels: dict[str, str]
    """Labels of the console's."""
    kesServiceAnnotations: dict[str, str]
    """Annotations of KES'."""
    kesServiceLabels: dict[str, str]
    """Labels of KES'."""
    minioServiceAnnotations: dict[str, str]
    """Annotations of the object store's."""
    minioServiceLabels: dict[str, str]
    """Labels of the object store's."""


class SideCars(TypedDict, total=False):
    """Further containers of the servers' pods."""

    containers: list[core_v1.Container]
    """The containers."""
    resources: core_v1.ResourceRequirements
    """What the operator's own sidecar asks for."""
    volumeClaimTemplates: list[core_v1.PersistentVolumeClaim]
    """Claims for them."""
    volumes: list[core_v1.Volume]
    """Volumes for them."""


class TenantSpec(TypedDict, total=False):
    """An object store with its servers, buckets and users."""

    additionalVolumeMounts: list[core_v1.VolumeMount]
    """Where servers mount the further volumes."""
    additionalVolumes: list[core_v1.Volume]
    """Further volumes of the servers."""
    buckets: list[Bucket]
    """Buckets that are made with it."""
    certConfig: CertConfig
    """What stands in certificates that the operator makes."""
    certExpiryAlertThreshold: Int32
    """Days before its end at which a certificate is reported."""
    configuration: core_v1.LocalObjectReference
    """Secret whose key config.env holds the root user and further settings."""
    env: list[core_v1.EnvVar]
    """Environment of the container."""
    exposeServices: ExposeServices
    """Which Services get an address outside the cluster."""
    externalCaCertSecret: list[ExternalCaCertSecret]
    """Certificate authorities that servers trust beside their own."""
    externalCertSecret: list[ExternalCaCertSecret]
    """Certificates of the servers."""
    externalClientCertSecret: ExternalCaCertSecret
    """Certificate that the operator shows KES."""
    externalClientCertSecrets: list[ExternalCaCertSecret]
    """Further certificates for clients."""
    features: Features
    """What it has beside the object store."""
    image: str
    """Image of the pods; the operator's default if left out."""
    imagePullPolicy: str
    """When images are pulled."""
    imagePullSecret: core_v1.LocalObjectReference
    """Secret to pull images with."""
    initContainers: list[core_v1.Container]
    """Containers that run first."""
    kes: Kes
    """Server for encryption keys; none if left out."""
    lifecycle: core_v1.Lifecycle
    """What runs when a server starts and before it is stopped."""
    liveness: core_v1.Probe
    """Liveness probe of servers."""
    logging: Logging
    """How the servers log."""
    mountPath: str
    """Folder where volumes are mounted; /export if left out."""
    podManagementPolicy: str
    """Parallel or OrderedReady: whether servers start one by one; Parallel if left out."""
    pools: Required[Annotated[list[Pool], ListMap("name")]]
    """Groups of equal servers."""
    poolsMetadata: PoolsMetadata
    """Labels and annotations of all pools' StatefulSets."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the servers."""
    prometheusOperator: bool
    """True: the operator makes scrape settings for Prometheus operator."""
    prometheusOperatorScrapeMetricsPaths: list[str]
    """Paths of metrics beside the usual ones."""
    readiness: core_v1.Probe
    """Readiness probe of servers."""
    requestAutoCert: bool
    """False: no certificates are asked of Kubernetes, and without others there is no TLS; true if left out."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """Service account of the pods; one that the operator makes if left out."""
    serviceMetadata: ServiceMetadata
    """Labels and annotations of Services."""
    sideCars: SideCars
    """Further containers of the servers' pods."""
    startup: core_v1.Probe
    """Startup probe of servers."""
    subPath: str
    """Folder inside the volumes."""
    users: list[core_v1.LocalObjectReference]
    """Secrets with the keys CONSOLE_ACCESS_KEY and CONSOLE_SECRET_KEY, one for each user that is made."""


class Client(TypedDict, total=False):
    """A certificate."""

    certName: str
    domains: list[str]
    expiresIn: str
    expiry: str
    serialNo: str


class CustomCertificates(TypedDict, total=False):
    """Third-party certificates."""

    client: list[Client]
    minio: list[Client]
    minioCAs: list[Client]


class Certificates(TypedDict, total=False):
    """Certificates in use."""

    autoCertEnabled: Nullable[bool]
    customCertificates: Nullable[CustomCertificates]


class TenantStatusPool(TypedDict, total=False):
    """How a pool is."""

    legacySecurityContext: bool
    ssName: Required[str]
    state: Required[str]


class Tier(TypedDict, total=False):
    """Use of a tier."""

    Name: Required[str]
    Type: str
    totalSize: Required[Int64]


class TenantStatusUsage(TypedDict, total=False):
    """Use of the store."""

    capacity: Int64
    rawCapacity: Int64
    rawUsage: Int64
    tiers: list[Tier]
    usage: Int64


class TenantStatus(TypedDict, total=False):
    """What the operator reports."""

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
    """An object store and the scheduler of its pods."""

    scheduler: TenantScheduler
    """Scheduler of the pods; the cluster's if left out."""
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
    doc="What pods with a service account may do in a tenant, without keys of their own.",
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
    references={
        "spec.configuration.name": Ref("Secret"),
        "spec.users[].name": Ref("Secret"),
        "spec.imagePullSecret.name": Ref("Secret", weak=True),
        "spec.kes.kesSecret.name": Ref("Secret"),
    },
    doc="An object store with its servers, buckets and users.",
    makes=(Makes("Service", fixed="minio"),),
    health=StateHealth("status.healthStatus", ready=("green",), failed=("red",)),
)

CRDS = (
    Definition((POLICY_BINDING_V1ALPHA1, POLICY_BINDING), short_names=("policybinding",)),
    Definition((TENANT,), short_names=("tenant",)),
)
