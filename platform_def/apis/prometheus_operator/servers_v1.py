"""Prometheus operator 0.93 (monitoring.coreos.com): the servers that it runs."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import apps_v1, core_v1, meta_v1
from platform_def.apis.core.pull_secret import ImagePullSecret
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Makes, Scale
from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    Int64,
    IntOrString,
    ListMap,
    ListType,
    MapType,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
    Quantity,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

BodySizeLimit = Annotated[str, Pattern("(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$")]
DnsPolicy = Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]
EnableFeatures = Annotated[list[Annotated[str, MinLength(1)]], ListType("set")]
EvaluationInterval = Annotated[
    str,
    Default("30s"),
    Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"),
]
Retention = Annotated[
    str, Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")
]
ProxyConnectHeader = Annotated[dict[str, list[core_v1.SecretKeySelector]], MapType("atomic")]
IgnoreResourceAttributes = Annotated[list[Annotated[str, MinLength(1)]], MinItems(1), ListType("set")]
ClusterGossipInterval = Annotated[str, Pattern("^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")]


class AdditionalArg(TypedDict, total=False):
    name: Required[Annotated[str, MinLength(1)]]
    value: str


class AlertRelabeling(TypedDict, total=False):
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


class Authorization(TypedDict, total=False):
    credentials: core_v1.SecretKeySelector
    type: str


class BasicAuth(TypedDict, total=False):
    password: core_v1.SecretKeySelector
    username: core_v1.SecretKeySelector


class Sigv4(TypedDict, total=False):
    accessKey: core_v1.SecretKeySelector
    externalId: Annotated[str, MinLength(1)]
    profile: str
    region: str
    roleArn: str
    secretKey: core_v1.SecretKeySelector
    useFIPSSTSEndpoint: bool


class Ca(TypedDict, total=False):
    configMap: core_v1.ConfigMapKeySelector
    secret: core_v1.SecretKeySelector


class TlsConfig(TypedDict, total=False):
    ca: Ca
    caFile: str
    cert: Ca
    certFile: str
    insecureSkipVerify: bool
    keyFile: str
    keySecret: core_v1.SecretKeySelector
    maxVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    minVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    serverName: str


class Alertmanager(TypedDict, total=False):
    """An Alertmanager that alerts are sent to."""

    alertRelabelings: list[AlertRelabeling]
    apiVersion: Literal["v1", "V1", "v2", "V2"]
    authorization: Authorization
    basicAuth: BasicAuth
    bearerTokenFile: str
    enableHttp2: bool
    name: Required[Annotated[str, MinLength(1), Ref("Service", namespace="namespace", weak=True)]]
    namespace: Annotated[str, MinLength(1)]
    noProxy: str
    pathPrefix: Annotated[str, MinLength(1)]
    port: Required[IntOrString]
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    relabelings: list[AlertRelabeling]
    scheme: Literal["http", "https", "HTTP", "HTTPS"]
    sigv4: Annotated[Sigv4, Cel("!has(self.externalId) || has(self.roleArn)", "externalId needs a roleArn")]
    timeout: Retention
    tlsConfig: TlsConfig


class Alerting(TypedDict, total=False):
    alertmanagers: Required[list[Alertmanager]]


class ApiserverConfigAuthorization(TypedDict, total=False):
    credentials: core_v1.SecretKeySelector
    credentialsFile: str
    type: str


class ApiserverConfig(TypedDict, total=False):
    authorization: ApiserverConfigAuthorization
    basicAuth: BasicAuth
    bearerToken: str
    bearerTokenFile: str
    host: Required[str]
    noProxy: str
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    tlsConfig: TlsConfig


class ArbitraryFSAccessThroughSMs(TypedDict, total=False):
    deny: bool


class DnsConfig(TypedDict, total=False):
    nameservers: EnableFeatures
    options: Annotated[list[AdditionalArg], ListMap("name")]
    searches: EnableFeatures


class ExcludedFromEnforcement(TypedDict, total=False):
    group: Annotated[Literal["monitoring.coreos.com"], Default("monitoring.coreos.com")]
    name: str
    namespace: Required[Annotated[str, MinLength(1)]]
    resource: Required[Literal["prometheusrules", "servicemonitors", "podmonitors", "probes", "scrapeconfigs"]]


class Exemplars(TypedDict, total=False):
    maxSize: Int64


class HostAliase(TypedDict, total=False):
    hostnames: Required[list[str]]
    ip: Required[str]


class Otlp(TypedDict, total=False):
    convertHistogramsToNHCB: bool
    ignoreResourceAttributes: IgnoreResourceAttributes
    keepIdentifyingResourceAttributes: bool
    labelNamePreserveMultipleUnderscores: bool
    labelNameUnderscoreSanitization: bool
    promoteAllResourceAttributes: bool
    promoteResourceAttributes: IgnoreResourceAttributes
    promoteScopeMetadata: bool
    translationStrategy: Literal[
        "NoUTF8EscapingWithSuffixes",
        "UnderscoreEscapingWithSuffixes",
        "NoTranslation",
        "UnderscoreEscapingWithoutSuffixes",
    ]


class PodMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]
    name: str


class PrometheusRulesExcludedFromEnforce(TypedDict, total=False):
    """A PrometheusRule that keeps its namespace label."""

    ruleName: Required[
        Annotated[
            str,
            Ref("PrometheusRule", group="monitoring.coreos.com", namespace="ruleNamespace", optional=True, weak=True),
        ]
    ]
    ruleNamespace: Required[str]


class Query(TypedDict, total=False):
    lookbackDelta: str
    maxConcurrency: Annotated[Int32, Minimum(1)]
    maxSamples: Int32
    timeout: Retention


class Oauth2TlsConfig(TypedDict, total=False):
    ca: Ca
    cert: Ca
    insecureSkipVerify: bool
    keySecret: core_v1.SecretKeySelector
    maxVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    minVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    serverName: str


class Oauth2(TypedDict, total=False):
    clientId: Required[Ca]
    clientSecret: Required[core_v1.SecretKeySelector]
    endpointParams: dict[str, str]
    noProxy: str
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    scopes: list[str]
    tlsConfig: Oauth2TlsConfig
    tokenUrl: Required[Annotated[str, Pattern("^(http|https)://.+$")]]


class RemoteRead(TypedDict, total=False):
    authorization: ApiserverConfigAuthorization
    basicAuth: BasicAuth
    bearerToken: str
    bearerTokenFile: str
    filterExternalLabels: bool
    followRedirects: bool
    headers: dict[str, str]
    name: str
    noProxy: str
    oauth2: Oauth2
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    readRecent: bool
    remoteTimeout: Retention
    requiredMatchers: dict[str, str]
    tlsConfig: TlsConfig
    url: Required[Annotated[str, Pattern("^(http|https)://.+$")]]


class ManagedIdentity(TypedDict, total=False):
    clientId: Annotated[str, MinLength(1)]


class Oauth(TypedDict, total=False):
    clientId: Required[Annotated[str, MinLength(1)]]
    clientSecret: Required[core_v1.SecretKeySelector]
    tenantId: Required[Annotated[str, MinLength(1), Pattern("^[0-9a-zA-Z-.]+$")]]


class Sdk(TypedDict, total=False):
    tenantId: Annotated[str, Pattern("^[0-9a-zA-Z-.]+$")]


class WorkloadIdentity(TypedDict, total=False):
    clientId: Required[Annotated[str, MinLength(1)]]
    tenantId: Required[Annotated[str, MinLength(1)]]


class AzureAd(TypedDict, total=False):
    cloud: Literal["AzureChina", "AzureGovernment", "AzurePublic"]
    managedIdentity: ManagedIdentity
    oauth: Oauth
    scope: Annotated[str, Pattern(r"^[\w\s:/.\\-]+$")]
    sdk: Sdk
    workloadIdentity: WorkloadIdentity


class MetadataConfig(TypedDict, total=False):
    maxSamplesPerSend: Annotated[Int32, Minimum(-1)]
    send: bool
    sendInterval: Retention


class QueueConfig(TypedDict, total=False):
    batchSendDeadline: Retention
    capacity: int
    maxBackoff: Retention
    maxRetries: int
    maxSamplesPerSend: int
    maxShards: int
    minBackoff: Retention
    minShards: int
    retryOnRateLimit: bool
    sampleAgeLimit: Retention


class RemoteWrite(TypedDict, total=False):
    authorization: ApiserverConfigAuthorization
    azureAd: AzureAd
    basicAuth: BasicAuth
    bearerToken: str
    bearerTokenFile: str
    enableHTTP2: bool
    followRedirects: bool
    headers: dict[str, str]
    messageVersion: Literal["V1.0", "V2.0"]
    metadataConfig: MetadataConfig
    name: str
    noProxy: str
    oauth2: Oauth2
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    queueConfig: QueueConfig
    remoteTimeout: Retention
    roundRobinDNS: bool
    sendExemplars: bool
    sendNativeHistograms: bool
    sigv4: Annotated[Sigv4, Cel("!has(self.externalId) || has(self.roleArn)", "externalId needs a roleArn")]
    tlsConfig: TlsConfig
    url: Required[Annotated[str, Pattern("^(http|https)://.+$")]]
    writeRelabelConfigs: list[AlertRelabeling]


class Alert(TypedDict, total=False):
    forGracePeriod: str
    forOutageTolerance: str
    resendDelay: str


class Rules(TypedDict, total=False):
    alert: Alert


class Runtime(TypedDict, total=False):
    goGC: Annotated[Int32, Minimum(-1)]


class AttachMetadata(TypedDict, total=False):
    node: bool


class ScrapeClass(TypedDict, total=False):
    attachMetadata: AttachMetadata
    authorization: ApiserverConfigAuthorization
    default: bool
    fallbackScrapeProtocol: Literal[
        "PrometheusProto", "OpenMetricsText0.0.1", "OpenMetricsText1.0.0", "PrometheusText0.0.4", "PrometheusText1.0.0"
    ]
    metricRelabelings: list[AlertRelabeling]
    name: Required[Annotated[str, MinLength(1)]]
    relabelings: list[AlertRelabeling]
    tlsConfig: TlsConfig


class Retain(TypedDict, total=False):
    retentionPeriod: Required[Retention]


class ShardRetentionPolicy(TypedDict, total=False):
    retain: Retain
    whenScaled: Literal["Retain", "Delete"]


class Topology(TypedDict, total=False):
    externalLabelName: str
    values: Annotated[list[str], ListType("atomic")]


class ShardingStrategy(TypedDict, total=False):
    mode: Literal["Address", "Topology"]
    topology: Topology


class Condition(TypedDict, total=False):
    lastProbeTime: Time
    lastTransitionTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class ModifyVolumeStatus(TypedDict, total=False):
    status: Required[str]
    targetVolumeAttributesClassName: str


class VolumeClaimTemplateStatus(TypedDict, total=False):
    accessModes: Annotated[list[str], ListType("atomic")]
    allocatedResourceStatuses: Annotated[dict[str, str], MapType("granular")]
    allocatedResources: dict[str, Quantity]
    capacity: dict[str, Quantity]
    conditions: Annotated[list[Condition], ListMap("type")]
    currentVolumeAttributesClassName: str
    modifyVolumeStatus: ModifyVolumeStatus
    phase: str


class VolumeClaimTemplate(TypedDict, total=False):
    apiVersion: str
    kind: str
    metadata: PodMetadata
    spec: core_v1.PersistentVolumeClaimSpec
    status: VolumeClaimTemplateStatus


class Storage(TypedDict, total=False):
    disableMountSubPath: bool
    emptyDir: core_v1.EmptyDirVolumeSource
    ephemeral: core_v1.EphemeralVolumeSource
    volumeClaimTemplate: VolumeClaimTemplate


class GrpcServerTlsConfig(TypedDict, total=False):
    ca: Ca
    caFile: str
    cert: Ca
    certFile: str
    cipherSuites: Annotated[list[str], MinItems(1), ListType("set")]
    curves: Annotated[list[str], MinItems(1), ListType("set")]
    insecureSkipVerify: bool
    keyFile: str
    keySecret: core_v1.SecretKeySelector
    maxVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    minVersion: Literal["TLS10", "TLS11", "TLS12", "TLS13"]
    serverName: str


class Thanos(TypedDict, total=False):
    additionalArgs: list[AdditionalArg]
    baseImage: str
    blockSize: Annotated[
        str,
        Default("2h"),
        Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"),
    ]
    getConfigInterval: Retention
    getConfigTimeout: Retention
    grpcListenLocal: bool
    grpcServerTlsConfig: GrpcServerTlsConfig
    httpListenLocal: bool
    image: str
    listenLocal: bool
    logFormat: Literal["", "logfmt", "json"]
    logLevel: Literal["", "debug", "info", "warn", "error"]
    minTime: str
    objectStorageConfig: core_v1.SecretKeySelector
    objectStorageConfigFile: str
    readyTimeout: Retention
    resources: core_v1.ResourceRequirements
    sha: str
    tag: str
    tracingConfig: core_v1.SecretKeySelector
    tracingConfigFile: str
    version: str
    volumeMounts: list[core_v1.VolumeMount]


class TopologySpreadConstraint(TypedDict, total=False):
    additionalLabelSelectors: Literal["OnResource", "OnShard"]
    labelSelector: meta_v1.LabelSelector
    matchLabelKeys: Annotated[list[str], ListType("atomic")]
    maxSkew: Required[Int32]
    minDomains: Int32
    nodeAffinityPolicy: str
    nodeTaintsPolicy: str
    topologyKey: Required[str]
    whenUnsatisfiable: Required[str]


class TracingConfig(TypedDict, total=False):
    clientType: Literal["http", "grpc", "HTTP", "GRPC"]
    compression: Literal["gzip", "Gzip"]
    endpoint: Required[Annotated[str, MinLength(1)]]
    headers: dict[str, str]
    insecure: bool
    samplingFraction: Quantity
    timeout: Retention
    tlsConfig: TlsConfig


class ChunkEncoding(TypedDict, total=False):
    floats: Literal["Xor", "Xor2"]


class Tsdb(TypedDict, total=False):
    chunkEncoding: ChunkEncoding
    outOfOrderTimeWindow: Retention
    staleSeriesCompactionThreshold: Quantity


class RollingUpdate(TypedDict, total=False):
    maxUnavailable: IntOrString


class UpdateStrategy(TypedDict, total=False):
    rollingUpdate: RollingUpdate
    type: Required[Literal["OnDelete", "RollingUpdate"]]


class Headers(TypedDict, total=False):
    contentSecurityPolicy: str
    strictTransportSecurity: str
    xContentTypeOptions: Literal["", "NoSniff"]
    xFrameOptions: Literal["", "Deny", "SameOrigin"]
    xXSSProtection: str


class HttpConfig(TypedDict, total=False):
    headers: Headers
    http2: bool


class WebTlsConfig(TypedDict, total=False):
    cert: Ca
    certFile: str
    cipherSuites: list[str]
    client_ca: Ca
    clientAuthType: str
    clientCAFile: str
    curvePreferences: list[str]
    keyFile: str
    keySecret: core_v1.SecretKeySelector
    maxVersion: str
    minVersion: str
    preferServerCipherSuites: bool


class Web(TypedDict, total=False):
    httpConfig: HttpConfig
    maxConnections: Annotated[Int32, Minimum(0)]
    pageTitle: str
    tlsConfig: WebTlsConfig


class PrometheusSpec(TypedDict, total=False):
    """Servers that scrape, keep and evaluate metrics."""

    additionalAlertManagerConfigs: core_v1.SecretKeySelector
    additionalAlertRelabelConfigs: core_v1.SecretKeySelector
    additionalArgs: list[AdditionalArg]
    additionalScrapeConfigs: core_v1.SecretKeySelector
    affinity: core_v1.Affinity
    alerting: Alerting
    allowOverlappingBlocks: bool
    apiserverConfig: ApiserverConfig
    arbitraryFSAccessThroughSMs: ArbitraryFSAccessThroughSMs
    automountServiceAccountToken: bool
    baseImage: str
    bodySizeLimit: BodySizeLimit
    configMaps: list[Annotated[str, Ref("ConfigMap")]]
    containers: list[core_v1.Container]
    convertClassicHistogramsToNHCB: bool
    disableCompaction: bool
    dnsConfig: DnsConfig
    dnsPolicy: DnsPolicy
    enableAdminAPI: bool
    enableFeatures: EnableFeatures
    enableOTLPReceiver: bool
    enableRemoteWriteReceiver: bool
    enableServiceLinks: bool
    enforcedBodySizeLimit: BodySizeLimit
    enforcedKeepDroppedTargets: Annotated[Int64, Minimum(0)]
    enforcedLabelLimit: Annotated[Int64, Minimum(0)]
    enforcedLabelNameLengthLimit: Annotated[Int64, Minimum(0)]
    enforcedLabelValueLengthLimit: Annotated[Int64, Minimum(0)]
    enforcedNamespaceLabel: str
    enforcedSampleLimit: Annotated[Int64, Minimum(0)]
    enforcedTargetLimit: Annotated[Int64, Minimum(0)]
    evaluationInterval: EvaluationInterval
    excludedFromEnforcement: list[ExcludedFromEnforcement]
    exemplars: Exemplars
    externalLabels: dict[str, str]
    externalUrl: str
    hostAliases: Annotated[list[HostAliase], ListMap("ip")]
    hostNetwork: bool
    hostUsers: bool
    ignoreNamespaceSelectors: bool
    image: str
    imagePullPolicy: Literal["", "Always", "Never", "IfNotPresent"]
    imagePullSecrets: list[ImagePullSecret]
    initContainers: list[core_v1.Container]
    keepDroppedTargets: Annotated[Int64, Minimum(0)]
    labelLimit: Annotated[Int64, Minimum(0)]
    labelNameLengthLimit: Annotated[Int64, Minimum(0)]
    labelValueLengthLimit: Annotated[Int64, Minimum(0)]
    listenLocal: bool
    logFormat: Literal["", "logfmt", "json"]
    logLevel: Literal["", "debug", "info", "warn", "error"]
    maximumStartupDurationSeconds: Annotated[Int32, Minimum(60)]
    minReadySeconds: Annotated[Int32, Minimum(0)]
    nameEscapingScheme: Literal["AllowUTF8", "Underscores", "Dots", "Values"]
    nameValidationScheme: Literal["UTF8", "Legacy"]
    nodeSelector: dict[str, str]
    otlp: Otlp
    overrideHonorLabels: bool
    overrideHonorTimestamps: bool
    paused: bool
    persistentVolumeClaimRetentionPolicy: apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    podManagementPolicy: Literal["OrderedReady", "Parallel"]
    podMetadata: PodMetadata
    podMonitorNamespaceSelector: meta_v1.LabelSelector
    podMonitorSelector: meta_v1.LabelSelector
    podTargetLabels: list[str]
    portName: Annotated[str, Default("web")]
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    probeNamespaceSelector: meta_v1.LabelSelector
    probeSelector: meta_v1.LabelSelector
    prometheusExternalLabelName: str
    prometheusRulesExcludedFromEnforce: list[PrometheusRulesExcludedFromEnforce]
    query: Query
    queryLogFile: str
    reloadStrategy: Literal["HTTP", "ProcessSignal"]
    remoteRead: list[RemoteRead]
    remoteWrite: list[RemoteWrite]
    remoteWriteReceiverMessageVersions: Annotated[list[Literal["V1.0", "V2.0"]], MinItems(1), ListType("set")]
    replicaExternalLabelName: str
    replicas: Int32
    resources: core_v1.ResourceRequirements
    retention: Retention
    retentionSize: BodySizeLimit
    routePrefix: str
    ruleNamespaceSelector: meta_v1.LabelSelector
    ruleQueryOffset: Retention
    ruleSelector: meta_v1.LabelSelector
    rules: Rules
    runtime: Runtime
    sampleLimit: Annotated[Int64, Minimum(0)]
    schedulerName: Annotated[str, MinLength(1)]
    scrapeClasses: Annotated[list[ScrapeClass], ListMap("name")]
    scrapeClassicHistograms: bool
    scrapeConfigNamespaceSelector: meta_v1.LabelSelector
    scrapeConfigSelector: meta_v1.LabelSelector
    scrapeFailureLogFile: Annotated[str, MinLength(1)]
    scrapeInterval: EvaluationInterval
    scrapeNativeHistograms: bool
    scrapeProtocols: Annotated[
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
    scrapeTimeout: Retention
    secrets: Annotated[list[Annotated[str, Ref("Secret")]], ListType("set")]
    securityContext: core_v1.PodSecurityContext
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    serviceDiscoveryRole: Literal["Endpoints", "EndpointSlice"]
    serviceMonitorNamespaceSelector: meta_v1.LabelSelector
    serviceMonitorSelector: meta_v1.LabelSelector
    serviceName: Annotated[str, MinLength(1), Ref("Service", weak=True)]
    sha: str
    shardRetentionPolicy: ShardRetentionPolicy
    shardingStrategy: Annotated[
        ShardingStrategy,
        Cel(
            "!has(self.topology) || (has(self.mode) && self.mode == 'Topology')", "topology goes with the mode Topology"
        ),
    ]
    shards: Annotated[Int32, Default(1)]
    storage: Storage
    tag: str
    targetLimit: Annotated[Int64, Minimum(0)]
    terminationGracePeriodSeconds: Annotated[Int64, Minimum(0)]
    thanos: Thanos
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: list[TopologySpreadConstraint]
    tracingConfig: TracingConfig
    tsdb: Tsdb
    updateStrategy: Annotated[
        UpdateStrategy,
        Cel(
            "!(self.type != 'RollingUpdate' && has(self.rollingUpdate))",
            "rollingUpdate goes with the type RollingUpdate",
        ),
    ]
    version: str
    volumeMounts: list[core_v1.VolumeMount]
    volumes: list[core_v1.Volume]
    walCompression: bool
    web: Web


class PrometheusStatusCondition(TypedDict, total=False):
    lastTransitionTime: Required[Time]
    message: str
    observedGeneration: Int64
    reason: str
    status: Required[Annotated[str, MinLength(1)]]
    type: Required[Annotated[str, MinLength(1)]]


class ShardStatus(TypedDict, total=False):
    availableReplicas: Required[Int32]
    replicas: Required[Int32]
    shardID: Required[str]
    unavailableReplicas: Required[Int32]
    updatedReplicas: Required[Int32]


class PrometheusStatus(TypedDict, total=False):
    availableReplicas: Int32
    conditions: Annotated[list[PrometheusStatusCondition], ListMap("type")]
    paused: bool
    replicas: Int32
    selector: str
    shardStatuses: Annotated[list[ShardStatus], ListMap("shardID")]
    shards: Int32
    unavailableReplicas: Int32
    updatedReplicas: Int32


class Prometheus(TypedDict, total=False):
    spec: Required[
        Annotated[
            PrometheusSpec,
            Cel(
                "!has(self.shardingStrategy) || !has(self.shardingStrategy.mode) || self.shardingStrategy.mode != 'Topology' || !has(self.shardingStrategy.topology) || !has(self.shardingStrategy.topology.values) || self.shardingStrategy.topology.values.size() == 0 || (has(self.shards) ? self.shards : 1) >= self.shardingStrategy.topology.values.size()",
                "at least one shard for each value of the topology",
            ),
        ]
    ]
    status: PrometheusStatus


class AlertmanagerConfigMatcherStrategy(TypedDict, total=False):
    type: Annotated[Literal["OnNamespace", "OnNamespaceExceptForAlertmanagerNamespace", "None"], Default("OnNamespace")]


class GlobalHttpConfig(TypedDict, total=False):
    authorization: Authorization
    basicAuth: BasicAuth
    bearerTokenSecret: core_v1.SecretKeySelector
    enableHttp2: bool
    followRedirects: bool
    noProxy: str
    oauth2: Oauth2
    proxyConnectHeader: ProxyConnectHeader
    proxyFromEnvironment: bool
    proxyUrl: Annotated[str, Pattern("^(http|https|socks5)://.+$")]
    tlsConfig: Oauth2TlsConfig


class Jira(TypedDict, total=False):
    apiURL: Annotated[str, Pattern("^(http|https)://.+$")]


class Mattermost(TypedDict, total=False):
    webhookURL: core_v1.SecretKeySelector


class RocketChat(TypedDict, total=False):
    apiURL: Annotated[str, Pattern("^(http|https)://.+$")]
    token: core_v1.SecretKeySelector
    tokenID: core_v1.SecretKeySelector


class SmartHost(TypedDict, total=False):
    host: Required[Annotated[str, MinLength(1)]]
    port: Required[Annotated[str, MinLength(1)]]


Smtp = TypedDict(
    "Smtp",
    {
        "authIdentity": "str",
        "authPassword": "core_v1.SecretKeySelector",
        "authSecret": "core_v1.SecretKeySelector",
        "authUsername": "str",
        "forceImplicitTLS": "bool",
        "from": "str",
        "hello": "str",
        "requireTLS": "bool",
        "smartHost": "SmartHost",
        "tlsConfig": "Oauth2TlsConfig",
    },
    total=False,
)


class Victorops(TypedDict, total=False):
    apiKey: core_v1.SecretKeySelector
    apiURL: Annotated[str, Pattern("^(http|https)://.+$")]


class Wechat(TypedDict, total=False):
    apiCorpID: Annotated[str, MinLength(1)]
    apiSecret: core_v1.SecretKeySelector
    apiURL: Annotated[str, Pattern("^(http|https)://.+$")]


class Global(TypedDict, total=False):
    httpConfig: GlobalHttpConfig
    jira: Jira
    mattermost: Mattermost
    opsGenieApiKey: core_v1.SecretKeySelector
    opsGenieApiUrl: core_v1.SecretKeySelector
    pagerdutyUrl: Annotated[str, Pattern("^(http|https)://.+$")]
    resolveTimeout: Retention
    rocketChat: RocketChat
    slackApiUrl: core_v1.SecretKeySelector
    smtp: Smtp
    telegram: Jira
    victorops: Victorops
    webex: Jira
    wechat: Wechat


AlertmanagerConfiguration = TypedDict(
    "AlertmanagerConfiguration",
    {
        "global": "Global",
        "name": 'Annotated[str, MinLength(1), Ref("AlertmanagerConfig", group="monitoring.coreos.com")]',
        "templates": "list[Ca]",
    },
    total=False,
)


class ClusterTLS(TypedDict, total=False):
    client: Required[Oauth2TlsConfig]
    server: Required[WebTlsConfig]


class Limits(TypedDict, total=False):
    maxPerSilenceBytes: BodySizeLimit
    maxSilences: Annotated[Int32, Minimum(0)]


class AlertmanagerWeb(TypedDict, total=False):
    getConcurrency: Annotated[Int32, Minimum(0)]
    httpConfig: HttpConfig
    timeout: Annotated[Int32, Minimum(0)]
    tlsConfig: WebTlsConfig


class AlertmanagerSpec(TypedDict, total=False):
    """Servers that gather alerts and send them on."""

    additionalArgs: list[AdditionalArg]
    additionalPeers: list[str]
    affinity: core_v1.Affinity
    alertmanagerConfigMatcherStrategy: AlertmanagerConfigMatcherStrategy
    alertmanagerConfigNamespaceSelector: meta_v1.LabelSelector
    alertmanagerConfigSelector: meta_v1.LabelSelector
    alertmanagerConfiguration: AlertmanagerConfiguration
    automountServiceAccountToken: bool
    baseImage: str
    clusterAdvertiseAddress: str
    clusterGossipInterval: ClusterGossipInterval
    clusterLabel: str
    clusterPeerTimeout: ClusterGossipInterval
    clusterPushpullInterval: ClusterGossipInterval
    clusterTLS: ClusterTLS
    configMaps: list[Annotated[str, Ref("ConfigMap")]]
    configSecret: Annotated[str, Ref("Secret", optional=True)]
    containers: list[core_v1.Container]
    dnsConfig: DnsConfig
    dnsPolicy: DnsPolicy
    enableFeatures: list[str]
    enableServiceLinks: bool
    externalUrl: str
    forceEnableClusterMode: bool
    hostAliases: Annotated[list[HostAliase], ListMap("ip")]
    hostNetwork: bool
    hostUsers: bool
    image: str
    imagePullPolicy: Literal["", "Always", "Never", "IfNotPresent"]
    imagePullSecrets: list[ImagePullSecret]
    initContainers: list[core_v1.Container]
    limits: Limits
    listenLocal: bool
    logFormat: Literal["", "logfmt", "json"]
    logLevel: Literal["", "debug", "info", "warn", "error"]
    minReadySeconds: Annotated[Int32, Minimum(0)]
    nodeSelector: dict[str, str]
    paused: bool
    persistentVolumeClaimRetentionPolicy: apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    podManagementPolicy: Literal["OrderedReady", "Parallel"]
    podMetadata: PodMetadata
    portName: Annotated[str, Default("web")]
    priorityClassName: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    replicas: Int32
    resources: core_v1.ResourceRequirements
    retention: Annotated[str, Default("120h"), Pattern("^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")]
    routePrefix: str
    schedulerName: Annotated[str, MinLength(1)]
    secrets: list[Annotated[str, Ref("Secret")]]
    securityContext: core_v1.PodSecurityContext
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    serviceName: Annotated[str, MinLength(1), Ref("Service", weak=True)]
    sha: str
    storage: Storage
    tag: str
    terminationGracePeriodSeconds: Annotated[Int64, Minimum(0)]
    tolerations: list[core_v1.Toleration]
    topologySpreadConstraints: list[core_v1.TopologySpreadConstraint]
    updateStrategy: Annotated[
        UpdateStrategy,
        Cel(
            "!(self.type != 'RollingUpdate' && has(self.rollingUpdate))",
            "rollingUpdate goes with the type RollingUpdate",
        ),
    ]
    version: str
    volumeMounts: list[core_v1.VolumeMount]
    volumes: list[core_v1.Volume]
    web: AlertmanagerWeb


class AlertmanagerStatus(TypedDict, total=False):
    availableReplicas: Int32
    conditions: Annotated[list[PrometheusStatusCondition], ListMap("type")]
    paused: bool
    replicas: Int32
    selector: str
    unavailableReplicas: Int32
    updatedReplicas: Int32


PROMETHEUS = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="Prometheus",
    plural="prometheuses",
    spec=PrometheusSpec,
    top=Prometheus,
    core="1.36",
    status_subresource=True,
    scale=Scale(spec=".spec.shards", status=".status.shards", selector=".status.selector"),
    columns=(
        Column("Version", ".spec.version"),
        Column("Desired", ".spec.replicas", type="integer"),
        Column("Ready", ".status.availableReplicas", type="integer"),
        Column("Reconciled", ".status.conditions[?(@.type == 'Reconciled')].status"),
        Column("Available", ".status.conditions[?(@.type == 'Available')].status"),
        AGE,
        Column("Paused", ".status.paused", type="boolean", priority=1),
    ),
    health=HealthConditions(
        ready=(
            "Reconciled",
            "Available",
        )
    ),
    makes=(Makes("Service", fixed="prometheus-operated"),),
)

ALERTMANAGER = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="Alertmanager",
    plural="alertmanagers",
    spec=AlertmanagerSpec,
    status=AlertmanagerStatus,
    required=("spec",),
    core="1.36",
    status_subresource=True,
    scale=Scale(spec=".spec.replicas", status=".status.replicas", selector=".status.selector"),
    columns=(
        Column("Version", ".spec.version"),
        Column("Replicas", ".spec.replicas", type="integer"),
        Column("Ready", ".status.availableReplicas", type="integer"),
        Column("Reconciled", ".status.conditions[?(@.type == 'Reconciled')].status"),
        Column("Available", ".status.conditions[?(@.type == 'Available')].status"),
        AGE,
        Column("Paused", ".status.paused", type="boolean", priority=1),
    ),
    health=HealthConditions(
        ready=(
            "Reconciled",
            "Available",
        )
    ),
    makes=(Makes("Service", fixed="alertmanager-operated"),),
)

CRDS = (
    Definition((PROMETHEUS,), short_names=("prom",), categories=("prometheus-operator",)),
    Definition((ALERTMANAGER,), short_names=("am",), categories=("prometheus-operator",)),
)
