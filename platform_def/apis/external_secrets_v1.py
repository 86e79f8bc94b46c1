"""External Secrets 2.9 (external-secrets.io): secrets that an outside store keeps."""
# ruff: noqa: D101, UP013

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import (
    Bytes,
    Cel,
    Default,
    EmptyObject,
    Int32,
    Int64,
    IntOrString,
    MaxLength,
    MaxProperties,
    Minimum,
    MinItems,
    MinLength,
    MinProperties,
    Nullable,
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
AuthType = Annotated[Literal["ServicePrincipal", "ManagedIdentity", "WorkloadIdentity"], Default("ServicePrincipal")]
NameTransformer = Literal["upper-camel", "camel", "lower-snake", "tf-var", "dotnet-env", "lower-kebab"]
RemoteNamespace = Annotated[
    str, Default("default"), MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
]


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


class SecretRef(TypedDict, total=False):
    key: SecretKey
    name: Name2
    namespace: Namespace


class ServiceAccountRef(TypedDict, total=False):
    audiences: list[str]
    name: Required[Name2]
    namespace: Namespace


class KubernetesAuth(TypedDict, total=False):
    accessID: Required[str]
    k8sConfName: Required[str]
    secretRef: SecretRef
    serviceAccountRef: ServiceAccountRef


class AuthSecretRefSecretRef(TypedDict, total=False):
    accessID: SecretRef
    accessType: SecretRef
    accessTypeParam: SecretRef


class AuthSecretRef(TypedDict, total=False):
    kubernetesAuth: KubernetesAuth
    secretRef: AuthSecretRefSecretRef
    serviceAccountRef: ServiceAccountRef


class CaProvider(TypedDict, total=False):
    key: SecretKey
    name: Required[Name2]
    namespace: Namespace
    type: Required[Literal["Secret", "ConfigMap"]]


class Akeyless(TypedDict, total=False):
    akeylessGWApiURL: Required[str]
    authSecretRef: Required[AuthSecretRef]
    caBundle: Bytes
    caProvider: CaProvider
    ignoreCache: bool


class Jwt(TypedDict, total=False):
    serviceAccountRef: ServiceAccountRef


class AwsAuthSecretRef(TypedDict, total=False):
    accessKeyIDSecretRef: SecretRef
    secretAccessKeySecretRef: SecretRef
    sessionTokenSecretRef: SecretRef


class Auth(TypedDict, total=False):
    jwt: Jwt
    secretRef: AwsAuthSecretRef


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


class AzurekvAuthSecretRef(TypedDict, total=False):
    clientCertificate: SecretRef
    clientId: SecretRef
    clientSecret: SecretRef
    tenantId: SecretRef


class CustomCloudConfig(TypedDict, total=False):
    activeDirectoryEndpoint: Required[str]
    keyVaultDNSSuffix: str
    keyVaultEndpoint: str
    resourceManagerEndpoint: str


class Azurekv(TypedDict, total=False):
    authSecretRef: AzurekvAuthSecretRef
    authType: AuthType
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


class Password(TypedDict, total=False):
    secretRef: Required[SecretRef]


class Username(TypedDict, total=False):
    secretRef: SecretRef
    value: str


class BarbicanAuth(TypedDict, total=False):
    password: Required[Password]
    username: Required[Annotated[Username, MaxProperties(1), MinProperties(1)]]


class Barbican(TypedDict, total=False):
    auth: Required[BarbicanAuth]
    authURL: str
    domainName: str
    region: str
    tenantName: str


class BeyondtrustAuth(TypedDict, total=False):
    apiKey: Username
    certificate: Username
    certificateKey: Username
    clientId: Username
    clientSecret: Username


class Server(TypedDict, total=False):
    apiUrl: Required[str]
    apiVersion: str
    clientTimeOutSeconds: int
    decrypt: Annotated[bool, Default(True)]
    retrievalType: str
    separator: str
    verifyCA: Required[bool]


class Beyondtrust(TypedDict, total=False):
    auth: Required[BeyondtrustAuth]
    server: Required[Server]


class Apikey(TypedDict, total=False):
    token: Required[SecretRef]


class BeyondtrustworkloadcredentialsAuth(TypedDict, total=False):
    apikey: Required[Apikey]


class BeyondtrustworkloadcredentialsServer(TypedDict, total=False):
    apiUrl: Required[str]
    siteId: Required[str]


class Beyondtrustworkloadcredentials(TypedDict, total=False):
    auth: Required[BeyondtrustworkloadcredentialsAuth]
    caBundle: Bytes
    caProvider: CaProvider
    folderPath: str
    server: Required[BeyondtrustworkloadcredentialsServer]


class BitwardensecretsmanagerAuthSecretRef(TypedDict, total=False):
    credentials: Required[SecretRef]


class BitwardensecretsmanagerAuth(TypedDict, total=False):
    secretRef: Required[BitwardensecretsmanagerAuthSecretRef]


class Bitwardensecretsmanager(TypedDict, total=False):
    apiURL: str
    auth: Required[BitwardensecretsmanagerAuth]
    bitwardenServerSDKURL: str
    caBundle: str
    caProvider: CaProvider
    identityURL: str
    organizationID: Required[str]
    projectID: Required[str]


class ChefAuthSecretRef(TypedDict, total=False):
    privateKeySecretRef: Required[SecretRef]


class ChefAuth(TypedDict, total=False):
    secretRef: Required[ChefAuthSecretRef]


class Chef(TypedDict, total=False):
    auth: Required[ChefAuth]
    serverUrl: Required[str]
    username: Required[str]


class CloudrusmAuthSecretRef(TypedDict, total=False):
    accessKeyIDSecretRef: Required[SecretRef]
    accessKeySecretSecretRef: Required[SecretRef]


class CloudrusmAuth(TypedDict, total=False):
    secretRef: CloudrusmAuthSecretRef


class Cloudrusm(TypedDict, total=False):
    auth: Required[CloudrusmAuth]
    projectID: str


class AuthApikey(TypedDict, total=False):
    account: Required[str]
    apiKeyRef: Required[SecretRef]
    userRef: Required[SecretRef]


class Cert(TypedDict, total=False):
    account: Required[str]
    clientCertRef: Required[SecretRef]
    clientKeyRef: Required[SecretRef]
    hostId: str
    serviceID: Required[str]


class AuthJwt(TypedDict, total=False):
    account: Required[str]
    hostId: str
    secretRef: SecretRef
    serviceAccountRef: ServiceAccountRef
    serviceID: Required[str]


class ConjurAuth(TypedDict, total=False):
    apikey: AuthApikey
    cert: Cert
    jwt: AuthJwt


class Conjur(TypedDict, total=False):
    auth: Required[Annotated[ConjurAuth, MaxProperties(1), MinProperties(1)]]
    caBundle: str
    caProvider: CaProvider
    url: Required[str]


class AuthCert(TypedDict, total=False):
    clientCert: Required[SecretRef]
    clientKey: Required[SecretRef]


class Token(TypedDict, total=False):
    bearerToken: Required[SecretRef]


class CrdAuth(TypedDict, total=False):
    cert: AuthCert
    serviceAccount: ServiceAccountRef
    token: Token


class Resource(TypedDict, total=False):
    group: Required[str]
    kind: Required[Annotated[str, MinLength(1)]]
    version: Required[Annotated[str, MinLength(1)]]


class CrdServer(TypedDict, total=False):
    caBundle: Bytes
    caProvider: CaProvider
    url: Annotated[str, Default("kubernetes.default")]


class Rule(TypedDict, total=False):
    name: str
    namespace: str
    properties: list[str]


class Whitelist(TypedDict, total=False):
    rules: list[Rule]


class Crd(TypedDict, total=False):
    auth: Annotated[CrdAuth, MaxProperties(1), MinProperties(1)]
    authRef: SecretRef
    resource: Required[Resource]
    server: CrdServer
    whitelist: Whitelist


class Delinea(TypedDict, total=False):
    clientId: Required[Username]
    clientSecret: Required[Username]
    tenant: Required[str]
    tld: str
    urlTemplate: str


class OidcConfig(TypedDict, total=False):
    expirationSeconds: Annotated[Int64, Default(600)]
    identity: Required[str]
    serviceAccountRef: Required[ServiceAccountRef]


class DopplerAuthSecretRef(TypedDict, total=False):
    dopplerToken: Required[SecretRef]


class DopplerAuth(TypedDict, total=False):
    oidcConfig: OidcConfig
    secretRef: DopplerAuthSecretRef


class Doppler(TypedDict, total=False):
    auth: Required[
        Annotated[
            DopplerAuth,
            Cel(
                "(has(self.secretRef) && !has(self.oidcConfig)) || (!has(self.secretRef) && has(self.oidcConfig))",
                "secretRef or oidcConfig, and not both",
            ),
        ]
    ]
    config: str
    format: Literal["json", "dotnet-json", "env", "yaml", "docker"]
    nameTransformer: NameTransformer
    project: str


class DvlsAuthSecretRef(TypedDict, total=False):
    appId: Required[SecretRef]
    appSecret: Required[SecretRef]


class DvlsAuth(TypedDict, total=False):
    secretRef: Required[DvlsAuthSecretRef]


class Dvls(TypedDict, total=False):
    auth: Required[DvlsAuth]
    insecure: bool
    serverUrl: Required[str]
    vault: str


class FakeData(TypedDict, total=False):
    key: Required[str]
    value: Required[str]
    version: str


class Fake(TypedDict, total=False):
    data: Required[list[FakeData]]
    validationResult: int


class ApiKey(TypedDict, total=False):
    secretRef: SecretRef


class Fortanix(TypedDict, total=False):
    apiKey: ApiKey
    apiUrl: str


class GcpsmAuthSecretRef(TypedDict, total=False):
    secretAccessKeySecretRef: SecretRef


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


class GithubAuth(TypedDict, total=False):
    privateKey: Required[SecretRef]


class Github(TypedDict, total=False):
    appID: Required[Int64]
    auth: Required[GithubAuth]
    environment: str
    installationID: Required[Int64]
    orgSecretVisibility: Literal["all", "private"]
    organization: Required[str]
    repository: str
    uploadURL: str
    url: Annotated[str, Default("https://github.com/")]


class GitlabAuthSecretRef(TypedDict, total=False):
    accessToken: SecretRef


GitlabAuth = TypedDict(
    "GitlabAuth",
    {
        "SecretRef": "Required[GitlabAuthSecretRef]",
    },
    total=False,
)


class Gitlab(TypedDict, total=False):
    auth: Required[GitlabAuth]
    caBundle: Bytes
    caProvider: CaProvider
    environment: str
    groupIDs: list[str]
    inheritFromGroups: bool
    projectID: str
    url: str


class ContainerAuth(TypedDict, total=False):
    iamEndpoint: str
    profile: Required[str]
    tokenLocation: str


class IbmAuthSecretRef(TypedDict, total=False):
    iamEndpoint: str
    secretApiKeySecretRef: SecretRef


class IbmAuth(TypedDict, total=False):
    containerAuth: ContainerAuth
    secretRef: IbmAuthSecretRef


class Ibm(TypedDict, total=False):
    auth: Required[Annotated[IbmAuth, MaxProperties(1), MinProperties(1)]]
    serviceUrl: str


class AwsAuthCredentials(TypedDict, total=False):
    identityId: Required[SecretRef]


class AzureAuthCredentials(TypedDict, total=False):
    identityId: Required[SecretRef]
    resource: SecretRef


class GcpIamAuthCredentials(TypedDict, total=False):
    identityId: Required[SecretRef]
    serviceAccountKeyFilePath: Required[SecretRef]


class JwtAuthCredentials(TypedDict, total=False):
    identityId: Required[SecretRef]
    jwt: Required[SecretRef]


class KubernetesAuthCredentials(TypedDict, total=False):
    identityId: Required[SecretRef]
    serviceAccountTokenPath: SecretRef


class LdapAuthCredentials(TypedDict, total=False):
    identityId: Required[SecretRef]
    ldapPassword: Required[SecretRef]
    ldapUsername: Required[SecretRef]


class OciAuthCredentials(TypedDict, total=False):
    fingerprint: Required[SecretRef]
    identityId: Required[SecretRef]
    privateKey: Required[SecretRef]
    privateKeyPassphrase: SecretRef
    region: Required[SecretRef]
    tenancyId: Required[SecretRef]
    userId: Required[SecretRef]


class TokenAuthCredentials(TypedDict, total=False):
    accessToken: Required[SecretRef]


class UniversalAuthCredentials(TypedDict, total=False):
    clientId: Required[SecretRef]
    clientSecret: Required[SecretRef]


class InfisicalAuth(TypedDict, total=False):
    awsAuthCredentials: AwsAuthCredentials
    azureAuthCredentials: AzureAuthCredentials
    gcpIamAuthCredentials: GcpIamAuthCredentials
    gcpIdTokenAuthCredentials: AwsAuthCredentials
    jwtAuthCredentials: JwtAuthCredentials
    kubernetesAuthCredentials: KubernetesAuthCredentials
    ldapAuthCredentials: LdapAuthCredentials
    ociAuthCredentials: OciAuthCredentials
    tokenAuthCredentials: TokenAuthCredentials
    universalAuthCredentials: UniversalAuthCredentials


class SecretsScope(TypedDict, total=False):
    environmentSlug: Required[str]
    expandSecretReferences: Annotated[bool, Default(True)]
    organizationSlug: str
    projectSlug: Required[str]
    recursive: Annotated[bool, Default(False)]
    secretsPath: Annotated[str, Default("/")]


class Infisical(TypedDict, total=False):
    auth: Required[InfisicalAuth]
    caBundle: Bytes
    caProvider: CaProvider
    hostAPI: Annotated[str, Default("https://app.infisical.com/api")]
    secretsScope: Required[SecretsScope]


class Keepersecurity(TypedDict, total=False):
    authRef: Required[SecretRef]
    folderID: Required[str]
    getByTitleFallback: bool


class Kubernetes(TypedDict, total=False):
    auth: Annotated[CrdAuth, MaxProperties(1), MinProperties(1)]
    authRef: SecretRef
    remoteNamespace: RemoteNamespace
    server: CrdServer


class NebiusmysteryboxAuth(TypedDict, total=False):
    serviceAccountCredsSecretRef: SecretRef
    tokenSecretRef: SecretRef


class NebiusmysteryboxCaProvider(TypedDict, total=False):
    certSecretRef: SecretRef


class Nebiusmysterybox(TypedDict, total=False):
    apiDomain: Required[str]
    auth: Required[
        Annotated[
            NebiusmysteryboxAuth,
            Cel(
                "has(self.serviceAccountCredsSecretRef) || has(self.tokenSecretRef)",
                "needs serviceAccountCredsSecretRef or tokenSecretRef",
            ),
        ]
    ]
    caProvider: NebiusmysteryboxCaProvider


class NgrokAuth(TypedDict, total=False):
    apiKey: ApiKey


class Vault(TypedDict, total=False):
    name: Required[str]


class Ngrok(TypedDict, total=False):
    apiUrl: Annotated[str, Default("https://api.ngrok.com")]
    auth: Required[Annotated[NgrokAuth, MaxProperties(1), MinProperties(1)]]
    vault: Required[Vault]


class OnboardbaseAuth(TypedDict, total=False):
    apiKeyRef: Required[SecretRef]
    passcodeRef: Required[SecretRef]


class Onboardbase(TypedDict, total=False):
    apiHost: Required[Annotated[str, Default("https://public.onboardbase.com/api/v1/")]]
    auth: Required[OnboardbaseAuth]
    environment: Required[Annotated[str, Default("development")]]
    project: Required[Annotated[str, Default("development")]]


class OnepasswordAuthSecretRef(TypedDict, total=False):
    connectTokenSecretRef: Required[SecretRef]


class OnepasswordAuth(TypedDict, total=False):
    secretRef: Required[OnepasswordAuthSecretRef]


class Onepassword(TypedDict, total=False):
    auth: Required[OnepasswordAuth]
    connectHost: Required[str]
    vaults: Required[dict[str, int]]


class OnepasswordSDKAuth(TypedDict, total=False):
    serviceAccountSecretRef: Required[SecretRef]


class Cache(TypedDict, total=False):
    maxSize: Annotated[int, Default(100), Minimum(1)]
    ttl: Annotated[str, Default("5m")]


class IntegrationInfo(TypedDict, total=False):
    name: Annotated[str, Default("1Password SDK")]
    version: Annotated[str, Default("v1.0.0")]


class OnepasswordSDK(TypedDict, total=False):
    auth: Required[OnepasswordSDKAuth]
    cache: Cache
    environment: str
    integrationInfo: IntegrationInfo
    vault: str


class AppRole(TypedDict, total=False):
    path: Required[Annotated[str, Default("approle")]]
    roleId: Annotated[str, MinLength(1)]
    roleRef: SecretRef
    secretRef: Required[SecretRef]


class UserPass(TypedDict, total=False):
    path: Required[Annotated[str, Default("userpass")]]
    secretRef: SecretRef
    username: Required[str]


class OpenBaoAuth(TypedDict, total=False):
    appRole: Annotated[
        AppRole,
        Cel("[has(self.roleId),has(self.roleRef)].filter(x,x==true).size() == 1", "roleId or roleRef, and not both"),
    ]
    namespace: str
    tokenSecretRef: SecretRef
    userPass: UserPass


class OpenBao(TypedDict, total=False):
    auth: Annotated[
        OpenBaoAuth,
        Cel(
            "[has(self.appRole),has(self.tokenSecretRef),has(self.userPass)].filter(x,x==true).size() == 1",
            "one of appRole, tokenSecretRef and userPass",
        ),
    ]
    caBundle: Bytes
    caProvider: CaProvider
    namespace: str
    path: str
    server: Required[str]
    version: Annotated[Literal["v1", "v2"], Default("v2")]


class OracleAuthSecretRef(TypedDict, total=False):
    fingerprint: Required[SecretRef]
    privatekey: Required[SecretRef]


class OracleAuth(TypedDict, total=False):
    secretRef: Required[OracleAuthSecretRef]
    tenancy: Required[str]
    user: Required[str]


class Oracle(TypedDict, total=False):
    auth: OracleAuth
    compartment: str
    encryptionKey: str
    principalType: Literal["", "UserPrincipal", "InstancePrincipal", "Workload"]
    region: Required[str]
    serviceAccountRef: ServiceAccountRef
    vault: Required[str]


class Mtls(TypedDict, total=False):
    caBundle: Bytes
    caProvider: CaProvider
    certSecretRef: Required[SecretRef]
    keySecretRef: Required[SecretRef]


class AuthToken(TypedDict, total=False):
    tokenSecretRef: Required[SecretRef]


class OvhAuth(TypedDict, total=False):
    mtls: Mtls
    token: AuthToken


class Ovh(TypedDict, total=False):
    auth: Required[OvhAuth]
    casRequired: bool
    okmsTimeout: Annotated[Int32, Default(30), Minimum(1)]
    okmsid: Required[str]
    server: Required[str]


class PassboltAuth(TypedDict, total=False):
    passwordSecretRef: Required[SecretRef]
    privateKeySecretRef: Required[SecretRef]


class Passbolt(TypedDict, total=False):
    auth: Required[PassboltAuth]
    caBundle: Bytes
    caProvider: CaProvider
    host: Required[str]


class PassworddepotAuthSecretRef(TypedDict, total=False):
    credentials: SecretRef


class PassworddepotAuth(TypedDict, total=False):
    secretRef: Required[PassworddepotAuthSecretRef]


class Passworddepot(TypedDict, total=False):
    auth: Required[PassworddepotAuth]
    database: Required[str]
    host: Required[str]


class PreviderAuth(TypedDict, total=False):
    secretRef: TokenAuthCredentials


class Previder(TypedDict, total=False):
    auth: Required[PreviderAuth]
    baseUri: str


class AuthOidcConfig(TypedDict, total=False):
    expirationSeconds: Annotated[Int64, Default(600), Minimum(600)]
    organization: Required[str]
    serviceAccountRef: Required[ServiceAccountRef]


class PulumiAuth(TypedDict, total=False):
    accessToken: ApiKey
    oidcConfig: AuthOidcConfig


class Pulumi(TypedDict, total=False):
    accessToken: ApiKey
    apiUrl: Annotated[str, Default("https://api.pulumi.com/api/esc")]
    auth: Annotated[
        PulumiAuth,
        Cel(
            "(has(self.accessToken) && !has(self.oidcConfig)) || (!has(self.accessToken) && has(self.oidcConfig))",
            "accessToken or oidcConfig, and not both",
        ),
    ]
    environment: Required[str]
    organization: Required[str]
    project: Required[str]


class Scaleway(TypedDict, total=False):
    accessKey: Required[Username]
    apiUrl: str
    projectId: Required[str]
    region: Required[str]
    secretKey: Required[Username]


class SecretserverPassword(TypedDict, total=False):
    secretRef: SecretRef
    value: Annotated[str, MinLength(1)]


class Secretserver(TypedDict, total=False):
    caBundle: Bytes
    caProvider: CaProvider
    domain: str
    password: Annotated[
        SecretserverPassword, Cel("has(self.value) != has(self.secretRef)", "value or secretRef, and not both")
    ]
    serverURL: Required[str]
    token: Annotated[
        SecretserverPassword, Cel("has(self.value) != has(self.secretRef)", "value or secretRef, and not both")
    ]
    username: Annotated[
        SecretserverPassword, Cel("has(self.value) != has(self.secretRef)", "value or secretRef, and not both")
    ]


class SenhaseguraAuth(TypedDict, total=False):
    clientId: Required[str]
    clientSecretSecretRef: Required[SecretRef]


class Senhasegura(TypedDict, total=False):
    auth: Required[SenhaseguraAuth]
    ignoreSslCertificate: Annotated[bool, Default(False)]
    module: Required[str]
    url: Required[str]


class AuthAppRole(TypedDict, total=False):
    path: Required[Annotated[str, Default("approle")]]
    roleId: str
    roleRef: SecretRef
    secretRef: Required[SecretRef]


class VaultAuthCert(TypedDict, total=False):
    clientCert: SecretRef
    path: Annotated[str, Default("cert")]
    secretRef: SecretRef
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
    secretRef: AwsAuthSecretRef
    vaultAwsIamServerID: str
    vaultRole: Required[str]


class KubernetesServiceAccountToken(TypedDict, total=False):
    audiences: list[str]
    expirationSeconds: Int64
    serviceAccountRef: Required[ServiceAccountRef]


class VaultAuthJwt(TypedDict, total=False):
    kubernetesServiceAccountToken: KubernetesServiceAccountToken
    path: Required[Annotated[str, Default("jwt")]]
    role: str
    secretRef: SecretRef


class AuthKubernetes(TypedDict, total=False):
    mountPath: Required[Annotated[str, Default("kubernetes")]]
    role: Required[str]
    secretRef: SecretRef
    serviceAccountRef: ServiceAccountRef


class Ldap(TypedDict, total=False):
    path: Required[Annotated[str, Default("ldap")]]
    secretRef: SecretRef
    username: Required[str]


class VaultAuth(TypedDict, total=False):
    appRole: AuthAppRole
    cert: VaultAuthCert
    gcp: Gcp
    iam: Iam
    jwt: VaultAuthJwt
    kubernetes: AuthKubernetes
    ldap: Ldap
    namespace: str
    tokenSecretRef: SecretRef
    userPass: UserPass


class CheckAndSet(TypedDict, total=False):
    required: bool


class Tls(TypedDict, total=False):
    certSecretRef: SecretRef
    keySecretRef: SecretRef


class ProviderVault(TypedDict, total=False):
    auth: VaultAuth
    caBundle: Bytes
    caProvider: CaProvider
    checkAndSet: CheckAndSet
    forwardInconsistent: bool
    headers: dict[str, str]
    namespace: str
    path: str
    readYourWrites: bool
    server: Required[str]
    tls: Tls
    version: Annotated[Literal["v1", "v2"], Default("v2")]


class VolcengineAuthSecretRef(TypedDict, total=False):
    accessKeyID: Required[SecretRef]
    secretAccessKey: Required[SecretRef]
    token: SecretRef


class VolcengineAuth(TypedDict, total=False):
    secretRef: VolcengineAuthSecretRef


class Volcengine(TypedDict, total=False):
    auth: VolcengineAuth
    region: Required[str]


class Ntlm(TypedDict, total=False):
    passwordSecret: Required[SecretRef]
    usernameSecret: Required[SecretRef]


class WebhookAuth(TypedDict, total=False):
    ntlm: Ntlm


class Result(TypedDict, total=False):
    jsonPath: str


class Secret(TypedDict, total=False):
    name: Required[str]
    secretRef: Required[SecretRef]


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


class YandexcertificatemanagerAuth(TypedDict, total=False):
    authorizedKeySecretRef: SecretRef


class ByName(TypedDict, total=False):
    folderID: Required[str]


class Fetching(TypedDict, total=False):
    byID: EmptyObject
    byName: ByName


class Yandexcertificatemanager(TypedDict, total=False):
    apiEndpoint: str
    auth: Required[YandexcertificatemanagerAuth]
    caProvider: NebiusmysteryboxCaProvider
    fetching: Annotated[Fetching, MaxProperties(1), MinProperties(1)]


class Provider(TypedDict, total=False):
    akeyless: Akeyless
    aws: Aws
    azurekv: Azurekv
    barbican: Barbican
    beyondtrust: Beyondtrust
    beyondtrustworkloadcredentials: Beyondtrustworkloadcredentials
    bitwardensecretsmanager: Bitwardensecretsmanager
    chef: Chef
    cloudrusm: Cloudrusm
    conjur: Conjur
    crd: Annotated[
        Crd,
        Cel("has(self.auth) || has(self.authRef)", "needs auth or authRef"),
        Cel("[has(self.auth),has(self.authRef)].filter(x,x==true).size() <= 1", "auth and authRef exclude each other"),
    ]
    delinea: Delinea
    doppler: Doppler
    dvls: Dvls
    fake: Fake
    fortanix: Fortanix
    gcpsm: Gcpsm
    github: Github
    gitlab: Gitlab
    ibm: Ibm
    infisical: Infisical
    keepersecurity: Keepersecurity
    kubernetes: Kubernetes
    nebiusmysterybox: Nebiusmysterybox
    ngrok: Ngrok
    onboardbase: Onboardbase
    onepassword: Onepassword
    onepasswordSDK: Annotated[
        OnepasswordSDK,
        Cel(
            "[has(self.vault),has(self.environment)].filter(x,x==true).size() <= 1",
            "vault and environment exclude each other",
        ),
    ]
    openBao: Annotated[
        OpenBao,
        Cel(
            "[has(self.caBundle),has(self.caProvider)].filter(x,x==true).size() <= 1",
            "caBundle and caProvider exclude each other",
        ),
    ]
    oracle: Oracle
    ovh: Ovh
    passbolt: Passbolt
    passworddepot: Passworddepot
    previder: Previder
    pulumi: Annotated[
        Pulumi,
        Cel(
            "(has(self.auth) && !has(self.accessToken)) || (!has(self.auth) && has(self.accessToken))",
            "auth or accessToken, and not both",
        ),
    ]
    scaleway: Scaleway
    secretserver: Annotated[
        Secretserver,
        Cel(
            "has(self.token) || (has(self.username) && has(self.password))",
            "needs a token, or a username with its password",
        ),
    ]
    senhasegura: Senhasegura
    vault: ProviderVault
    volcengine: Volcengine
    webhook: Webhook
    yandexcertificatemanager: Yandexcertificatemanager
    yandexlockbox: Yandexcertificatemanager


class RetrySettings(TypedDict, total=False):
    maxRetries: Int32
    retryInterval: str


class SecretStoreSpec(TypedDict, total=False):
    conditions: list[SecretStoreCondition]
    controller: str
    provider: Required[Annotated[Provider, MaxProperties(1), MinProperties(1)]]
    refreshInterval: IntOrString
    retrySettings: RetrySettings


class SecretStoreStatus(TypedDict, total=False):
    capabilities: str
    conditions: list[ExternalSecretV1beta1StatusCondition]


class AkeylessAuthSecretRef(TypedDict, total=False):
    kubernetesAuth: KubernetesAuth
    secretRef: AuthSecretRefSecretRef


class ProviderAkeyless(TypedDict, total=False):
    akeylessGWApiURL: Required[str]
    authSecretRef: Required[AkeylessAuthSecretRef]
    caBundle: Bytes
    caProvider: CaProvider


class Rrsa(TypedDict, total=False):
    oidcProviderArn: Required[str]
    oidcTokenFilePath: Required[str]
    roleArn: Required[str]
    sessionName: Required[str]


class AlibabaAuth(TypedDict, total=False):
    rrsa: Rrsa
    secretRef: CloudrusmAuthSecretRef


class Alibaba(TypedDict, total=False):
    auth: Required[AlibabaAuth]
    regionID: Required[str]


class ProviderAws(TypedDict, total=False):
    additionalRoles: list[str]
    auth: Auth
    externalID: str
    prefix: str
    region: Required[str]
    role: str
    secretsManager: SecretsManager
    service: Required[Literal["SecretsManager", "ParameterStore"]]
    sessionTags: list[SessionTag]
    transitiveTagKeys: list[str]


class ProviderAzurekv(TypedDict, total=False):
    authSecretRef: AzurekvAuthSecretRef
    authType: AuthType
    environmentType: Annotated[
        Literal["PublicCloud", "USGovernmentCloud", "ChinaCloud", "GermanCloud"], Default("PublicCloud")
    ]
    identityId: str
    serviceAccountRef: ServiceAccountRef
    tenantId: str
    vaultUrl: Required[str]


class ProviderConjurAuth(TypedDict, total=False):
    apikey: AuthApikey
    jwt: AuthJwt


class ProviderConjur(TypedDict, total=False):
    auth: Required[ProviderConjurAuth]
    caBundle: str
    caProvider: CaProvider
    url: Required[str]


class Device42(TypedDict, total=False):
    auth: Required[PassworddepotAuth]
    host: Required[str]


class ProviderDopplerAuth(TypedDict, total=False):
    secretRef: Required[DopplerAuthSecretRef]


class ProviderDoppler(TypedDict, total=False):
    auth: Required[ProviderDopplerAuth]
    config: str
    format: Literal["json", "dotnet-json", "env", "yaml", "docker"]
    nameTransformer: NameTransformer
    project: str


class ProviderFake(TypedDict, total=False):
    data: Required[list[FakeData]]


class ProviderGcpsmAuth(TypedDict, total=False):
    secretRef: GcpsmAuthSecretRef
    workloadIdentity: WorkloadIdentity


class ProviderGcpsm(TypedDict, total=False):
    auth: ProviderGcpsmAuth
    location: str
    projectID: str


class ProviderGithub(TypedDict, total=False):
    appID: Required[Int64]
    auth: Required[GithubAuth]
    environment: str
    installationID: Required[Int64]
    organization: Required[str]
    repository: str
    uploadURL: str
    url: Annotated[str, Default("https://github.com/")]


class ProviderIbmAuthSecretRef(TypedDict, total=False):
    secretApiKeySecretRef: SecretRef


class ProviderIbmAuth(TypedDict, total=False):
    containerAuth: ContainerAuth
    secretRef: ProviderIbmAuthSecretRef


class ProviderIbm(TypedDict, total=False):
    auth: Required[Annotated[ProviderIbmAuth, MaxProperties(1), MinProperties(1)]]
    serviceUrl: str


class ProviderInfisicalAuth(TypedDict, total=False):
    universalAuthCredentials: UniversalAuthCredentials


class InfisicalSecretsScope(TypedDict, total=False):
    environmentSlug: Required[str]
    expandSecretReferences: Annotated[bool, Default(True)]
    projectSlug: Required[str]
    recursive: Annotated[bool, Default(False)]
    secretsPath: Annotated[str, Default("/")]


class ProviderInfisical(TypedDict, total=False):
    auth: Required[ProviderInfisicalAuth]
    hostAPI: Annotated[str, Default("https://app.infisical.com/api")]
    secretsScope: Required[InfisicalSecretsScope]


class ProviderKeepersecurity(TypedDict, total=False):
    authRef: Required[SecretRef]
    folderID: Required[str]


class KubernetesAuthCert(TypedDict, total=False):
    clientCert: SecretRef
    clientKey: SecretRef


class KubernetesAuthToken(TypedDict, total=False):
    bearerToken: SecretRef


class ProviderKubernetesAuth(TypedDict, total=False):
    cert: KubernetesAuthCert
    serviceAccount: ServiceAccountRef
    token: KubernetesAuthToken


class ProviderKubernetes(TypedDict, total=False):
    auth: Annotated[ProviderKubernetesAuth, MaxProperties(1), MinProperties(1)]
    authRef: SecretRef
    remoteNamespace: RemoteNamespace
    server: CrdServer


class ProviderPassbolt(TypedDict, total=False):
    auth: Required[PassboltAuth]
    host: Required[str]


class ProviderPulumi(TypedDict, total=False):
    accessToken: Required[ApiKey]
    apiUrl: Annotated[str, Default("https://api.pulumi.com/api/esc")]
    environment: Required[str]
    organization: Required[str]
    project: Required[str]


class ProviderSecretserver(TypedDict, total=False):
    password: Required[Username]
    serverURL: Required[str]
    username: Required[Username]


class ProviderVaultAuthCert(TypedDict, total=False):
    clientCert: SecretRef
    secretRef: SecretRef


class ProviderVaultAuth(TypedDict, total=False):
    appRole: AuthAppRole
    cert: ProviderVaultAuthCert
    iam: Iam
    jwt: VaultAuthJwt
    kubernetes: AuthKubernetes
    ldap: Ldap
    namespace: str
    tokenSecretRef: SecretRef
    userPass: UserPass


class SecretStoreV1beta1ProviderVault(TypedDict, total=False):
    auth: ProviderVaultAuth
    caBundle: Bytes
    caProvider: CaProvider
    forwardInconsistent: bool
    headers: dict[str, str]
    namespace: str
    path: str
    readYourWrites: bool
    server: Required[str]
    tls: Tls
    version: Annotated[Literal["v1", "v2"], Default("v2")]


class ProviderWebhook(TypedDict, total=False):
    auth: Annotated[WebhookAuth, MaxProperties(1), MinProperties(1)]
    body: str
    caBundle: Bytes
    caProvider: CaProvider
    headers: dict[str, str]
    method: str
    result: Required[Result]
    secrets: list[Secret]
    timeout: str
    url: Required[str]


class ProviderYandexcertificatemanager(TypedDict, total=False):
    apiEndpoint: str
    auth: Required[YandexcertificatemanagerAuth]
    caProvider: NebiusmysteryboxCaProvider


class SecretStoreV1beta1Provider(TypedDict, total=False):
    akeyless: ProviderAkeyless
    alibaba: Alibaba
    aws: ProviderAws
    azurekv: ProviderAzurekv
    beyondtrust: Beyondtrust
    bitwardensecretsmanager: Bitwardensecretsmanager
    chef: Chef
    cloudrusm: Cloudrusm
    conjur: ProviderConjur
    delinea: Delinea
    device42: Device42
    doppler: ProviderDoppler
    fake: ProviderFake
    fortanix: Fortanix
    gcpsm: ProviderGcpsm
    github: ProviderGithub
    gitlab: Gitlab
    ibm: ProviderIbm
    infisical: ProviderInfisical
    keepersecurity: ProviderKeepersecurity
    kubernetes: ProviderKubernetes
    onboardbase: Onboardbase
    onepassword: Onepassword
    oracle: Oracle
    passbolt: ProviderPassbolt
    passworddepot: Passworddepot
    previder: Previder
    pulumi: ProviderPulumi
    scaleway: Scaleway
    secretserver: ProviderSecretserver
    senhasegura: Senhasegura
    vault: SecretStoreV1beta1ProviderVault
    webhook: ProviderWebhook
    yandexcertificatemanager: ProviderYandexcertificatemanager
    yandexlockbox: ProviderYandexcertificatemanager


class SecretStoreV1beta1Spec(TypedDict, total=False):
    conditions: list[SecretStoreCondition]
    controller: str
    provider: Required[Annotated[SecretStoreV1beta1Provider, MaxProperties(1), MinProperties(1)]]
    refreshInterval: int
    retrySettings: RetrySettings


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
    status=SecretStoreStatus,
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
    spec=SecretStoreV1beta1Spec,
    status=SecretStoreStatus,
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
    status=SecretStoreStatus,
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
    spec=SecretStoreV1beta1Spec,
    status=SecretStoreStatus,
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
