"""Istio 1.31 (networking.istio.io)."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import (
    AllOf,
    Bytes,
    Cel,
    Doc,
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
    Ref,
    ServiceHost,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

Timeout = Annotated[str, Cel("duration(self) >= duration('1ms')", "at least one millisecond")]
MaxProtocolVersion = Literal["TLS_AUTO", "TLSV1_0", "TLSV1_1", "TLSV1_2", "TLSV1_3"]
Number2 = Annotated[int, Maximum(4294967295), Minimum(0), Cel("0 < self && self <= 65535", "no valid port")]


# `mesh` is a word of its own, and a gateway's Secrets lie beside its pods: what is not found is no error.
_GATEWAY = Ref("Gateway", group="networking.istio.io", qualified=True, weak=True)
_CREDENTIAL = Ref("Secret", optional=True, weak=True)


class StringMatch(TypedDict, total=False):
    """A text that must fit; one of the three."""

    exact: str
    """It is equal."""
    prefix: str
    """It begins so."""
    regex: str
    """It matches as a whole (RE2)."""


class CorsPolicy(TypedDict, total=False):
    """Answers to cross-origin questions of browsers."""

    allowCredentials: Nullable[bool]
    """Whether cookies and logins may go along."""
    allowHeaders: list[str]
    """Headers that a request may carry."""
    allowMethods: list[str]
    """Methods that a request may have."""
    allowOrigin: list[str]
    """Older form of allowOrigins."""
    allowOrigins: list[
        Annotated[
            StringMatch,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ]
    ]
    """Pages that may ask."""
    exposeHeaders: list[str]
    """Headers of the answer that the page may read."""
    maxAge: Timeout
    """How long a browser may keep the answer (`24h`)."""
    unmatchedPreflights: Literal["UNSPECIFIED", "FORWARD", "IGNORE"]
    """FORWARD: questions of other pages go to the service; IGNORE: they get no answer."""


class Delegate(TypedDict, total=False):
    """A VirtualService that goes on with the rules; it has no hosts."""

    name: Annotated[str, Ref("VirtualService", group="networking.istio.io", namespace="namespace", weak=True)]
    """Its name."""
    namespace: str
    """Its namespace; this one if left out."""


class Body(TypedDict, total=False):
    """The body of an answer."""

    bytes: Bytes
    """As base64."""
    string: str
    """As text."""


class DirectResponse(TypedDict, total=False):
    """A fixed answer."""

    body: Annotated[
        Body,
        OneOf(
            {"not": {"anyOf": [{"required": ["string"]}, {"required": ["bytes"]}]}},
            {"required": ["string"]},
            {"required": ["bytes"]},
        ),
    ]
    """Its body."""
    status: Required[Annotated[int, Maximum(4294967295), Minimum(0)]]
    """Its HTTP status."""


class Percentage(TypedDict, total=False):
    """A share in percent."""

    value: Double
    """From 0 to 100."""


class Abort(TypedDict, total=False):
    """Requests fail on purpose."""

    grpcStatus: str
    """With this gRPC status."""
    http2Error: str
    """With this HTTP/2 error."""
    httpStatus: Int32
    """With this HTTP status."""
    percentage: Percentage
    """Share of the requests; all if left out."""


class Delay(TypedDict, total=False):
    """Requests wait on purpose."""

    exponentialDelay: Timeout
    """No longer read."""
    fixedDelay: Timeout
    """How long they wait (`5s`)."""
    percent: Int32
    """Older form of percentage."""
    percentage: Percentage
    """Share of the requests; all if left out."""


class Fault(TypedDict, total=False):
    """Failures on purpose, for tests."""

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
    """Requests fail."""
    delay: Annotated[
        Delay,
        OneOf(
            {"not": {"anyOf": [{"required": ["fixedDelay"]}, {"required": ["exponentialDelay"]}]}},
            {"required": ["fixedDelay"]},
            {"required": ["exponentialDelay"]},
        ),
    ]
    """Requests wait."""


class Request(TypedDict, total=False):
    """Changes to headers."""

    add: dict[str, str]
    """Headers added to what is there."""
    remove: list[str]
    """Headers removed."""
    set: dict[str, str]
    """Headers set, whatever was there."""


class Headers(TypedDict, total=False):
    """Changes to headers, on both ways."""

    request: Request
    """Of the request."""
    response: Request
    """Of the answer."""


class Match(TypedDict, total=False):
    """Requests that have all of this."""

    authority: Annotated[
        StringMatch,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    """By the host that they ask for."""
    gateways: list[Annotated[str, _GATEWAY]]
    """Gateways that they came in by; the VirtualService's if left out."""
    headers: dict[
        str,
        Annotated[
            StringMatch,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ],
    ]
    """By headers; an empty match asks only that it is there."""
    ignoreUriCase: bool
    """Upper and lower case of the path are the same."""
    method: Annotated[
        StringMatch,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    """By method."""
    name: str
    """Name of the match, for logs."""
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Port that was asked for."""
    queryParams: dict[
        str,
        Annotated[
            StringMatch,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ],
    ]
    """By query parameters."""
    scheme: Annotated[
        StringMatch,
        OneOf(
            {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
            {"required": ["exact"]},
            {"required": ["prefix"]},
            {"required": ["regex"]},
        ),
    ]
    """By scheme."""
    sourceLabels: dict[str, str]
    """Labels of the pod that asks; in the mesh."""
    sourceNamespace: str
    """Namespace of the pod that asks; in the mesh."""
    statPrefix: str
    """First part of the names of its statistics."""
    uri: Annotated[
        StringMatch,
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
            StringMatch,
            OneOf(
                {"not": {"anyOf": [{"required": ["exact"]}, {"required": ["prefix"]}, {"required": ["regex"]}]}},
                {"required": ["exact"]},
                {"required": ["prefix"]},
                {"required": ["regex"]},
            ),
        ],
    ]
    """Headers that they must not have."""


class Port(TypedDict, total=False):
    """A port by its number."""

    number: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Its number."""


class Destination(TypedDict, total=False):
    """A service that gets requests."""

    host: Required[ServiceHost]
    """Its name in the mesh; `name.namespace.svc.cluster.local` is safe from any namespace."""
    port: Port
    """Its port; may be left out where it has one only."""
    subset: str
    """A subset of the DestinationRule for the host."""


class HttpMirror(TypedDict, total=False):
    """A service that gets copies, whose answers are dropped."""

    destination: Required[Destination]
    """The service."""
    percentage: Percentage
    """Share of the requests; all if left out."""


class Redirect(TypedDict, total=False):
    """Sends the client elsewhere; what is left out stays as in the request."""

    authority: str
    """Host."""
    derivePort: Literal["FROM_PROTOCOL_DEFAULT", "FROM_REQUEST_PORT"]
    """The port: the scheme's own, or that of the request."""
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Port."""
    prefixRewrite: str
    """Replaces the prefix that matched."""
    redirectCode: Annotated[int, Maximum(4294967295), Minimum(0)]
    """HTTP status; 301 if left out."""
    scheme: str
    """http or https."""
    uri: str
    """Path; `%PREFIX()%` stands for what was matched."""


class Retries(TypedDict, total=False):
    """When a failed request is tried again."""

    attempts: Int32
    """Further tries; 0 for none."""
    backoff: Timeout
    """Pause before a try (`25ms`)."""
    perTryTimeout: Timeout
    """How long each may take; the whole request's limit if left out."""
    retryIgnorePreviousHosts: Nullable[bool]
    """Another pod is taken each time."""
    retryOn: str
    """Failures that are tried again, as Envoy lists them."""
    retryRemoteLocalities: Nullable[bool]
    """Other zones may be asked."""


class UriRegexRewrite(TypedDict, total=False):
    """A change of the path by regular expression."""

    match: str
    """What is looked for (RE2)."""
    rewrite: str
    """What takes its place."""


class Rewrite(TypedDict, total=False):
    """What the service gets to see of the address."""

    authority: str
    """Host."""
    uri: str
    """What takes the place of the matched prefix or path."""
    uriRegexRewrite: UriRegexRewrite
    """The path by regular expression."""


class Route(TypedDict, total=False):
    """A service and its share of the requests."""

    destination: Required[Destination]
    """The service."""
    headers: Headers
    """Changes to headers only for it."""
    weight: Int32
    """Its share, among the others' weights."""


class Http(TypedDict, total=False):
    """What happens with some requests."""

    corsPolicy: CorsPolicy
    """Answers to cross-origin questions of browsers."""
    delegate: Delegate
    """A VirtualService that goes on with the rules."""
    directResponse: DirectResponse
    """A fixed answer."""
    fault: Fault
    """Failures on purpose, for tests."""
    headers: Headers
    """Headers set, added and removed."""
    match: list[Match]
    """Requests that the rule is for; all if left out."""
    mirror: Destination
    """A service that gets copies, whose answers are dropped."""
    mirror_percent: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    """Older form of mirrorPercentage."""
    mirrorPercent: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    """Older form of mirrorPercentage."""
    mirrorPercentage: Percentage
    """Share of the requests that is copied; all if left out."""
    mirrors: list[HttpMirror]
    """Several services that get copies."""
    name: str
    """Name of the rule, for logs."""
    redirect: Annotated[
        Redirect,
        OneOf(
            {"not": {"anyOf": [{"required": ["port"]}, {"required": ["derivePort"]}]}},
            {"required": ["port"]},
            {"required": ["derivePort"]},
        ),
    ]
    """Sends the client elsewhere."""
    retries: Retries
    """When a failed request is tried again; two more tries if left out."""
    rewrite: Rewrite
    """What the service gets to see of the address."""
    route: list[Route]
    """Where the requests go, by weight."""
    timeout: Timeout
    """How long a request may take (`10s`); no limit if left out."""


class TcpMatch(TypedDict, total=False):
    """Connections that have all of this."""

    destinationSubnets: list[str]
    """Addresses that they go to, in CIDR form."""
    gateways: list[Annotated[str, _GATEWAY]]
    """Gateways that they came in by; the VirtualService's if left out."""
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Port that was asked for."""
    sourceLabels: dict[str, str]
    """Labels of the pod that asks; in the mesh."""
    sourceNamespace: str
    """Namespace of the pod that asks; in the mesh."""
    sourceSubnet: str
    """No longer read."""


class TcpRoute(TypedDict, total=False):
    """A service and its share of the connections."""

    destination: Required[Destination]
    """The service."""
    weight: Int32
    """Its share, among the others' weights."""


class Tcp(TypedDict, total=False):
    """Where some connections go."""

    match: list[TcpMatch]
    """Connections that the rule is for; all if left out."""
    route: list[TcpRoute]
    """Where they go, by weight."""


class TlsMatch(TypedDict, total=False):
    """TLS connections that have all of this."""

    destinationSubnets: list[str]
    """Addresses that they go to, in CIDR form."""
    gateways: list[Annotated[str, _GATEWAY]]
    """Gateways that they came in by; the VirtualService's if left out."""
    port: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Port that was asked for."""
    sniHosts: Required[list[str]]
    """Host names that they ask for."""
    sourceLabels: dict[str, str]
    """Labels of the pod that asks; in the mesh."""
    sourceNamespace: str
    """Namespace of the pod that asks; in the mesh."""


class Tls(TypedDict, total=False):
    """Where some TLS connections go, undecrypted."""

    match: Required[list[TlsMatch]]
    """Connections that the rule is for."""
    route: list[TcpRoute]
    """Where they go, by weight."""


class VirtualServiceSpec(TypedDict, total=False):
    """How requests for some hosts are led on, at gateways and in the mesh."""

    exportTo: list[str]
    """Namespaces that see it; '.' is its own, '*' (if left out) all."""
    gateways: list[Annotated[str, _GATEWAY]]
    """Gateways that the rules hold at, name or namespace/name; `mesh`, if left out, is the mesh itself."""
    hosts: list[str]
    """Hosts that the rules are for; a gateway must serve them."""
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
    """A port of the gateway."""

    name: Required[str]
    """Its name."""
    number: Required[Annotated[int, Maximum(4294967295), Minimum(0)]]
    """Its number."""
    protocol: Required[str]
    """HTTP, HTTPS, GRPC, HTTP2, TCP, TLS or MONGO."""
    targetPort: Annotated[int, Maximum(4294967295), Minimum(0)]
    """No longer read."""


class TlsCertificate(TypedDict, total=False):
    """A certificate as files in the gateway's pods."""

    caCertificates: str
    """Authorities."""
    privateKey: str
    """Key."""
    serverCertificate: str
    """Certificate."""


class ServerTls(TypedDict, total=False):
    """Certificates, and where TLS ends."""

    caCertCredentialName: Annotated[str, _CREDENTIAL]
    """Secret with the authorities of clients, in the namespace of the gateway's pods."""
    caCertificates: str
    """Authorities of clients, as a file in the gateway's pods."""
    caCrl: str
    """Revocation list, as a file in the gateway's pods."""
    cipherSuites: list[str]
    """Ciphers allowed."""
    credentialName: Annotated[str, _CREDENTIAL]
    """Secret with the certificate, in the namespace of the gateway's pods."""
    credentialNames: Annotated[list[Annotated[str, _CREDENTIAL]], MaxItems(2), MinItems(1)]
    """Two such Secrets, for keys of two sorts."""
    httpsRedirect: bool
    """Plain requests are sent to HTTPS."""
    insecureSkipVerify: Nullable[bool]
    """A client whose certificate does not verify, or that has none, is let in all the same."""
    maxProtocolVersion: MaxProtocolVersion
    """Newest TLS version."""
    minProtocolVersion: MaxProtocolVersion
    """Oldest TLS version; 1.2 if left out."""
    mode: Literal["PASSTHROUGH", "SIMPLE", "MUTUAL", "AUTO_PASSTHROUGH", "ISTIO_MUTUAL", "OPTIONAL_MUTUAL"]
    """PASSTHROUGH: at the service; SIMPLE: here; MUTUAL: here, and clients show certificates."""
    privateKey: str
    """Key as a file in the gateway's pods."""
    serverCertificate: str
    """Certificate as a file in the gateway's pods."""
    subjectAltNames: list[str]
    """Names of which a client's certificate must carry one."""
    tlsCertificates: Annotated[list[TlsCertificate], MaxItems(2), MinItems(1)]
    """Certificates as files in the gateway's pods."""
    verifyCertificateHash: list[str]
    """Hashes of which a client's certificate must have one."""
    verifyCertificateSpki: list[str]
    """Hashes of which a client's key must have one."""


class Server(TypedDict, total=False):
    """A port, and the hosts that are served on it."""

    bind: str
    """Address that it listens on; all if left out."""
    defaultEndpoint: str
    """No longer read."""
    hosts: Required[list[str]]
    """Hosts that it answers to, as `host` or `namespace/host`; '*' for any."""
    name: str
    """Name of the server, for logs."""
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
    """Ports and hosts of a proxy at the edge of the mesh."""

    selector: dict[str, str]
    """Labels of the gateway's pods, in whatever namespace."""
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


class Http2KeepAlive(TypedDict, total=False):
    """PING frames of HTTP/2 towards the service."""

    interval: Timeout
    """Time between pings."""
    timeout: Timeout
    """Time without an answer until the connection is closed."""


class ConnectionPoolHttp(TypedDict, total=False):
    """Limits of HTTP towards the service."""

    h2UpgradePolicy: Literal["DEFAULT", "DO_NOT_UPGRADE", "UPGRADE"]
    """Whether HTTP/1.1 becomes HTTP/2."""
    http1MaxPendingRequests: Int32
    """Requests that may wait for a connection."""
    http2KeepAlive: Http2KeepAlive
    """PING frames of HTTP/2."""
    http2MaxRequests: Int32
    """Requests at once."""
    idleTimeout: Timeout
    """Time without requests until a connection is closed; 1h if left out."""
    maxConcurrentStreams: Int32
    """Streams at once in one connection."""
    maxRequestsPerConnection: Int32
    """Requests until a connection is closed; 1 turns keep-alive off."""
    maxRetries: Int32
    """Tries at once that are not the first."""
    useClientProtocol: bool
    """The service is spoken to as the client speaks."""


class TcpKeepalive(TypedDict, total=False):
    """TCP keep-alive towards the service."""

    interval: Timeout
    """Time between probes."""
    probes: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Probes without an answer until the connection is dead."""
    time: Timeout
    """Time without traffic until the first probe."""


class ConnectionPoolTcp(TypedDict, total=False):
    """Limits of connections to the service."""

    connectTimeout: Timeout
    """How long connecting may take; 10s if left out."""
    idleTimeout: str
    """Time without traffic until a connection is closed; 1h if left out."""
    maxConnectionDuration: Timeout
    """How long a connection may live."""
    maxConnections: Int32
    """Connections at once."""
    tcpKeepalive: TcpKeepalive
    """TCP keep-alive."""


class ConnectionPool(TypedDict, total=False):
    """Limits of what the service is sent at once."""

    http: ConnectionPoolHttp
    """Of HTTP."""
    tcp: ConnectionPoolTcp
    """Of connections."""


class Attribute(TypedDict, total=False):
    """A further attribute of the cookie."""

    name: Required[str]
    """Its name."""
    value: str
    """Its value."""


class HttpCookie(TypedDict, total=False):
    """A cookie by which a client keeps its pod."""

    attributes: list[Attribute]
    """Further attributes."""
    name: Required[str]
    """Its name."""
    path: str
    """Its path."""
    ttl: str
    """How long it lives; 0s for a session."""


class Maglev(TypedDict, total=False):
    """Maglev's table."""

    tableSize: Annotated[int, Minimum(0)]
    """Its size, a prime number."""


class RingHash(TypedDict, total=False):
    """The ring."""

    minimumRingSize: Annotated[int, Minimum(0)]
    """Fewest places on it."""


class ConsistentHash(TypedDict, total=False):
    """The same client gets the same pod, as far as pods stay."""

    httpCookie: HttpCookie
    """By a cookie."""
    httpHeaderName: str
    """By a header."""
    httpQueryParameterName: str
    """By a query parameter."""
    maglev: Maglev
    """Picks with Maglev's table."""
    minimumRingSize: Annotated[int, Minimum(0)]
    """Older form of ringHash.minimumRingSize."""
    ringHash: RingHash
    """Picks on a ring."""
    useSourceIp: bool
    """By the client's address."""


Distribute = TypedDict(
    "Distribute",
    {
        "from": 'Annotated[str, Doc("Region/zone/sub-zone that requests come from.")]',
        "to": 'Annotated[dict[str, Annotated[int, Maximum(4294967295), Minimum(0)]], Doc("Shares in percent, by region/zone/sub-zone.")]',
    },
    total=False,
)


Failover = TypedDict(
    "Failover",
    {
        "from": 'Annotated[str, Doc("Region that has no healthy pod left.")]',
        "to": 'Annotated[str, Doc("Region that stands in.")]',
    },
    total=False,
)


class LocalityLbSetting(TypedDict, total=False):
    """Near pods go first."""

    distribute: list[Distribute]
    """Fixed shares between zones."""
    enabled: Nullable[bool]
    """Whether it is on for this service."""
    failover: list[Failover]
    """Regions that stand in for others."""
    failoverPriority: list[str]
    """Labels, in order, by which near is told from far."""


class ZoneAwareLbSetting(TypedDict, total=False):
    """Pods of the same zone go first, and others where these are too few."""

    enabled: Nullable[bool]
    """Whether it is on for this service."""
    failover: list[Failover]
    """Regions that stand in for others."""
    failoverPriority: list[str]
    """Labels, in order, by which near is told from far."""
    minClusterSize: Annotated[Nullable[int], Maximum(4294967295), Minimum(1)]
    """Fewest pods in the region for which it is on."""


class Warmup(TypedDict, total=False):
    """New pods get few requests at first."""

    aggression: Annotated[Nullable[Double], Minimum(0)]
    """How the share grows; 1 is even."""
    duration: Required[Timeout]
    """How long it takes."""
    minimumPercent: Annotated[Nullable[Double], Maximum(100), Minimum(0)]
    """Share that a new pod begins with; 10 if left out."""


class LoadBalancer(TypedDict, total=False):
    """How pods are picked."""

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
    """The same client gets the same pod."""
    localityLbSetting: LocalityLbSetting
    """Near pods go first."""
    simple: Literal["UNSPECIFIED", "LEAST_CONN", "RANDOM", "PASSTHROUGH", "ROUND_ROBIN", "LEAST_REQUEST"]
    """LEAST_REQUEST (the default), ROUND_ROBIN, RANDOM or PASSTHROUGH."""
    warmup: Warmup
    """New pods get few requests at first."""
    warmupDurationSecs: Timeout
    """Older form of warmup."""
    zoneAwareLbSetting: ZoneAwareLbSetting
    """Pods of the same zone go first."""


class OutlierDetection(TypedDict, total=False):
    """Pods that fail are left out for a while."""

    baseEjectionTime: Timeout
    """How long, times how often; 30s if left out."""
    consecutive5xxErrors: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    """5xx answers in a row that count; 5 if left out."""
    consecutiveErrors: Int32
    """Older form."""
    consecutiveGatewayErrors: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    """Gateway errors in a row that count."""
    consecutiveLocalOriginFailures: Annotated[Nullable[int], Maximum(4294967295), Minimum(0)]
    """Failures of one's own side in a row that count."""
    interval: Timeout
    """Time between looks; 10s if left out."""
    maxEjectionPercent: Int32
    """Most pods that may be left out, in percent; 10 if left out."""
    minHealthPercent: Int32
    """It stops where fewer pods are healthy, in percent."""
    outlierDetectionHttpErrorCodes: list[Annotated[int, Maximum(599), Minimum(100)]]
    """HTTP statuses that count as errors; 5xx if left out."""
    splitExternalLocalOriginErrors: bool
    """Tells failures of both sides apart."""


class ClientTls(TypedDict, total=False):
    """TLS towards the service."""

    caCertificates: str
    """Authorities, as a file in the proxy."""
    caCrl: str
    """Revocation list, as a file in the proxy."""
    clientCertificate: str
    """Certificate, as a file in the proxy."""
    credentialName: Annotated[str, _CREDENTIAL]
    """Secret with certificates, in the namespace of the proxy that asks."""
    insecureSkipVerify: Nullable[bool]
    """The service's certificate is not checked."""
    mode: Literal["DISABLE", "SIMPLE", "MUTUAL", "ISTIO_MUTUAL"]
    """DISABLE, SIMPLE, MUTUAL (with a certificate) or ISTIO_MUTUAL (with the mesh's own)."""
    privateKey: str
    """Key, as a file in the proxy."""
    sni: str
    """Host name asked for."""
    subjectAltNames: list[str]
    """Names of which the service's certificate must carry one."""


class PortLevelSetting(TypedDict, total=False):
    """Settings of one port."""

    connectionPool: ConnectionPool
    """Limits."""
    loadBalancer: Annotated[
        LoadBalancer,
        OneOf(
            {"not": {"anyOf": [{"required": ["simple"]}, {"required": ["consistentHash"]}]}},
            {"required": ["simple"]},
            {"required": ["consistentHash"]},
        ),
    ]
    """How pods are picked."""
    outlierDetection: OutlierDetection
    """Pods that fail are left out."""
    port: Port
    """The port."""
    tls: ClientTls
    """TLS towards the service."""


class ProxyProtocol(TypedDict, total=False):
    """The PROXY header before the connection."""

    version: Literal["V1", "V2"]
    """V1 or V2."""


class RetryBudget(TypedDict, total=False):
    """Tries that may be under way beside first ones."""

    budgetInterval: str
    """Time over which requests count; only those under way if left out."""
    minRetryConcurrency: Annotated[int, Maximum(4294967295), Minimum(0)]
    """At least so many."""
    percent: Annotated[Nullable[Double], Maximum(100), Minimum(0)]
    """Share of all requests; 20 if left out."""


class Tunnel(TypedDict, total=False):
    """The service is asked through a proxy."""

    protocol: str
    """CONNECT (the default) or POST."""
    targetHost: Required[str]
    """Host behind the proxy."""
    targetPort: Required[Annotated[int, Maximum(4294967295), Minimum(0)]]
    """Its port."""


class TrafficPolicy(TypedDict, total=False):
    """How the service is spoken to."""

    connectionPool: ConnectionPool
    """Limits of what it is sent at once."""
    loadBalancer: Annotated[
        LoadBalancer,
        OneOf(
            {"not": {"anyOf": [{"required": ["simple"]}, {"required": ["consistentHash"]}]}},
            {"required": ["simple"]},
            {"required": ["consistentHash"]},
        ),
    ]
    """How pods are picked."""
    outlierDetection: OutlierDetection
    """Pods that fail are left out for a while."""
    portLevelSettings: Annotated[list[PortLevelSetting], MaxItems(4096)]
    """Settings of single ports, instead of all of these."""
    proxyProtocol: ProxyProtocol
    """The PROXY header before the connection."""
    retryBudget: RetryBudget
    """Tries that may be under way beside first ones."""
    tls: ClientTls
    """TLS towards it; the mesh's own for pods in the mesh if left out."""
    tunnel: Tunnel
    """It is asked through a proxy."""


class Subset(TypedDict, total=False):
    """Pods of the service with some labels, such as a version."""

    labels: dict[str, str]
    """Their labels."""
    name: Required[str]
    """Name that routes use."""
    trafficPolicy: TrafficPolicy
    """How they are spoken to, beside the rule's own."""


class WorkloadSelector(TypedDict, total=False):
    """Pods by label."""

    matchLabels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(4096),
        Cel('self.all(key, !key.contains("*"))', "a label's key has no wildcard"),
        Cel("self.all(key, key.size() != 0)", "a key is empty"),
    ]
    """Their labels."""


class DestinationRuleSpec(TypedDict, total=False):
    """How a service is spoken to, once a route has picked it."""

    exportTo: list[str]
    """Namespaces that see it; '.' is its own, '*' (if left out) all."""
    host: Required[ServiceHost]
    """The service by its name in the mesh; `name.namespace.svc.cluster.local` is safe from any namespace."""
    subsets: list[Subset]
    """Pods with some labels, under names that routes use."""
    trafficPolicy: TrafficPolicy
    """How it is spoken to."""
    workloadSelector: WorkloadSelector
    """Pods that ask and that this is for; all if left out."""


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
    """An address behind the service."""

    address: Annotated[
        str,
        MaxLength(256),
        Cel(
            'self.startsWith("unix://") ? (self.substring(7, 8) == "/" || self.substring(7, 8) == "@") : true',
            "a Unix socket's path is absolute, or abstract with '@'",
        ),
        Cel('self.startsWith("unix://") ? !self.endsWith("/") : true', "a Unix socket is no folder"),
    ]
    """IP address, host name or Unix socket."""
    labels: Annotated[dict[str, str], MaxProperties(256)]
    """Labels, as a pod has."""
    locality: Annotated[str, MaxLength(2048)]
    """Region/zone/sub-zone."""
    network: Annotated[str, MaxLength(2048)]
    """Network that it is in."""
    ports: Annotated[
        dict[str, Annotated[int, Maximum(4294967295), Minimum(0), Cel("0 < self && self <= 65535", "no valid port")]],
        MaxProperties(128),
        Cel(
            'self.all(key, size(key) < 63 && key.matches("^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$"))',
            "no valid name of a port",
        ),
    ]
    """Its ports, by the service's names."""
    serviceAccount: Annotated[str, MaxLength(253), Ref("ServiceAccount", optional=True, weak=True)]
    """ServiceAccount that it shows, where it is in the mesh."""
    weight: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Its share among the others."""


class ServiceEntryPort(TypedDict, total=False):
    """A port of the service."""

    name: Required[Annotated[str, MaxLength(256)]]
    """Its name."""
    number: Required[Number2]
    """Its number."""
    protocol: Annotated[str, MaxLength(256)]
    """HTTP, HTTPS, GRPC, HTTP2, TCP, TLS or MONGO."""
    targetPort: Number2
    """Port of the endpoints, where that is another."""


class ServiceEntryWorkloadSelector(TypedDict, total=False):
    """Pods by label."""

    labels: Annotated[
        dict[str, Annotated[str, MaxLength(63), Cel('!self.contains("*")', "a label's value has no wildcard")]],
        MaxProperties(256),
    ]
    """Their labels."""


class ServiceEntrySpec(TypedDict, total=False):
    """A service that the mesh does not know from Kubernetes."""

    addresses: Annotated[list[Annotated[str, MaxLength(64)]], MaxItems(256)]
    """Virtual addresses of the service."""
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
    """Addresses behind it."""
    exportTo: list[str]
    """Namespaces that see it; '.' is its own, '*' (if left out) all."""
    hosts: Required[
        Annotated[list[Annotated[str, Cel('self != "*"', "'*' alone is no host")]], MaxItems(256), MinItems(1)]
    ]
    """Host names of the service."""
    location: Literal["MESH_EXTERNAL", "MESH_INTERNAL"]
    """MESH_EXTERNAL (the default) or MESH_INTERNAL."""
    ports: Annotated[
        list[ServiceEntryPort],
        MaxItems(256),
        ListMap("name"),
        Cel("self.all(l1, self.exists_one(l2, l1.number == l2.number))", "two ports share a number"),
    ]
    """Its ports."""
    resolution: Literal["NONE", "STATIC", "DNS", "DNS_ROUND_ROBIN", "DYNAMIC_DNS"]
    """NONE: as the client resolved it; STATIC: the endpoints; DNS: by looking names up."""
    subjectAltNames: list[str]
    """Names of which its certificate must carry one."""
    workloadSelector: ServiceEntryWorkloadSelector
    """Pods and WorkloadEntries behind it, instead of endpoints."""


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
    """A port of the proxy."""

    name: str
    """Its name."""
    number: Annotated[int, Maximum(4294967295), Minimum(0)]
    """Its number."""
    protocol: str
    """What is spoken on it."""
    targetPort: Annotated[int, Maximum(4294967295), Minimum(0)]
    """No longer read."""


class Egress(TypedDict, total=False):
    """Services that the pods may ask."""

    bind: str
    """Address that the proxy listens on."""
    captureMode: Literal["DEFAULT", "IPTABLES", "NONE"]
    """Whether connections are captured by iptables."""
    hosts: Required[list[str]]
    """Services, as `namespace/host`; '.' is this namespace, '*' any."""
    port: EgressPort
    """Port that this is for; all if left out."""


class Ingress(TypedDict, total=False):
    """A port of the pods."""

    bind: str
    """Address that the proxy listens on."""
    captureMode: Literal["DEFAULT", "IPTABLES", "NONE"]
    """Whether connections are captured by iptables."""
    connectionPool: ConnectionPool
    """Limits of what the pod is sent at once."""
    defaultEndpoint: str
    """Where the pod listens, as `127.0.0.1:8080` or a Unix socket."""
    port: Required[EgressPort]
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
    """TLS of the port."""


class OutboundTrafficPolicy(TypedDict, total=False):
    """What happens with requests for services that the mesh does not know."""

    egressProxy: Destination
    """Service that they go through."""
    mode: Literal["REGISTRY_ONLY", "ALLOW_ANY"]
    """ALLOW_ANY or REGISTRY_ONLY."""


class SidecarSpec(TypedDict, total=False):
    """What the proxies beside some pods know and listen on."""

    egress: list[Egress]
    """Services that the pods may ask; all if left out."""
    inboundConnectionPool: ConnectionPool
    """Limits of what a pod is sent at once."""
    ingress: list[Ingress]
    """Ports of the pods; those of their Services if left out."""
    outboundTrafficPolicy: OutboundTrafficPolicy
    """What happens with requests for unknown services."""
    workloadSelector: ServiceEntryWorkloadSelector
    """Pods that it is for; all of the namespace if left out."""


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
    doc="How requests for some hosts are led on, at gateways and in the mesh.",
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
    doc="Ports and hosts of a proxy at the edge of the mesh.",
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
    doc="How a service is spoken to, once a route has picked it.",
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
    doc="A service that the mesh does not know from Kubernetes.",
    makes=(Makes("Service", "spec.hosts[]"),),
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
    doc="What the proxies beside some pods know and listen on.",
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
