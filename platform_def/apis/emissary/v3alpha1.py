"""Emissary 4.1 (getambassador.io/v3alpha1): listeners, hosts, routes and the services that it asks."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import (
    Default,
    Doc,
    Int32,
    MapType,
    Maximum,
    MaxProperties,
    Minimum,
    MinItems,
    MinProperties,
    OpenObject,
    Pattern,
    Ref,
    ServiceHost,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

# `name.namespace`, true and false are names too, which no reference can say: what is not found is no error.
_CONTEXT = Ref("TLSContext", group="getambassador.io", optional=True, weak=True)
_SECRET = Ref("Secret", optional=True, weak=True)

PhaseCompleted = Literal[
    "NA", "DefaultsFilled", "ACMEUserPrivateKeyCreated", "ACMEUserRegistered", "ACMECertificateChallenge"
]


class CircuitBreaker(TypedDict, total=False):
    """Limits of what a service is sent at once."""

    max_connections: int
    """Most connections."""
    max_pending_requests: int
    """Most requests that wait for a connection."""
    max_requests: int
    """Most requests at once."""
    max_retries: int
    """Most tries at once that are not the first."""
    priority: Literal["default", "high"]
    """Requests that it is for: default or high."""


class IncludeBody(TypedDict, total=False):
    """How much of the body goes along."""

    allow_partial: Required[bool]
    """A longer body is cut; else the request is refused."""
    max_bytes: Required[int]
    """Most bytes."""


class StatusOnError(TypedDict, total=False):
    """What the client gets when the service does not answer."""

    code: int
    """HTTP status; 403 if left out."""


class ExplicitTLS(TypedDict, total=False):
    """How version 2 said TLS; only kept for conversion."""

    serviceScheme: Annotated[str, Pattern("^([hH][tT][tT][pP][sS]?://)?$")]
    tls: Literal["", "null", "bool:true", "bool:false", "string"]


class AuthServiceSpec(TypedDict, total=False):
    """A service that is asked whether a request may pass."""

    add_auth_headers: dict[str, str]
    """Headers added to the question."""
    add_linkerd_headers: bool
    """Adds Linkerd's header with the destination."""
    allow_request_body: bool
    """Older form of include_body."""
    allowed_authorization_headers: list[str]
    """Headers of its answer that reach the service."""
    allowed_request_headers: list[str]
    """Headers that it gets to see."""
    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    auth_service: Required[ServiceHost]
    """The service that decides, as `name.namespace:port`."""
    circuit_breakers: list[CircuitBreaker]
    """Limits of what it is sent at once."""
    failure_mode_allow: bool
    """Whether requests pass when it does not answer."""
    include_body: IncludeBody
    """It gets the body too, up to a size."""
    path_prefix: str
    """Put before the path of the question."""
    proto: Literal["http", "grpc"]
    """http (the default) or grpc."""
    protocol_version: Literal["v2", "v3"]
    """Version of Envoy's protocol, for grpc: v3."""
    stats_name: str
    """Its name in statistics."""
    status_on_error: StatusOnError
    """What the client gets when it does not answer."""
    timeout_ms: int
    """Milliseconds until it counts as failed; 5000 if left out."""
    tls: Annotated[str, _CONTEXT]
    """TLSContext for connections to it, or true."""
    v2ExplicitTLS: ExplicitTLS
    """Only kept for conversion."""


class ConsulResolverSpec(TypedDict, total=False):
    """Looks services up in Consul."""

    address: str
    ambassador_id: list[str]
    datacenter: str


class Content(TypedDict, total=False):
    branch: str
    dir: str
    url: str


class DevPortalDoc(TypedDict, total=False):
    service: str
    timeout_ms: int
    url: str


class Search(TypedDict, total=False):
    enabled: bool
    type: Literal["title-only", "all-content"]


class Selector(TypedDict, total=False):
    matchLabels: dict[str, str]
    matchNamespaces: list[str]


class DevPortalSpec(TypedDict, total=False):
    ambassador_id: list[str]
    content: Content
    default: bool
    docs: list[DevPortalDoc]
    naming_scheme: Literal["namespace.name", "name.prefix"]
    preserve_servers: bool
    search: Search
    selector: Selector


class AccountName(TypedDict, total=False):
    """A Secret of the same namespace."""

    name: Annotated[str, Default(""), Ref("Secret", optional=True)]


AccountSecret = Annotated[AccountName, MapType("atomic")]


class ContextName(TypedDict, total=False):
    """A TLSContext of the same namespace."""

    name: Annotated[str, Default(""), Ref("TLSContext", group="getambassador.io")]


Context = Annotated[ContextName, MapType("atomic")]


class AcmeProvider(TypedDict, total=False):
    """Certificates from an ACME server; Emissary itself no longer asks for any."""

    authority: str
    """Address of the server; `none` where the Secret comes from elsewhere."""
    email: str
    """Address of the account."""
    privateKeySecret: AccountSecret
    """Secret with the account's key."""
    registration: str
    """Data of the account."""


class PreviewUrl(TypedDict, total=False):
    """Addresses for previews; no longer read."""

    enabled: bool
    type: Literal["Path"]


class Insecure(TypedDict, total=False):
    """What happens to requests without TLS."""

    action: Literal["Redirect", "Reject", "Route"]
    """Redirect to HTTPS (the default), Route as it is, or Reject."""
    additionalPort: int
    """A further port without TLS; -1 for none."""


class RequestPolicy(TypedDict, total=False):
    """What happens to requests, by how they come in."""

    insecure: Insecure
    """What happens to requests without TLS."""


class Tls(TypedDict, total=False):
    """TLS settings, as in a TLSContext."""

    alpn_protocols: str
    """Protocols offered, as `h2,http/1.1`."""
    ca_secret: Annotated[str, _SECRET]
    """Secret with the authority that clients' certificates are checked with."""
    cacert_chain_file: str
    """The same as a file in Emissary's pod."""
    cert_chain_file: str
    """Certificate as a file in Emissary's pod."""
    cert_required: bool
    """Clients must show a certificate."""
    cipher_suites: list[str]
    """Ciphers allowed."""
    crl_secret: Annotated[str, _SECRET]
    """Secret with a revocation list."""
    ecdh_curves: list[str]
    """Curves allowed."""
    max_tls_version: str
    """Newest TLS version, such as v1.3."""
    min_tls_version: str
    """Oldest TLS version, such as v1.2."""
    private_key_file: str
    """Key as a file in Emissary's pod."""
    redirect_cleartext_from: int
    """Port whose requests are sent to HTTPS."""
    sni: str
    """Host name asked for, as a client."""


class HostSpec(TypedDict, total=False):
    """A host name that Emissary serves, with its certificate."""

    acmeProvider: AcmeProvider
    """Certificates from an ACME server; no longer read."""
    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    hostname: str
    """Host name that requests carry; `*`, the default, for any."""
    mappingSelector: meta_v1.LabelSelector
    """Mappings that belong to this host, by label; by host name alone if left out."""
    previewUrl: PreviewUrl
    """No longer read."""
    requestPolicy: RequestPolicy
    """What happens to requests without TLS."""
    selector: meta_v1.LabelSelector
    """Older name of mappingSelector."""
    tls: Tls
    """TLS settings of this host; not beside tlsContext."""
    tlsContext: Context
    """TLSContext with its TLS settings."""
    tlsSecret: core_v1.SecretReference
    """Secret with its certificate."""


class HostStatus(TypedDict, total=False):
    errorBackoff: str
    errorReason: str
    errorTimestamp: Time
    phaseCompleted: PhaseCompleted
    phasePending: PhaseCompleted
    state: Literal["Initial", "Pending", "Ready", "Error"]
    tlsCertificateSource: Literal["Unknown", "None", "Other", "ACME"]


class KubernetesResolverSpec(TypedDict, total=False):
    ambassador_id: list[str]


Namespace = TypedDict(
    "Namespace",
    {
        "from": 'Annotated[Literal["SELF", "ALL", "SELECTOR"], Doc("SELF, ALL or SELECTOR.")]',
    },
    total=False,
)


class HostBinding(TypedDict, total=False):
    """Hosts that a listener serves."""

    namespace: Namespace
    """Namespaces whose Hosts are taken; its own if left out."""
    selector: meta_v1.LabelSelector
    """Hosts that are taken, by label; all if left out."""


class ListenerFields(TypedDict, total=False):
    """A port of Emissary, and the hosts that are served on it."""

    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    hostBinding: Required[HostBinding]
    """Hosts that are served on this port."""
    l7Depth: Int32
    """Trusted proxies in front of Emissary, for the client's address; 0 if left out."""
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """Port that Emissary listens on."""
    protocol: Literal["HTTP", "HTTPS", "HTTPPROXY", "HTTPSPROXY", "TCP", "TLS", "UDP"]
    """What is spoken, as one of the usual stacks; this or protocolStack."""
    protocolStack: list[Literal["HTTP", "PROXY", "TLS", "TCP", "UDP"]]
    """The stack spelled out, instead of `protocol`."""
    securityModel: Required[Literal["XFP", "SECURE", "INSECURE"]]
    """XFP trusts X-Forwarded-Proto, SECURE and INSECURE take every request as such."""
    statsPrefix: str
    """First part of the names of its statistics."""


class ListenerSpec(ListenerFields, total=False):
    """The same, with what 4.1 adds."""

    http2MaxConcurrentStreams: Annotated[Int32, Minimum(1)]
    """Streams that a client may have at once in one connection of HTTP/2."""


class AdditionalLogHeader(TypedDict, total=False):
    """A header that is logged."""

    during_request: bool
    during_response: bool
    during_trailer: bool
    header_name: str


class DriverConfig(TypedDict, total=False):
    """Settings of the log."""

    additional_log_headers: list[AdditionalLogHeader]


class LogServiceSpec(TypedDict, total=False):
    """A service that gets the access log."""

    ambassador_id: list[str]
    driver: Literal["tcp", "http"]
    driver_config: DriverConfig
    flush_interval_byte_size: int
    flush_interval_time: int
    grpc: bool
    protocol_version: Literal["v2", "v3"]
    service: ServiceHost
    stats_name: str


class AddRequestHeader(TypedDict, total=False):
    """A header that is added."""

    append: bool
    """Added to what is there (the default), or put in its place."""
    v2Representation: Literal["", "string", "null"]
    """Only kept for conversion."""
    value: str
    """Its value; Envoy's `%…%` variables work."""


class Cors(TypedDict, total=False):
    """Answers to cross-origin questions of browsers."""

    credentials: bool
    """Whether cookies and logins may go along."""
    exposed_headers: list[str]
    """Headers of the answer that the page may read."""
    headers: list[str]
    """Headers that a request may carry."""
    max_age: str
    """Seconds that a browser may keep the answer."""
    methods: list[str]
    """Methods that a request may have."""
    origins: list[str]
    """Pages that may ask."""
    v2CommaSeparatedOrigins: bool
    """Only kept for conversion."""


class Docs(TypedDict, total=False):
    """Where the service's OpenAPI document is; for the developer portal."""

    display_name: str
    """Name on the page."""
    ignored: bool
    """Left out of the portal."""
    path: str
    """Path of the document."""
    timeout_ms: int
    """Milliseconds that fetching it may take."""
    url: str
    """Address of the document."""


class TextFormatSource(TypedDict, total=False):
    """A file in Emissary's pod."""

    filename: str
    """Its path."""


class Body(TypedDict, total=False):
    """An answer of Emissary's own."""

    content_type: str
    """Its content type."""
    json_format: dict[str, str]
    """JSON with Envoy's `%…%` variables."""
    text_format: str
    """Text with Envoy's `%…%` variables."""
    text_format_source: TextFormatSource
    """A file with such text."""


class ErrorResponseOverride(TypedDict, total=False):
    """An answer instead of an error."""

    body: Required[Body]
    """The answer."""
    on_status_code: Required[Annotated[int, Maximum(599), Minimum(400)]]
    """HTTP status of the error, 400 to 599."""


class Grpc(TypedDict, total=False):
    """Health check by gRPC."""

    authority: str
    """Host of the question."""
    upstream_name: Required[str]
    """Service that is asked for."""


class ExpectedStatus(TypedDict, total=False):
    """A range of HTTP statuses."""

    max: Required[Annotated[int, Maximum(599), Minimum(100)]]
    """Highest."""
    min: Required[Annotated[int, Maximum(599), Minimum(100)]]
    """Lowest."""


class Http(TypedDict, total=False):
    """Health check by HTTP."""

    add_request_headers: dict[str, AddRequestHeader]
    """Headers added to the question."""
    expected_statuses: list[ExpectedStatus]
    """Statuses that are healthy; 200 if left out."""
    hostname: str
    """Host of the question."""
    path: Required[str]
    """Path of the question."""
    remove_request_headers: list[str]
    """Headers taken away from the question."""


class HealthCheckKind(TypedDict, total=False):
    """How it is asked; one of both."""

    grpc: Grpc
    """By gRPC."""
    http: Http
    """By HTTP."""


class HealthCheck(TypedDict, total=False):
    """Asks each pod itself; it needs an endpoint resolver."""

    health_check: Required[Annotated[HealthCheckKind, MaxProperties(1), MinProperties(1)]]
    """How it is asked."""
    healthy_threshold: int
    """Good answers until it is used again."""
    interval: str
    """Time between questions (`5s`)."""
    timeout: str
    """How long an answer may take."""
    unhealthy_threshold: int
    """Bad answers until it is left out."""


class Keepalive(TypedDict, total=False):
    """TCP keep-alive towards the service."""

    idle_time: int
    """Seconds without traffic until the first probe."""
    interval: int
    """Seconds between probes."""
    probes: int
    """Probes without an answer until the connection is dead."""


class DestinationCluster(TypedDict, total=False):
    """The service's name in Envoy."""

    key: Required[Literal["destination_cluster"]]
    """destination_cluster."""


class GenericKey(TypedDict, total=False):
    """A fixed value."""

    key: str
    """Name of the label; generic_key if left out."""
    v2Shorthand: bool
    """Only kept for conversion."""
    value: Required[str]
    """The value."""


class RemoteAddress(TypedDict, total=False):
    """The client's address."""

    key: Required[Literal["remote_address"]]
    """remote_address."""


class RequestHeaders(TypedDict, total=False):
    """The value of a header."""

    header_name: Required[str]
    """The header."""
    key: Required[str]
    """Name of the label."""
    omit_if_not_present: bool
    """Requests without the header are counted by the other labels; else not at all."""


class SourceCluster(TypedDict, total=False):
    """Where the request came in."""

    key: Required[Literal["source_cluster"]]
    """source_cluster."""


class Label(TypedDict, total=False):
    """What the rate limiter counts by; one of them."""

    destination_cluster: DestinationCluster
    """The service."""
    generic_key: GenericKey
    """A fixed value."""
    remote_address: RemoteAddress
    """The client's address."""
    request_headers: RequestHeaders
    """A header."""
    source_cluster: SourceCluster
    """Where the request came in."""


class Cookie(TypedDict, total=False):
    """A cookie by which a client keeps its pod."""

    name: Required[str]
    """Its name."""
    path: str
    """Its path."""
    ttl: str
    """How long it lives (`60s`); with it Emissary sets the cookie."""


class LoadBalancer(TypedDict, total=False):
    """How pods are picked; sticky ones need an endpoint resolver."""

    cookie: Cookie
    """By a cookie, for ring_hash and maglev."""
    header: str
    """By a header, for ring_hash and maglev."""
    policy: Required[Literal["round_robin", "ring_hash", "maglev", "least_request"]]
    """round_robin, least_request, ring_hash or maglev."""
    source_ip: bool
    """By the client's address, for ring_hash and maglev."""


class RegexRedirect(TypedDict, total=False):
    """A change by regular expression."""

    pattern: str
    """What is looked for."""
    substitution: str
    """What takes its place."""


class RetryPolicy(TypedDict, total=False):
    """When a failed request is tried again."""

    num_retries: int
    """Further tries; 1 if left out."""
    per_try_timeout: str
    """How long each may take."""
    retry_on: Literal[
        "5xx", "gateway-error", "connect-failure", "retriable-4xx", "refused-stream", "retriable-status-codes"
    ]
    """Failures that are tried again."""


class MappingSpec(TypedDict, total=False):
    """Where requests with some path and host go."""

    add_linkerd_headers: bool
    """Adds Linkerd's header with the destination."""
    add_request_headers: dict[str, AddRequestHeader]
    """Headers added for the service."""
    add_response_headers: dict[str, AddRequestHeader]
    """Headers added for the client."""
    allow_upgrade: list[str]
    """Protocols a connection may switch to: `websocket`, `spdy/3.1`."""
    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    auth_context_extensions: dict[str, str]
    """Values that go along to the AuthService."""
    auto_host_rewrite: bool
    """The service gets its own name as Host."""
    bypass_auth: bool
    """The AuthService is not asked."""
    bypass_error_response_overrides: bool
    """Errors stay as they are."""
    case_sensitive: bool
    """Whether upper and lower case differ in the prefix; true if left out."""
    circuit_breakers: list[CircuitBreaker]
    """Limits of what one service is sent at once."""
    cluster_idle_timeout_ms: int
    """Milliseconds without requests until a connection to the service is closed."""
    cluster_max_connection_lifetime_ms: int
    """Milliseconds that a connection to the service may live."""
    cluster_tag: str
    """Sets the service's pool of connections apart from that of other Mappings."""
    connect_timeout_ms: int
    """Milliseconds to connect to the service; 3000 if left out."""
    cors: Cors
    """Answers to cross-origin questions of browsers."""
    dns_type: str
    """strict_dns (the default) or logical_dns."""
    docs: Docs
    """Where the service's OpenAPI document is."""
    enable_ipv4: bool
    """Looks IPv4 addresses up."""
    enable_ipv6: bool
    """Looks IPv6 addresses up."""
    envoy_override: OpenObject
    """Raw settings of Envoy; no longer read."""
    error_response_overrides: Annotated[list[ErrorResponseOverride], MinItems(1)]
    """Answers instead of errors."""
    grpc: bool
    """The service speaks gRPC."""
    headers: dict[str, str]
    """Headers that a request must carry, with their values."""
    health_checks: Annotated[list[HealthCheck], MinItems(1)]
    """Asks each pod itself whether it is well."""
    host: str
    """Older name of hostname; may be a regular expression."""
    host_redirect: bool
    """Sends the client to the service's address instead of asking it."""
    host_regex: bool
    """The host is a regular expression."""
    host_rewrite: str
    """Host that the service gets."""
    hostname: str
    """Host name that requests must carry; `*` for any. This or host."""
    idle_timeout_ms: int
    """Milliseconds without traffic until the connection is closed."""
    keepalive: Keepalive
    """TCP keep-alive towards the service."""
    labels: dict[
        str,
        list[
            Annotated[
                dict[str, list[Annotated[Label, MaxProperties(1), MinProperties(1)]]],
                MaxProperties(1),
                MinProperties(1),
            ]
        ],
    ]
    """What rate limits go by, by domain."""
    load_balancer: LoadBalancer
    """How pods of the service are picked."""
    method: str
    """HTTP method that a request must have."""
    method_regex: bool
    """The method is a regular expression."""
    modules: list[OpenObject]
    """No longer read."""
    outlier_detection: str
    """Not supported: Emissary reports an error."""
    path_redirect: str
    """New path of a redirect."""
    precedence: int
    """Higher is tried first; 0 if left out."""
    prefix: Required[str]
    """Path prefix of the requests, such as `/api/`."""
    prefix_exact: bool
    """The whole path must be equal."""
    prefix_redirect: str
    """New prefix of a redirect."""
    prefix_regex: bool
    """The prefix is a regular expression."""
    priority: str
    """default or high: which circuit breakers count."""
    query_parameters: dict[str, str]
    """Query parameters that a request must have."""
    redirect_response_code: Literal[301, 302, 303, 307, 308]
    """Status of a redirect; 301 if left out."""
    regex_headers: dict[str, str]
    """Headers that a request must carry, as regular expressions."""
    regex_query_parameters: dict[str, str]
    """Query parameters that a request must have, as regular expressions."""
    regex_redirect: RegexRedirect
    """New path of a redirect, by regular expression."""
    regex_rewrite: RegexRedirect
    """What the path becomes for the service, by regular expression."""
    remove_request_headers: list[str]
    """Headers that the service never sees."""
    remove_response_headers: list[str]
    """Headers that the client never sees."""
    resolver: str
    """How the service is looked up: by Service, Endpoints or Consul; by Service if left out."""
    respect_dns_ttl: bool
    """Looks the name up again when DNS says so."""
    retry_policy: RetryPolicy
    """When a failed request is tried again."""
    rewrite: str
    """What the prefix becomes for the service; `/` if left out, empty to keep it."""
    service: Required[ServiceHost]
    """`name`, `name.namespace` or a URL, with a port if need be."""
    shadow: bool
    """The service gets copies of requests, its answers are dropped."""
    stats_name: str
    """Its name in statistics."""
    timeout_ms: int
    """Milliseconds for the whole request; 3000 if left out, 0 for none."""
    tls: Annotated[str, _CONTEXT]
    """TLSContext for connections to the service."""
    use_websocket: bool
    """Older form of allow_upgrade."""
    v2BoolHeaders: list[str]
    """Only kept for conversion."""
    v2BoolQueryParameters: list[str]
    """Only kept for conversion."""
    v2ExplicitTLS: ExplicitTLS
    """Only kept for conversion."""
    weight: int
    """Share of requests in percent, among Mappings with the same prefix and host."""


class MappingStatus(TypedDict, total=False):
    reason: str
    state: Literal["", "Inactive", "Running"]


class ModuleSpec(TypedDict, total=False):
    """Settings of a whole Emissary instance."""

    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    config: Required[OpenObject]
    """Settings: of the instance in the Module `ambassador`, of TLS in `tls`."""


class RateLimitServiceGrpc(TypedDict, total=False):
    """How limits look to gRPC clients."""

    use_resource_exhausted_code: bool
    """Status ResourceExhausted instead of Unavailable."""


class RateLimitServiceSpec(TypedDict, total=False):
    """A service that is asked whether a request is one too many."""

    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    domain: str
    """Domain that is sent along; ambassador if left out."""
    failure_mode_deny: bool
    """Whether requests are refused when it does not answer."""
    grpc: RateLimitServiceGrpc
    """How limits look to gRPC clients."""
    protocol_version: Literal["v2", "v3"]
    """Version of Envoy's protocol: v3."""
    service: Required[ServiceHost]
    """The service that counts, as `name.namespace:port`."""
    stats_name: str
    """Its name in statistics."""
    timeout_ms: int
    """Milliseconds until it counts as failed; 20 if left out."""
    tls: Annotated[str, _CONTEXT]
    """TLSContext for connections to it, or true."""
    v2ExplicitTLS: ExplicitTLS
    """Only kept for conversion."""


class TCPMappingSpec(TypedDict, total=False):
    """Where connections to a port go."""

    address: str
    """Address that Emissary listens on; all if left out."""
    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    circuit_breakers: list[CircuitBreaker]
    """Limits of what the service is sent at once."""
    cluster_tag: str
    """Sets the service's pool of connections apart from that of other Mappings."""
    enable_ipv4: bool
    """Looks IPv4 addresses up."""
    enable_ipv6: bool
    """Looks IPv6 addresses up."""
    host: str
    """Server name in the TLS handshake; any connection if left out."""
    idle_timeout_ms: str
    """Milliseconds without traffic until the connection is closed."""
    port: Required[int]
    """Port that Emissary listens on."""
    resolver: str
    """How the service is looked up; by Service if left out."""
    service: Required[ServiceHost]
    """`name.namespace:port`."""
    stats_name: str
    """Its name in statistics."""
    tls: Annotated[str, _CONTEXT]
    """TLSContext for connections to the service."""
    v2ExplicitTLS: ExplicitTLS
    """Only kept for conversion."""
    weight: int
    """Share of connections in percent, among equal TCPMappings."""


class TLSContextSpec(TypedDict, total=False):
    """TLS settings, of host names or towards services."""

    alpn_protocols: str
    """Protocols offered, as `h2,http/1.1`."""
    ambassador_id: list[str]
    """Emissary instances that read this; `default` if left out."""
    ca_secret: Annotated[str, _SECRET]
    """Secret with the authority that clients' certificates are checked with."""
    cacert_chain_file: str
    """The same as a file in Emissary's pod."""
    cert_chain_file: str
    """Certificate as a file in Emissary's pod."""
    cert_required: bool
    """Clients must show a certificate."""
    cipher_suites: list[str]
    """Ciphers allowed."""
    crl_secret: Annotated[str, _SECRET]
    """Secret with a revocation list."""
    ecdh_curves: list[str]
    """Curves allowed."""
    hosts: list[str]
    """Host names that this is for; none where it is only for services."""
    max_tls_version: Literal["v1.0", "v1.1", "v1.2", "v1.3"]
    """Newest TLS version."""
    min_tls_version: Literal["v1.0", "v1.1", "v1.2", "v1.3"]
    """Oldest TLS version."""
    private_key_file: str
    """Key as a file in Emissary's pod."""
    redirect_cleartext_from: int
    """Port whose requests are sent to HTTPS."""
    secret: Annotated[str, _SECRET]
    """Secret with certificate and key; `name.namespace` in another namespace."""
    secret_namespacing: bool
    """Whether a dot in a Secret's name sets its namespace; true if left out."""
    sni: str
    """Host name asked for, as a client."""


class Config(TypedDict, total=False):
    access_token_file: str
    collector_cluster: str
    collector_endpoint: str
    collector_endpoint_version: Literal["HTTP_JSON_V1", "HTTP_JSON", "HTTP_PROTO"]
    collector_hostname: str
    propagation_modes: list[Literal["ENVOY", "LIGHTSTEP", "B3", "TRACE_CONTEXT"]]
    service_name: str
    shared_span_context: bool
    trace_id_128bit: bool


class Environment(TypedDict, total=False):
    default_value: str
    name: Required[str]


class CustomTagLiteral(TypedDict, total=False):
    value: Required[str]


class CustomTag(TypedDict, total=False):
    environment: Environment
    literal: CustomTagLiteral
    request_header: Environment
    tag: Required[str]


class Sampling(TypedDict, total=False):
    client: int
    overall: int
    random: int


class TracingServiceSpec(TypedDict, total=False):
    """A service that collects traces."""

    ambassador_id: list[str]
    config: Config
    custom_tags: list[CustomTag]
    driver: Required[Literal["lightstep", "zipkin", "datadog", "opentelemetry"]]
    sampling: Sampling
    service: Required[ServiceHost]
    stats_name: str
    tag_headers: list[str]


AUTH_SERVICE = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="AuthService",
    plural="authservices",
    spec=AuthServiceSpec,
    doc="A service that is asked whether a request may pass.",
)

CONSUL_RESOLVER = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="ConsulResolver",
    plural="consulresolvers",
    spec=ConsulResolverSpec,
)

DEV_PORTAL = Api(
    group="getambassador.io", version="v3alpha1", kind="DevPortal", plural="devportals", spec=DevPortalSpec
)

HOST = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="Host",
    plural="hosts",
    spec=HostSpec,
    status=HostStatus,
    core="1.30",
    status_subresource=True,
    columns=(
        Column("Hostname", ".spec.hostname"),
        Column("State", ".status.state"),
        Column("Phase Completed", ".status.phaseCompleted"),
        Column("Phase Pending", ".status.phasePending"),
        AGE,
    ),
    doc="A host name that Emissary serves, with its certificate.",
)

KUBERNETES_ENDPOINT_RESOLVER = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="KubernetesEndpointResolver",
    plural="kubernetesendpointresolvers",
    spec=KubernetesResolverSpec,
)

KUBERNETES_SERVICE_RESOLVER = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="KubernetesServiceResolver",
    plural="kubernetesserviceresolvers",
    spec=KubernetesResolverSpec,
)

LISTENER = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="Listener",
    plural="listeners",
    spec=ListenerSpec,
    core="1.30",
    columns=(
        Column("Port", ".spec.port"),
        Column("Protocol", ".spec.protocol"),
        Column("Stack", ".spec.protocolStack"),
        Column("StatsPrefix", ".spec.statsPrefix"),
        Column("Security", ".spec.securityModel"),
        Column("L7Depth", ".spec.l7Depth"),
    ),
    doc="A port of Emissary, and the hosts that are served on it.",
)

LOG_SERVICE = Api(
    group="getambassador.io", version="v3alpha1", kind="LogService", plural="logservices", spec=LogServiceSpec
)

MAPPING = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="Mapping",
    plural="mappings",
    spec=MappingSpec,
    status=MappingStatus,
    status_subresource=True,
    columns=(
        Column("Source Host", ".spec.host"),
        Column("Source Prefix", ".spec.prefix"),
        Column("Dest Service", ".spec.service"),
        Column("State", ".status.state"),
        Column("Reason", ".status.reason"),
    ),
    doc="Where requests with some path and host go.",
)

MODULE = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="Module",
    plural="modules",
    spec=ModuleSpec,
    doc="Settings of a whole Emissary instance.",
)

RATE_LIMIT_SERVICE = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="RateLimitService",
    plural="ratelimitservices",
    spec=RateLimitServiceSpec,
    doc="A service that is asked whether a request is one too many.",
)

TCP_MAPPING = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="TCPMapping",
    plural="tcpmappings",
    spec=TCPMappingSpec,
    doc="Where connections to a port go.",
)

TLS_CONTEXT = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="TLSContext",
    plural="tlscontexts",
    spec=TLSContextSpec,
    doc="TLS settings, of host names or towards services.",
)

TRACING_SERVICE = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="TracingService",
    plural="tracingservices",
    spec=TracingServiceSpec,
)

CRDS = (
    Definition((AUTH_SERVICE,), categories=("ambassador-crds",)),
    Definition((CONSUL_RESOLVER,), categories=("ambassador-crds",)),
    Definition((DEV_PORTAL,), categories=("ambassador-crds",)),
    Definition((HOST,), categories=("ambassador-crds",)),
    Definition((KUBERNETES_ENDPOINT_RESOLVER,), categories=("ambassador-crds",)),
    Definition((KUBERNETES_SERVICE_RESOLVER,), categories=("ambassador-crds",)),
    Definition((LISTENER,), categories=("ambassador-crds",)),
    Definition((LOG_SERVICE,), categories=("ambassador-crds",)),
    Definition((MAPPING,), categories=("ambassador-crds",)),
    Definition((MODULE,), categories=("ambassador-crds",)),
    Definition((RATE_LIMIT_SERVICE,), categories=("ambassador-crds",)),
    Definition((TCP_MAPPING,), categories=("ambassador-crds",)),
    Definition((TLS_CONTEXT,), categories=("ambassador-crds",)),
    Definition((TRACING_SERVICE,), categories=("ambassador-crds",)),
)
