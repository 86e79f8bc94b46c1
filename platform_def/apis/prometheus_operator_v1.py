"""Prometheus operator 0.93: what is scraped, and the rules."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import (
    Default,
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
ProxyConnectHeader = Annotated[dict[str, list[core_v1.ConfigMapKeySelector]], MapType("atomic")]


class AttachMetadata(TypedDict, total=False):
    node: bool


class Authorization(TypedDict, total=False):
    credentials: core_v1.SecretKeySelector
    type: str


class BasicAuth(TypedDict, total=False):
    password: core_v1.ConfigMapKeySelector
    username: core_v1.SecretKeySelector


class Relabeling(TypedDict, total=False):
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
    modulus: Annotated[Int64, Minimum(0)]
    regex: str
    replacement: str
    separator: str
    sourceLabels: list[str]
    targetLabel: str


class SecretOrConfigMap(TypedDict, total=False):
    configMap: core_v1.ConfigMapKeySelector
    secret: core_v1.SecretKeySelector


class TlsConfig(TypedDict, total=False):
    ca: SecretOrConfigMap
    cert: SecretOrConfigMap
    insecureSkipVerify: bool
    keySecret: core_v1.SecretKeySelector
    maxVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    minVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    serverName: str


class Oauth2(TypedDict, total=False):
    clientId: Required[SecretOrConfigMap]
    clientSecret: Required[core_v1.SecretKeySelector]
    endpointParams: dict[str, str]
    noProxy: str
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    scopes: list[str]
    tlsConfig: TlsConfig
    tokenUrl: Required[Annotated[str, Pattern("^(http|https)://.+$")]]


class EndpointTlsConfig(TypedDict, total=False):
    ca: SecretOrConfigMap
    caFile: str
    cert: SecretOrConfigMap
    certFile: str
    insecureSkipVerify: bool
    keyFile: str
    keySecret: core_v1.SecretKeySelector
    maxVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    minVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    serverName: str


class Endpoint(TypedDict, total=False):
    authorization: Authorization
    """Authorization header, from a Secret."""
    basicAuth: BasicAuth
    """User and password, from Secrets."""
    bearerTokenFile: str
    """File with a token, in Prometheus' own pod."""
    bearerTokenSecret: core_v1.SecretKeySelector
    enableHttp2: bool
    filterRunning: bool
    followRedirects: bool
    honorLabels: bool
    """Labels of the target win over Prometheus' own."""
    honorTimestamps: bool
    interval: Interval
    """How often it is scraped."""
    metricRelabelings: list[Relabeling]
    """Changes to samples before they are kept."""
    noProxy: str
    oauth2: Oauth2
    params: dict[str, list[str]]
    path: str
    """Path; `/metrics` if left out."""
    port: str
    """Port of the Service, by name."""
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    relabelings: list[Relabeling]
    """Changes to the target's labels."""
    scheme: Literal["http", "https", "HTTP", "HTTPS"]
    """http or https."""
    scrapeTimeout: Interval
    """How long a scrape may take."""
    targetPort: IntOrString
    """Port of the pod, by name or number."""
    tlsConfig: EndpointTlsConfig
    """TLS settings."""
    trackTimestampsStaleness: bool


class NamespaceSelector(TypedDict, total=False):
    any: bool
    matchNames: list[str]


class ServiceMonitorSpec(TypedDict, total=False):
    attachMetadata: AttachMetadata
    bodySizeLimit: BodySizeLimit
    convertClassicHistogramsToNHCB: bool
    endpoints: Required[list[Endpoint]]
    """Ports and paths that are scraped."""
    fallbackScrapeProtocol: FallbackScrapeProtocol
    jobLabel: str
    """Label of the Service whose value becomes the job."""
    keepDroppedTargets: Annotated[Int64, Minimum(0)]
    labelLimit: Annotated[Int64, Minimum(0)]
    labelNameLengthLimit: Annotated[Int64, Minimum(0)]
    labelValueLengthLimit: Annotated[Int64, Minimum(0)]
    namespaceSelector: NamespaceSelector
    """Namespaces of the Services; this one if left out."""
    nativeHistogramBucketLimit: Annotated[Int64, Minimum(0)]
    nativeHistogramMinBucketFactor: Quantity
    podTargetLabels: list[str]
    """Labels of the pod that go onto the metrics."""
    sampleLimit: Annotated[Int64, Minimum(0)]
    """Samples a scrape may bring."""
    scrapeClass: Annotated[str, MinLength(1)]
    scrapeClassicHistograms: bool
    scrapeNativeHistograms: bool
    scrapeProtocols: ScrapeProtocols
    selector: Required[meta_v1.LabelSelector]
    """Services, by label."""
    selectorMechanism: Literal["RelabelConfig", "RoleSelector"]
    serviceDiscoveryRole: Literal["Endpoints", "EndpointSlice"]
    targetLabels: list[str]
    """Labels of the Service that go onto the metrics."""
    targetLimit: Annotated[Int64, Minimum(0)]
    """Targets there may be."""


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


class PodMetricsEndpoint(TypedDict, total=False):
    authorization: Authorization
    basicAuth: BasicAuth
    bearerTokenSecret: core_v1.SecretKeySelector
    enableHttp2: bool
    filterRunning: bool
    followRedirects: bool
    honorLabels: bool
    honorTimestamps: bool
    interval: Interval
    """How often it is scraped."""
    metricRelabelings: list[Relabeling]
    noProxy: str
    oauth2: Oauth2
    params: dict[str, list[str]]
    path: str
    """Path; `/metrics` if left out."""
    port: str
    """Port of the container, by name."""
    portNumber: Annotated[Int32, Maximum(65535), Minimum(1)]
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    relabelings: list[Relabeling]
    """Changes to the target's labels."""
    scheme: Literal["http", "https", "HTTP", "HTTPS"]
    scrapeTimeout: Interval
    targetPort: IntOrString
    tlsConfig: TlsConfig
    trackTimestampsStaleness: bool


class PodMonitorSpec(TypedDict, total=False):
    attachMetadata: AttachMetadata
    bodySizeLimit: BodySizeLimit
    convertClassicHistogramsToNHCB: bool
    fallbackScrapeProtocol: FallbackScrapeProtocol
    jobLabel: str
    keepDroppedTargets: Annotated[Int64, Minimum(0)]
    labelLimit: Annotated[Int64, Minimum(0)]
    labelNameLengthLimit: Annotated[Int64, Minimum(0)]
    labelValueLengthLimit: Annotated[Int64, Minimum(0)]
    namespaceSelector: NamespaceSelector
    """Namespaces of the pods; this one if left out."""
    nativeHistogramBucketLimit: Annotated[Int64, Minimum(0)]
    nativeHistogramMinBucketFactor: Quantity
    podMetricsEndpoints: list[PodMetricsEndpoint]
    """Ports and paths that are scraped."""
    podTargetLabels: list[str]
    """Labels of the pod that go onto the metrics."""
    sampleLimit: Annotated[Int64, Minimum(0)]
    scrapeClass: Annotated[str, MinLength(1)]
    scrapeClassicHistograms: bool
    scrapeNativeHistograms: bool
    scrapeProtocols: ScrapeProtocols
    selector: Required[meta_v1.LabelSelector]
    """Pods, by label."""
    selectorMechanism: Literal["RelabelConfig", "RoleSelector"]
    targetLimit: Annotated[Int64, Minimum(0)]


Rule = TypedDict(
    "Rule",
    {
        "alert": "str",
        "annotations": "dict[str, str]",
        "expr": "Required[IntOrString]",
        "for": "Interval",
        "keep_firing_for": 'Annotated[str, MinLength(1), Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")]',
        "labels": "dict[str, str]",
        "record": "str",
    },
    total=False,
)


class Group(TypedDict, total=False):
    interval: Interval
    """How often the rules are evaluated."""
    labels: dict[str, str]
    """Labels for every result."""
    limit: int
    name: Required[Annotated[str, MinLength(1)]]
    """Name of the group."""
    partial_response_strategy: Annotated[str, Pattern("^(?i)(abort|warn)?$")]
    query_offset: Interval
    rules: list[Rule]
    """Its rules."""


class PrometheusRuleSpec(TypedDict, total=False):
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
