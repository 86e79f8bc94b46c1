"""cert-manager 1.21: certificates and their issuers, and the requests, orders and challenges that it makes."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1
from platform_def.apis.core.pull_secret import ImagePullSecret
from platform_def.crds.health import READY
from platform_def.crds.model import Api, Column, Definition, Makes
from platform_def.crds.schema import (
    AnyValue,
    Bytes,
    Cel,
    Default,
    Doc,
    Int32,
    Int64,
    ListMap,
    ListType,
    Maximum,
    MaxLength,
    Minimum,
    MinLength,
    Pattern,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

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
    """Who signs."""

    group: str
    """API group of the issuer; cert-manager.io if left out."""
    kind: str
    """Issuer (same namespace, the default) or ClusterIssuer."""
    name: Required[Annotated[str, Ref("Issuer", group="cert-manager.io", kind_field="kind", group_field="group")]]
    """Name of the issuer."""


class SecretKeyRef(TypedDict, total=False):
    """A key of a Secret: the issuer's namespace, for a ClusterIssuer cert-manager's own."""

    key: str
    """Key in the Secret; each use has its own default."""
    name: Required[Annotated[str, Ref("Secret", key="key")]]
    """Name of the Secret."""


class AcmeDNS(TypedDict, total=False):
    """Records by an acme-dns server."""

    accountSecretRef: Required[SecretKeyRef]
    """Account data of the server, as JSON."""
    host: Required[str]
    """Address of the server."""


class Akamai(TypedDict, total=False):
    """Records in Akamai's edge DNS."""

    accessTokenSecretRef: Required[SecretKeyRef]
    """Access token."""
    clientSecretSecretRef: Required[SecretKeyRef]
    """Client secret."""
    clientTokenSecretRef: Required[SecretKeyRef]
    """Client token."""
    serviceConsumerDomain: Required[str]
    """Host of the API."""


class ManagedIdentity(TypedDict, total=False):
    """An identity that Azure gives the pod."""

    clientID: str
    """Identity by its client; one of the two at most."""
    resourceID: str
    """Identity by its resource."""
    tenantID: str
    """Tenant of the identity."""


class AzureDNS(TypedDict, total=False):
    """Records in Azure DNS."""

    clientID: str
    """Service principal; left out for a managed identity."""
    clientSecretSecretRef: SecretKeyRef
    """Password of the service principal."""
    environment: Literal["AzurePublicCloud", "AzureChinaCloud", "AzureGermanCloud", "AzureUSGovernmentCloud"]
    """Which Azure cloud; the public one if left out."""
    hostedZoneName: str
    """Zone; found by the host name if left out."""
    managedIdentity: ManagedIdentity
    """Identity of the pod, instead of a service principal."""
    resourceGroupName: Required[str]
    """Resource group of the zone."""
    subscriptionID: Required[str]
    """Subscription of the zone."""
    tenantID: str
    """Tenant of the service principal."""
    zoneType: Literal["AzurePublicZone", "AzurePrivateZone"]
    """Whether the zone is public (the default) or seen inside Azure's networks alone."""


class CloudDNS(TypedDict, total=False):
    """Records in Google Cloud DNS."""

    hostedZoneName: str
    """Zone; found by the host name if left out."""
    project: Required[str]
    """Project of the zone."""
    serviceAccountSecretRef: SecretKeyRef
    """Key of a Google service account; the pod's own identity if left out."""


class Cloudflare(TypedDict, total=False):
    """Records in Cloudflare; a token or an older API key."""

    apiKeySecretRef: SecretKeyRef
    """API key of the account; goes with email."""
    apiTokenSecretRef: SecretKeyRef
    """API token, which can be narrower than a key."""
    email: str
    """Account of the API key."""


class Digitalocean(TypedDict, total=False):
    """Records in DigitalOcean."""

    tokenSecretRef: Required[SecretKeyRef]
    """API token."""


class Rfc2136(TypedDict, total=False):
    """Records by dynamic updates, as BIND and others take them."""

    nameserver: Required[str]
    """Address of the server, with a port if it is not 53."""
    protocol: Literal["TCP", "UDP"]
    """TCP or UDP (the default)."""
    tsigAlgorithm: str
    """Algorithm of the signature; HMACMD5 if left out."""
    tsigKeyName: str
    """Name of the key that signs updates."""
    tsigSecretSecretRef: SecretKeyRef
    """The key itself."""


class ServiceAccountRef(TypedDict, total=False):
    """A ServiceAccount whose token is asked for."""

    audiences: Annotated[list[str], ListType("atomic")]
    """Further audiences of the token."""
    name: Required[Annotated[str, Ref("ServiceAccount")]]
    """Name of the ServiceAccount."""


class Kubernetes(TypedDict, total=False):
    """Login with a token of the cluster."""

    serviceAccountRef: Required[ServiceAccountRef]
    """ServiceAccount whose token is used."""


class Auth(TypedDict, total=False):
    """How AWS is logged in to."""

    kubernetes: Required[Kubernetes]
    """By a token that AWS trusts (IRSA)."""


class Route53(TypedDict, total=False):
    """Records in AWS Route 53."""

    accessKeyID: str
    """Access key; the pod's own identity if left out."""
    accessKeyIDSecretRef: SecretKeyRef
    """The same from a Secret."""
    auth: Auth
    """Login with a ServiceAccount's token."""
    hostedZoneID: str
    """Zone; found by the host name if left out."""
    region: str
    """Region of the API."""
    role: str
    """Role that is assumed."""
    secretAccessKeySecretRef: SecretKeyRef
    """Secret half of the access key."""


class Webhook(TypedDict, total=False):
    """Records by a solver of one's own."""

    config: AnyValue
    """Settings that are handed to the solver."""
    groupName: Required[str]
    """API group under which the solver is served."""
    solverName: Required[str]
    """Its name in that group."""


class Dns01(TypedDict, total=False):
    """Shows control by a TXT record; wildcards need it. One provider."""

    acmeDNS: AcmeDNS
    """An acme-dns server."""
    akamai: Akamai
    """Akamai."""
    azureDNS: AzureDNS
    """Azure."""
    cloudDNS: CloudDNS
    """Google Cloud."""
    cloudflare: Cloudflare
    """Cloudflare."""
    cnameStrategy: Literal["None", "Follow"]
    """Follow: the record goes where a CNAME points to."""
    digitalocean: Digitalocean
    """DigitalOcean."""
    rfc2136: Rfc2136
    """Any server with dynamic updates."""
    route53: Route53
    """AWS."""
    webhook: Webhook
    """A solver of one's own."""


class ParentRef(TypedDict, total=False):
    """Gateway that carries the challenge."""

    group: Annotated[
        str,
        Default("gateway.networking.k8s.io"),
        MaxLength(253),
        Pattern(r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    """API group of the parent."""
    kind: Annotated[
        str, Default("Gateway"), MaxLength(63), MinLength(1), Pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$")
    ]
    """Gateway, or another kind that routes attach to."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref(
                "Gateway",
                group="gateway.networking.k8s.io",
                kind_field="kind",
                group_field="group",
                namespace="namespace",
                weak=True,  # a challenge waits for it; the issuer does not
            ),
        ]
    ]
    """Name of the parent."""
    namespace: Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    """Its namespace; the challenge's own if left out."""
    port: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Port of the Gateway that answers."""
    sectionName: Annotated[
        str, MaxLength(253), MinLength(1), Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
    ]
    """Listener of the Gateway."""


class LabelsAndAnnotations(TypedDict, total=False):
    """Labels and annotations that are added."""

    annotations: dict[str, str]
    """Annotations."""
    labels: dict[str, str]
    """Labels."""


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
    """What may be set on the solver's pod."""

    affinity: core_v1.Affinity
    """Where it may run."""
    imagePullSecrets: Annotated[list[ImagePullSecret], ListMap("name")]
    """Secrets for its image."""
    nodeSelector: dict[str, str]
    """Labels of nodes that it may run on."""
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """Its priority."""
    resources: core_v1.VolumeResourceRequirements
    """Requests and limits."""
    securityContext: SecurityContext
    """User and rights of its processes."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount of the pod."""
    tolerations: Annotated[list[core_v1.Toleration], ListType("atomic")]
    """Taints that it bears."""


class PodTemplate(TypedDict, total=False):
    """The pod that answers the challenge."""

    metadata: LabelsAndAnnotations
    """Its labels and annotations."""
    spec: PodTemplateSpec
    """What may be set on it."""


class GatewayHTTPRoute(TypedDict, total=False):
    """Answers by an HTTPRoute on a Gateway."""

    labels: dict[str, str]
    """Labels of the HTTPRoute."""
    parentRefs: Annotated[list[ParentRef], ListType("atomic")]
    """Gateways that it attaches to."""
    podTemplate: PodTemplate
    """The pod that answers."""
    serviceType: str
    """Type of the Service before it; NodePort if left out."""


class IngressTemplate(TypedDict, total=False):
    """The Ingress that is made for a challenge."""

    metadata: LabelsAndAnnotations
    """Its labels and annotations."""


Ingress = TypedDict(
    "Ingress",
    {
        "class": 'Annotated[str, Doc("Older form of ingressClassName, as an annotation of the Ingress.")]',
        "ingressClassName": 'Annotated[str, Doc("Ingress class that answers; one of class, ingressClassName and name."), Ref("IngressClass", group="networking.k8s.io", weak=True)]',
        "ingressTemplate": 'Annotated[IngressTemplate, Doc("Labels and annotations of the Ingress that is made.")]',
        "name": 'Annotated[str, Doc("Ingress that gets the path added, instead of one of its own."), Ref("Ingress", group="networking.k8s.io")]',
        "podTemplate": 'Annotated[PodTemplate, Doc("The pod that answers.")]',
        "serviceType": 'Annotated[str, Doc("Type of the Service before it; NodePort if left out.")]',
    },
    total=False,
)


class Http01(TypedDict, total=False):
    """Shows control by a file below `/.well-known/acme-challenge`."""

    gatewayHTTPRoute: GatewayHTTPRoute
    """By an HTTPRoute."""
    ingress: Ingress
    """By an Ingress."""


class Selector(TypedDict, total=False):
    """Host names that a solver is for; the most specific wins."""

    dnsNames: Annotated[list[str], ListType("atomic")]
    """These names exactly."""
    dnsZones: Annotated[list[str], ListType("atomic")]
    """All names below these."""
    matchLabels: dict[str, str]
    """Certificates with these labels."""


class Solver(TypedDict, total=False):
    """One way to show control over host names."""

    dns01: Dns01
    """By a DNS record."""
    http01: Http01
    """By a path on the host."""
    selector: Selector
    """Host names that this solver is for; all if left out."""
    waitInsteadOfSelfCheck: str
    """Time (`5m`) to wait before the authority is asked, where cert-manager cannot see what it sees; since 1.21."""


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
    presentedAt: Time
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
    replaces: str
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
    """A further form of the key in the Secret."""

    type: Required[Literal["DER", "CombinedPEM"]]
    """DER: key.der; CombinedPEM: tls-combined.pem with key and chain."""


class Jks(TypedDict, total=False):
    """A Java key store."""

    alias: str
    """Name of the entry in the store; `certificate` if left out."""
    create: Required[bool]
    """Whether it is written."""
    password: str
    """Password as text; better from a Secret."""
    passwordSecretRef: SecretKeyRef
    """Password from a Secret."""


class Pkcs12(TypedDict, total=False):
    """A PKCS#12 store."""

    create: Required[bool]
    """Whether it is written."""
    password: str
    """Password as text; better from a Secret."""
    passwordSecretRef: SecretKeyRef
    """Password from a Secret."""
    profile: Literal["LegacyRC2", "LegacyDES", "Modern2023", "Modern2026"]
    """Algorithms: LegacyRC2 (the default), LegacyDES, Modern2023 or, since 1.21 and for OpenSSL 3.4 and Java 26,
    Modern2026."""


class Keystores(TypedDict, total=False):
    """Key stores for programs that read no PEM."""

    jks: Jks
    """keystore.jks and truststore.jks."""
    pkcs12: Pkcs12
    """keystore.p12 and truststore.p12."""


class Excluded(TypedDict, total=False):
    """Names of four sorts."""

    dnsDomains: Annotated[list[str], ListType("atomic")]
    """Host names and all below them."""
    emailAddresses: Annotated[list[str], ListType("atomic")]
    """Mail addresses or domains."""
    ipRanges: Annotated[list[str], ListType("atomic")]
    """Addresses in CIDR form."""
    uriDomains: Annotated[list[str], ListType("atomic")]
    """Hosts of URIs."""


class NameConstraints(TypedDict, total=False):
    """What an authority may sign for."""

    critical: bool
    """Whoever does not understand the limits must refuse the certificate."""
    excluded: Excluded
    """Names that it must not sign."""
    permitted: Excluded
    """Names that it may sign."""


class OtherName(TypedDict, total=False):
    """A further name of a sort given by OID."""

    oid: str
    """Sort of the name."""
    utf8Value: str
    """The name."""


class PrivateKey(TypedDict, total=False):
    """The certificate's key."""

    algorithm: Literal["RSA", "ECDSA", "Ed25519"]
    """RSA (the default), ECDSA or Ed25519."""
    encoding: Literal["PKCS1", "PKCS8"]
    """PKCS1 (the default) or PKCS8."""
    rotationPolicy: Literal["Never", "Always"]
    """Always (the default): each renewal makes a new key; Never: the key stays."""
    size: int
    """Bits of the key; 2048 for RSA and 256 for ECDSA if left out."""


class Subject(TypedDict, total=False):
    """The X.509 subject beside the common name."""

    countries: Annotated[list[str], ListType("atomic")]
    """Countries."""
    localities: Annotated[list[str], ListType("atomic")]
    """Towns."""
    organizationalUnits: Annotated[list[str], ListType("atomic")]
    """Departments."""
    organizations: Annotated[list[str], ListType("atomic")]
    """Organizations."""
    postalCodes: Annotated[list[str], ListType("atomic")]
    """Postal codes."""
    provinces: Annotated[list[str], ListType("atomic")]
    """States or provinces."""
    serialNumber: str
    """Serial number of the subject."""
    streetAddresses: Annotated[list[str], ListType("atomic")]
    """Streets."""


class RenewalWindow(TypedDict, total=False):
    """A time at which a certificate may be renewed."""

    cron: Required[Annotated[str, MinLength(1)]]
    """When it begins, as a cron line."""
    timezone: Annotated[str, MinLength(1)]
    """Time zone of that line, such as `Europe/Berlin`; UTC if left out."""
    windowDuration: Required[Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(s|m|h))+$")]]
    """How long it lasts (`2h30m`)."""


class Renewal(TypedDict, total=False):
    """Whether and when the certificate is renewed."""

    policy: Literal["RenewBefore", "Disabled"]
    """RenewBefore (the default): as `renewBefore` says; Disabled: never."""
    windows: Annotated[list[RenewalWindow], ListType("atomic")]
    """Times at which it may be renewed; at any if left out."""


class CertificateSpec(TypedDict, total=False):
    """A certificate that is kept valid in a Secret."""

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
    """Whether the request names the usages; true if left out."""
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
    """Names that an authority may sign for; only with isCA."""
    otherNames: Annotated[list[OtherName], ListType("atomic")]
    """Names of further sorts."""
    privateKey: PrivateKey
    """Algorithm, size and rotation of the key."""
    renewBefore: str
    """How long before its end it is renewed; a third of the duration if left out."""
    renewBeforePercentage: Int32
    """The same as a share of the duration, in percent."""
    renewal: Renewal
    """Whether it is renewed, and in which windows; since 1.21."""
    revisionHistoryLimit: Int32
    """CertificateRequests that are kept; 1 if left out."""
    secretName: Required[str]
    """Secret that holds key and certificate; cert-manager makes it."""
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
    """Algorithm of the request's signature; it must fit the key."""
    subject: Subject
    """Parts of the X.509 subject beside the common name."""
    uris: Annotated[list[str], ListType("atomic")]
    """URIs that it is for."""
    usages: Usages
    """What the key may be used for; digital signature and key encipherment if left out."""


class CertificateCondition(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    observedGeneration: Int64
    reason: str
    status: Required[Literal["True", "False", "Unknown"]]
    type: Required[str]


class SuggestedWindow(TypedDict, total=False):
    end: Required[Time]
    start: Required[Time]


class RenewalInformation(TypedDict, total=False):
    explanationURL: str
    lastChecked: Time
    lastError: str
    nextCheck: Time
    suggestedWindow: SuggestedWindow


class CertificateAcme(TypedDict, total=False):
    ari: RenewalInformation


class CertificateStatus(TypedDict, total=False):
    acme: CertificateAcme
    conditions: Annotated[list[CertificateCondition], ListMap("type")]
    failedIssuanceAttempts: int
    lastFailureTime: Time
    nextPrivateKeySecretName: str
    notAfter: Time
    notBefore: Time
    renewalTime: Time
    revision: int


class ExternalAccountBinding(TypedDict, total=False):
    """Ties the ACME account to one that exists with the authority."""

    keyAlgorithm: Literal["HS256", "HS384", "HS512"]
    """No longer read."""
    keyID: Required[str]
    """Account at the authority."""
    keySecretRef: Required[SecretKeyRef]
    """Its key (base64url), in a Secret."""


class AccountKeySecretRef(TypedDict, total=False):
    """The Secret that keeps an account's key; cert-manager makes it where it is absent."""

    key: str
    """Key in the Secret; `tls.key` if left out."""
    name: Required[Annotated[str, Ref("Secret", key="key", optional=True)]]
    """Name of the Secret."""


class Acme(TypedDict, total=False):
    """Certificates from an ACME server such as Let's Encrypt."""

    caBundle: Bytes
    """Authorities that the server's certificate is checked with; the system's if left out."""
    disableAccountKeyGeneration: bool
    """The account's key must be there; none is made."""
    email: str
    """Where the ACME server sends warnings."""
    enableDurationFeature: bool
    """The server is asked for the Certificate's duration."""
    externalAccountBinding: ExternalAccountBinding
    """Account at the authority, where it asks for one."""
    preferredChain: Annotated[str, MaxLength(64)]
    """Common name of the root whose chain is chosen, among several."""
    privateKeySecretRef: Required[AccountKeySecretRef]
    """Secret that keeps the key of the account; it is made if absent."""
    profile: str
    """Profile of certificates that the server is asked for."""
    server: Required[str]
    """Address of the ACME directory."""
    skipTLSVerify: bool
    """The server's certificate is not checked; for tests."""
    solvers: Annotated[list[Solver], ListType("atomic")]
    """Ways to show control over a host name; the most specific that fits is taken."""


class Ca(TypedDict, total=False):
    """Signs with an authority's key pair."""

    crlDistributionPoints: Annotated[list[str], ListType("atomic")]
    """Addresses of revocation lists, written into certificates."""
    issuingCertificateURLs: Annotated[list[str], ListType("atomic")]
    """Addresses of the authority's certificate."""
    ocspServers: Annotated[list[str], ListType("atomic")]
    """Addresses of OCSP servers."""
    secretName: Required[Annotated[str, Ref("Secret")]]
    """Secret with `tls.crt` and `tls.key` of the authority."""


class SelfSigned(TypedDict, total=False):
    """Every certificate signs itself."""

    crlDistributionPoints: Annotated[list[str], ListType("atomic")]
    """Addresses of revocation lists, written into certificates."""


class AppRole(TypedDict, total=False):
    """Login by an AppRole."""

    path: Required[str]
    """Where the method is mounted."""
    roleId: Required[str]
    """The role."""
    secretRef: Required[SecretKeyRef]
    """Its secret."""


class ClientCertificate(TypedDict, total=False):
    """Login by a client certificate."""

    mountPath: str
    """Where the method is mounted; /v1/auth/cert if left out."""
    name: str
    """Role; whatever fits if left out."""
    secretName: Annotated[str, Ref("Secret")]
    """Secret with `tls.crt` and `tls.key`."""


class AuthKubernetes(TypedDict, total=False):
    """Login with a token of the cluster."""

    mountPath: str
    """Where the method is mounted; /v1/auth/kubernetes if left out."""
    role: Required[str]
    """The role."""
    secretRef: SecretKeyRef
    """A token in a Secret."""
    serviceAccountRef: ServiceAccountRef
    """ServiceAccount whose token is asked for each time."""


class AuthAws(TypedDict, total=False):
    """Login by an identity of AWS."""

    iamRoleArn: str
    """Role in AWS that is assumed; needed with serviceAccountRef."""
    mountPath: str
    """Where the method is mounted; /v1/auth/aws if left out."""
    region: str
    """Region of AWS; by default the one of the pod's environment."""
    role: Required[Annotated[str, MinLength(1)]]
    """The role in Vault."""
    serviceAccountRef: ServiceAccountRef
    """ServiceAccount whose token AWS trusts; the pod's own identity if left out."""
    vaultHeaderValue: str
    """Value that Vault asks for in the signed header X-Vault-AWS-IAM-Server-ID."""


class VaultAuth(TypedDict, total=False):
    """How Vault is logged in to; one of them."""

    appRole: AppRole
    """By an AppRole."""
    aws: AuthAws
    """By an identity of AWS; since 1.21."""
    clientCertificate: ClientCertificate
    """By a client certificate."""
    kubernetes: AuthKubernetes
    """By a token of the cluster."""
    tokenSecretRef: SecretKeyRef
    """By a token of Vault."""


class Vault(TypedDict, total=False):
    """Signs with HashiCorp Vault's PKI engine."""

    auth: Required[VaultAuth]
    """How Vault is logged in to."""
    caBundle: Bytes
    """Authorities that Vault's certificate is checked with."""
    caBundleSecretRef: SecretKeyRef
    """The same from a Secret; ca.crt if no key is named."""
    clientCertSecretRef: SecretKeyRef
    """Client certificate, where Vault asks for one."""
    clientKeySecretRef: SecretKeyRef
    """Key of the client certificate."""
    namespace: str
    """Namespace in Vault."""
    path: Required[str]
    """Path that signs, such as `pki/sign/example`."""
    server: Required[str]
    """Address of Vault."""
    serverName: str
    """Host name in its certificate, where that is another."""


class Cloud(TypedDict, total=False):
    """The service of CyberArk."""

    apiTokenSecretRef: Required[SecretKeyRef]
    """API key."""
    url: str
    """Address; the public one if left out."""


class CredentialsRef(TypedDict, total=False):
    """A Secret with `username` and `password`, or `access-token`."""

    name: Required[Annotated[str, Ref("Secret")]]
    """Name of the Secret."""


class Tpp(TypedDict, total=False):
    """A server of one's own."""

    caBundle: Bytes
    """Authorities that its certificate is checked with."""
    caBundleSecretRef: SecretKeyRef
    """The same from a Secret; ca.crt if no key is named."""
    credentialsRef: Required[CredentialsRef]
    """Secret with the login."""
    url: Required[str]
    """Address of its API."""


class ClientRef(TypedDict, total=False):
    """A Secret with `client-id` and `client-secret`."""

    name: Required[Annotated[str, Ref("Secret")]]
    """Name of the Secret."""


class Ngts(TypedDict, total=False):
    """Next Generation Trust Services of Palo Alto Networks, logged in to by OAuth."""

    credentialsRef: Required[ClientRef]
    """Secret with the client's id and secret."""
    tokenEndpoint: str
    """Address that gives tokens; the public one if left out."""
    tsgID: Required[str]
    """Tenant Service Group that tokens are for."""
    url: str
    """Address of its API; the public one if left out."""


class Venafi(TypedDict, total=False):
    """Signs with CyberArk Certificate Manager (formerly Venafi); one of cloud, tpp and ngts."""

    cloud: Cloud
    """The service."""
    ngts: Ngts
    """Next Generation Trust Services of Palo Alto Networks; since 1.21."""
    tpp: Tpp
    """A server of one's own."""
    zone: Required[str]
    """Zone or policy folder of the certificates."""


class IssuerSpec(TypedDict, total=False):
    """Who signs certificates; one of them."""

    acme: Acme
    """Certificates from an ACME server."""
    ca: Ca
    """Signs with a key pair in a Secret."""
    selfSigned: SelfSigned
    """Every certificate signs itself."""
    vault: Vault
    """Signs with HashiCorp Vault."""
    venafi: Annotated[
        Venafi,
        Cel(
            "(has(self.tpp) ? 1 : 0) + (has(self.cloud) ? 1 : 0) + (has(self.ngts) ? 1 : 0) == 1",
            "exactly one of tpp, cloud, or ngts must be configured",
        ),
    ]
    """Signs with CyberArk or Venafi."""


class AcmeStatus(TypedDict, total=False):
    lastPrivateKeyHash: str
    lastRegisteredEmail: str
    uri: str


class IssuerStatus(TypedDict, total=False):
    acme: AcmeStatus
    conditions: Annotated[list[CertificateCondition], ListMap("type")]


BY_ISSUER = tuple(f".spec.issuerRef.{field}" for field in ("group", "kind", "name"))
"""Fields by which lists are narrowed, where a release declares them."""

CHALLENGE = Api(
    group="acme.cert-manager.io",
    version="v1",
    kind="Challenge",
    plural="challenges",
    spec=ChallengeSpec,
    status=ChallengeStatus,
    required=("spec", "metadata"),
    core="1.36",
    status_subresource=True,
    selectable=BY_ISSUER,
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
    selectable=BY_ISSUER,
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
    selectable=BY_ISSUER,
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
    selectable=BY_ISSUER,
    columns=(
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Secret", ".spec.secretName"),
        Column("Issuer", ".spec.issuerRef.name", priority=1),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
    health=READY,
    doc="A certificate that cert-manager keeps valid, with its key in a Secret.",
    makes=(Makes("Secret", "spec.secretName"),),
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
    core="1.36",
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
    health=READY,
    doc="An authority that signs certificates of every namespace; its Secrets are in cert-manager's own.",
)

ISSUER = Api(
    group="cert-manager.io",
    version="v1",
    kind="Issuer",
    plural="issuers",
    spec=IssuerSpec,
    status=IssuerStatus,
    required=("spec",),
    core="1.36",
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type == "Ready")].status'),
        Column("Status", '.status.conditions[?(@.type == "Ready")].message', priority=1),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
    health=READY,
    doc="An authority that signs certificates of its own namespace.",
)

CRDS = (
    Definition((CHALLENGE,), categories=("cert-manager", "cert-manager-acme")),
    Definition((ORDER,), categories=("cert-manager", "cert-manager-acme")),
    Definition((CERTIFICATE_REQUEST,), short_names=("cr", "crs"), categories=("cert-manager",)),
    Definition((CERTIFICATE,), short_names=("cert", "certs"), categories=("cert-manager",)),
    Definition((CLUSTER_ISSUER,), short_names=("ciss",), categories=("cert-manager",)),
    Definition((ISSUER,), short_names=("iss",), categories=("cert-manager",)),
)
