"""Prometheus operator 0.93: what is scraped, and the rules."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import (
    Default,
    Doc,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    ListType,
    MapType,
    Maximum,
    Minimum,
    MinLength,
    Pattern,
    Quantity,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

BodySizeLimit = Annotated[str, Pattern("(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$")]
FallbackScrapeProtocol = Literal[
    "PrometheusProto", "OpenMetricsText0.0.1", "OpenMetricsText1.0.0", "PrometheusText0.0.4", "PrometheusText1.0.0"
]
ScrapeProtocols = Annotated[
    list[
        Literal[
            "PrometheusProto",
            "OpenMetricsText0.0.1",
            "OpenMetricsText1.0.0",
            "PrometheusText0.0.4",
            "PrometheusText1.0.0",
        ]
    ],
    ListType("set"),
]
Interval = Annotated[
    str, Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")
]
ProxyConnectHeader = Annotated[dict[str, list[core_v1.SecretKeySelector]], MapType("atomic")]


class AttachMetadata(TypedDict, total=False):
    """What else targets are told of."""

    node: bool
    """Labels of the node go onto the target."""


class Authorization(TypedDict, total=False):
    """An Authorization header."""

    credentials: core_v1.SecretKeySelector
    """Secret with what stands in it."""
    type: str
    """What stands before it; Bearer if left out."""


class BasicAuth(TypedDict, total=False):
    """User and password."""

    password: core_v1.SecretKeySelector
    """Secret with the password."""
    username: core_v1.SecretKeySelector
    """Secret with the user's name."""


class Relabeling(TypedDict, total=False):
    """A change of labels, as in Prometheus' own configuration."""

    action: Annotated[
        Literal[
            "replace",
            "Replace",
            "keep",
            "Keep",
            "drop",
            "Drop",
            "hashmod",
            "HashMod",
            "labelmap",
            "LabelMap",
            "labeldrop",
            "LabelDrop",
            "labelkeep",
            "LabelKeep",
            "lowercase",
            "Lowercase",
            "uppercase",
            "Uppercase",
            "keepequal",
            "KeepEqual",
            "dropequal",
            "DropEqual",
        ],
        Default("replace"),
    ]
    """What is done; replace if left out."""
    modulus: Annotated[Int64, Minimum(0)]
    """Divisor of the hash, for hashmod."""
    regex: str
    """Expression that the joined values must match; anything if left out."""
    replacement: str
    """New value; `$1`, the first group, if left out."""
    separator: str
    """What stands between joined values; `;` if left out."""
    sourceLabels: list[str]
    """Labels whose values are joined."""
    targetLabel: str
    """Label that is written."""


class SecretOrConfigMap(TypedDict, total=False):
    """A key of a Secret or a ConfigMap; one of both."""

    configMap: core_v1.ConfigMapKeySelector
    """Of a ConfigMap."""
    secret: core_v1.SecretKeySelector
    """Of a Secret."""


class TlsConfig(TypedDict, total=False):
    """TLS towards a target."""

    ca: SecretOrConfigMap
    """Authorities that its certificate is checked with."""
    cert: SecretOrConfigMap
    """Certificate that is shown."""
    insecureSkipVerify: bool
    """Its certificate is not checked."""
    keySecret: core_v1.SecretKeySelector
    """Key of the certificate that is shown."""
    maxVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    """Newest TLS version."""
    minVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    """Oldest TLS version."""
    serverName: str
    """Host name in its certificate, where that is another."""


class Oauth2(TypedDict, total=False):
    """A token that is asked for by client id and secret."""

    clientId: Required[SecretOrConfigMap]
    """Client id."""
    clientSecret: Required[core_v1.SecretKeySelector]
    """Secret of the client."""
    endpointParams: dict[str, str]
    """Parameters added to the question."""
    noProxy: str
    """Hosts that are asked without a proxy."""
    proxyConnectHeader: ProxyConnectHeader
    """Headers for the proxy."""
    proxyFromEnvironment: bool
    """Takes the proxy of Prometheus' environment."""
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    """Proxy."""
    scopes: list[str]
    """Scopes that are asked for."""
    tlsConfig: TlsConfig
    """TLS towards the token's server."""
    tokenUrl: Required[Annotated[str, Pattern("^(http|https)://.+$")]]
    """Where the token is asked for."""


class EndpointTlsConfig(TlsConfig, total=False):
    """TLS towards a target, also by files of Prometheus' own pod."""

    caFile: str
    """Authorities as a file."""
    certFile: str
    """Certificate as a file."""
    keyFile: str
    """Key as a file."""


class ScrapeFields(TypedDict, total=False):
    """One port and path that is scraped, and how."""

    authorization: Authorization
    """Authorization header, from a Secret."""
    basicAuth: BasicAuth
    """User and password, from Secrets."""
    bearerTokenSecret: core_v1.SecretKeySelector
    """Older form of authorization."""
    enableHttp2: bool
    """Whether HTTP/2 is spoken."""
    filterRunning: bool
    """Pods that failed or are done are left out; true if left out."""
    followRedirects: bool
    """Whether redirects are followed."""
    honorLabels: bool
    """Labels of the target win over Prometheus' own."""
    honorTimestamps: bool
    """Whether the target's own timestamps are kept."""
    interval: Interval
    """How often it is scraped; as Prometheus says if left out."""
    metricRelabelings: list[Relabeling]
    """Changes to samples before they are kept."""
    noProxy: str
    """Hosts that are asked without a proxy."""
    oauth2: Oauth2
    """A token that is asked for first."""
    params: dict[str, list[str]]
    """Parameters of the address."""
    path: str
    """Path; `/metrics` if left out."""
    port: str
    """Port of the Service, by name."""
    proxyConnectHeader: ProxyConnectHeader
    """Headers for the proxy."""
    proxyFromEnvironment: bool
    """Takes the proxy of Prometheus' environment."""
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    """Proxy."""
    relabelings: list[Relabeling]
    """Changes to the target's labels."""
    scheme: Literal["http", "https", "HTTP", "HTTPS"]
    """http or https."""
    scrapeTimeout: Interval
    """How long a scrape may take; as Prometheus says if left out."""
    targetPort: IntOrString
    """Port of the pod, by name or number."""
    trackTimestampsStaleness: bool
    """Series with timestamps of their own end with their target."""


class Endpoint(ScrapeFields, total=False):
    """One port and path of a Service that is scraped."""

    bearerTokenFile: str
    """File with a token, in Prometheus' own pod."""
    tlsConfig: EndpointTlsConfig
    """TLS towards the target."""


class NamespaceSelector(TypedDict, total=False):
    """Namespaces that are looked in."""

    any: bool
    """All namespaces."""
    matchNames: list[str]
    """These namespaces."""


class MonitorFields(TypedDict, total=False):
    """What ServiceMonitors and PodMonitors share."""

    attachMetadata: AttachMetadata
    """What else targets are told of."""
    bodySizeLimit: BodySizeLimit
    """Longest answer that is taken (`10MB`)."""
    convertClassicHistogramsToNHCB: bool
    """Classic histograms are kept as native ones."""
    fallbackScrapeProtocol: FallbackScrapeProtocol
    """Format of answers that do not say theirs."""
    jobLabel: str
    """Label of the Service whose value becomes the job."""
    keepDroppedTargets: Annotated[Int64, Minimum(0)]
    """Dropped targets that are remembered."""
    labelLimit: Annotated[Int64, Minimum(0)]
    """Labels that a sample may have."""
    labelNameLengthLimit: Annotated[Int64, Minimum(0)]
    """Longest name of a label."""
    labelValueLengthLimit: Annotated[Int64, Minimum(0)]
    """Longest value of a label."""
    namespaceSelector: NamespaceSelector
    """Namespaces that are looked in; this one if left out."""
    nativeHistogramBucketLimit: Annotated[Int64, Minimum(0)]
    """Buckets that a native histogram may have."""
    nativeHistogramMinBucketFactor: Quantity
    """Least growth from bucket to bucket."""
    podTargetLabels: list[str]
    """Labels of the pod that go onto the metrics."""
    sampleLimit: Annotated[Int64, Minimum(0)]
    """Samples that a scrape may bring; else it fails."""
    scrapeClass: Annotated[str, MinLength(1)]
    """Scrape class of Prometheus with further settings."""
    scrapeClassicHistograms: bool
    """Classic histograms are kept beside native ones."""
    scrapeNativeHistograms: bool
    """Native histograms are taken."""
    scrapeProtocols: ScrapeProtocols
    """Formats that are asked for, the best first."""
    selector: Required[meta_v1.LabelSelector]
    """Services, by label."""
    selectorMechanism: Literal["RelabelConfig", "RoleSelector"]
    """Whether Prometheus drops what does not fit, or asks the API server for what fits only."""
    targetLimit: Annotated[Int64, Minimum(0)]
    """Targets that there may be; else all scrapes fail."""


class ServiceMonitorSpec(MonitorFields, total=False):
    """Services that Prometheus scrapes."""

    endpoints: Required[list[Endpoint]]
    """Ports and paths that are scraped."""
    serviceDiscoveryRole: Literal["Endpoints", "EndpointSlice"]
    """Endpoints or EndpointSlice."""
    targetLabels: list[str]
    """Labels of the Service that go onto the metrics."""


class Condition(TypedDict, total=False):
    lastTransitionTime: Required[Time]
    message: str
    observedGeneration: Int64
    reason: str
    status: Required[Annotated[str, MinLength(1)]]
    type: Required[Annotated[Literal["Accepted"], MinLength(1)]]


class Binding(TypedDict, total=False):
    conditions: Annotated[list[Condition], ListMap("type")]
    group: Required[Literal["monitoring.coreos.com"]]
    name: Required[Annotated[str, MinLength(1)]]
    namespace: Required[Annotated[str, MinLength(1)]]
    resource: Required[Literal["prometheuses", "prometheusagents", "thanosrulers", "alertmanagers"]]


class ServiceMonitorStatus(TypedDict, total=False):
    bindings: Annotated[list[Binding], ListMap("group", "resource", "name", "namespace")]


class PodMetricsEndpoint(ScrapeFields, total=False):
    """One port and path of a pod that is scraped."""

    portNumber: Annotated[Int32, Maximum(65535), Minimum(1)]
    """Port of the container, by number."""
    tlsConfig: TlsConfig
    """TLS towards the target."""


class PodMonitorSpec(MonitorFields, total=False):
    """Pods that Prometheus scrapes."""

    podMetricsEndpoints: list[PodMetricsEndpoint]
    """Ports and paths that are scraped."""


Rule = TypedDict(
    "Rule",
    {
        "alert": 'Annotated[str, Doc("Name of the alert; this or record.")]',
        "annotations": 'Annotated[dict[str, str], Doc("Texts of the alert; templates work in them.")]',
        "expr": 'Required[Annotated[IntOrString, Doc("PromQL expression; each of its results is an alert, or is recorded.")]]',
        "for": 'Annotated[Interval, Doc("How long it must hold until it fires (`5m`); at once if left out.")]',
        "keep_firing_for": 'Annotated[str, MinLength(1), Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"), Doc("How long it goes on after it held last.")]',
        "labels": 'Annotated[dict[str, str], Doc("Labels added, such as severity.")]',
        "record": 'Annotated[str, Doc("Name of the series that keeps the results; this or alert.")]',
    },
    total=False,
)


class Group(TypedDict, total=False):
    """Rules that are evaluated together, in order."""

    interval: Interval
    """How often the rules are evaluated; as Prometheus says if left out."""
    labels: dict[str, str]
    """Labels for every result."""
    limit: int
    """Alerts or series that a rule may give; no limit if left out."""
    name: Required[Annotated[str, MinLength(1)]]
    """Name of the group."""
    partial_response_strategy: Annotated[str, Pattern("^(?i)(abort|warn)?$")]
    """What Thanos does with parts of an answer: abort or warn."""
    query_offset: Interval
    """How far back the rules look."""
    rules: list[Rule]
    """Its rules."""


class PrometheusRuleSpec(TypedDict, total=False):
    """Alerts and recorded series."""

    groups: Annotated[list[Group], ListMap("name")]
    """Groups of rules that are evaluated together."""


SERVICE_MONITOR = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="ServiceMonitor",
    plural="servicemonitors",
    spec=ServiceMonitorSpec,
    status=ServiceMonitorStatus,
    required=("spec",),
    core="1.36",
    status_subresource=True,
    doc="Services that Prometheus scrapes.",
)

POD_MONITOR = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="PodMonitor",
    plural="podmonitors",
    spec=PodMonitorSpec,
    status=ServiceMonitorStatus,
    required=("spec",),
    core="1.36",
    status_subresource=True,
    doc="Pods that Prometheus scrapes.",
)

PROMETHEUS_RULE = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="PrometheusRule",
    plural="prometheusrules",
    spec=PrometheusRuleSpec,
    status=ServiceMonitorStatus,
    required=("spec",),
    status_subresource=True,
    doc="Alerts and recorded series.",
)

CRDS = (
    Definition(
        (SERVICE_MONITOR,),
        short_names=("smon",),
        categories=("prometheus-operator",),
        annotations={"operator.prometheus.io/version": "0.93.0"},
    ),
    Definition(
        (POD_MONITOR,),
        short_names=("pmon",),
        categories=("prometheus-operator",),
        annotations={"operator.prometheus.io/version": "0.93.0"},
    ),
    Definition(
        (PROMETHEUS_RULE,),
        short_names=("promrule",),
        categories=("prometheus-operator",),
        annotations={"operator.prometheus.io/version": "0.93.0"},
    ),
)
