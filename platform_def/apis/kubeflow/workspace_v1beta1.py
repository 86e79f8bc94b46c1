"""Workspace and WorkspaceKind, as Kubeflow's notebooks 2.0 serve them: a preview, whose fields may change."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.schema import (
    Cel,
    Default,
    Example,
    Int32,
    Int64,
    ListMap,
    ListType,
    Maximum,
    MaxItems,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
)
from platform_def.crds.typed_dict import TypedDict

OptionId = Annotated[str, Example("jupyterlab_scipy_190"), MaxLength(256), MinLength(1)]
Id = Annotated[str, Example("jupyterlab"), MaxLength(32), MinLength(1), Pattern("^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$")]
ChoiceId = Annotated[str, Example("big_gpu"), MaxLength(256), MinLength(1)]


class Config(TypedDict, total=False):
    minRunningSeconds: Annotated[Int32, Default(0), Minimum(0)]
    secondsSinceActive: Required[Annotated[Int32, Minimum(16)]]


class Effect(TypedDict, total=False):
    pauseWorkspace: bool


class MatchNamespace(TypedDict, total=False):
    selector: Required[meta_v1.LabelSelector]


class Match(TypedDict, total=False):
    matchNamespace: MatchNamespace
    matchPodConfig: MatchNamespace


class ActivityRule(TypedDict, total=False):
    config: Required[Config]
    effect: Required[Annotated[Effect, Cel("has(self.pauseWorkspace)", "must specify at least one effect")]]
    match: Match


class DenyMessage(TypedDict, total=False):
    text: Required[Annotated[str, MaxLength(1024), MinLength(2)]]


class EffectApi(TypedDict, total=False):
    deny: bool
    denyMessage: DenyMessage
    hide: bool


class Ui(TypedDict, total=False):
    hide: Required[bool]


class FilterRuleEffect(TypedDict, total=False):
    api: Annotated[
        EffectApi,
        Cel(
            "!has(self.denyMessage) || (has(self.deny) && self.deny)",
            "'denyMessage' may only be set when 'deny' is true",
        ),
    ]
    ui: Ui


class FilterRuleMatch(TypedDict, total=False):
    matchImageConfig: MatchNamespace
    matchNamespace: MatchNamespace
    matchPodConfig: MatchNamespace


class FilterRule(TypedDict, total=False):
    effect: Required[
        Annotated[FilterRuleEffect, Cel("has(self.ui) || has(self.api)", "must specify at least one of 'ui' or 'api'")]
    ]
    match: Required[
        Annotated[
            list[
                Annotated[
                    FilterRuleMatch,
                    Cel(
                        "(has(self.matchNamespace) ? 1 : 0) + (has(self.matchImageConfig) ? 1 : 0) + (has(self.matchPodConfig) ? 1 : 0) == 1",
                        "must specify exactly one of 'matchNamespace', 'matchImageConfig', or 'matchPodConfig'",
                    ),
                ]
            ],
            MinItems(1),
            ListType("atomic"),
        ]
    ]
    scope: Required[Literal["WORKSPACE_KIND", "POD_CONFIG", "IMAGE_CONFIG"]]


class Jupyter(TypedDict, total=False):
    lastActivity: Required[Annotated[bool, Example(True)]]
    portId: Required[Annotated[str, MaxLength(32), MinLength(1), Pattern("^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$")]]


class PodExec(TypedDict, total=False):
    script: Required[Annotated[str, MaxLength(2048), MinLength(1)]]
    timeoutSeconds: Annotated[Int32, Default(60), Minimum(1)]


class ActivityProbe(TypedDict, total=False):
    jupyter: Annotated[Jupyter, Cel("has(self.lastActivity) && self.lastActivity", "'lastActivity' must be true")]
    minProbeIntervalSeconds: Annotated[Int32, Default(300), Maximum(31536000), Minimum(1)]
    podExec: PodExec
    probeIntervalSeconds: Annotated[Int32, Default(3600), Maximum(31536000), Minimum(1)]


class Spawner(TypedDict, total=False):
    default: Required[OptionId]


class Message(TypedDict, total=False):
    level: Required[Annotated[Literal["Info", "Warning", "Danger"], Example("Info")]]
    text: Required[
        Annotated[
            str, Example("This update will increase the version of JupyterLab to v1.7.1"), MaxLength(1024), MinLength(2)
        ]
    ]


class Redirect(TypedDict, total=False):
    message: Message
    to: Required[OptionId]


class Label(TypedDict, total=False):
    key: Required[Annotated[str, MaxLength(64), MinLength(2)]]
    value: Required[Annotated[str, MaxLength(64), MinLength(1)]]


class ValueSpawner(TypedDict, total=False):
    description: Annotated[str, MaxLength(1024), MinLength(2)]
    displayName: Required[Annotated[str, MaxLength(128), MinLength(2)]]
    hidden: Annotated[bool, Default(False)]
    labels: Annotated[list[Label], MaxItems(32), ListMap("key")]


class Port(TypedDict, total=False):
    displayName: Annotated[str, MaxLength(64), MinLength(2)]
    id: Required[Id]
    port: Required[Annotated[Int32, Example(8888), Maximum(65535), Minimum(1)]]


class ValueSpec(TypedDict, total=False):
    image: Required[Annotated[str, MinLength(2)]]
    imagePullPolicy: Annotated[Literal["Always", "IfNotPresent", "Never"], Default("IfNotPresent")]
    ports: Required[Annotated[list[Port], MinItems(1), ListMap("id")]]


class Value(TypedDict, total=False):
    id: Required[OptionId]
    redirect: Redirect
    spawner: Required[ValueSpawner]
    spec: Required[ValueSpec]


class ImageConfig(TypedDict, total=False):
    spawner: Required[Spawner]
    values: Required[Annotated[list[Value], MinItems(1), ListMap("id")]]


class PodConfigValueSpec(TypedDict, total=False):
    affinity: core_v1.Affinity
    nodeSelector: dict[str, str]
    resources: core_v1.ResourceRequirements
    tolerations: list[core_v1.Toleration]


class PodConfigValue(TypedDict, total=False):
    id: Required[ChoiceId]
    redirect: Redirect
    spawner: Required[ValueSpawner]
    spec: Required[PodConfigValueSpec]


class PodConfig(TypedDict, total=False):
    spawner: Required[Spawner]
    values: Required[Annotated[list[PodConfigValue], MinItems(1), ListMap("id")]]


class Options(TypedDict, total=False):
    imageConfig: Required[ImageConfig]
    podConfig: Required[PodConfig]


class PodMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class RequestHeaders(TypedDict, total=False):
    add: Annotated[dict[str, str], Example({"My-Header": "value-to-append"})]
    remove: Annotated[list[str], Example(["Header-To-Remove"])]
    set: Annotated[dict[str, str], Example({"X-RStudio-Root-Path": "{{ httpPathPrefix 'rstudio' }}"})]


class HttpProxy(TypedDict, total=False):
    removePathPrefix: Annotated[bool, Default(False)]
    requestHeaders: RequestHeaders


class PodTemplatePort(TypedDict, total=False):
    defaultDisplayName: Required[Annotated[str, Example("JupyterLab"), MaxLength(64), MinLength(2)]]
    httpProxy: HttpProxy
    id: Required[Id]
    protocol: Required[Annotated[Literal["HTTP"], Example("HTTP")]]


class Probes(TypedDict, total=False):
    livenessProbe: core_v1.Probe
    readinessProbe: core_v1.Probe
    startupProbe: core_v1.Probe


class ClusterRole(TypedDict, total=False):
    name: Required[
        Annotated[
            str,
            Example("kubeflow-edit"),
            MaxLength(253),
            MinLength(1),
            Pattern(r"^([^./%][^/%]*|\.[^./%][^/%]*|\.[^/%][^/%]+)$"),
        ]
    ]


class ServiceAccount(TypedDict, total=False):
    clusterRoles: Annotated[list[ClusterRole], Example([{"name": "kubeflow-edit"}]), ListMap("name")]


class VolumeMounts(TypedDict, total=False):
    home: Required[
        Annotated[
            str,
            Example("/home/jovyan"),
            MaxLength(4096),
            MinLength(2),
            Pattern("^/[^/].*$"),
            Cel("self == oldSelf", "mount path of 'home' is immutable"),
        ]
    ]


class PodTemplate(TypedDict, total=False):
    activityProbe: Annotated[
        ActivityProbe,
        Cel(
            "!(has(self.podExec) && has(self.jupyter)) && (has(self.podExec) || has(self.jupyter))",
            "must specify exactly one of 'podExec' or 'jupyter'",
        ),
        Cel(
            "self.minProbeIntervalSeconds <= self.probeIntervalSeconds",
            "minProbeIntervalSeconds must be less than or equal to probeIntervalSeconds",
        ),
    ]
    containerSecurityContext: core_v1.SecurityContext
    extraEnv: Annotated[
        list[core_v1.EnvVar], Example({"NB_PREFIX": "{{ httpPathPrefix 'jupyterlab' }}"}), ListMap("name")
    ]
    extraVolumeMounts: Annotated[list[core_v1.VolumeMount], ListMap("mountPath")]
    extraVolumes: Annotated[list[core_v1.Volume], ListMap("name")]
    options: Required[Options]
    podMetadata: PodMetadata
    ports: Required[Annotated[list[PodTemplatePort], MinItems(1), ListMap("id")]]
    probes: Probes
    securityContext: core_v1.PodSecurityContext
    serviceAccount: ServiceAccount
    volumeMounts: Required[VolumeMounts]


class ConfigMap(TypedDict, total=False):
    key: Required[
        Annotated[str, Example("jupyterlab-logo.svg"), MaxLength(253), MinLength(1), Pattern("^[-._a-zA-Z0-9]+$")]
    ]
    mediaType: Required[Annotated[Literal["image/svg+xml"], Example("image/svg+xml")]]
    name: Required[
        Annotated[
            str,
            Example("my-logos"),
            MaxLength(253),
            MinLength(1),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        ]
    ]
    namespace: Required[
        Annotated[str, Example("kubeflow"), MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    ]


class Icon(TypedDict, total=False):
    configMap: ConfigMap
    url: Annotated[str, Example("https://jupyter.org/assets/favicons/apple-touch-icon-152x152.png")]


class WorkspaceKindSpawner(TypedDict, total=False):
    deprecated: Annotated[bool, Default(False)]
    deprecationMessage: Annotated[
        str,
        Example("This WorkspaceKind will be removed on 20XX-XX-XX, please use another WorkspaceKind."),
        MaxLength(256),
        MinLength(2),
    ]
    description: Required[
        Annotated[str, Example("A Workspace which runs JupyterLab in a Pod"), MaxLength(4096), MinLength(2)]
    ]
    displayName: Required[Annotated[str, Example("JupyterLab Notebook"), MaxLength(128), MinLength(2)]]
    hidden: Annotated[bool, Default(False)]
    icon: Required[
        Annotated[
            Icon,
            Cel(
                "!(has(self.url) && has(self.configMap)) && (has(self.url) || has(self.configMap))",
                "must specify exactly one of 'url' or 'configMap'",
            ),
        ]
    ]
    logo: Required[
        Annotated[
            Icon,
            Cel(
                "!(has(self.url) && has(self.configMap)) && (has(self.url) || has(self.configMap))",
                "must specify exactly one of 'url' or 'configMap'",
            ),
        ]
    ]


class WorkspaceKindSpec(TypedDict, total=False):
    activityRules: Annotated[list[ActivityRule], ListType("atomic")]
    filterRules: Annotated[list[FilterRule], ListType("atomic")]
    podTemplate: Required[PodTemplate]
    spawner: Required[WorkspaceKindSpawner]


class PodTemplateOptionsImageConfig(TypedDict, total=False):
    id: Required[ChoiceId]
    workspaces: Required[Annotated[Int32, Example(3)]]


class PodTemplateOptions(TypedDict, total=False):
    imageConfig: Required[Annotated[list[PodTemplateOptionsImageConfig], ListMap("id")]]
    podConfig: Required[Annotated[list[PodTemplateOptionsImageConfig], ListMap("id")]]


class SpawnerIconConfigMap(TypedDict, total=False):
    errorMessage: str
    errorType: Literal["NotFound", "KeyNotFound", "Other"]


class SpawnerIcon(TypedDict, total=False):
    configMap: SpawnerIconConfigMap
    sha256: str


class WorkspaceKindStatus(TypedDict, total=False):
    podTemplateOptions: Required[PodTemplateOptions]
    spawnerIcon: Required[SpawnerIcon]
    spawnerLogo: Required[SpawnerIcon]
    workspaces: Required[Annotated[Int32, Default(0)]]


class WorkspacePodTemplateOptions(TypedDict, total=False):
    imageConfig: Required[OptionId]
    podConfig: Required[ChoiceId]


class Data(TypedDict, total=False):
    mountPath: Required[Annotated[str, Example("/data/my-data"), MaxLength(4096), MinLength(2), Pattern("^/[^/].*$")]]
    pvcName: Required[
        Annotated[
            str,
            Example("my-data-pvc"),
            MaxLength(253),
            MinLength(1),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        ]
    ]
    readOnly: Annotated[bool, Default(False)]


class Secret(TypedDict, total=False):
    defaultMode: Annotated[Int32, Default(420), Maximum(511), Minimum(0)]
    mountPath: Required[
        Annotated[str, Example("/secrets/my-secret"), MaxLength(4096), MinLength(2), Pattern("^/[^/].*$")]
    ]
    secretName: Required[
        Annotated[
            str,
            Example("my-secret"),
            MaxLength(253),
            MinLength(1),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        ]
    ]


class Volumes(TypedDict, total=False):
    data: Annotated[list[Data], ListMap("mountPath")]
    home: Annotated[
        str,
        Example("my-home-pvc"),
        MaxLength(253),
        MinLength(1),
        Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    ]
    secrets: Annotated[list[Secret], ListMap("mountPath")]


class WorkspacePodTemplate(TypedDict, total=False):
    options: Required[WorkspacePodTemplateOptions]
    podMetadata: PodMetadata
    volumes: Required[Volumes]


class WorkspaceSpec(TypedDict, total=False):
    displayName: Annotated[str, Example("My Workspace"), MaxLength(128), MinLength(1)]
    kind: Required[
        Annotated[
            str,
            Example("jupyterlab"),
            MaxLength(253),
            MinLength(1),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
            Cel("self == oldSelf", "Workspace 'kind' is immutable"),
        ]
    ]
    paused: Annotated[bool, Default(False)]
    podTemplate: Required[WorkspacePodTemplate]


class LastProbe(TypedDict, total=False):
    endTime: Required[Annotated[Int64, Example(1710435305000)]]
    message: Required[Annotated[str, Default(""), Example("Jupyter probe succeeded")]]
    result: Required[Literal["Success", "Failure", "Timeout"]]
    startTime: Required[Annotated[Int64, Example(1710435303000)]]


class PauseWorkspace(TypedDict, total=False):
    eligibleAfter: Required[Annotated[Int64, Default(0), Example(1707667200000)]]


class Rules(TypedDict, total=False):
    pauseWorkspace: PauseWorkspace


class Activity(TypedDict, total=False):
    lastActivity: Required[Annotated[Int64, Default(0), Example(1704067200000)]]
    lastProbe: LastProbe
    lastUpdate: Required[Annotated[Int64, Default(0), Example(1704067200000)]]
    rules: Rules


class RedirectChain(TypedDict, total=False):
    source: Required[Annotated[str, MaxLength(256), MinLength(1)]]
    target: Required[Annotated[str, MaxLength(256), MinLength(1)]]


class WorkspaceStatusPodTemplateOptionsImageConfig(TypedDict, total=False):
    desired: Annotated[str, MaxLength(256), MinLength(1)]
    redirectChain: list[RedirectChain]


class WorkspaceStatusPodTemplateOptions(TypedDict, total=False):
    imageConfig: Required[WorkspaceStatusPodTemplateOptionsImageConfig]
    podConfig: Required[WorkspaceStatusPodTemplateOptionsImageConfig]


class Container(TypedDict, total=False):
    name: Required[str]


class PodTemplatePod(TypedDict, total=False):
    containers: list[Container]
    initContainers: list[Container]
    name: Required[str]
    nodeName: Required[str]
    serviceAccountName: Annotated[str, Example("ws-my-workspace")]


class WorkspaceStatus(TypedDict, total=False):
    activity: Required[Activity]
    lastRunningTime: Required[Annotated[Int64, Default(0), Example(1704060000000)]]
    pauseTime: Required[Annotated[Int64, Default(0), Example(1704067200000)]]
    pendingRestart: Required[Annotated[bool, Default(False)]]
    podTemplateOptions: Required[WorkspaceStatusPodTemplateOptions]
    podTemplatePod: Required[PodTemplatePod]
    state: Required[
        Annotated[Literal["Running", "Terminating", "Paused", "Pending", "Error", "Unknown"], Default("Unknown")]
    ]
    stateMessage: Required[Annotated[str, Default("")]]


WORKSPACE_KIND = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="WorkspaceKind",
    plural="workspacekinds",
    namespaced=False,
    doc="What workspaces of one kind are: images, sizes, ports, and when an idle one is paused.",
    spec=WorkspaceKindSpec,
    status=WorkspaceKindStatus,
    core="1.31",
    status_subresource=True,
    columns=(
        Column("Workspaces", ".status.workspaces", type="integer"),
        Column("Deprecated", ".spec.spawner.deprecated", type="boolean"),
        Column("Hidden", ".spec.spawner.hidden", type="boolean"),
    ),
)

WORKSPACE = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Workspace",
    plural="workspaces",
    doc="A place to work in the browser: one pod of a WorkspaceKind, with a home folder.",
    spec=WorkspaceSpec,
    status=WorkspaceStatus,
    status_subresource=True,
    columns=(Column("State", ".status.state"),),
)

CRDS = (Definition((WORKSPACE_KIND,), short_names=("wsk",)), Definition((WORKSPACE,), short_names=("ws",)))
