"""External Secrets 2.9 (external-secrets.io): secrets that an outside store keeps.

Stores are typed for the providers that people write here; their CRDs, with all providers, come from data.
"""
# ruff: noqa: D101

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import Api, Column, DataSchema, Definition
from platform_def.apis.schema import (
    Bytes,
    Cel,
    Default,
    Int32,
    Int64,
    IntOrString,
    MaxLength,
    MaxProperties,
    MinItems,
    MinLength,
    MinProperties,
    Nullable,
    OpenObject,
    Pattern,
    Time,
)

SecretKey = Annotated[str, MaxLength(253), MinLength(1), Pattern("^[-._a-zA-Z0-9]+$")]
ApiVersion = Annotated[str, Default("generators.external-secrets.io/v1alpha1")]
Name2 = Annotated[
    str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
DeletionPolicy = Annotated[Literal["Delete", "Merge", "Retain"], Default("Retain")]
ConversionStrategy = Annotated[Literal["Default", "Unicode"], Default("Default")]
DecodingStrategy = Annotated[Literal["Auto", "Base64", "Base64URL", "None"], Default("None")]
Namespace = Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


class RemoteRef(TypedDict, total=False):
    conversionStrategy: Literal["Default", "Unicode"]
    decodingStrategy: Literal["Auto", "Base64", "Base64URL", "None"]
    key: Required[str]
    """Name of the entry in the store."""
    metadataPolicy: Literal["None", "Fetch"]
    nullBytePolicy: Literal["Ignore", "Fail"]
    property: str
    """A part of the entry."""
    version: str
    """A version of the entry."""


class GeneratorRef(TypedDict, total=False):
    apiVersion: ApiVersion
    kind: Required[
        Literal[
            "ACRAccessToken",
            "BeyondtrustWorkloadCredentialsDynamicSecret",
            "ClusterGenerator",
            "CloudsmithAccessToken",
            "ECRAuthorizationToken",
            "Fake",
            "GCRAccessToken",
            "GithubAccessToken",
            "GitlabDeployToken",
            "QuayAccessToken",
            "Password",
            "SSHKey",
            "STSSessionToken",
            "UUID",
            "VaultDynamicSecret",
            "Webhook",
            "Grafana",
            "MFA",
        ]
    ]
    name: Required[Name2]


class StoreRef(TypedDict, total=False):
    kind: Literal["SecretStore", "ClusterSecretStore"]
    name: Name2


class SourceRef(TypedDict, total=False):
    generatorRef: GeneratorRef
    storeRef: StoreRef


class Data(TypedDict, total=False):
    remoteRef: Required[RemoteRef]
    """Where its value is."""
    secretKey: Required[SecretKey]
    """Key in the Secret."""
    sourceRef: Annotated[SourceRef, MaxProperties(1), MinProperties(1)]


class Name(TypedDict, total=False):
    regexp: str


class Find(TypedDict, total=False):
    conversionStrategy: Literal["Default", "Unicode"]
    decodingStrategy: Literal["Auto", "Base64", "Base64URL", "None"]
    name: Name
    nullBytePolicy: Literal["Ignore", "Fail"]
    path: str
    tags: dict[str, str]


class Merge(TypedDict, total=False):
    conflictPolicy: Annotated[Literal["Ignore", "Error"], Default("Error")]
    into: Annotated[str, Default("")]
    priority: list[str]
    priorityPolicy: Annotated[Literal["IgnoreNotFound", "Strict"], Default("Strict")]
    strategy: Annotated[Literal["Extract", "JSON"], Default("Extract")]


class Regexp(TypedDict, total=False):
    source: Required[str]
    target: Required[str]


class Transform(TypedDict, total=False):
    template: Required[str]


class Rewrite(TypedDict, total=False):
    merge: Merge
    regexp: Regexp
    transform: Transform


class DataFrom(TypedDict, total=False):
    extract: RemoteRef
    find: Find
    rewrite: list[Annotated[Rewrite, MaxProperties(1), MinProperties(1)]]
    sourceRef: Annotated[SourceRef, MaxProperties(1), MinProperties(1)]


class Window(TypedDict, total=False):
    duration: Required[str]
    schedule: Required[
        Annotated[
            str,
            MinLength(1),
            Pattern(r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|@every [^\s]+.*|[^\s]+( [^\s]+){4})$"),
        ]
    ]


class SyncWindows(TypedDict, total=False):
    kind: Required[Literal["allow", "deny"]]
    windows: Required[Annotated[list[Window], MinItems(1)]]


class TargetManifest(TypedDict, total=False):
    apiVersion: Required[Annotated[str, MinLength(1)]]
    kind: Required[Annotated[str, MinLength(1)]]


class TargetTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]


class Item(TypedDict, total=False):
    key: Required[SecretKey]
    templateAs: Annotated[Literal["Values", "KeysAndValues"], Default("Values")]


class ConfigMap(TypedDict, total=False):
    items: Required[list[Item]]
    name: Required[Name2]


class TemplateFrom(TypedDict, total=False):
    configMap: ConfigMap
    literal: str
    secret: ConfigMap
    target: Annotated[str, Default("Data")]
    valuesDecodingStrategy: Literal["Auto", "Base64", "Base64URL", "None"]


class TargetTemplate(TypedDict, total=False):
    data: dict[str, str]
    engineVersion: Annotated[Literal["v2"], Default("v2")]
    mergePolicy: Annotated[Literal["Replace", "Merge"], Default("Replace")]
    metadata: TargetTemplateMetadata
    templateFrom: list[TemplateFrom]
    type: str


class Target(TypedDict, total=False):
    creationPolicy: Annotated[Literal["Owner", "Orphan", "Merge", "None", "CreateOrMerge"], Default("Owner")]
    """Owner, Orphan, Merge or None."""
    deletionPolicy: DeletionPolicy
    """What happens to the Secret when the value is gone, Retain, Delete or Merge."""
    immutable: bool
    manifest: TargetManifest
    name: Name2
    """Its name; the ExternalSecret's own if left out."""
    template: TargetTemplate
    """What the Secret looks like, made of the values."""


class ExternalSecretSpec(TypedDict, total=False):
    data: list[Data]
    """Keys of the Secret, one by one."""
    dataFrom: list[DataFrom]
    """All keys of entries, or of all entries that fit."""
    refreshInterval: Annotated[str, Default("1h0m0s")]
    """How often the values are read again, such as 1h."""
    refreshPolicy: Literal["CreatedOnce", "Periodic", "OnChange"]
    """CreatedOnce, Periodic or OnChange."""
    secretStoreRef: StoreRef
    """Store that holds the values."""
    syncWindows: SyncWindows
    target: Annotated[Target, Default({"creationPolicy": "Owner", "deletionPolicy": "Retain"})]
    """The Secret that is written."""


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[Literal["Ready", "Deleted"]]


class ExternalSecretStatus(TypedDict, total=False):
    binding: core_v1.LocalObjectReference
    conditions: list[Condition]
    refreshTime: Nullable[Time]
    syncedResourceVersion: str


class DataRemoteRef(TypedDict, total=False):
    conversionStrategy: ConversionStrategy
    decodingStrategy: DecodingStrategy
    key: Required[str]
    metadataPolicy: Annotated[Literal["None", "Fetch"], Default("None")]
    property: str
    version: str


class SourceRefGeneratorRef(TypedDict, total=False):
    apiVersion: ApiVersion
    kind: Required[
        Literal[
            "ACRAccessToken",
            "ClusterGenerator",
            "ECRAuthorizationToken",
            "Fake",
            "GCRAccessToken",
            "GithubAccessToken",
            "QuayAccessToken",
            "Password",
            "SSHKey",
            "STSSessionToken",
            "UUID",
            "VaultDynamicSecret",
            "Webhook",
            "Grafana",
        ]
    ]
    name: Required[Name2]


class DataSourceRef(TypedDict, total=False):
    generatorRef: SourceRefGeneratorRef
    storeRef: StoreRef


class ExternalSecretV1beta1Data(TypedDict, total=False):
    remoteRef: Required[DataRemoteRef]
    secretKey: Required[SecretKey]
    sourceRef: Annotated[DataSourceRef, MaxProperties(1), MinProperties(1)]


class DataFromFind(TypedDict, total=False):
    conversionStrategy: ConversionStrategy
    decodingStrategy: DecodingStrategy
    name: Name
    path: str
    tags: dict[str, str]


class DataFromRewrite(TypedDict, total=False):
    regexp: Regexp
    transform: Transform


class ExternalSecretV1beta1DataFrom(TypedDict, total=False):
    extract: DataRemoteRef
    find: DataFromFind
    rewrite: list[Annotated[DataFromRewrite, MaxProperties(1), MinProperties(1)]]
    sourceRef: Annotated[DataSourceRef, MaxProperties(1), MinProperties(1)]


class ExternalSecretV1beta1TargetTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class TargetTemplateTemplateFrom(TypedDict, total=False):
    configMap: ConfigMap
    literal: str
    secret: ConfigMap
    target: Annotated[Literal["Data", "Annotations", "Labels"], Default("Data")]


class ExternalSecretV1beta1TargetTemplate(TypedDict, total=False):
    data: dict[str, str]
    engineVersion: Annotated[Literal["v2"], Default("v2")]
    mergePolicy: Annotated[Literal["Replace", "Merge"], Default("Replace")]
    metadata: ExternalSecretV1beta1TargetTemplateMetadata
    templateFrom: list[TargetTemplateTemplateFrom]
    type: str


class ExternalSecretV1beta1Target(TypedDict, total=False):
    creationPolicy: Annotated[Literal["Owner", "Orphan", "Merge", "None"], Default("Owner")]
    deletionPolicy: DeletionPolicy
    immutable: bool
    name: Name2
    template: ExternalSecretV1beta1TargetTemplate


class ExternalSecretV1beta1Spec(TypedDict, total=False):
    data: list[ExternalSecretV1beta1Data]
    dataFrom: list[ExternalSecretV1beta1DataFrom]
    refreshInterval: Annotated[str, Default("1h0m0s")]
    refreshPolicy: Literal["CreatedOnce", "Periodic", "OnChange"]
    secretStoreRef: StoreRef
    target: Annotated[ExternalSecretV1beta1Target, Default({"creationPolicy": "Owner", "deletionPolicy": "Retain"})]


class ExternalSecretV1beta1StatusCondition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class ExternalSecretV1beta1Status(TypedDict, total=False):
    binding: core_v1.LocalObjectReference
    conditions: list[ExternalSecretV1beta1StatusCondition]
    refreshTime: Nullable[Time]
    syncedResourceVersion: str


class SecretStoreCondition(TypedDict, total=False):
    namespaceRegexes: list[str]
    namespaceSelector: meta_v1.LabelSelector
    namespaces: list[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]]


class ServiceAccountRef(TypedDict, total=False):
    audiences: list[str]
    name: Required[Name2]
    namespace: Namespace


class Jwt(TypedDict, total=False):
    serviceAccountRef: ServiceAccountRef


class AccessKeyIDSecretRef(TypedDict, total=False):
    key: SecretKey
    name: Name2
    namespace: Namespace


class SecretRef(TypedDict, total=False):
    accessKeyIDSecretRef: AccessKeyIDSecretRef
    secretAccessKeySecretRef: AccessKeyIDSecretRef
    sessionTokenSecretRef: AccessKeyIDSecretRef


class Auth(TypedDict, total=False):
    jwt: Jwt
    secretRef: SecretRef


class SecretsManager(TypedDict, total=False):
    forceDeleteWithoutRecovery: bool
    recoveryWindowInDays: Int64


class SessionTag(TypedDict, total=False):
    key: Required[str]
    value: Required[str]


class Aws(TypedDict, total=False):
    additionalRoles: list[str]
    auth: Auth
    customSessionTags: Annotated[
        dict[str, str],
        Cel(
            "!('esoNamespace' in self) && !('esoStoreName' in self) && !('esoStoreKind' in self)",
            "esoNamespace, esoStoreName and esoStoreKind are set by the operator itself",
        ),
    ]
    externalID: str
    prefix: str
    region: Required[str]
    role: str
    secretsManager: SecretsManager
    service: Required[Literal["SecretsManager", "ParameterStore", "CertificateManager"]]
    sessionTags: list[SessionTag]
    sessionTagsPolicy: Annotated[Literal["None", "Simple", "Custom"], Default("None")]
    transitiveTagKeys: list[str]


class AuthSecretRef(TypedDict, total=False):
    clientCertificate: AccessKeyIDSecretRef
    clientId: AccessKeyIDSecretRef
    clientSecret: AccessKeyIDSecretRef
    tenantId: AccessKeyIDSecretRef


class CustomCloudConfig(TypedDict, total=False):
    activeDirectoryEndpoint: Required[str]
    keyVaultDNSSuffix: str
    keyVaultEndpoint: str
    resourceManagerEndpoint: str


class Azurekv(TypedDict, total=False):
    authSecretRef: AuthSecretRef
    authType: Annotated[Literal["ServicePrincipal", "ManagedIdentity", "WorkloadIdentity"], Default("ServicePrincipal")]
    customCloudConfig: CustomCloudConfig
    environmentType: Annotated[
        Literal["PublicCloud", "USGovernmentCloud", "ChinaCloud", "GermanCloud", "AzureStackCloud"],
        Default("PublicCloud"),
    ]
    identityId: str
    serviceAccountRef: ServiceAccountRef
    tenantId: str
    useAzureSDK: Annotated[bool, Default(False)]
    vaultUrl: Required[str]


class FakeData(TypedDict, total=False):
    key: Required[str]
    value: Required[str]
    version: str


class Fake(TypedDict, total=False):
    data: Required[list[FakeData]]
    validationResult: int


class GcpsmAuthSecretRef(TypedDict, total=False):
    secretAccessKeySecretRef: AccessKeyIDSecretRef


class WorkloadIdentity(TypedDict, total=False):
    clusterLocation: str
    clusterName: str
    clusterProjectID: str
    serviceAccountRef: Required[ServiceAccountRef]


class AwsCredentialsSecretRef(TypedDict, total=False):
    name: Required[Name2]
    namespace: Namespace


class AwsSecurityCredentials(TypedDict, total=False):
    awsCredentialsSecretRef: Required[AwsCredentialsSecretRef]
    region: Required[Annotated[str, MaxLength(50), MinLength(1), Pattern("^[a-z0-9-]+$")]]


class CredConfig(TypedDict, total=False):
    key: Required[SecretKey]
    name: Required[Name2]
    namespace: Namespace


class WorkloadIdentityFederation(TypedDict, total=False):
    audience: str
    awsSecurityCredentials: AwsSecurityCredentials
    credConfig: CredConfig
    externalTokenEndpoint: str
    gcpServiceAccountEmail: Annotated[str, MinLength(1), Pattern(r"^.*@.*\.iam\.gserviceaccount\.com$")]
    serviceAccountRef: ServiceAccountRef


class GcpsmAuth(TypedDict, total=False):
    secretRef: GcpsmAuthSecretRef
    workloadIdentity: WorkloadIdentity
    workloadIdentityFederation: WorkloadIdentityFederation


class Gcpsm(TypedDict, total=False):
    auth: GcpsmAuth
    location: str
    projectID: str
    secretVersionSelectionPolicy: Annotated[str, Default("LatestOrFail")]


class Cert(TypedDict, total=False):
    clientCert: Required[AccessKeyIDSecretRef]
    clientKey: Required[AccessKeyIDSecretRef]


class Token(TypedDict, total=False):
    bearerToken: Required[AccessKeyIDSecretRef]


class KubernetesAuth(TypedDict, total=False):
    cert: Cert
    serviceAccount: ServiceAccountRef
    token: Token


class CaProvider(TypedDict, total=False):
    key: SecretKey
    name: Required[Name2]
    namespace: Namespace
    type: Required[Literal["Secret", "ConfigMap"]]


class Server(TypedDict, total=False):
    caBundle: Bytes
    caProvider: CaProvider
    url: Annotated[str, Default("kubernetes.default")]


class Kubernetes(TypedDict, total=False):
    auth: Annotated[KubernetesAuth, MaxProperties(1), MinProperties(1)]
    authRef: AccessKeyIDSecretRef
    remoteNamespace: Annotated[
        str, Default("default"), MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    ]
    server: Server


class OnepasswordAuthSecretRef(TypedDict, total=False):
    connectTokenSecretRef: Required[AccessKeyIDSecretRef]


class OnepasswordAuth(TypedDict, total=False):
    secretRef: Required[OnepasswordAuthSecretRef]


class Onepassword(TypedDict, total=False):
    auth: Required[OnepasswordAuth]
    connectHost: Required[str]
    vaults: Required[dict[str, int]]


class AppRole(TypedDict, total=False):
    path: Required[Annotated[str, Default("approle")]]
    roleId: str
    roleRef: AccessKeyIDSecretRef
    secretRef: Required[AccessKeyIDSecretRef]


class AuthCert(TypedDict, total=False):
    clientCert: AccessKeyIDSecretRef
    path: Annotated[str, Default("cert")]
    secretRef: AccessKeyIDSecretRef
    vaultRole: str


class Gcp(TypedDict, total=False):
    location: str
    path: Annotated[str, Default("gcp")]
    projectID: str
    role: Required[str]
    secretRef: GcpsmAuthSecretRef
    serviceAccountRef: ServiceAccountRef
    workloadIdentity: WorkloadIdentity


class Iam(TypedDict, total=False):
    externalID: str
    jwt: Jwt
    path: str
    region: str
    role: str
    secretRef: SecretRef
    vaultAwsIamServerID: str
    vaultRole: Required[str]


class KubernetesServiceAccountToken(TypedDict, total=False):
    audiences: list[str]
    expirationSeconds: Int64
    serviceAccountRef: Required[ServiceAccountRef]


class AuthJwt(TypedDict, total=False):
    kubernetesServiceAccountToken: KubernetesServiceAccountToken
    path: Required[Annotated[str, Default("jwt")]]
    role: str
    secretRef: AccessKeyIDSecretRef


class AuthKubernetes(TypedDict, total=False):
    mountPath: Required[Annotated[str, Default("kubernetes")]]
    role: Required[str]
    secretRef: AccessKeyIDSecretRef
    serviceAccountRef: ServiceAccountRef


class Ldap(TypedDict, total=False):
    path: Required[Annotated[str, Default("ldap")]]
    secretRef: AccessKeyIDSecretRef
    username: Required[str]


class UserPass(TypedDict, total=False):
    path: Required[Annotated[str, Default("userpass")]]
    secretRef: AccessKeyIDSecretRef
    username: Required[str]


class VaultAuth(TypedDict, total=False):
    appRole: AppRole
    cert: AuthCert
    gcp: Gcp
    iam: Iam
    jwt: AuthJwt
    kubernetes: AuthKubernetes
    ldap: Ldap
    namespace: str
    tokenSecretRef: AccessKeyIDSecretRef
    userPass: UserPass


class CheckAndSet(TypedDict, total=False):
    required: bool


class Tls(TypedDict, total=False):
    certSecretRef: AccessKeyIDSecretRef
    keySecretRef: AccessKeyIDSecretRef


class Vault(TypedDict, total=False):
    auth: VaultAuth
    """How the operator proves who it is."""
    caBundle: Bytes
    caProvider: CaProvider
    checkAndSet: CheckAndSet
    forwardInconsistent: bool
    headers: dict[str, str]
    namespace: str
    path: str
    """Path of the key-value engine."""
    readYourWrites: bool
    server: Required[str]
    """Address of the server."""
    tls: Tls
    version: Annotated[Literal["v1", "v2"], Default("v2")]
    """Version of the key-value engine."""


class Ntlm(TypedDict, total=False):
    passwordSecret: Required[AccessKeyIDSecretRef]
    usernameSecret: Required[AccessKeyIDSecretRef]


class WebhookAuth(TypedDict, total=False):
    ntlm: Ntlm


class Result(TypedDict, total=False):
    jsonPath: str


class Secret(TypedDict, total=False):
    name: Required[str]
    secretRef: Required[AccessKeyIDSecretRef]


class Webhook(TypedDict, total=False):
    auth: Annotated[WebhookAuth, MaxProperties(1), MinProperties(1)]
    body: str
    caBundle: Bytes
    caProvider: CaProvider
    headers: dict[str, str]
    method: str
    result: Result
    secrets: list[Secret]
    timeout: str
    url: Required[str]


class Provider(TypedDict, total=False):
    akeyless: OpenObject
    aws: Aws
    """Secrets Manager or Parameter Store of AWS."""
    azurekv: Azurekv
    """Azure Key Vault."""
    barbican: OpenObject
    beyondtrust: OpenObject
    beyondtrustworkloadcredentials: OpenObject
    bitwardensecretsmanager: OpenObject
    chef: OpenObject
    cloudrusm: OpenObject
    conjur: OpenObject
    crd: OpenObject
    delinea: OpenObject
    doppler: OpenObject
    dvls: OpenObject
    fake: Fake
    """Values that stand right here, for tests."""
    fortanix: OpenObject
    gcpsm: Gcpsm
    """Google Secret Manager."""
    github: OpenObject
    gitlab: OpenObject
    ibm: OpenObject
    infisical: OpenObject
    keepersecurity: OpenObject
    kubernetes: Kubernetes
    """Secrets of another cluster or namespace."""
    nebiusmysterybox: OpenObject
    ngrok: OpenObject
    onboardbase: OpenObject
    onepassword: Onepassword
    """1Password Connect."""
    onepasswordSDK: OpenObject
    openBao: OpenObject
    oracle: OpenObject
    ovh: OpenObject
    passbolt: OpenObject
    passworddepot: OpenObject
    previder: OpenObject
    pulumi: OpenObject
    scaleway: OpenObject
    secretserver: OpenObject
    senhasegura: OpenObject
    vault: Vault
    """HashiCorp Vault."""
    volcengine: OpenObject
    webhook: Webhook
    """Any store with an HTTP API."""
    yandexcertificatemanager: OpenObject
    yandexlockbox: OpenObject


class RetrySettings(TypedDict, total=False):
    maxRetries: Int32
    retryInterval: str


class SecretStoreSpec(TypedDict, total=False):
    conditions: list[SecretStoreCondition]
    controller: str
    provider: Required[Annotated[Provider, MaxProperties(1), MinProperties(1)]]
    """The outside store, exactly one."""
    refreshInterval: IntOrString
    """Seconds between checks of the store itself."""
    retrySettings: RetrySettings


_DATA = Path(__file__).with_name("external_secrets_v1.json")

EXTERNAL_SECRET = Api(
    group="external-secrets.io",
    version="v1",
    kind="ExternalSecret",
    plural="externalsecrets",
    spec=ExternalSecretSpec,
    status=ExternalSecretStatus,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("StoreType", ".spec.secretStoreRef.kind"),
        Column("Store", ".spec.secretStoreRef.name"),
        Column("Refresh Interval", ".spec.refreshInterval"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Last Sync", ".status.refreshTime", type="date"),
    ),
    selectable=(".spec.secretStoreRef.name", ".spec.secretStoreRef.kind", ".spec.target.name", ".spec.refreshInterval"),
    health=Health(ready=("Ready",)),
)

EXTERNAL_SECRET_V1BETA1 = Api(
    group="external-secrets.io",
    version="v1beta1",
    kind="ExternalSecret",
    plural="externalsecrets",
    spec=ExternalSecretV1beta1Spec,
    status=ExternalSecretV1beta1Status,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("StoreType", ".spec.secretStoreRef.kind"),
        Column("Store", ".spec.secretStoreRef.name"),
        Column("Refresh Interval", ".spec.refreshInterval"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Last Sync", ".status.refreshTime", type="date"),
    ),
    served=False,
    storage=False,
    deprecated=True,
    health=Health(ready=("Ready",)),
)

SECRET_STORE = Api(
    group="external-secrets.io",
    version="v1",
    kind="SecretStore",
    plural="secretstores",
    spec=SecretStoreSpec,
    data=DataSchema(_DATA, "secretstores/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Capabilities", ".status.capabilities"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    health=Health(ready=("Ready",)),
)

SECRET_STORE_V1BETA1 = Api(
    group="external-secrets.io",
    version="v1beta1",
    kind="SecretStore",
    plural="secretstores",
    spec=dict[str, object],
    data=DataSchema(_DATA, "secretstores/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Capabilities", ".status.capabilities"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    served=False,
    storage=False,
    deprecated=True,
    health=Health(ready=("Ready",)),
)

CLUSTER_SECRET_STORE = Api(
    group="external-secrets.io",
    version="v1",
    kind="ClusterSecretStore",
    plural="clustersecretstores",
    namespaced=False,
    spec=SecretStoreSpec,
    data=DataSchema(_DATA, "clustersecretstores/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Capabilities", ".status.capabilities"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    health=Health(ready=("Ready",)),
)

CLUSTER_SECRET_STORE_V1BETA1 = Api(
    group="external-secrets.io",
    version="v1beta1",
    kind="ClusterSecretStore",
    plural="clustersecretstores",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clustersecretstores/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Capabilities", ".status.capabilities"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    served=False,
    storage=False,
    deprecated=True,
    health=Health(ready=("Ready",)),
)

CRDS = (
    Definition((EXTERNAL_SECRET, EXTERNAL_SECRET_V1BETA1), short_names=("es",), categories=("external-secrets",)),
    Definition((SECRET_STORE, SECRET_STORE_V1BETA1), short_names=("ss",), categories=("external-secrets",)),
    Definition(
        (CLUSTER_SECRET_STORE, CLUSTER_SECRET_STORE_V1BETA1), short_names=("css",), categories=("external-secrets",)
    ),
)
