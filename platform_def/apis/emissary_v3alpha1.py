"""Emissary 4.1 (getambassador.io/v3alpha1): listeners, hosts, routes and the services that it asks."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
    Int32,
    Maximum,
    MaxProperties,
    Minimum,
    MinItems,
    MinProperties,
    OpenObject,
    Pattern,
    Time,
)

PhaseCompleted = Literal[
    "NA", "DefaultsFilled", "ACMEUserPrivateKeyCreated", "ACMEUserRegistered", "ACMECertificateChallenge"
]


class CircuitBreaker(TypedDict, total=False):
    max_connections: int
    max_pending_requests: int
    max_requests: int
    max_retries: int
    priority: Literal["default", "high"]


class IncludeBody(TypedDict, total=False):
    allow_partial: Required[bool]
    max_bytes: Required[int]


class StatusOnError(TypedDict, total=False):
    code: int


class ExplicitTLS(TypedDict, total=False):
    serviceScheme: Annotated[str, Pattern("^([hH][tT][tT][pP][sS]?://)?$")]
    tls: Literal["", "null", "bool:true", "bool:false", "string"]


class AuthServiceSpec(TypedDict, total=False):
    add_auth_headers: dict[str, str]
    add_linkerd_headers: bool
    allow_request_body: bool
    allowed_authorization_headers: list[str]
    """Headers of its answer that reach the service."""
    allowed_request_headers: list[str]
    """Headers that it gets to see."""
    ambassador_id: list[str]
    auth_service: Required[str]
    """The service that decides, as `name.namespace:port`."""
    circuit_breakers: list[CircuitBreaker]
    failure_mode_allow: bool
    """Requests pass when it does not answer."""
    include_body: IncludeBody
    """It gets the body too, up to a size."""
    path_prefix: str
    """Put before the path of the question."""
    proto: Literal["http", "grpc"]
    """http or grpc."""
    protocol_version: Literal["v2", "v3"]
    stats_name: str
    status_on_error: StatusOnError
    timeout_ms: int
    """Milliseconds until it counts as failed."""
    tls: str
    v2ExplicitTLS: ExplicitTLS


class ConsulResolverSpec(TypedDict, total=False):
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


class AcmeProvider(TypedDict, total=False):
    authority: str
    email: str
    privateKeySecret: core_v1.LocalObjectReference
    registration: str


class PreviewUrl(TypedDict, total=False):
    enabled: bool
    type: Literal["Path"]


class Insecure(TypedDict, total=False):
    action: Literal["Redirect", "Reject", "Route"]
    """Redirect to HTTPS, Route as it is, or Reject."""
    additionalPort: int
    """A further port without TLS; -1 for none."""


class RequestPolicy(TypedDict, total=False):
    insecure: Insecure


class Tls(TypedDict, total=False):
    alpn_protocols: str
    ca_secret: str
    cacert_chain_file: str
    cert_chain_file: str
    cert_required: bool
    cipher_suites: list[str]
    crl_secret: str
    ecdh_curves: list[str]
    max_tls_version: str
    min_tls_version: str
    private_key_file: str
    redirect_cleartext_from: int
    sni: str


class HostSpec(TypedDict, total=False):
    acmeProvider: AcmeProvider
    """Certificates from an ACME server."""
    ambassador_id: list[str]
    """Emissary instances that read this."""
    hostname: str
    """Host name that requests carry; `*` for any."""
    mappingSelector: meta_v1.LabelSelector
    """Mappings that belong to this host, by label."""
    previewUrl: PreviewUrl
    requestPolicy: RequestPolicy
    """What happens to requests without TLS."""
    selector: meta_v1.LabelSelector
    """Older name of mappingSelector."""
    tls: Tls
    """TLS settings of this host."""
    tlsContext: core_v1.LocalObjectReference
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
        "from": 'Literal["SELF", "ALL", "SELECTOR"]',
    },
    total=False,
)


class HostBinding(TypedDict, total=False):
    namespace: Namespace
    """Namespaces whose Hosts are taken."""
    selector: meta_v1.LabelSelector
    """Hosts that are taken, by label."""


class ListenerSpec(TypedDict, total=False):
    ambassador_id: list[str]
    """Emissary instances that read this."""
    hostBinding: Required[HostBinding]
    """Hosts that are served on this port."""
    http2MaxConcurrentStreams: Annotated[Int32, Minimum(1)]
    l7Depth: Int32
    """Trusted proxies in front of Emissary, for the client address."""
    port: Required[Annotated[Int32, Maximum(65535), Minimum(1)]]
    """Port that Emissary listens on."""
    protocol: Literal["HTTP", "HTTPS", "HTTPPROXY", "HTTPSPROXY", "TCP", "TLS", "UDP"]
    """What is spoken, as one of the usual stacks."""
    protocolStack: list[Literal["HTTP", "PROXY", "TLS", "TCP", "UDP"]]
    """The stack spelled out, instead of `protocol`."""
    securityModel: Required[Literal["XFP", "SECURE", "INSECURE"]]
    """XFP trusts X-Forwarded-Proto, SECURE and INSECURE take every request as such."""
    statsPrefix: str
    """First part of the names of its statistics."""


class AdditionalLogHeader(TypedDict, total=False):
    during_request: bool
    during_response: bool
    during_trailer: bool
    header_name: str


class DriverConfig(TypedDict, total=False):
    additional_log_headers: list[AdditionalLogHeader]


class LogServiceSpec(TypedDict, total=False):
    ambassador_id: list[str]
    driver: Literal["tcp", "http"]
    driver_config: DriverConfig
    flush_interval_byte_size: int
    flush_interval_time: int
    grpc: bool
    protocol_version: Literal["v2", "v3"]
    service: str
    stats_name: str


class AddRequestHeader(TypedDict, total=False):
    append: bool
    v2Representation: Literal["", "string", "null"]
    value: str


class Cors(TypedDict, total=False):
    credentials: bool
    exposed_headers: list[str]
    headers: list[str]
    max_age: str
    methods: list[str]
    origins: list[str]
    v2CommaSeparatedOrigins: bool


class Docs(TypedDict, total=False):
    display_name: str
    ignored: bool
    path: str
    timeout_ms: int
    url: str


class TextFormatSource(TypedDict, total=False):
    filename: str


class Body(TypedDict, total=False):
    content_type: str
    json_format: dict[str, str]
    text_format: str
    text_format_source: TextFormatSource


class ErrorResponseOverride(TypedDict, total=False):
    body: Required[Body]
    on_status_code: Required[Annotated[int, Maximum(599), Minimum(400)]]


class Grpc(TypedDict, total=False):
    authority: str
    upstream_name: Required[str]


class ExpectedStatus(TypedDict, total=False):
    max: Required[Annotated[int, Maximum(599), Minimum(100)]]
    min: Required[Annotated[int, Maximum(599), Minimum(100)]]


class Http(TypedDict, total=False):
    add_request_headers: dict[str, AddRequestHeader]
    expected_statuses: list[ExpectedStatus]
    hostname: str
    path: Required[str]
    remove_request_headers: list[str]


class HealthCheckKind(TypedDict, total=False):
    grpc: Grpc
    http: Http


class HealthCheck(TypedDict, total=False):
    health_check: Required[Annotated[HealthCheckKind, MaxProperties(1), MinProperties(1)]]
    healthy_threshold: int
    interval: str
    timeout: str
    unhealthy_threshold: int


class Keepalive(TypedDict, total=False):
    idle_time: int
    interval: int
    probes: int


class DestinationCluster(TypedDict, total=False):
    key: Required[Literal["destination_cluster"]]


class GenericKey(TypedDict, total=False):
    key: str
    v2Shorthand: bool
    value: Required[str]


class RemoteAddress(TypedDict, total=False):
    key: Required[Literal["remote_address"]]


class RequestHeaders(TypedDict, total=False):
    header_name: Required[str]
    key: Required[str]
    omit_if_not_present: bool


class SourceCluster(TypedDict, total=False):
    key: Required[Literal["source_cluster"]]


class Label(TypedDict, total=False):
    destination_cluster: DestinationCluster
    generic_key: GenericKey
    remote_address: RemoteAddress
    request_headers: RequestHeaders
    source_cluster: SourceCluster


class Cookie(TypedDict, total=False):
    name: Required[str]
    path: str
    ttl: str


class LoadBalancer(TypedDict, total=False):
    cookie: Cookie
    header: str
    policy: Required[Literal["round_robin", "ring_hash", "maglev", "least_request"]]
    source_ip: bool


class RegexRedirect(TypedDict, total=False):
    pattern: str
    substitution: str


class RetryPolicy(TypedDict, total=False):
    num_retries: int
    per_try_timeout: str
    retry_on: Literal[
        "5xx", "gateway-error", "connect-failure", "retriable-4xx", "refused-stream", "retriable-status-codes"
    ]


class MappingSpec(TypedDict, total=False):
    add_linkerd_headers: bool
    add_request_headers: dict[str, AddRequestHeader]
    """Headers added for the service."""
    add_response_headers: dict[str, AddRequestHeader]
    """Headers added for the client."""
    allow_upgrade: list[str]
    """Protocols a connection may switch to: `websocket`, `spdy/3.1`."""
    ambassador_id: list[str]
    """Emissary instances that read this."""
    auth_context_extensions: dict[str, str]
    auto_host_rewrite: bool
    """The service gets its own name as Host."""
    bypass_auth: bool
    """The AuthService is not asked."""
    bypass_error_response_overrides: bool
    case_sensitive: bool
    """Whether upper and lower case differ in the prefix."""
    circuit_breakers: list[CircuitBreaker]
    """Limits of what one service is sent at once."""
    cluster_idle_timeout_ms: int
    cluster_max_connection_lifetime_ms: int
    cluster_tag: str
    connect_timeout_ms: int
    """Milliseconds to connect to the service."""
    cors: Cors
    """Answers to cross-origin questions of browsers."""
    dns_type: str
    docs: Docs
    enable_ipv4: bool
    enable_ipv6: bool
    envoy_override: OpenObject
    error_response_overrides: Annotated[list[ErrorResponseOverride], MinItems(1)]
    grpc: bool
    """The service speaks gRPC."""
    headers: dict[str, str]
    """Headers that a request must carry, with their values."""
    health_checks: Annotated[list[HealthCheck], MinItems(1)]
    host: str
    """Older name of hostname; may be a regular expression."""
    host_redirect: bool
    host_regex: bool
    host_rewrite: str
    """Host that the service gets."""
    hostname: str
    """Host name that requests must carry; `*` for any."""
    idle_timeout_ms: int
    """Milliseconds without traffic until the connection is closed."""
    keepalive: Keepalive
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
    """What rate limits go by."""
    load_balancer: LoadBalancer
    """How pods of the service are picked."""
    method: str
    """HTTP method that a request must have."""
    method_regex: bool
    modules: list[OpenObject]
    outlier_detection: str
    path_redirect: str
    precedence: int
    """Higher is tried first."""
    prefix: Required[str]
    """Path prefix of the requests."""
    prefix_exact: bool
    prefix_redirect: str
    prefix_regex: bool
    """The prefix is a regular expression."""
    priority: str
    query_parameters: dict[str, str]
    """Query parameters that a request must have."""
    redirect_response_code: Literal[301, 302, 303, 307, 308]
    regex_headers: dict[str, str]
    """Headers that a request must carry, as regular expressions."""
    regex_query_parameters: dict[str, str]
    regex_redirect: RegexRedirect
    regex_rewrite: RegexRedirect
    remove_request_headers: list[str]
    """Headers that the service never sees."""
    remove_response_headers: list[str]
    """Headers that the client never sees."""
    resolver: str
    """How the service is looked up: by Service, Endpoints or Consul."""
    respect_dns_ttl: bool
    retry_policy: RetryPolicy
    """When a failed request is tried again."""
    rewrite: str
    """What the prefix becomes for the service; `/` if left out, empty to keep it."""
    service: Required[str]
    """`name`, `name.namespace` or a URL, with a port if need be."""
    shadow: bool
    """The service gets copies of requests, its answers are dropped."""
    stats_name: str
    timeout_ms: int
    """Milliseconds for the whole request; 3000 if left out, 0 for none."""
    tls: str
    """TLSContext for connections to the service."""
    use_websocket: bool
    v2BoolHeaders: list[str]
    v2BoolQueryParameters: list[str]
    v2ExplicitTLS: ExplicitTLS
    weight: int
    """Share of requests in percent, among equal Mappings."""


class MappingStatus(TypedDict, total=False):
    reason: str
    state: Literal["", "Inactive", "Running"]


class ModuleSpec(TypedDict, total=False):
    ambassador_id: list[str]
    config: Required[OpenObject]
    """Settings of the whole instance (`ambassador`) or of TLS."""


class RateLimitServiceGrpc(TypedDict, total=False):
    use_resource_exhausted_code: bool


class RateLimitServiceSpec(TypedDict, total=False):
    ambassador_id: list[str]
    domain: str
    """Domain that is sent along."""
    failure_mode_deny: bool
    """Requests are refused when it does not answer."""
    grpc: RateLimitServiceGrpc
    protocol_version: Literal["v2", "v3"]
    service: Required[str]
    """The service that counts, as `name.namespace:port`."""
    stats_name: str
    timeout_ms: int
    """Milliseconds until it counts as failed."""
    tls: str
    v2ExplicitTLS: ExplicitTLS


class TCPMappingSpec(TypedDict, total=False):
    address: str
    """Address that Emissary listens on."""
    ambassador_id: list[str]
    circuit_breakers: list[CircuitBreaker]
    cluster_tag: str
    enable_ipv4: bool
    enable_ipv6: bool
    host: str
    """Server name in the TLS handshake."""
    idle_timeout_ms: str
    port: Required[int]
    """Port that Emissary listens on."""
    resolver: str
    service: Required[str]
    """`name.namespace:port`."""
    stats_name: str
    tls: str
    v2ExplicitTLS: ExplicitTLS
    weight: int
    """Share of connections in percent."""


class TLSContextSpec(TypedDict, total=False):
    alpn_protocols: str
    """Protocols offered, as `h2,http/1.1`."""
    ambassador_id: list[str]
    ca_secret: str
    """Secret with the authority that clients' certificates are checked with."""
    cacert_chain_file: str
    cert_chain_file: str
    cert_required: bool
    """Clients must show a certificate."""
    cipher_suites: list[str]
    crl_secret: str
    ecdh_curves: list[str]
    hosts: list[str]
    """Host names that this is for."""
    max_tls_version: Literal["v1.0", "v1.1", "v1.2", "v1.3"]
    """Newest TLS version."""
    min_tls_version: Literal["v1.0", "v1.1", "v1.2", "v1.3"]
    """Oldest TLS version."""
    private_key_file: str
    redirect_cleartext_from: int
    secret: str
    """Secret with certificate and key."""
    secret_namespacing: bool
    sni: str


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
    ambassador_id: list[str]
    config: Config
    custom_tags: list[CustomTag]
    driver: Required[Literal["lightstep", "zipkin", "datadog", "opentelemetry"]]
    sampling: Sampling
    service: Required[str]
    stats_name: str
    tag_headers: list[str]


AUTH_SERVICE = Api(
    group="getambassador.io", version="v3alpha1", kind="AuthService", plural="authservices", spec=AuthServiceSpec
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
)

MODULE = Api(group="getambassador.io", version="v3alpha1", kind="Module", plural="modules", spec=ModuleSpec)

RATE_LIMIT_SERVICE = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="RateLimitService",
    plural="ratelimitservices",
    spec=RateLimitServiceSpec,
)

TCP_MAPPING = Api(
    group="getambassador.io", version="v3alpha1", kind="TCPMapping", plural="tcpmappings", spec=TCPMappingSpec
)

TLS_CONTEXT = Api(
    group="getambassador.io", version="v3alpha1", kind="TLSContext", plural="tlscontexts", spec=TLSContextSpec
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
