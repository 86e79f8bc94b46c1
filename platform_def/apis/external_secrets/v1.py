"""External Secrets 2.9 (external-secrets.io): secrets that an outside store keeps.

Stores are typed for the providers that people write here; their CRDs, with all providers, come from data.
"""
# ruff: noqa: D101

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.external_secrets.names import store_names
from platform_def.crds.data import Kept
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Column, DataSchema, Definition, Makes
from platform_def.crds.schema import (
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
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

SecretKey = Annotated[str, MaxLength(253), MinLength(1), Pattern("^[-._a-zA-Z0-9]+$")]
ApiVersion = Annotated[str, Default("generators.external-secrets.io/v1alpha1")]
Name2 = Annotated[
    str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
]
DeletionPolicy = Annotated[Literal["Delete", "Merge", "Retain"], Default("Retain")]
ConversionStrategy = Annotated[Literal["Default", "Unicode"], Default("Default")]
DecodingStrategy = Annotated[Literal["Auto", "Base64", "Base64URL", "None"], Default("None")]
Namespace = Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


_GENERATOR = Ref("Password", group="generators.external-secrets.io", kind_field="kind", group_field="apiVersion")


class RemoteRef(TypedDict, total=False):
    """An entry of the store."""

    conversionStrategy: Literal["Default", "Unicode"]
    """How names become keys that a Secret allows."""
    decodingStrategy: Literal["Auto", "Base64", "Base64URL", "None"]
    """How the value is decoded: None (if left out), Base64, Base64URL or Auto."""
    key: Required[str]
    """Name of the entry in the store."""
    metadataPolicy: Literal["None", "Fetch"]
    """Fetch: the entry's labels instead of its value."""
    nullBytePolicy: Literal["Ignore", "Fail"]
    """Whether null bytes are an error."""
    property: str
    """A part of the entry, such as a field of its JSON; all if left out."""
    version: str
    """A version of the entry; the newest if left out."""


class GeneratorRef(TypedDict, total=False):
    """A generator that makes values up."""

    apiVersion: ApiVersion
    """API version of the generator."""
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
    """Kind of the generator, or ClusterGenerator."""
    name: Required[Annotated[Name2, _GENERATOR]]
    """Its name."""


class StoreRef(TypedDict, total=False):
    """The store that holds values."""

    kind: Literal["SecretStore", "ClusterSecretStore"]
    """SecretStore (the default) or ClusterSecretStore."""
    name: Annotated[Name2, Ref("SecretStore", group="external-secrets.io", kind_field="kind")]
    """Its name."""


class SourceRef(TypedDict, total=False):
    """Another place than the ExternalSecret's own store."""

    generatorRef: GeneratorRef
    """A generator."""
    storeRef: StoreRef
    """Another store."""


class Data(TypedDict, total=False):
    """One key of the Secret."""

    remoteRef: Required[RemoteRef]
    """Where its value is."""
    secretKey: Required[SecretKey]
    """Key in the Secret."""
    sourceRef: Annotated[SourceRef, MaxProperties(1), MinProperties(1)]
    """Another store for this key."""


class Name(TypedDict, total=False):
    """Entries by name."""

    regexp: str
    """Expression that names match (RE2)."""


class Find(TypedDict, total=False):
    """All entries that fit."""

    conversionStrategy: Literal["Default", "Unicode"]
    """How names become keys that a Secret allows."""
    decodingStrategy: Literal["Auto", "Base64", "Base64URL", "None"]
    """How values are decoded."""
    name: Name
    """By name."""
    nullBytePolicy: Literal["Ignore", "Fail"]
    """Whether null bytes are an error."""
    path: str
    """Only below this path."""
    tags: dict[str, str]
    """By tags, all of them."""


class Merge(TypedDict, total=False):
    """Several entries become one."""

    conflictPolicy: Annotated[Literal["Ignore", "Error"], Default("Error")]
    """What happens with equal keys: Error (the default) or Ignore."""
    into: Annotated[str, Default("")]
    """Key that gets the result, for JSON."""
    priority: list[str]
    """Entries that win, in order."""
    priorityPolicy: Annotated[Literal["IgnoreNotFound", "Strict"], Default("Strict")]
    """Whether an entry of that list may be missing."""
    strategy: Annotated[Literal["Extract", "JSON"], Default("Extract")]
    """Extract: keys side by side; JSON: one key that holds all."""


class Regexp(TypedDict, total=False):
    """A change of keys by regular expression."""

    source: Required[str]
    """What is looked for (RE2)."""
    target: Required[str]
    """What takes its place."""


class Transform(TypedDict, total=False):
    """A change of keys by template."""

    template: Required[str]
    """The template; `.value` is the key."""


class Rewrite(TypedDict, total=False):
    """A change of keys; one of them."""

    merge: Merge
    """Several entries become one."""
    regexp: Regexp
    """By regular expression."""
    transform: Transform
    """By template."""


class DataFrom(TypedDict, total=False):
    """Many keys of the Secret at once."""

    extract: RemoteRef
    """All fields of one entry."""
    find: Find
    """All entries that fit."""
    rewrite: list[Annotated[Rewrite, MaxProperties(1), MinProperties(1)]]
    """Changes of keys, in order."""
    sourceRef: Annotated[SourceRef, MaxProperties(1), MinProperties(1)]
    """Another store, or a generator, for these."""


class Window(TypedDict, total=False):
    """A time."""

    duration: Required[str]
    """How long it lasts (`1h`)."""
    schedule: Required[
        Annotated[
            str,
            MinLength(1),
            Pattern(r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|@every [^\s]+.*|[^\s]+( [^\s]+){4})$"),
        ]
    ]
    """When it begins, in cron form."""


class SyncWindows(TypedDict, total=False):
    """When values are read again, or are not."""

    kind: Required[Literal["allow", "deny"]]
    """allow or deny."""
    windows: Required[Annotated[list[Window], MinItems(1)]]
    """The times."""


class TargetManifest(TypedDict, total=False):
    """Another kind of object instead of a Secret."""

    apiVersion: Required[Annotated[str, MinLength(1)]]
    """Its API version."""
    kind: Required[Annotated[str, MinLength(1)]]
    """Its kind."""


class TargetTemplateMetadata(TypedDict, total=False):
    """Metadata of the Secret."""

    annotations: dict[str, str]
    """Annotations."""
    finalizers: list[str]
    """Finalizers."""
    labels: dict[str, str]
    """Labels."""


class Item(TypedDict, total=False):
    """A key with a template."""

    key: Required[SecretKey]
    """The key."""
    templateAs: Annotated[Literal["Values", "KeysAndValues"], Default("Values")]
    """Values: the template makes one value; KeysAndValues: several keys."""


class ConfigMap(TypedDict, total=False):
    """Templates in the keys of a ConfigMap."""

    items: Required[list[Item]]
    """The keys."""
    name: Required[Annotated[Name2, Ref("ConfigMap")]]
    """Name of the ConfigMap."""


class SecretTemplates(TypedDict, total=False):
    """Templates in the keys of a Secret."""

    items: Required[list[Item]]
    """The keys."""
    name: Required[Annotated[Name2, Ref("Secret")]]
    """Name of the Secret."""


class TemplateFrom(TypedDict, total=False):
    """Further templates; one of the three."""

    configMap: ConfigMap
    """From a ConfigMap."""
    literal: str
    """As text."""
    secret: SecretTemplates
    """From a Secret."""
    target: Annotated[str, Default("Data")]
    """What they make: Data (the default), Annotations or Labels."""
    valuesDecodingStrategy: Literal["Auto", "Base64", "Base64URL", "None"]
    """How made values are decoded."""


class TargetTemplate(TypedDict, total=False):
    """What the Secret looks like, made of the values."""

    data: dict[str, str]
    """Keys with templates; values stand in them as `{{ .key }}`."""
    engineVersion: Annotated[Literal["v2"], Default("v2")]
    """v2."""
    mergePolicy: Annotated[Literal["Replace", "Merge"], Default("Replace")]
    """Replace: only what templates make; Merge: values as well."""
    metadata: TargetTemplateMetadata
    """Metadata of the Secret."""
    templateFrom: list[TemplateFrom]
    """Further templates."""
    type: str
    """Type of the Secret; Opaque if left out."""


class Target(TypedDict, total=False):
    """The Secret that is written."""

    creationPolicy: Annotated[Literal["Owner", "Orphan", "Merge", "None", "CreateOrMerge"], Default("Owner")]
    """Owner: it goes with this object; Orphan: it stays; Merge: into one that exists; None: none is made."""
    deletionPolicy: DeletionPolicy
    """What happens to the Secret when the values are gone: Retain, Delete or Merge (only these keys go)."""
    immutable: bool
    """The Secret is written once and can't be changed."""
    manifest: TargetManifest
    """Another kind of object instead of a Secret."""
    name: Name2
    """Its name; the ExternalSecret's own if left out."""
    template: TargetTemplate
    """What the Secret looks like, made of the values; the values by key if left out."""


class ExternalSecretSpec(TypedDict, total=False):
    """Values of a store outside, written into a Secret."""

    data: list[Data]
    """Keys of the Secret, one by one."""
    dataFrom: list[DataFrom]
    """All keys of entries, or of all entries that fit."""
    refreshInterval: Annotated[str, Default("1h0m0s")]
    """How often the values are read again; 0 reads them once."""
    refreshPolicy: Literal["CreatedOnce", "Periodic", "OnChange"]
    """CreatedOnce, Periodic (by refreshInterval) or OnChange (of this object)."""
    secretStoreRef: StoreRef
    """Store that holds the values, unless a key names another."""
    syncWindows: SyncWindows
    """When values are read again, or are not."""
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
    """A generator that makes values up."""

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
    name: Required[Annotated[Name2, _GENERATOR]]


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
    """Further templates; one of the three."""

    configMap: ConfigMap
    literal: str
    secret: SecretTemplates
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
    """Namespaces that may use a ClusterSecretStore."""

    namespaceRegexes: list[str]
    """By expressions that names match."""
    namespaceSelector: meta_v1.LabelSelector
    """By label."""
    namespaces: list[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]]
    """By name."""


class ServiceAccountRef(TypedDict, total=False):
    """A ServiceAccount whose token is used."""

    audiences: list[str]
    """Audiences of the token."""
    name: Required[Name2]
    """Its name."""
    namespace: Namespace
    """Its namespace; only in a ClusterSecretStore."""


class Jwt(TypedDict, total=False):
    """Login with a ServiceAccount's token."""

    serviceAccountRef: ServiceAccountRef
    """The ServiceAccount; the operator's own if left out."""


class AccessKeyIDSecretRef(TypedDict, total=False):
    """A key of a Secret."""

    key: SecretKey
    name: Name2
    namespace: Namespace


class SecretRef(TypedDict, total=False):
    """An access key of AWS."""

    accessKeyIDSecretRef: AccessKeyIDSecretRef
    """The key's id."""
    secretAccessKeySecretRef: AccessKeyIDSecretRef
    """The key."""
    sessionTokenSecretRef: AccessKeyIDSecretRef
    """Session token, for keys that end."""


class Auth(TypedDict, total=False):
    """How AWS is logged in to; the operator pod's own identity if left out."""

    jwt: Jwt
    """With a ServiceAccount's token (IRSA)."""
    secretRef: SecretRef
    """With an access key."""


class SecretsManager(TypedDict, total=False):
    """How secrets are deleted, when pushed ones are."""

    forceDeleteWithoutRecovery: bool
    """At once, for good."""
    recoveryWindowInDays: Int64
    """Days in which they can be had back, 7 to 30."""


class SessionTag(TypedDict, total=False):
    """A tag of the session."""

    key: Required[str]
    """Its key."""
    value: Required[str]
    """Its value."""


class Aws(TypedDict, total=False):
    """Secrets Manager or Parameter Store of AWS."""

    additionalRoles: list[str]
    """Roles that are assumed before `role`, in order."""
    auth: Auth
    """How AWS is logged in to."""
    customSessionTags: Annotated[
        dict[str, str],
        Cel(
            "!('esoNamespace' in self) && !('esoStoreName' in self) && !('esoStoreKind' in self)",
            "esoNamespace, esoStoreName and esoStoreKind are set by the operator itself",
        ),
    ]
    """Tags, for the policy Custom."""
    externalID: str
    """External id of the role."""
    prefix: str
    """Put before the name of every entry."""
    region: Required[str]
    """Region of the store."""
    role: str
    """Role that is assumed."""
    secretsManager: SecretsManager
    """How secrets are deleted."""
    service: Required[Literal["SecretsManager", "ParameterStore", "CertificateManager"]]
    """SecretsManager, ParameterStore or CertificateManager."""
    sessionTags: list[SessionTag]
    """Tags of the session."""
    sessionTagsPolicy: Annotated[Literal["None", "Simple", "Custom"], Default("None")]
    """Tags that say which ExternalSecret asks: None, Simple or Custom."""
    transitiveTagKeys: list[str]
    """Tags that go on to further roles."""


class AuthSecretRef(TypedDict, total=False):
    """A service principal of Azure."""

    clientCertificate: AccessKeyIDSecretRef
    """Its certificate; this or clientSecret."""
    clientId: AccessKeyIDSecretRef
    """Its client id."""
    clientSecret: AccessKeyIDSecretRef
    """Its password."""
    tenantId: AccessKeyIDSecretRef
    """Its tenant."""


class CustomCloudConfig(TypedDict, total=False):
    """Addresses of an Azure Stack."""

    activeDirectoryEndpoint: Required[str]
    """Of its login."""
    keyVaultDNSSuffix: str
    """Of its vaults' names."""
    keyVaultEndpoint: str
    """Of its vaults."""
    resourceManagerEndpoint: str
    """Of its resource manager."""


class Azurekv(TypedDict, total=False):
    """Azure Key Vault."""

    authSecretRef: AuthSecretRef
    """Service principal, for ServicePrincipal."""
    authType: Annotated[Literal["ServicePrincipal", "ManagedIdentity", "WorkloadIdentity"], Default("ServicePrincipal")]
    """ServicePrincipal (the default), ManagedIdentity or WorkloadIdentity."""
    customCloudConfig: CustomCloudConfig
    """Addresses of an Azure Stack."""
    environmentType: Annotated[
        Literal["PublicCloud", "USGovernmentCloud", "ChinaCloud", "GermanCloud", "AzureStackCloud"],
        Default("PublicCloud"),
    ]
    """Which Azure cloud; the public one if left out."""
    identityId: str
    """Managed identity, where the node has several."""
    serviceAccountRef: ServiceAccountRef
    """ServiceAccount, for WorkloadIdentity."""
    tenantId: str
    """Tenant of the vault."""
    useAzureSDK: Annotated[bool, Default(False)]
    """Uses the newer library."""
    vaultUrl: Required[str]
    """Address of the vault."""


class FakeData(TypedDict, total=False):
    """A value."""

    key: Required[str]
    """Name of the entry."""
    value: Required[str]
    """Its value."""
    version: str
    """Its version."""


class Fake(TypedDict, total=False):
    """Values that stand right here, for tests."""

    data: Required[list[FakeData]]
    """The values."""
    validationResult: int
    """What checking the store gives."""


class GcpsmAuthSecretRef(TypedDict, total=False):
    """A key of a Google service account."""

    secretAccessKeySecretRef: AccessKeyIDSecretRef
    """The key, as JSON."""


class WorkloadIdentity(TypedDict, total=False):
    """Identity of a GKE cluster's ServiceAccount."""

    clusterLocation: str
    """Location of the cluster; found out if left out."""
    clusterName: str
    """Its name; found out if left out."""
    clusterProjectID: str
    """Its project; the store's if left out."""
    serviceAccountRef: Required[ServiceAccountRef]
    """The ServiceAccount."""


class AwsCredentialsSecretRef(TypedDict, total=False):
    """A Secret with an access key of AWS."""

    name: Required[Name2]
    """Its name."""
    namespace: Namespace
    """Its namespace; only in a ClusterSecretStore."""


class AwsSecurityCredentials(TypedDict, total=False):
    """Identity in AWS that Google trusts."""

    awsCredentialsSecretRef: Required[AwsCredentialsSecretRef]
    """The access key."""
    region: Required[Annotated[str, MaxLength(50), MinLength(1), Pattern("^[a-z0-9-]+$")]]
    """Its region."""


class CredConfig(TypedDict, total=False):
    """A ConfigMap with settings of the federation."""

    key: Required[SecretKey]
    """Key in it."""
    name: Required[Name2]
    """Its name."""
    namespace: Namespace
    """Its namespace; only in a ClusterSecretStore."""


class WorkloadIdentityFederation(TypedDict, total=False):
    """Identity from elsewhere that Google trusts."""

    audience: str
    """Audience of the token."""
    awsSecurityCredentials: AwsSecurityCredentials
    """Identity in AWS."""
    credConfig: CredConfig
    """Settings, as Google's tools write them."""
    externalTokenEndpoint: str
    """Where the token comes from."""
    gcpServiceAccountEmail: Annotated[str, MinLength(1), Pattern(r"^.*@.*\.iam\.gserviceaccount\.com$")]
    """Google service account that is taken on."""
    serviceAccountRef: ServiceAccountRef
    """ServiceAccount whose token is used."""


class GcpsmAuth(TypedDict, total=False):
    """How Google is logged in to; the operator pod's own identity if left out."""

    secretRef: GcpsmAuthSecretRef
    """With a service account's key."""
    workloadIdentity: WorkloadIdentity
    """With an identity of GKE."""
    workloadIdentityFederation: WorkloadIdentityFederation
    """With an identity from elsewhere."""


class Gcpsm(TypedDict, total=False):
    """Google Secret Manager."""

    auth: GcpsmAuth
    """How Google is logged in to."""
    location: str
    """Region of regional secrets."""
    projectID: str
    """Project of the secrets."""
    secretVersionSelectionPolicy: Annotated[str, Default("LatestOrFail")]
    """LatestOrFail, or LatestOrFetch: the newest version that is enabled."""


class Cert(TypedDict, total=False):
    """A client certificate."""

    clientCert: Required[AccessKeyIDSecretRef]
    """The certificate."""
    clientKey: Required[AccessKeyIDSecretRef]
    """Its key."""


class Token(TypedDict, total=False):
    """A token."""

    bearerToken: Required[AccessKeyIDSecretRef]
    """The token."""


class KubernetesAuth(TypedDict, total=False):
    """How the API server is logged in to; one of them."""

    cert: Cert
    """With a client certificate."""
    serviceAccount: ServiceAccountRef
    """With a ServiceAccount's token."""
    token: Token
    """With a token."""


class CaProvider(TypedDict, total=False):
    """Authorities from a Secret or ConfigMap."""

    key: SecretKey
    """Key in it."""
    name: Required[Name2]
    """Its name."""
    namespace: Namespace
    """Its namespace; only in a ClusterSecretStore."""
    type: Required[Literal["Secret", "ConfigMap"]]
    """Secret or ConfigMap."""


class Server(TypedDict, total=False):
    """An API server."""

    caBundle: Bytes
    """Authorities that its certificate is checked with."""
    caProvider: CaProvider
    """The same from a Secret or ConfigMap."""
    url: Annotated[str, Default("kubernetes.default")]
    """Its address; this cluster's if left out."""


class Kubernetes(TypedDict, total=False):
    """Secrets of another cluster or namespace."""

    auth: Annotated[KubernetesAuth, MaxProperties(1), MinProperties(1)]
    """How the API server is logged in to."""
    authRef: AccessKeyIDSecretRef
    """Secret with a kubeconfig, instead of server and auth."""
    remoteNamespace: Annotated[
        str, Default("default"), MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    ]
    """Namespace of the Secrets."""
    server: Server
    """The API server."""


class OnepasswordAuthSecretRef(TypedDict, total=False):
    """Token of 1Password Connect."""

    connectTokenSecretRef: Required[AccessKeyIDSecretRef]
    """The token."""


class OnepasswordAuth(TypedDict, total=False):
    """How 1Password Connect is logged in to."""

    secretRef: Required[OnepasswordAuthSecretRef]
    """With a token."""


class Onepassword(TypedDict, total=False):
    """1Password Connect."""

    auth: Required[OnepasswordAuth]
    """How it is logged in to."""
    connectHost: Required[str]
    """Its address."""
    vaults: Required[dict[str, int]]
    """Vaults, with the order in which they are looked in."""


class AppRole(TypedDict, total=False):
    """Login by an AppRole."""

    path: Required[Annotated[str, Default("approle")]]
    """Where the method is mounted."""
    roleId: str
    """The role."""
    roleRef: AccessKeyIDSecretRef
    """The role from a Secret."""
    secretRef: Required[AccessKeyIDSecretRef]
    """Its secret."""


class AuthCert(TypedDict, total=False):
    """Login by a client certificate."""

    clientCert: AccessKeyIDSecretRef
    """The certificate."""
    path: Annotated[str, Default("cert")]
    """Where the method is mounted."""
    secretRef: AccessKeyIDSecretRef
    """Its key."""
    vaultRole: str
    """Role; whatever fits if left out."""


class Gcp(TypedDict, total=False):
    """Login by an identity of Google."""

    location: str
    """Location of the cluster."""
    path: Annotated[str, Default("gcp")]
    """Where the method is mounted."""
    projectID: str
    """Project."""
    role: Required[str]
    """Role in Vault."""
    secretRef: GcpsmAuthSecretRef
    """With a service account's key."""
    serviceAccountRef: ServiceAccountRef
    """ServiceAccount."""
    workloadIdentity: WorkloadIdentity
    """With an identity of GKE."""


class Iam(TypedDict, total=False):
    """Login by an identity of AWS."""

    externalID: str
    """External id of the role."""
    jwt: Jwt
    """With a ServiceAccount's token (IRSA)."""
    path: str
    """Where the method is mounted."""
    region: str
    """Region of AWS."""
    role: str
    """Role that is assumed in AWS."""
    secretRef: SecretRef
    """With an access key."""
    vaultAwsIamServerID: str
    """Server id that Vault asks for."""
    vaultRole: Required[str]
    """Role in Vault."""


class KubernetesServiceAccountToken(TypedDict, total=False):
    """A token that is asked for."""

    audiences: list[str]
    """Its audiences."""
    expirationSeconds: Int64
    """Seconds that it is valid."""
    serviceAccountRef: Required[ServiceAccountRef]
    """ServiceAccount whose token it is."""


class AuthJwt(TypedDict, total=False):
    """Login by a JWT."""

    kubernetesServiceAccountToken: KubernetesServiceAccountToken
    """A token that is asked for."""
    path: Required[Annotated[str, Default("jwt")]]
    """Where the method is mounted."""
    role: str
    """Role in Vault."""
    secretRef: AccessKeyIDSecretRef
    """A token in a Secret."""


class AuthKubernetes(TypedDict, total=False):
    """Login with a token of the cluster."""

    mountPath: Required[Annotated[str, Default("kubernetes")]]
    """Where the method is mounted."""
    role: Required[str]
    """Role in Vault."""
    secretRef: AccessKeyIDSecretRef
    """A token in a Secret."""
    serviceAccountRef: ServiceAccountRef
    """ServiceAccount whose token is asked for; the operator's own if left out."""


class Ldap(TypedDict, total=False):
    """Login by LDAP."""

    path: Required[Annotated[str, Default("ldap")]]
    """Where the method is mounted."""
    secretRef: AccessKeyIDSecretRef
    """Password."""
    username: Required[str]
    """User."""


class UserPass(TypedDict, total=False):
    """Login by user and password."""

    path: Required[Annotated[str, Default("userpass")]]
    """Where the method is mounted."""
    secretRef: AccessKeyIDSecretRef
    """Password."""
    username: Required[str]
    """User."""


class VaultAuth(TypedDict, total=False):
    """How Vault is logged in to; one of them."""

    appRole: AppRole
    """By an AppRole."""
    cert: AuthCert
    """By a client certificate."""
    gcp: Gcp
    """By an identity of Google."""
    iam: Iam
    """By an identity of AWS."""
    jwt: AuthJwt
    """By a JWT."""
    kubernetes: AuthKubernetes
    """By a token of the cluster."""
    ldap: Ldap
    """By LDAP."""
    namespace: str
    """Namespace in Vault of the login, where that is another."""
    tokenSecretRef: AccessKeyIDSecretRef
    """By a token of Vault."""
    userPass: UserPass
    """By user and password."""


class CheckAndSet(TypedDict, total=False):
    """Pushed values must not overwrite newer ones."""

    required: bool
    """Whether it is asked for."""


class Tls(TypedDict, total=False):
    """Client certificate, where the server asks for one."""

    certSecretRef: AccessKeyIDSecretRef
    """The certificate."""
    keySecretRef: AccessKeyIDSecretRef
    """Its key."""


class Vault(TypedDict, total=False):
    """HashiCorp Vault."""

    auth: VaultAuth
    """How the operator proves who it is."""
    caBundle: Bytes
    """Authorities that its certificate is checked with."""
    caProvider: CaProvider
    """The same from a Secret or ConfigMap."""
    checkAndSet: CheckAndSet
    """Pushed values must not overwrite newer ones."""
    forwardInconsistent: bool
    """Reads go to the leader until a replica is up to date."""
    headers: dict[str, str]
    """Headers added to every question."""
    namespace: str
    """Namespace in Vault."""
    path: str
    """Path of the key-value engine."""
    readYourWrites: bool
    """What was written is read at once."""
    server: Required[str]
    """Address of the server."""
    tls: Tls
    """Client certificate, where the server asks for one."""
    version: Annotated[Literal["v1", "v2"], Default("v2")]
    """Version of the key-value engine; v2 if left out."""


class Ntlm(TypedDict, total=False):
    """Login by NTLM."""

    passwordSecret: Required[AccessKeyIDSecretRef]
    """Password."""
    usernameSecret: Required[AccessKeyIDSecretRef]
    """User."""


class WebhookAuth(TypedDict, total=False):
    """How the address is logged in to."""

    ntlm: Ntlm
    """By NTLM."""


class Result(TypedDict, total=False):
    """What of the answer counts."""

    jsonPath: str
    """Path of the value in it."""


class Secret(TypedDict, total=False):
    """A Secret that templates may use."""

    name: Required[str]
    """Name under which they use it."""
    secretRef: Required[AccessKeyIDSecretRef]
    """The Secret."""


class Webhook(TypedDict, total=False):
    """Any store with an HTTP API."""

    auth: Annotated[WebhookAuth, MaxProperties(1), MinProperties(1)]
    """How it is logged in to."""
    body: str
    """Body of the question; a template."""
    caBundle: Bytes
    """Authorities that its certificate is checked with."""
    caProvider: CaProvider
    """The same from a Secret or ConfigMap."""
    headers: dict[str, str]
    """Headers of the question; templates."""
    method: str
    """Method; GET if left out."""
    result: Result
    """What of the answer counts."""
    secrets: list[Secret]
    """Secrets that templates may use."""
    timeout: str
    """How long an answer may take."""
    url: Required[str]
    """Address; a template, where `.remoteRef.key` is the entry."""


_DATA = Path(__file__).with_name("v1.json")


class Provider(TypedDict, total=False):
    """A store, exactly one."""

    akeyless: Annotated[OpenObject, Kept(_DATA, "provider/akeyless")]
    """Akeyless."""
    aws: Aws
    """Secrets Manager or Parameter Store of AWS."""
    azurekv: Azurekv
    """Azure Key Vault."""
    barbican: Annotated[OpenObject, Kept(_DATA, "provider/barbican")]
    """Barbican of OpenStack."""
    beyondtrust: Annotated[OpenObject, Kept(_DATA, "provider/beyondtrust")]
    """Password Safe of BeyondTrust."""
    beyondtrustworkloadcredentials: Annotated[OpenObject, Kept(_DATA, "provider/beyondtrustworkloadcredentials")]
    """Workload Credentials of BeyondTrust."""
    bitwardensecretsmanager: Annotated[OpenObject, Kept(_DATA, "provider/bitwardensecretsmanager")]
    """Bitwarden Secrets Manager."""
    chef: Annotated[OpenObject, Kept(_DATA, "provider/chef")]
    """Chef."""
    cloudrusm: Annotated[OpenObject, Kept(_DATA, "provider/cloudrusm")]
    """Secret manager of Cloud.ru."""
    conjur: Annotated[OpenObject, Kept(_DATA, "provider/conjur")]
    """CyberArk Conjur."""
    crd: Annotated[OpenObject, Kept(_DATA, "provider/crd")]
    """Fields of custom resources."""
    delinea: Annotated[OpenObject, Kept(_DATA, "provider/delinea")]
    """Delinea DevOps Secrets Vault."""
    doppler: Annotated[OpenObject, Kept(_DATA, "provider/doppler")]
    """Doppler."""
    dvls: Annotated[OpenObject, Kept(_DATA, "provider/dvls")]
    """Devolutions Server."""
    fake: Fake
    """Values that stand right here, for tests."""
    fortanix: Annotated[OpenObject, Kept(_DATA, "provider/fortanix")]
    """Fortanix."""
    gcpsm: Gcpsm
    """Google Secret Manager."""
    github: Annotated[OpenObject, Kept(_DATA, "provider/github")]
    """Secrets of GitHub Actions; they can only be written."""
    gitlab: Annotated[OpenObject, Kept(_DATA, "provider/gitlab")]
    """Variables of GitLab."""
    ibm: Annotated[OpenObject, Kept(_DATA, "provider/ibm")]
    """IBM Cloud Secrets Manager."""
    infisical: Annotated[OpenObject, Kept(_DATA, "provider/infisical")]
    """Infisical."""
    keepersecurity: Annotated[OpenObject, Kept(_DATA, "provider/keepersecurity")]
    """Keeper."""
    kubernetes: Kubernetes
    """Secrets of another cluster or namespace."""
    nebiusmysterybox: Annotated[OpenObject, Kept(_DATA, "provider/nebiusmysterybox")]
    """MysteryBox of Nebius."""
    ngrok: Annotated[OpenObject, Kept(_DATA, "provider/ngrok")]
    """Vaults of ngrok."""
    onboardbase: Annotated[OpenObject, Kept(_DATA, "provider/onboardbase")]
    """Onboardbase."""
    onepassword: Onepassword
    """1Password Connect."""
    onepasswordSDK: Annotated[OpenObject, Kept(_DATA, "provider/onepasswordSDK")]
    """1Password, without Connect."""
    openBao: Annotated[OpenObject, Kept(_DATA, "provider/openBao")]
    """OpenBao."""
    oracle: Annotated[OpenObject, Kept(_DATA, "provider/oracle")]
    """Oracle Vault."""
    ovh: Annotated[OpenObject, Kept(_DATA, "provider/ovh")]
    """Secret manager of OVHcloud."""
    passbolt: Annotated[OpenObject, Kept(_DATA, "provider/passbolt")]
    """Passbolt."""
    passworddepot: Annotated[OpenObject, Kept(_DATA, "provider/passworddepot")]
    """Password Depot."""
    previder: Annotated[OpenObject, Kept(_DATA, "provider/previder")]
    """Previder."""
    pulumi: Annotated[OpenObject, Kept(_DATA, "provider/pulumi")]
    """Pulumi ESC."""
    scaleway: Annotated[OpenObject, Kept(_DATA, "provider/scaleway")]
    """Scaleway."""
    secretserver: Annotated[OpenObject, Kept(_DATA, "provider/secretserver")]
    """Delinea Secret Server."""
    senhasegura: Annotated[OpenObject, Kept(_DATA, "provider/senhasegura")]
    """senhasegura."""
    vault: Vault
    """HashiCorp Vault."""
    volcengine: Annotated[OpenObject, Kept(_DATA, "provider/volcengine")]
    """Volcengine."""
    webhook: Webhook
    """Any store with an HTTP API."""
    yandexcertificatemanager: Annotated[OpenObject, Kept(_DATA, "provider/yandexcertificatemanager")]
    """Yandex Certificate Manager."""
    yandexlockbox: Annotated[OpenObject, Kept(_DATA, "provider/yandexlockbox")]
    """Yandex Lockbox."""


class RetrySettings(TypedDict, total=False):
    """Further tries when the store fails."""

    maxRetries: Int32
    """How many."""
    retryInterval: str
    """Pause between them."""


class SecretStoreSpec(TypedDict, total=False):
    """A store of secrets outside, and how it is logged in to."""

    conditions: list[SecretStoreCondition]
    """Namespaces that may use it; only in a ClusterSecretStore."""
    controller: str
    """Operator that reads this, where several run."""
    provider: Required[Annotated[Provider, MaxProperties(1), MinProperties(1)]]
    """The store, exactly one."""
    refreshInterval: IntOrString
    """Seconds between checks of the store itself."""
    retrySettings: RetrySettings
    """Further tries when the store fails."""


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
    health=HealthConditions(ready=("Ready",)),
    doc="Values of a store outside, written into a Secret and kept up to date.",
    makes=(Makes("Secret", "spec.target.name"),),
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
    health=HealthConditions(ready=("Ready",)),
    makes=(Makes("Secret", "spec.target.name"),),
)


class StoreCondition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class SecretStoreStatus(TypedDict, total=False):
    capabilities: str
    conditions: list[StoreCondition]


SECRET_STORE = Api(
    group="external-secrets.io",
    version="v1",
    kind="SecretStore",
    plural="secretstores",
    spec=SecretStoreSpec,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Capabilities", ".status.capabilities"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    health=HealthConditions(ready=("Ready",)),
    references=store_names(),
    status=SecretStoreStatus,
    doc="A store of secrets outside, and how it is logged in to.",
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
    health=HealthConditions(ready=("Ready",)),
    references=store_names(),
)

CLUSTER_SECRET_STORE = Api(
    group="external-secrets.io",
    version="v1",
    kind="ClusterSecretStore",
    plural="clustersecretstores",
    namespaced=False,
    spec=SecretStoreSpec,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("AGE", ".metadata.creationTimestamp", type="date"),
        Column("Status", '.status.conditions[?(@.type=="Ready")].reason'),
        Column("Capabilities", ".status.capabilities"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    ),
    health=HealthConditions(ready=("Ready",)),
    references=store_names(),
    status=SecretStoreStatus,
    doc="A store of secrets outside that every namespace may use.",
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
    health=HealthConditions(ready=("Ready",)),
    references=store_names(),
)

CRDS = (
    Definition((EXTERNAL_SECRET, EXTERNAL_SECRET_V1BETA1), short_names=("es",), categories=("external-secrets",)),
    Definition((SECRET_STORE, SECRET_STORE_V1BETA1), short_names=("ss",), categories=("external-secrets",)),
    Definition(
        (CLUSTER_SECRET_STORE, CLUSTER_SECRET_STORE_V1BETA1), short_names=("css",), categories=("external-secrets",)
    ),
)
