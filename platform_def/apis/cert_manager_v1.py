"""cert-manager 1.19: certificates and their issuers, and the requests, orders and challenges that it makes."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.health import READY
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import (
    AnyValue,
    Bytes,
    Default,
    Int32,
    Int64,
    ListMap,
    ListType,
    Maximum,
    MaxLength,
    Minimum,
    MinLength,
    Pattern,
    Time,
)

State = Literal["valid", "ready", "pending", "processing", "invalid", "expired", "errored"]
Usages = Annotated[
    list[
        Literal[
            "signing",
            "digital signature",
            "content commitment",
            "key encipherment",
            "key agreement",
            "data encipherment",
            "cert sign",
            "crl sign",
            "encipher only",
            "decipher only",
            "any",
            "server auth",
            "client auth",
            "code signing",
            "email protection",
            "s/mime",
            "ipsec end system",
            "ipsec tunnel",
            "ipsec user",
            "timestamping",
            "ocsp signing",
            "microsoft sgc",
            "netscape sgc",
        ]
    ],
    ListType("atomic"),
]


class IssuerRef(TypedDict, total=False):
    group: str
    """API group of the issuer; cert-manager.io if left out."""
    kind: str
    """Issuer (same namespace, the default) or ClusterIssuer."""
    name: Required[str]
    """Name of the issuer."""


class SecretKeyRef(TypedDict, total=False):
    key: str
    name: Required[str]


class AcmeDNS(TypedDict, total=False):
    accountSecretRef: Required[SecretKeyRef]
    host: Required[str]


class Akamai(TypedDict, total=False):
    accessTokenSecretRef: Required[SecretKeyRef]
    clientSecretSecretRef: Required[SecretKeyRef]
    clientTokenSecretRef: Required[SecretKeyRef]
    serviceConsumerDomain: Required[str]


class ManagedIdentity(TypedDict, total=False):
    clientID: str
    resourceID: str
    tenantID: str


class AzureDNS(TypedDict, total=False):
    clientID: str
    clientSecretSecretRef: SecretKeyRef
    environment: Literal["AzurePublicCloud", "AzureChinaCloud", "AzureGermanCloud", "AzureUSGovernmentCloud"]
    hostedZoneName: str
    managedIdentity: ManagedIdentity
    resourceGroupName: Required[str]
    subscriptionID: Required[str]
    tenantID: str


class CloudDNS(TypedDict, total=False):
    hostedZoneName: str
    project: Required[str]
    serviceAccountSecretRef: SecretKeyRef


class Cloudflare(TypedDict, total=False):
    apiKeySecretRef: SecretKeyRef
    apiTokenSecretRef: SecretKeyRef
    email: str


class Digitalocean(TypedDict, total=False):
    tokenSecretRef: Required[SecretKeyRef]


class Rfc2136(TypedDict, total=False):
    nameserver: Required[str]
    protocol: Literal["TCP", "UDP"]
    tsigAlgorithm: str
    tsigKeyName: str
    tsigSecretSecretRef: SecretKeyRef


class ServiceAccountRef(TypedDict, total=False):
    audiences: Annotated[list[str], ListType("atomic")]
    name: Required[str]


class Kubernetes(TypedDict, total=False):
    serviceAccountRef: Required[ServiceAccountRef]


class Auth(TypedDict, total=False):
    kubernetes: Required[Kubernetes]


class Route53(TypedDict, total=False):
    accessKeyID: str
    accessKeyIDSecretRef: SecretKeyRef
    auth: Auth
    hostedZoneID: str
    region: str
    role: str
    secretAccessKeySecretRef: SecretKeyRef


class Webhook(TypedDict, total=False):
    config: AnyValue
    groupName: Required[str]
    solverName: Required[str]


class Dns01(TypedDict, total=False):
    acmeDNS: AcmeDNS
    akamai: Akamai
    azureDNS: AzureDNS
    cloudDNS: CloudDNS
    cloudflare: Cloudflare
    cnameStrategy: Literal["None", "Follow"]
    digitalocean: Digitalocean
    rfc2136: Rfc2136
    route53: Route53
    webhook: Webhook


class ParentRef(TypedDict, total=False):
    group: Annotated[
        str,
        Default("gateway.networking.k8s.io"),
        MaxLength(253),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    kind: Annotated[
        str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    namespace: Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    sectionName: Annotated[
        str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
    ]


class LabelsAndAnnotations(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class SecurityContext(TypedDict, total=False):
    fsGroup: Int64
    fsGroupChangePolicy: str
    runAsGroup: Int64
    runAsNonRoot: bool
    runAsUser: Int64
    seLinuxOptions: core_v1.SELinuxOptions
    seccompProfile: core_v1.SeccompProfile
    supplementalGroups: Annotated[list[Int64], ListType("atomic")]
    sysctls: Annotated[list[core_v1.Sysctl], ListType("atomic")]


class PodTemplateSpec(TypedDict, total=False):
    affinity: core_v1.Affinity
    imagePullSecrets: Annotated[list[core_v1.LocalObjectReference], ListMap("name")]
    nodeSelector: dict[str, str]
    priorityClassName: str
    resources: core_v1.VolumeResourceRequirements
    securityContext: SecurityContext
    serviceAccountName: str
    tolerations: Annotated[list[core_v1.Toleration], ListType("atomic")]


class PodTemplate(TypedDict, total=False):
    metadata: LabelsAndAnnotations
    spec: PodTemplateSpec


class GatewayHTTPRoute(TypedDict, total=False):
    labels: dict[str, str]
    parentRefs: Annotated[list[ParentRef], ListType("atomic")]
    podTemplate: PodTemplate
    serviceType: str


class IngressTemplate(TypedDict, total=False):
    metadata: LabelsAndAnnotations


Ingress = TypedDict(
    "Ingress",
    {
        "class": "str",
        "ingressClassName": "str",
        "ingressTemplate": "IngressTemplate",
        "name": "str",
        "podTemplate": "PodTemplate",
        "serviceType": "str",
    },
    total=False,
)


class Http01(TypedDict, total=False):
    gatewayHTTPRoute: GatewayHTTPRoute
    ingress: Ingress


class Selector(TypedDict, total=False):
    dnsNames: Annotated[list[str], ListType("atomic")]
    dnsZones: Annotated[list[str], ListType("atomic")]
    matchLabels: dict[str, str]


class Solver(TypedDict, total=False):
    dns01: Dns01
    """By a DNS record."""
    http01: Http01
    """By a path on the host."""
    selector: Selector
    """Host names that this solver is for; all if left out."""


class ChallengeSpec(TypedDict, total=False):
    authorizationURL: Required[str]
    dnsName: Required[str]
    issuerRef: Required[IssuerRef]
    key: Required[str]
    solver: Required[Solver]
    token: Required[str]
    type: Required[Literal["HTTP-01", "DNS-01"]]
    url: Required[str]
    wildcard: bool


class ChallengeStatus(TypedDict, total=False):
    presented: bool
    processing: bool
    reason: str
    state: State


class OrderSpec(TypedDict, total=False):
    commonName: str
    dnsNames: Annotated[list[str], ListType("atomic")]
    duration: str
    ipAddresses: Annotated[list[str], ListType("atomic")]
    issuerRef: Required[IssuerRef]
    profile: str
    request: Required[Bytes]


class Challenge(TypedDict, total=False):
    token: Required[str]
    type: Required[str]
    url: Required[str]


class Authorization(TypedDict, total=False):
    challenges: Annotated[list[Challenge], ListType("atomic")]
    identifier: str
    initialState: State
    url: Required[str]
    wildcard: bool


class OrderStatus(TypedDict, total=False):
    authorizations: Annotated[list[Authorization], ListType("atomic")]
    certificate: Bytes
    failureTime: Time
    finalizeURL: str
    reason: str
    state: State
    url: str


class CertificateRequestSpec(TypedDict, total=False):
    duration: str
    extra: dict[str, list[str]]
    groups: Annotated[list[str], ListType("atomic")]
    isCA: bool
    issuerRef: Required[IssuerRef]
    request: Required[Bytes]
    uid: str
    usages: Usages
    username: str


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    reason: str
    status: Required[Literal["True", "False", "Unknown"]]
    type: Required[str]


class CertificateRequestStatus(TypedDict, total=False):
    ca: Bytes
    certificate: Bytes
    conditions: Annotated[list[Condition], ListMap("type")]
    failureTime: Time


class AdditionalOutputFormat(TypedDict, total=False):
    type: Required[Literal["DER", "CombinedPEM"]]


class Jks(TypedDict, total=False):
    alias: str
    create: Required[bool]
    password: str
    passwordSecretRef: SecretKeyRef


class Pkcs12(TypedDict, total=False):
    create: Required[bool]
    password: str
    passwordSecretRef: SecretKeyRef
    profile: Literal["LegacyRC2", "LegacyDES", "Modern2023"]


class Keystores(TypedDict, total=False):
    jks: Jks
    pkcs12: Pkcs12


class Excluded(TypedDict, total=False):
    dnsDomains: Annotated[list[str], ListType("atomic")]
    emailAddresses: Annotated[list[str], ListType("atomic")]
    ipRanges: Annotated[list[str], ListType("atomic")]
    uriDomains: Annotated[list[str], ListType("atomic")]


class NameConstraints(TypedDict, total=False):
    critical: bool
    excluded: Excluded
    permitted: Excluded


class OtherName(TypedDict, total=False):
    oid: str
    utf8Value: str


class PrivateKey(TypedDict, total=False):
    algorithm: Literal["RSA", "ECDSA", "Ed25519"]
    """RSA, ECDSA or Ed25519."""
    encoding: Literal["PKCS1", "PKCS8"]
    """PKCS1 or PKCS8."""
    rotationPolicy: Literal["Never", "Always"]
    """Always: each renewal makes a new key."""
    size: int
    """Bits of the key."""


class Subject(TypedDict, total=False):
    countries: Annotated[list[str], ListType("atomic")]
    localities: Annotated[list[str], ListType("atomic")]
    organizationalUnits: Annotated[list[str], ListType("atomic")]
    organizations: Annotated[list[str], ListType("atomic")]
    postalCodes: Annotated[list[str], ListType("atomic")]
    provinces: Annotated[list[str], ListType("atomic")]
    serialNumber: str
    streetAddresses: Annotated[list[str], ListType("atomic")]


class CertificateSpec(TypedDict, total=False):
    additionalOutputFormats: Annotated[list[AdditionalOutputFormat], ListType("atomic")]
    """Further keys in the Secret: DER or a combined PEM."""
    commonName: str
    """Common name; 64 characters at most, dnsNames are what clients check."""
    dnsNames: Annotated[list[str], ListType("atomic")]
    """Host names that the certificate is for."""
    duration: str
    """How long it is valid (`2160h`, the default)."""
    emailAddresses: Annotated[list[str], ListType("atomic")]
    """Mail addresses that it is for."""
    encodeUsagesInRequest: bool
    ipAddresses: Annotated[list[str], ListType("atomic")]
    """IP addresses that it is for."""
    isCA: bool
    """Whether it may sign other certificates."""
    issuerRef: Required[IssuerRef]
    """Who signs it."""
    keystores: Keystores
    """JKS or PKCS#12 stores, written into the same Secret."""
    literalSubject: str
    """The whole subject as RFC 4514 text, instead of `subject`."""
    nameConstraints: NameConstraints
    otherNames: Annotated[list[OtherName], ListType("atomic")]
    privateKey: PrivateKey
    """Algorithm, size and rotation of the key."""
    renewBefore: str
    """How long before its end it is renewed; a third of the duration if left out."""
    renewBeforePercentage: Int32
    """The same as a share of the duration, in percent."""
    revisionHistoryLimit: Int32
    """CertificateRequests that are kept."""
    secretName: Required[str]
    """Secret that holds key and certificate."""
    secretTemplate: LabelsAndAnnotations
    """Labels and annotations of that Secret."""
    signatureAlgorithm: Literal[
        "SHA256WithRSA",
        "SHA384WithRSA",
        "SHA512WithRSA",
        "ECDSAWithSHA256",
        "ECDSAWithSHA384",
        "ECDSAWithSHA512",
        "PureEd25519",
    ]
    subject: Subject
    """Parts of the X.509 subject beside the common name."""
    uris: Annotated[list[str], ListType("atomic")]
    """URIs that it is for."""
    usages: Usages
    """What the key may be used for."""


class CertificateCondition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    observedGeneration: Int64
    reason: str
    status: Required[Literal["True", "False", "Unknown"]]
    type: Required[str]


class CertificateStatus(TypedDict, total=False):
    conditions: Annotated[list[CertificateCondition], ListMap("type")]
    failedIssuanceAttempts: int
    lastFailureTime: Time
    nextPrivateKeySecretName: str
    notAfter: Time
    notBefore: Time
    renewalTime: Time
    revision: int


class ExternalAccountBinding(TypedDict, total=False):
    keyAlgorithm: Literal["HS256", "HS384", "HS512"]
    keyID: Required[str]
    keySecretRef: Required[SecretKeyRef]


class Acme(TypedDict, total=False):
    caBundle: Bytes
    disableAccountKeyGeneration: bool
    email: str
    """Where the ACME server sends warnings."""
    enableDurationFeature: bool
    externalAccountBinding: ExternalAccountBinding
    preferredChain: Annotated[str, MaxLength(64)]
    privateKeySecretRef: Required[SecretKeyRef]
    """Secret that keeps the key of the account; it is made if absent."""
    profile: str
    server: Required[str]
    """Address of the ACME directory."""
    skipTLSVerify: bool
    solvers: Annotated[list[Solver], ListType("atomic")]
    """How control over a host name is shown."""


class Ca(TypedDict, total=False):
    crlDistributionPoints: Annotated[list[str], ListType("atomic")]
    issuingCertificateURLs: Annotated[list[str], ListType("atomic")]
    ocspServers: Annotated[list[str], ListType("atomic")]
    secretName: Required[str]
    """Secret with `tls.crt` and `tls.key` of the authority."""


class SelfSigned(TypedDict, total=False):
    crlDistributionPoints: Annotated[list[str], ListType("atomic")]


class AppRole(TypedDict, total=False):
    path: Required[str]
    roleId: Required[str]
    secretRef: Required[SecretKeyRef]


class ClientCertificate(TypedDict, total=False):
    mountPath: str
    name: str
    secretName: str


class AuthKubernetes(TypedDict, total=False):
    mountPath: str
    role: Required[str]
    secretRef: SecretKeyRef
    serviceAccountRef: ServiceAccountRef


class VaultAuth(TypedDict, total=False):
    appRole: AppRole
    clientCertificate: ClientCertificate
    kubernetes: AuthKubernetes
    tokenSecretRef: SecretKeyRef


class Vault(TypedDict, total=False):
    auth: Required[VaultAuth]
    caBundle: Bytes
    caBundleSecretRef: SecretKeyRef
    clientCertSecretRef: SecretKeyRef
    clientKeySecretRef: SecretKeyRef
    namespace: str
    path: Required[str]
    server: Required[str]
    serverName: str


class Cloud(TypedDict, total=False):
    apiTokenSecretRef: Required[SecretKeyRef]
    url: str


class CredentialsRef(TypedDict, total=False):
    name: Required[str]


class Tpp(TypedDict, total=False):
    caBundle: Bytes
    caBundleSecretRef: SecretKeyRef
    credentialsRef: Required[CredentialsRef]
    url: Required[str]


class Venafi(TypedDict, total=False):
    cloud: Cloud
    tpp: Tpp
    zone: Required[str]


class IssuerSpec(TypedDict, total=False):
    acme: Acme
    """Certificates from an ACME server."""
    ca: Ca
    """Signs with a key pair in a Secret."""
    selfSigned: SelfSigned
    """Every certificate signs itself."""
    vault: Vault
    """Signs with HashiCorp Vault."""
    venafi: Venafi
    """Signs with CyberArk or Venafi."""


class AcmeStatus(TypedDict, total=False):
    lastPrivateKeyHash: str
    lastRegisteredEmail: str
    uri: str


class IssuerStatus(TypedDict, total=False):
    acme: AcmeStatus
    conditions: Annotated[list[CertificateCondition], ListMap("type")]


CHALLENGE = Api(
    group="acme.cert-manager.io",
    version="v1",
    kind="Challenge",
    plural="challenges",
    spec=ChallengeSpec,
    status=ChallengeStatus,
    required=("spec", "metadata"),
    core="1.34",
    status_subresource=True,
    columns=(
        Column("State", ".status.state"),
        Column("Domain", ".spec.dnsName"),
        Column("Reason", ".status.reason", priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
)

ORDER = Api(
    group="acme.cert-manager.io",
    version="v1",
    kind="Order",
    plural="orders",
    spec=OrderSpec,
    status=OrderStatus,
    required=("spec", "metadata"),
    status_subresource=True,
    columns=(
        Column("State", ".status.state"),
        Column("Issuer", ".spec.issuerRef.name", priority=1),
        Column("Reason", ".status.reason", priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
)

CERTIFICATE_REQUEST = Api(
    group="cert-manager.io",
    version="v1",
    kind="CertificateRequest",
    plural="certificaterequests",
    spec=CertificateRequestSpec,
    status=CertificateRequestStatus,
    status_subresource=True,
    columns=(
        Column("Approved", '.status.conditions[?(@.type == "Approved")].status'),
        Column("Denied", '.status.conditions[?(@.type == "Denied")].status'),
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Issuer", ".spec.issuerRef.name"),
        Column("Requester", ".spec.username"),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
)

CERTIFICATE = Api(
    group="cert-manager.io",
    version="v1",
    kind="Certificate",
    plural="certificates",
    spec=CertificateSpec,
    status=CertificateStatus,
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Secret", ".spec.secretName"),
        Column("Issuer", ".spec.issuerRef.name", priority=1),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
    health=READY,
)

CLUSTER_ISSUER = Api(
    group="cert-manager.io",
    version="v1",
    kind="ClusterIssuer",
    plural="clusterissuers",
    namespaced=False,
    spec=IssuerSpec,
    status=IssuerStatus,
    required=("spec",),
    core="1.34",
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
    health=READY,
)

ISSUER = Api(
    group="cert-manager.io",
    version="v1",
    kind="Issuer",
    plural="issuers",
    spec=IssuerSpec,
    status=IssuerStatus,
    required=("spec",),
    core="1.34",
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
    health=READY,
)

CRDS = (
    Definition((CHALLENGE,), categories=("cert-manager", "cert-manager-acme")),
    Definition((ORDER,), categories=("cert-manager", "cert-manager-acme")),
    Definition((CERTIFICATE_REQUEST,), short_names=("cr", "crs"), categories=("cert-manager",)),
    Definition((CERTIFICATE,), short_names=("cert", "certs"), categories=("cert-manager",)),
    Definition((CLUSTER_ISSUER,), short_names=("ciss",), categories=("cert-manager",)),
    Definition((ISSUER,), short_names=("iss",), categories=("cert-manager",)),
)
