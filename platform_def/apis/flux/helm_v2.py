"""Flux 2.10 (helm.toolkit.fluxcd.io)."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import AnyValue, Cel, Default, Int64, MaxLength, MinLength, Pattern, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Interval = Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
Timeout = Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]


_SOURCES = "source.toolkit.fluxcd.io"
_SOURCE = Ref("HelmRepository", group=_SOURCES, kind_field="kind", group_field="apiVersion", namespace="namespace")


class ChartMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class SourceRef(TypedDict, total=False):
    """Where the chart is looked for."""

    apiVersion: str
    kind: Required[Literal["HelmRepository", "GitRepository", "Bucket"]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1), _SOURCE]]
    namespace: Annotated[str, MaxLength(63), MinLength(1)]


class SecretRef(TypedDict, total=False):
    """A Secret of the same namespace."""

    name: Required[Annotated[str, Ref("Secret")]]


class Identity(TypedDict, total=False):
    """Who may have signed."""

    issuer: Required[str]
    subject: Required[str]


class Verify(TypedDict, total=False):
    matchOIDCIdentity: list[Identity]
    provider: Required[Annotated[Literal["cosign", "notation"], Default("cosign")]]
    secretRef: SecretRef
    trustedRootSecretRef: SecretRef


class LayerSelector(TypedDict, total=False):
    mediaType: str
    operation: Literal["extract", "copy"]


class ArtifactRef(TypedDict, total=False):
    """Which artifact is taken."""

    digest: str
    semver: str
    semverFilter: str
    tag: str


class ChartSpec(TypedDict, total=False):
    """Of a HelmChart, or of an OCIRepository that is made for the release."""

    certSecretRef: SecretRef
    chart: Annotated[str, MaxLength(2048), MinLength(1)]
    ignore: str
    ignoreMissingValuesFiles: bool
    insecure: bool
    interval: Interval
    layerSelector: LayerSelector
    provider: Literal["generic", "aws", "azure", "gcp"]
    proxySecretRef: SecretRef
    reconcileStrategy: Literal["ChartVersion", "Revision"]
    ref: ArtifactRef
    secretRef: SecretRef
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    sourceRef: SourceRef
    suspend: bool
    timeout: Timeout
    url: Annotated[str, Pattern("^oci://.*$")]
    valuesFiles: list[str]
    verify: Verify
    version: str


class Chart(TypedDict, total=False):
    kind: Literal["HelmChart", "OCIRepository"]
    metadata: ChartMetadata
    spec: Required[ChartSpec]


def _not_of_a_registry(field: str, same: str = "") -> Cel:
    """A field that is for charts of a HelmChart, unless it says what is so anyway."""
    unless = f" || self.spec.{field} == '{same}'" if same else ""
    rule = f"!has(self.kind) || self.kind != 'OCIRepository' || !has(self.spec.{field}){unless}"
    return Cel(rule, f"{field} is not for a chart of kind OCIRepository")


CHART_RULES = (
    Cel(
        "!has(self.kind) || self.kind != 'OCIRepository' || (has(self.spec.url) && size(self.spec.url) > 0)",
        "a chart of kind OCIRepository needs a url",
    ),
    Cel(
        "!has(self.spec.url) || (has(self.kind) && self.kind == 'OCIRepository')",
        "url goes with kind OCIRepository; a HelmChart has chart and sourceRef",
    ),
    Cel(
        "(has(self.kind) && self.kind == 'OCIRepository') || (has(self.spec.chart) && has(self.spec.sourceRef))",
        "a chart needs chart and sourceRef, unless its kind is OCIRepository",
    ),
    _not_of_a_registry("chart"),
    _not_of_a_registry("version", same="*"),
    _not_of_a_registry("sourceRef"),
    _not_of_a_registry("reconcileStrategy", same="ChartVersion"),
    _not_of_a_registry("valuesFiles"),
    _not_of_a_registry("ignoreMissingValuesFiles"),
)


class ChartRef(TypedDict, total=False):
    """A chart that is there already."""

    apiVersion: str
    kind: Required[Literal["OCIRepository", "HelmChart", "ExternalArtifact"]]
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref("OCIRepository", group=_SOURCES, kind_field="kind", group_field="apiVersion", namespace="namespace"),
        ]
    ]
    namespace: Annotated[str, MaxLength(63), MinLength(1)]


class DependsOn(TypedDict, total=False):
    """A HelmRelease that must be ready first."""

    name: Required[Annotated[str, Ref("HelmRelease", group="helm.toolkit.fluxcd.io", namespace="namespace")]]
    namespace: str
    readyExpr: str


class Target(TypedDict, total=False):
    annotationSelector: str
    group: str
    kind: str
    labelSelector: str
    name: str
    namespace: str
    version: str


class Ignore(TypedDict, total=False):
    paths: Required[list[str]]
    target: Target


class DriftDetection(TypedDict, total=False):
    ignore: list[Ignore]
    mode: Literal["enabled", "warn", "disabled"]


class HealthCheckExpr(TypedDict, total=False):
    apiVersion: Required[str]
    current: Required[str]
    failed: str
    inProgress: str
    kind: str


class Remediation(TypedDict, total=False):
    ignoreTestFailures: bool
    remediateLastFailure: bool
    retries: int


class Strategy(TypedDict, total=False):
    name: Required[Literal["RemediateOnFailure", "RetryOnFailure"]]
    retryInterval: Interval


class Install(TypedDict, total=False):
    crds: Literal["Skip", "Create", "CreateReplace"]
    createNamespace: bool
    disableHooks: bool
    disableOpenAPIValidation: bool
    disableSchemaValidation: bool
    disableTakeOwnership: bool
    disableWait: bool
    disableWaitForJobs: bool
    remediation: Remediation
    replace: bool
    serverSideApply: bool
    skipCRDs: bool
    strategy: Annotated[
        Strategy,
        Cel(
            "!has(self.retryInterval) || self.name != 'RemediateOnFailure'",
            "retryInterval is not for RemediateOnFailure",
        ),
    ]
    timeout: Interval


class KubeConfigSecretRef(TypedDict, total=False):
    """A Secret with a kubeconfig."""

    key: str
    name: Required[Annotated[str, Ref("Secret", key="key")]]


class ConfigMapRef(TypedDict, total=False):
    """A ConfigMap of the same namespace."""

    name: Required[Annotated[str, Ref("ConfigMap")]]


class KubeConfig(TypedDict, total=False):
    """Another cluster."""

    configMapRef: ConfigMapRef
    secretRef: KubeConfigSecretRef


class Image(TypedDict, total=False):
    digest: str
    name: Required[str]
    newName: str
    newTag: str


class Patch(TypedDict, total=False):
    patch: Required[str]
    target: Target


class Kustomize(TypedDict, total=False):
    images: list[Image]
    patches: list[Patch]


class PostRenderer(TypedDict, total=False):
    kustomize: Kustomize


class Rollback(TypedDict, total=False):
    cleanupOnFail: bool
    disableHooks: bool
    disableWait: bool
    disableWaitForJobs: bool
    force: bool
    recreate: bool
    serverSideApply: Literal["enabled", "disabled", "auto"]
    timeout: Interval


class Filter(TypedDict, total=False):
    exclude: bool
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]


class Test(TypedDict, total=False):
    enable: bool
    filters: list[Filter]
    ignoreFailures: bool
    timeout: Interval


class Uninstall(TypedDict, total=False):
    deletionPropagation: Annotated[Literal["background", "foreground", "orphan"], Default("background")]
    disableHooks: bool
    disableWait: bool
    keepHistory: bool
    timeout: Interval


class UpgradeRemediation(TypedDict, total=False):
    ignoreTestFailures: bool
    remediateLastFailure: bool
    retries: int
    strategy: Literal["rollback", "uninstall"]


class Upgrade(TypedDict, total=False):
    chartNameChangeStrategy: Literal["InPlaceUpdate", "Reinstall"]
    cleanupOnFail: bool
    crds: Literal["Skip", "Create", "CreateReplace"]
    disableHooks: bool
    disableOpenAPIValidation: bool
    disableSchemaValidation: bool
    disableTakeOwnership: bool
    disableWait: bool
    disableWaitForJobs: bool
    force: bool
    preserveValues: bool
    remediation: UpgradeRemediation
    serverSideApply: Literal["enabled", "disabled", "auto"]
    strategy: Annotated[
        Strategy,
        Cel("!has(self.retryInterval) || self.name == 'RetryOnFailure'", "retryInterval goes with RetryOnFailure"),
    ]
    timeout: Interval


class ValuesFrom(TypedDict, total=False):
    """Values of a ConfigMap or a Secret."""

    kind: Required[Literal["Secret", "ConfigMap"]]
    literal: bool
    name: Required[
        Annotated[
            str, MaxLength(253), MinLength(1), Ref("ConfigMap", kind_field="kind", key="valuesKey", optional="optional")
        ]
    ]
    optional: bool
    targetPath: Annotated[str, MaxLength(250), Pattern(r"^([a-zA-Z0-9_\-.\\\/]|\[[0-9]{1,5}\])+$")]
    valuesKey: Annotated[str, MaxLength(253), Pattern(r"^[\-._a-zA-Z0-9]+$")]


class WaitStrategy(TypedDict, total=False):
    name: Required[Literal["poller", "legacy"]]


class HelmReleaseSpec(TypedDict, total=False):
    """A chart that is installed and kept as it is written here."""

    chart: Annotated[Chart, *CHART_RULES]
    chartRef: ChartRef
    commonMetadata: ChartMetadata
    dependsOn: list[DependsOn]
    driftDetection: DriftDetection
    healthCheckExprs: list[HealthCheckExpr]
    install: Install
    interval: Required[Interval]
    kubeConfig: Annotated[
        KubeConfig,
        # One rule in 2.10, which says the same.
        Cel("has(self.configMapRef) || has(self.secretRef)", "configMapRef or secretRef, and not both"),
        Cel("!has(self.configMapRef) || !has(self.secretRef)", "configMapRef or secretRef, and not both"),
    ]
    maxHistory: int
    persistentClient: bool
    postRenderStrategy: Literal["nohooks", "combined", "separate"]
    postRenderers: list[PostRenderer]
    releaseName: Annotated[str, MaxLength(53), MinLength(1)]
    rollback: Rollback
    serviceAccountName: Annotated[str, MaxLength(253), MinLength(1), Ref("ServiceAccount")]
    storageNamespace: Annotated[str, MaxLength(63), MinLength(1)]
    suspend: bool
    targetNamespace: Annotated[str, MaxLength(63), MinLength(1)]
    test: Test
    timeout: Interval
    uninstall: Uninstall
    upgrade: Upgrade
    values: AnyValue
    valuesFrom: list[ValuesFrom]
    waitStrategy: WaitStrategy


class TestHook(TypedDict, total=False):
    lastCompleted: Time
    lastStarted: Time
    phase: str


class History(TypedDict, total=False):
    action: str
    apiVersion: str
    appVersion: str
    chartName: Required[str]
    chartVersion: Required[str]
    configDigest: Required[str]
    deleted: Time
    digest: Required[str]
    firstDeployed: Required[Time]
    lastDeployed: Required[Time]
    name: Required[str]
    namespace: Required[str]
    ociDigest: str
    status: Required[str]
    testHooks: dict[str, TestHook]
    version: Required[int]


class Entry(TypedDict, total=False):
    id: Required[str]
    v: Required[str]


class Inventory(TypedDict, total=False):
    entries: Required[list[Entry]]


class HelmReleaseStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    failures: Int64
    helmChart: str
    history: list[History]
    installFailures: Int64
    inventory: Inventory
    lastAttemptedConfigDigest: str
    lastAttemptedGeneration: Int64
    lastAttemptedReleaseAction: Literal["install", "upgrade"]
    lastAttemptedReleaseActionDuration: str
    lastAttemptedRevision: str
    lastAttemptedRevisionDigest: str
    lastAttemptedValuesChecksum: str
    lastHandledForceAt: str
    lastHandledReconcileAt: str
    lastHandledResetAt: str
    lastReleaseRevision: int
    observedCommonMetadataDigest: str
    observedGeneration: Int64
    observedPostRenderersDigest: str
    storageNamespace: Annotated[str, MaxLength(63), MinLength(1)]
    upgradeFailures: Int64


class HelmRelease(TypedDict, total=False):
    spec: Annotated[
        HelmReleaseSpec,
        Cel(
            "(has(self.chart) && !has(self.chartRef)) || (!has(self.chart) && has(self.chartRef))",
            "chart or chartRef, and not both",
        ),
    ]
    status: Annotated[HelmReleaseStatus, Default({"observedGeneration": -1})]


HELM_RELEASE = Api(
    group="helm.toolkit.fluxcd.io",
    version="v2",
    kind="HelmRelease",
    plural="helmreleases",
    spec=HelmReleaseSpec,
    top=HelmRelease,
    core="1.37",
    status_subresource=True,
    columns=(
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
    doc="A chart that is installed and kept as it is written here.",
)

CRDS = (
    Definition(
        (HELM_RELEASE,),
        short_names=("hr",),
        categories=("all", "fluxcd", "fluxcd-appliers"),
        annotations={"kustomize.toolkit.fluxcd.io/substitute": "disabled"},
    ),
)
