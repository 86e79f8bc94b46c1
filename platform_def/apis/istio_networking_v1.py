"""Istio 1.29 (networking.istio.io)."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
    AllOf,
    Bytes,
    Cel,
    Double,
    Int32,
    IntOrString,
    ListMap,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinItems,
    Nullable,
    OneOf,
    Preserve,
    Time,
)

Timeout = Annotated[str, Cel("duration(self) >= duration('1ms')", "at least one millisecond")]
MaxProtocolVersion = Literal["TLS_AUTO", "TLSV1_0", "TLSV1_1", "TLSV1_2", "TLSV1_3"]
Number2 = Annotated[int, Maximum(4294967295), Minimum(0), Cel("0 < self && self <= 65535", "no valid port")]


class AllowOrigin(TypedDict, total=False):
    exact: str
    prefix: str
    regex: str


class CorsPolicy(TypedDict, total=False):
    allowCredentials: Nullable[bool]
    allowHeaders: list[str]
    allowMethods: list[str]
    allowOrigin: list[str]
    allowOrigins: list[
        Annotated[
            AllowOrigin,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ]
    ]
    exposeHeaders: list[str]
    maxAge: Timeout
    unmatchedPreflights: Literal["UNSPECIFIED", "FORWARD", "IGNORE"]


class Delegate(TypedDict, total=False):
    name: str
    namespace: str


class Body(TypedDict, total=False):
    bytes: Bytes
    string: str


class DirectResponse(TypedDict, total=False):
    body: Annotated[
        Body,
        OneOf(
            {"not": {"anyOf": [{"required": ["string"]}, {"required": ["bytes"]}]}},
            {"required": ["string"]},
            {"required": ["bytes"]},
        ),
    ]
    status: Required[Annotated[int, Maximum(4294967295), Minimum(0)]]


class Percentage(TypedDict, total=False):
    value: Double


class Abort(TypedDict, total=False):
    grpcStatus: str
    http2Error: str
    httpStatus: Int32
    percentage: Percentage


class Delay(TypedDict, total=False):
    exponentialDelay: Timeout
    fixedDelay: Timeout
    percent: Int32
    percentage: Percentage


class Fault(TypedDict, total=False):
    abort: Annotated[
        Abort,
        OneOf(
            {
                "not": {
                    "anyOf": [{"required": ["httpStatus"]}, {"required": ["grpcStatus"]}, {"required": ["http2Error"]}],
                },
            },
            {"required": ["httpStatus"]},
            {"required": ["grpcStatus"]},
            {"required": ["http2Error"]},
        ),
    ]
    delay: Annotated[
        Delay,
        OneOf(
            {"not": {"anyOf": [{"required": ["fixedDelay"]}, {"required": ["exponentialDelay"]}]}},
            {"required": ["fixedDelay"]},
            {"required": ["exponentialDelay"]},
        ),
    ]


class Request(TypedDict, total=False):
    add: dict[str, str]
    remove: list[str]
    set: dict[str, str]


class Headers(TypedDict, total=False):
    request: Request
    response: Request


class Match(TypedDict, total=False):
    authority: Annotated[
        AllowOrigin,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    gateways: list[str]
    headers: dict[
        str,
        Annotated[
            AllowOrigin,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ],
    ]
    ignoreUriCase: bool
    method: Annotated[
        AllowOrigin,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    name: str
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    queryParams: dict[
        str,
        Annotated[
            AllowOrigin,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ],
    ]
    scheme: Annotated[
        AllowOrigin,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    sourceLabels: dict[str, str]
    sourceNamespace: str
    statPrefix: str
    uri: Annotated[
        AllowOrigin,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    """By path."""
    withoutHeaders: dict[
        str,
        Annotated[
            AllowOrigin,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ],
    ]


class Port(TypedDict, total=False):
    number: Annotated[int, Maximum(4294967295), Minimum(0)]


class Mirror(TypedDict, total=False):
    host: Required[str]
    port: Port
    subset: str


class HttpMirror(TypedDict, total=False):
    destination: Required[Mirror]
    percentage: Percentage


class Redirect(TypedDict, total=False):
    authority: str
    derivePort: Literal["FROM_PROTOCOL_DEFAULT", "FROM_REQUEST_PORT"]
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    redirectCode: Annotated[int, Maximum(4294967295), Minimum(0)]
    scheme: str
    uri: str


class Retries(TypedDict, total=False):
    attempts: Int32
    backoff: Timeout
    perTryTimeout: Timeout
    retryIgnorePreviousHosts: Nullable[bool]
    retryOn: str
    retryRemoteLocalities: Nullable[bool]


class UriRegexRewrite(TypedDict, total=False):
    match: str
    rewrite: str


class Rewrite(TypedDict, total=False):
    authority: str
    uri: str
    uriRegexRewrite: UriRegexRewrite


class Route(TypedDict, total=False):
    destination: Required[Mirror]
    headers: Headers
    weight: Int32


class Http(TypedDict, total=False):
    corsPolicy: CorsPolicy
    delegate: Delegate
    directResponse: DirectResponse
    fault: Fault
    headers: Headers
    """Headers set, added and removed."""
    match: list[Match]
    """Requests that the rule is for; all if left out."""
    mirror: Mirror
    mirror_percent: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    mirrorPercent: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    mirrorPercentage: Percentage
    mirrors: list[HttpMirror]
    name: str
    redirect: Annotated[
        Redirect,
        OneOf(
            {"not": {"anyOf": [{"required": ["port"]}, {"required": ["derivePort"]}]}},
            {"required": ["port"]},
            {"required": ["derivePort"]},
        ),
    ]
    retries: Retries
    """Further tries."""
    rewrite: Rewrite
    """What the request becomes."""
    route: list[Route]
    """Where the requests go, by weight."""
    timeout: Timeout
    """How long a request may take."""


class TcpMatch(TypedDict, total=False):
    destinationSubnets: list[str]
    gateways: list[str]
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    sourceLabels: dict[str, str]
    sourceNamespace: str
    sourceSubnet: str


class TcpRoute(TypedDict, total=False):
    destination: Required[Mirror]
    weight: Int32


class Tcp(TypedDict, total=False):
    match: list[TcpMatch]
    route: list[TcpRoute]


class TlsMatch(TypedDict, total=False):
    destinationSubnets: list[str]
    gateways: list[str]
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    sniHosts: Required[list[str]]
    sourceLabels: dict[str, str]
    sourceNamespace: str


class Tls(TypedDict, total=False):
    match: Required[list[TlsMatch]]
    route: list[TcpRoute]


class VirtualServiceSpec(TypedDict, total=False):
    exportTo: list[str]
    """Namespaces that see it; '.' is its own, '*' all."""
    gateways: list[str]
    """Gateways that they hold at, namespace/name; mesh is the mesh itself."""
    hosts: list[str]
    """Hosts that the rules are for."""
    http: list[Http]
    """Rules for HTTP; the first that matches counts."""
    tcp: list[Tcp]
    """Rules for TCP."""
    tls: list[Tls]
    """Rules for TLS that passes through."""


class Condition(TypedDict, total=False):
    lastProbeTime: Time
    lastTransitionTime: Time
    message: str
    observedGeneration: IntOrString
    reason: str
    status: str
    type: str


class Type(TypedDict, total=False):
    code: str
    name: str


class ValidationMessage(TypedDict, total=False):
    documentationUrl: str
    level: Literal["UNKNOWN", "ERROR", "WARNING", "INFO"]
    type: Type


class VirtualServiceStatus(TypedDict, total=False):
    conditions: list[Condition]
    observedGeneration: IntOrString
    validationMessages: list[ValidationMessage]


class VirtualService(TypedDict, total=False):
    spec: VirtualServiceSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class VirtualServiceV1alpha3(TypedDict, total=False):
    spec: VirtualServiceSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class VirtualServiceV1beta1(TypedDict, total=False):
    spec: VirtualServiceSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class ServerPort(TypedDict, total=False):
    name: Required[str]
    number: Required[Annotated[int, Maximum(4294967295), Minimum(0)]]
    protocol: Required[str]
    targetPort: Annotated[int, Maximum(4294967295), Minimum(0)]


class TlsCertificate(TypedDict, total=False):
    caCertificates: str
    privateKey: str
    serverCertificate: str


class ServerTls(TypedDict, total=False):
    caCertCredentialName: str
    caCertificates: str
    caCrl: str
    cipherSuites: list[str]
    credentialName: str
    """Secret with the certificate, in the namespace of the gateway's pods."""
    credentialNames: Annotated[list[str], MaxItems(2), MinItems(1)]
    httpsRedirect: bool
    """Plain requests are sent to HTTPS."""
    maxProtocolVersion: MaxProtocolVersion
    minProtocolVersion: MaxProtocolVersion
    mode: Literal["PASSTHROUGH", "SIMPLE", "MUTUAL", "AUTO_PASSTHROUGH", "ISTIO_MUTUAL", "OPTIONAL_MUTUAL"]
    privateKey: str
    serverCertificate: str
    subjectAltNames: list[str]
    tlsCertificates: Annotated[list[TlsCertificate], MaxItems(2), MinItems(1)]
    verifyCertificateHash: list[str]
    verifyCertificateSpki: list[str]


class Server(TypedDict, total=False):
    bind: str
    defaultEndpoint: str
    hosts: Required[list[str]]
    """Hosts that it answers to."""
    name: str
    port: Required[ServerPort]
    """The port."""
    tls: Annotated[
        ServerTls,
        Cel(
            "(has(self.tlsCertificates) ? 1 : 0) + (has(self.credentialNames) ? 1 : 0) <= 1",
            "tlsCertificates and credentialNames exclude each other",
        ),
        Cel(
            "(has(self.credentialName) ? 1 : 0) + (has(self.credentialNames) ? 1 : 0) <= 1",
            "credentialName and credentialNames exclude each other",
        ),
        Cel(
            "(has(self.credentialNames) ? 1 : 0) + (has(self.tlsCertificates) ? 1 : 0) <= 1",
            "credentialNames and tlsCertificates exclude each other",
        ),
    ]
    """Certificates, and where TLS ends."""


class GatewaySpec(TypedDict, total=False):
    selector: dict[str, str]
    """Labels of the gateway's pods."""
    servers: list[Server]
    """Ports that it listens on."""


class Gateway(TypedDict, total=False):
    spec: GatewaySpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class GatewayV1alpha3(TypedDict, total=False):
    spec: GatewaySpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class GatewayV1beta1(TypedDict, total=False):
    spec: GatewaySpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class ConnectionPoolHttp(TypedDict, total=False):
    h2UpgradePolicy: Literal["DEFAULT", "DO_NOT_UPGRADE", "UPGRADE"]
    http1MaxPendingRequests: Int32
    http2MaxRequests: Int32
    idleTimeout: Timeout
    maxConcurrentStreams: Int32
    maxRequestsPerConnection: Int32
    maxRetries: Int32
    useClientProtocol: bool


class TcpKeepalive(TypedDict, total=False):
    interval: Timeout
    probes: Annotated[int, Maximum(4294967295), Minimum(0)]
    time: Timeout


class ConnectionPoolTcp(TypedDict, total=False):
    connectTimeout: Timeout
    idleTimeout: str
    maxConnectionDuration: Timeout
    maxConnections: Int32
    tcpKeepalive: TcpKeepalive


class ConnectionPool(TypedDict, total=False):
    http: ConnectionPoolHttp
    tcp: ConnectionPoolTcp


class Attribute(TypedDict, total=False):
    name: Required[str]
    value: str


class HttpCookie(TypedDict, total=False):
    attributes: list[Attribute]
    name: Required[str]
    path: str
    ttl: str


class Maglev(TypedDict, total=False):
    tableSize: Annotated[int, Minimum(0)]


class RingHash(TypedDict, total=False):
    minimumRingSize: Annotated[int, Minimum(0)]


class ConsistentHash(TypedDict, total=False):
    httpCookie: HttpCookie
    httpHeaderName: str
    httpQueryParameterName: str
    maglev: Maglev
    minimumRingSize: Annotated[int, Minimum(0)]
    ringHash: RingHash
    useSourceIp: bool


Distribute = TypedDict(
    "Distribute",
    {
        "from": "str",
        "to": "dict[str, Annotated[int, Maximum(4294967295), Minimum(0)]]",
    },
    total=False,
)


Failover = TypedDict(
    "Failover",
    {
        "from": "str",
        "to": "str",
    },
    total=False,
)


class LocalityLbSetting(TypedDict, total=False):
    distribute: list[Distribute]
    enabled: Nullable[bool]
    failover: list[Failover]
    failoverPriority: list[str]


class Warmup(TypedDict, total=False):
    aggression: Annotated[Nullable[Double], Minimum(0)]
    duration: Required[Timeout]
    minimumPercent: Annotated[Nullable[Double], Maximum(100), Minimum(0)]


class LoadBalancer(TypedDict, total=False):
    consistentHash: Annotated[
        ConsistentHash,
        AllOf(
            {
                "oneOf": [
                    {
                        "not": {
                            "anyOf": [
                                {"required": ["httpHeaderName"]},
                                {"required": ["httpCookie"]},
                                {"required": ["useSourceIp"]},
                                {"required": ["httpQueryParameterName"]},
                            ],
                        },
                    },
                    {"required": ["httpHeaderName"]},
                    {"required": ["httpCookie"]},
                    {"required": ["useSourceIp"]},
                    {"required": ["httpQueryParameterName"]},
                ],
            },
            {
                "oneOf": [
                    {"not": {"anyOf": [{"required": ["ringHash"]}, {"required": ["maglev"]}]}},
                    {"required": ["ringHash"]},
                    {"required": ["maglev"]},
                ],
            },
        ),
    ]
    localityLbSetting: LocalityLbSetting
    simple: Literal["UNSPECIFIED", "LEAST_CONN", "RANDOM", "PASSTHROUGH", "ROUND_ROBIN", "LEAST_REQUEST"]
    warmup: Warmup
    warmupDurationSecs: Timeout


class OutlierDetection(TypedDict, total=False):
    baseEjectionTime: Timeout
    consecutive5xxErrors: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    consecutiveErrors: Int32
    consecutiveGatewayErrors: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    consecutiveLocalOriginFailures: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    interval: Timeout
    maxEjectionPercent: Int32
    minHealthPercent: Int32
    splitExternalLocalOriginErrors: bool


class PortLevelSettingTls(TypedDict, total=False):
    caCertificates: str
    caCrl: str
    clientCertificate: str
    credentialName: str
    insecureSkipVerify: Nullable[bool]
    mode: Literal["DISABLE", "SIMPLE", "MUTUAL", "ISTIO_MUTUAL"]
    privateKey: str
    sni: str
    subjectAltNames: list[str]


class PortLevelSetting(TypedDict, total=False):
    connectionPool: ConnectionPool
    loadBalancer: Annotated[
        LoadBalancer,
        OneOf(
            {"not": {"anyOf": [{"required": ["simple"]}, {"required": ["consistentHash"]}]}},
            {"required": ["simple"]},
            {"required": ["consistentHash"]},
        ),
    ]
    outlierDetection: OutlierDetection
    port: Port
    tls: PortLevelSettingTls


class ProxyProtocol(TypedDict, total=False):
    version: Literal["V1", "V2"]


class RetryBudget(TypedDict, total=False):
    minRetryConcurrency: Annotated[int, Maximum(4294967295), Minimum(0)]
    percent: Annotated[Nullable[Double], Maximum(100), Minimum(0)]


class Tunnel(TypedDict, total=False):
    protocol: str
    targetHost: Required[str]
    targetPort: Required[Annotated[int, Maximum(4294967295), Minimum(0)]]


class TrafficPolicy(TypedDict, total=False):
    connectionPool: ConnectionPool
    loadBalancer: Annotated[
        LoadBalancer,
        OneOf(
            {"not": {"anyOf": [{"required": ["simple"]}, {"required": ["consistentHash"]}]}},
            {"required": ["simple"]},
            {"required": ["consistentHash"]},
        ),
    ]
    outlierDetection: OutlierDetection
    portLevelSettings: Annotated[list[PortLevelSetting], MaxItems(4096)]
    proxyProtocol: ProxyProtocol
    retryBudget: RetryBudget
    tls: PortLevelSettingTls
    tunnel: Tunnel


class Subset(TypedDict, total=False):
    labels: dict[str, str]
    name: Required[str]
    trafficPolicy: TrafficPolicy


class WorkloadSelector(TypedDict, total=False):
    matchLabels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(4096),
        Cel('self.all(key, !key.contains("*"))', "a label's key has no wildcard"),
        Cel("self.all(key, key.size() != 0)", "a key is empty"),
    ]


class DestinationRuleSpec(TypedDict, total=False):
    exportTo: list[str]
    host: Required[str]
    subsets: list[Subset]
    trafficPolicy: TrafficPolicy
    workloadSelector: WorkloadSelector


class DestinationRule(TypedDict, total=False):
    spec: DestinationRuleSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class DestinationRuleV1alpha3(TypedDict, total=False):
    spec: DestinationRuleSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class DestinationRuleV1beta1(TypedDict, total=False):
    spec: DestinationRuleSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class Endpoint(TypedDict, total=False):
    address: Annotated[
        str,
        MaxLength(256),
        Cel(
            'self.startsWith("unix://") ? (self.substring(7, 8) == "/" || self.substring(7, 8) == "@") : true',
            "a Unix socket's path is absolute, or abstract with '@'",
        ),
        Cel('self.startsWith("unix://") ? !self.endsWith("/") : true', "a Unix socket is no folder"),
    ]
    labels: Annotated[dict[str, str], MaxProperties(256)]
    locality: Annotated[str, MaxLength(2048)]
    network: Annotated[str, MaxLength(2048)]
    ports: Annotated[
        dict[str, Annotated[int, Maximum(4294967295), Minimum(0), Cel("0 < self && self <= 65535", "no valid port")]],
        MaxProperties(128),
        Cel(
            'self.all(key, size(key) < 63 && key.matches("^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$"))',
            "no valid name of a port",
        ),
    ]
    serviceAccount: Annotated[str, MaxLength(253)]
    weight: Annotated[int, Maximum(4294967295), Minimum(0)]


class ServiceEntryPort(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(256)]]
    number: Required[Number2]
    protocol: Annotated[str, MaxLength(256)]
    targetPort: Number2


class ServiceEntryWorkloadSelector(TypedDict, total=False):
    labels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(256),
    ]


class ServiceEntrySpec(TypedDict, total=False):
    addresses: Annotated[list[Annotated[str, MaxLength(64)]], MaxItems(256)]
    endpoints: Annotated[
        list[
            Annotated[
                Endpoint,
                Cel("has(self.address) || has(self.network)", "needs an address or a network"),
                Cel(
                    '(has(self.address) ? self.address : "").startsWith("unix://") ? !has(self.ports) : true',
                    "a Unix socket has no ports",
                ),
            ]
        ],
        MaxItems(4096),
    ]
    exportTo: list[str]
    hosts: Required[
        Annotated[list[Annotated[str, Cel('self != "*"', "'*' alone is no host")]], MaxItems(256), MinItems(1)]
    ]
    location: Literal["MESH_EXTERNAL", "MESH_INTERNAL"]
    ports: Annotated[
        list[ServiceEntryPort],
        MaxItems(256),
        ListMap("name"),
        Cel("self.all(l1, self.exists_one(l2, l1.number == l2.number))", "two ports share a number"),
    ]
    resolution: Literal["NONE", "STATIC", "DNS", "DNS_ROUND_ROBIN", "DYNAMIC_DNS"]
    subjectAltNames: list[str]
    workloadSelector: ServiceEntryWorkloadSelector


class ServiceEntry(TypedDict, total=False):
    spec: Required[
        Annotated[
            ServiceEntrySpec,
            Cel(
                "(has(self.workloadSelector) ? 1 : 0) + (has(self.endpoints) ? 1 : 0) <= 1",
                "workloadSelector and endpoints exclude each other",
            ),
            Cel(
                '!((has(self.addresses) ? self.addresses : []).exists(k, k.contains("/")) && !((has(self.resolution) ? self.resolution : "NONE") in ["STATIC", "NONE"]))',
                "address ranges go with the resolutions STATIC and NONE",
            ),
            Cel(
                '((has(self.resolution) ? self.resolution : "NONE") == "NONE") ? !has(self.endpoints) : true',
                "the resolution NONE has no endpoints",
            ),
            Cel(
                '((has(self.resolution) ? self.resolution : "") == "DNS_ROUND_ROBIN") ? ((has(self.endpoints) ? self.endpoints : []).size() <= 1) : true',
                "DNS_ROUND_ROBIN has one endpoint at most",
            ),
        ]
    ]
    status: Annotated[VirtualServiceStatus, Preserve()]


class ServiceEntryV1alpha3(TypedDict, total=False):
    spec: Required[
        Annotated[
            ServiceEntrySpec,
            Cel(
                "(has(self.workloadSelector) ? 1 : 0) + (has(self.endpoints) ? 1 : 0) <= 1",
                "workloadSelector and endpoints exclude each other",
            ),
            Cel(
                '!((has(self.addresses) ? self.addresses : []).exists(k, k.contains("/")) && !((has(self.resolution) ? self.resolution : "NONE") in ["STATIC", "NONE"]))',
                "address ranges go with the resolutions STATIC and NONE",
            ),
            Cel(
                '((has(self.resolution) ? self.resolution : "NONE") == "NONE") ? !has(self.endpoints) : true',
                "the resolution NONE has no endpoints",
            ),
            Cel(
                '((has(self.resolution) ? self.resolution : "") == "DNS_ROUND_ROBIN") ? ((has(self.endpoints) ? self.endpoints : []).size() <= 1) : true',
                "DNS_ROUND_ROBIN has one endpoint at most",
            ),
        ]
    ]
    status: Annotated[VirtualServiceStatus, Preserve()]


class ServiceEntryV1beta1(TypedDict, total=False):
    spec: Required[
        Annotated[
            ServiceEntrySpec,
            Cel(
                "(has(self.workloadSelector) ? 1 : 0) + (has(self.endpoints) ? 1 : 0) <= 1",
                "workloadSelector and endpoints exclude each other",
            ),
            Cel(
                '!((has(self.addresses) ? self.addresses : []).exists(k, k.contains("/")) && !((has(self.resolution) ? self.resolution : "NONE") in ["STATIC", "NONE"]))',
                "address ranges go with the resolutions STATIC and NONE",
            ),
            Cel(
                '((has(self.resolution) ? self.resolution : "NONE") == "NONE") ? !has(self.endpoints) : true',
                "the resolution NONE has no endpoints",
            ),
            Cel(
                '((has(self.resolution) ? self.resolution : "") == "DNS_ROUND_ROBIN") ? ((has(self.endpoints) ? self.endpoints : []).size() <= 1) : true',
                "DNS_ROUND_ROBIN has one endpoint at most",
            ),
        ]
    ]
    status: Annotated[VirtualServiceStatus, Preserve()]


class EgressPort(TypedDict, total=False):
    name: str
    number: Annotated[int, Maximum(4294967295), Minimum(0)]
    protocol: str
    targetPort: Annotated[int, Maximum(4294967295), Minimum(0)]


class Egress(TypedDict, total=False):
    bind: str
    captureMode: Literal["DEFAULT", "IPTABLES", "NONE"]
    hosts: Required[list[str]]
    port: EgressPort


class Ingress(TypedDict, total=False):
    bind: str
    captureMode: Literal["DEFAULT", "IPTABLES", "NONE"]
    connectionPool: ConnectionPool
    defaultEndpoint: str
    port: Required[EgressPort]
    tls: Annotated[
        ServerTls,
        Cel(
            "(has(self.tlsCertificates) ? 1 : 0) + (has(self.credentialNames) ? 1 : 0) <= 1",
            "tlsCertificates and credentialNames exclude each other",
        ),
        Cel(
            "(has(self.credentialName) ? 1 : 0) + (has(self.credentialNames) ? 1 : 0) <= 1",
            "credentialName and credentialNames exclude each other",
        ),
        Cel(
            "(has(self.credentialNames) ? 1 : 0) + (has(self.tlsCertificates) ? 1 : 0) <= 1",
            "credentialNames and tlsCertificates exclude each other",
        ),
    ]


class OutboundTrafficPolicy(TypedDict, total=False):
    egressProxy: Mirror
    mode: Literal["REGISTRY_ONLY", "ALLOW_ANY"]


class SidecarSpec(TypedDict, total=False):
    egress: list[Egress]
    inboundConnectionPool: ConnectionPool
    ingress: list[Ingress]
    outboundTrafficPolicy: OutboundTrafficPolicy
    workloadSelector: ServiceEntryWorkloadSelector


class Sidecar(TypedDict, total=False):
    spec: SidecarSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class SidecarV1alpha3(TypedDict, total=False):
    spec: SidecarSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


class SidecarV1beta1(TypedDict, total=False):
    spec: SidecarSpec
    status: Annotated[VirtualServiceStatus, Preserve()]


VIRTUAL_SERVICE = Api(
    group="networking.istio.io",
    version="v1",
    kind="VirtualService",
    plural="virtualservices",
    spec=VirtualServiceSpec,
    top=VirtualService,
    status_subresource=True,
    columns=(Column("Gateways", ".spec.gateways"), Column("Hosts", ".spec.hosts"), AGE),
)

VIRTUAL_SERVICE_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="VirtualService",
    plural="virtualservices",
    spec=VirtualServiceSpec,
    top=VirtualServiceV1alpha3,
    status_subresource=True,
    columns=(Column("Gateways", ".spec.gateways"), Column("Hosts", ".spec.hosts"), AGE),
    storage=False,
)

VIRTUAL_SERVICE_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="VirtualService",
    plural="virtualservices",
    spec=VirtualServiceSpec,
    top=VirtualServiceV1beta1,
    status_subresource=True,
    columns=(Column("Gateways", ".spec.gateways"), Column("Hosts", ".spec.hosts"), AGE),
    storage=False,
)

GATEWAY = Api(
    group="networking.istio.io",
    version="v1",
    kind="Gateway",
    plural="gateways",
    spec=GatewaySpec,
    top=Gateway,
    status_subresource=True,
)

GATEWAY_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="Gateway",
    plural="gateways",
    spec=GatewaySpec,
    top=GatewayV1alpha3,
    status_subresource=True,
    storage=False,
)

GATEWAY_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="Gateway",
    plural="gateways",
    spec=GatewaySpec,
    top=GatewayV1beta1,
    status_subresource=True,
    storage=False,
)

DESTINATION_RULE = Api(
    group="networking.istio.io",
    version="v1",
    kind="DestinationRule",
    plural="destinationrules",
    spec=DestinationRuleSpec,
    top=DestinationRule,
    status_subresource=True,
    columns=(Column("Host", ".spec.host"), AGE),
)

DESTINATION_RULE_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="DestinationRule",
    plural="destinationrules",
    spec=DestinationRuleSpec,
    top=DestinationRuleV1alpha3,
    status_subresource=True,
    columns=(Column("Host", ".spec.host"), AGE),
    storage=False,
)

DESTINATION_RULE_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="DestinationRule",
    plural="destinationrules",
    spec=DestinationRuleSpec,
    top=DestinationRuleV1beta1,
    status_subresource=True,
    columns=(Column("Host", ".spec.host"), AGE),
    storage=False,
)

SERVICE_ENTRY = Api(
    group="networking.istio.io",
    version="v1",
    kind="ServiceEntry",
    plural="serviceentries",
    spec=ServiceEntrySpec,
    top=ServiceEntry,
    status_subresource=True,
    columns=(
        Column("Hosts", ".spec.hosts"),
        Column("Location", ".spec.location"),
        Column("Resolution", ".spec.resolution"),
        AGE,
    ),
)

SERVICE_ENTRY_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="ServiceEntry",
    plural="serviceentries",
    spec=ServiceEntrySpec,
    top=ServiceEntryV1alpha3,
    status_subresource=True,
    columns=(
        Column("Hosts", ".spec.hosts"),
        Column("Location", ".spec.location"),
        Column("Resolution", ".spec.resolution"),
        AGE,
    ),
    storage=False,
)

SERVICE_ENTRY_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="ServiceEntry",
    plural="serviceentries",
    spec=ServiceEntrySpec,
    top=ServiceEntryV1beta1,
    status_subresource=True,
    columns=(
        Column("Hosts", ".spec.hosts"),
        Column("Location", ".spec.location"),
        Column("Resolution", ".spec.resolution"),
        AGE,
    ),
    storage=False,
)

SIDECAR = Api(
    group="networking.istio.io",
    version="v1",
    kind="Sidecar",
    plural="sidecars",
    spec=SidecarSpec,
    top=Sidecar,
    status_subresource=True,
)

SIDECAR_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="Sidecar",
    plural="sidecars",
    spec=SidecarSpec,
    top=SidecarV1alpha3,
    status_subresource=True,
    storage=False,
)

SIDECAR_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="Sidecar",
    plural="sidecars",
    spec=SidecarSpec,
    top=SidecarV1beta1,
    status_subresource=True,
    storage=False,
)

CRDS = (
    Definition(
        (VIRTUAL_SERVICE, VIRTUAL_SERVICE_V1ALPHA3, VIRTUAL_SERVICE_V1BETA1),
        short_names=("vs",),
        categories=("istio-io", "networking-istio-io"),
    ),
    Definition(
        (GATEWAY, GATEWAY_V1ALPHA3, GATEWAY_V1BETA1),
        short_names=("gw",),
        categories=("istio-io", "networking-istio-io"),
    ),
    Definition(
        (DESTINATION_RULE, DESTINATION_RULE_V1ALPHA3, DESTINATION_RULE_V1BETA1),
        short_names=("dr",),
        categories=("istio-io", "networking-istio-io"),
    ),
    Definition(
        (SERVICE_ENTRY, SERVICE_ENTRY_V1ALPHA3, SERVICE_ENTRY_V1BETA1),
        short_names=("se",),
        categories=("istio-io", "networking-istio-io"),
    ),
    Definition((SIDECAR, SIDECAR_V1ALPHA3, SIDECAR_V1BETA1), categories=("istio-io", "networking-istio-io")),
)
