"""Flux 2.10 sources: Git and OCI repositories, Helm repositories and charts, buckets."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import AnyValue, Cel, Default, Int64, Pattern, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Interval = Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]
Timeout = Annotated[str, Default("60s"), Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]
Provider = Annotated[Literal["generic", "aws", "azure", "gcp"], Default("generic")]


class CertSecretRef(TypedDict, total=False):
    """A Secret of the same namespace."""

    name: Required[Annotated[str, Ref("Secret")]]


class Sts(TypedDict, total=False):
    certSecretRef: CertSecretRef
    endpoint: Required[Annotated[str, Pattern("^(http|https)://.*$")]]
    provider: Required[Literal["aws", "ldap"]]
    secretRef: CertSecretRef


class BucketSpec(TypedDict, total=False):
    """Files of an object store."""

    bucketName: Required[str]
    certSecretRef: CertSecretRef
    endpoint: Required[str]
    ignore: str
    insecure: bool
    interval: Required[Interval]
    prefix: str
    provider: Annotated[Literal["generic", "aws", "gcp", "azure"], Default("generic")]
    proxySecretRef: CertSecretRef
    region: str
    secretRef: CertSecretRef
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    sts: Sts
    suspend: bool
    timeout: Timeout


class Artifact(TypedDict, total=False):
    digest: Required[Annotated[str, Pattern("^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$")]]
    lastUpdateTime: Required[Time]
    metadata: dict[str, str]
    path: Required[str]
    revision: Required[str]
    size: Int64
    url: Required[str]


class BucketStatus(TypedDict, total=False):
    artifact: Artifact
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    observedGeneration: Int64
    observedIgnore: str
    url: str


class Bucket(TypedDict, total=False):
    spec: Annotated[
        BucketSpec,
        Cel(
            "self.provider == 'aws' || self.provider == 'generic' || !has(self.sts)",
            "sts goes with the providers aws and generic",
        ),
        Cel(
            "self.provider != 'aws' || !has(self.sts) || self.sts.provider == 'aws'",
            "the provider aws needs sts.provider aws",
        ),
        Cel(
            "self.provider != 'generic' || !has(self.sts) || self.sts.provider == 'ldap'",
            "the provider generic needs sts.provider ldap",
        ),
        Cel(
            "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.secretRef)",
            "sts.secretRef is not for sts.provider aws",
        ),
        Cel(
            "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.certSecretRef)",
            "sts.certSecretRef is not for sts.provider aws",
        ),
        Cel(
            "self.provider != 'generic' || !has(self.serviceAccountName)",
            "serviceAccountName is not for the provider generic",
        ),
        Cel(
            "!has(self.secretRef) || !has(self.serviceAccountName)",
            "secretRef and serviceAccountName exclude each other",
        ),
    ]
    status: Annotated[BucketStatus, Default({"observedGeneration": -1})]


class SourceRef(TypedDict, total=False):
    apiVersion: str
    kind: Required[str]
    name: Required[str]
    namespace: str


class ExternalArtifactSpec(TypedDict, total=False):
    sourceRef: SourceRef


class ExternalArtifactStatus(TypedDict, total=False):
    artifact: Artifact
    conditions: list[meta_v1.Condition]
    exportedInputs: dict[str, AnyValue]


class RepositoryRef(TypedDict, total=False):
    """A GitRepository of the same namespace."""

    name: Required[Annotated[str, Ref("GitRepository", group="source.toolkit.fluxcd.io")]]


class Include(TypedDict, total=False):
    """Files of another GitRepository."""

    fromPath: str
    repository: Required[RepositoryRef]
    toPath: str


class GitRepositoryRef(TypedDict, total=False):
    """What is checked out."""

    branch: str
    """Branch."""
    commit: str
    """Commit."""
    name: str
    """Full name of a reference; goes before the others."""
    semver: str
    """Newest tag in a range."""
    tag: str
    """Tag."""


class Verify(TypedDict, total=False):
    mode: Annotated[Literal["head", "HEAD", "Tag", "TagAndHEAD"], Default("HEAD")]
    secretRef: Required[CertSecretRef]


class GitRepositorySpec(TypedDict, total=False):
    """Files of a Git repository."""

    ignore: str
    """Files left out, in the form of .gitignore."""
    include: list[Include]
    interval: Required[Interval]
    """How often the repository is looked at."""
    provider: Literal["generic", "aws", "azure", "github"]
    """Who vouches: generic, aws, azure, gcp or github."""
    proxySecretRef: CertSecretRef
    """Secret with the address of a proxy."""
    recurseSubmodules: bool
    """Submodules are fetched too."""
    ref: GitRepositoryRef
    """What is checked out."""
    secretRef: CertSecretRef
    """Secret with the credentials."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount for a cloud's own login."""
    sparseCheckout: list[str]
    """Folders fetched; all if left out."""
    suspend: bool
    """True stops looking."""
    timeout: Timeout
    """How long a fetch may take."""
    url: Required[Annotated[str, Pattern("^(http|https|ssh)://.*$")]]
    """Address, `https://` or `ssh://`."""
    verify: Verify
    """Commits must be signed by these keys."""


class GitRepositoryStatus(TypedDict, total=False):
    artifact: Artifact
    conditions: list[meta_v1.Condition]
    includedArtifacts: list[Artifact]
    lastHandledReconcileAt: str
    observedGeneration: Int64
    observedIgnore: str
    observedInclude: list[Include]
    observedRecurseSubmodules: bool
    observedSparseCheckout: list[str]
    sourceVerificationFingerprint: str
    sourceVerificationMode: str


class GitRepository(TypedDict, total=False):
    spec: Annotated[
        GitRepositorySpec,
        Cel(
            "!has(self.serviceAccountName) || (has(self.provider) && (self.provider == 'azure' || self.provider == 'aws'))",
            "serviceAccountName goes with the providers azure and aws",
        ),
    ]
    status: Annotated[GitRepositoryStatus, Default({"observedGeneration": -1})]


class HelmChartSourceRef(TypedDict, total=False):
    """Where the chart is looked for."""

    apiVersion: str
    kind: Required[Literal["HelmRepository", "GitRepository", "Bucket"]]
    name: Required[
        Annotated[
            str, Ref("HelmRepository", group="source.toolkit.fluxcd.io", kind_field="kind", group_field="apiVersion")
        ]
    ]


class MatchOIDCIdentity(TypedDict, total=False):
    issuer: Required[str]
    subject: Required[str]


class HelmChartVerify(TypedDict, total=False):
    matchOIDCIdentity: list[MatchOIDCIdentity]
    provider: Required[Annotated[Literal["cosign", "notation"], Default("cosign")]]
    secretRef: CertSecretRef


class HelmChartSpec(TypedDict, total=False):
    """A chart."""

    chart: Required[str]
    ignoreMissingValuesFiles: bool
    interval: Required[Interval]
    reconcileStrategy: Annotated[Literal["ChartVersion", "Revision"], Default("ChartVersion")]
    sourceRef: Required[HelmChartSourceRef]
    suspend: bool
    valuesFiles: list[str]
    verify: HelmChartVerify
    version: Annotated[str, Default("*")]


class HelmChartStatus(TypedDict, total=False):
    artifact: Artifact
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    observedChartName: str
    observedGeneration: Int64
    observedSourceArtifactRevision: str
    observedValuesFiles: list[str]
    url: str


class HelmChart(TypedDict, total=False):
    spec: Annotated[
        HelmChartSpec,
        Cel(
            "!has(self.verify) || self.sourceRef.kind == 'HelmRepository'",
            "verify goes with a HelmRepository as sourceRef",
        ),
    ]
    status: Annotated[HelmChartStatus, Default({"observedGeneration": -1})]


class NamespaceSelector(TypedDict, total=False):
    matchLabels: dict[str, str]


class AccessFrom(TypedDict, total=False):
    namespaceSelectors: Required[list[NamespaceSelector]]


class HelmRepositorySpec(TypedDict, total=False):
    """A repository of charts."""

    accessFrom: AccessFrom
    certSecretRef: CertSecretRef
    insecure: bool
    interval: Interval
    passCredentials: bool
    provider: Provider
    secretRef: CertSecretRef
    suspend: bool
    timeout: Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]
    type: Literal["default", "oci"]
    url: Required[Annotated[str, Pattern("^(http|https|oci)://.*$")]]


class HelmRepositoryStatus(TypedDict, total=False):
    artifact: Artifact
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    observedGeneration: Int64
    url: str


class HelmRepository(TypedDict, total=False):
    spec: HelmRepositorySpec
    status: Annotated[HelmRepositoryStatus, Default({"observedGeneration": -1})]


class LayerSelector(TypedDict, total=False):
    mediaType: str
    operation: Literal["extract", "copy"]


class OCIRepositoryRef(TypedDict, total=False):
    """Which artifact is taken."""

    digest: str
    """Digest; goes before the others."""
    semver: str
    """Newest tag in a range."""
    semverFilter: str
    """Tags that count, as a regular expression."""
    tag: str
    """Tag; latest if left out."""


class OCIRepositoryVerify(TypedDict, total=False):
    matchOIDCIdentity: list[MatchOIDCIdentity]
    provider: Required[Annotated[Literal["cosign", "notation"], Default("cosign")]]
    secretRef: CertSecretRef
    trustedRootSecretRef: CertSecretRef


class OCIRepositorySpec(TypedDict, total=False):
    """Files of an artifact in a registry."""

    certSecretRef: CertSecretRef
    """Secret with certificates for the registry."""
    ignore: str
    """Files left out, in the form of .gitignore."""
    insecure: bool
    """Plain HTTP."""
    interval: Interval
    """How often the registry is looked at; needed."""
    layerSelector: LayerSelector
    """Which layer is taken, and how."""
    provider: Literal["generic", "aws", "azure", "gcp"]
    """Who vouches: generic, aws, azure or gcp."""
    proxySecretRef: CertSecretRef
    """Secret with the address of a proxy."""
    ref: OCIRepositoryRef
    """Which artifact is taken."""
    secretRef: CertSecretRef
    """Secret with the credentials."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount with pull secrets."""
    suspend: bool
    """True stops looking."""
    timeout: Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]
    """How long a fetch may take."""
    url: Annotated[str, Pattern("^oci://.*$")]
    """Address, `oci://host/path`; needed."""
    verify: OCIRepositoryVerify
    """The artifact must be signed."""


class OCIRepositoryStatus(TypedDict, total=False):
    artifact: Artifact
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    observedGeneration: Int64
    observedIgnore: str
    observedLayerSelector: LayerSelector
    sourceVerificationFingerprint: str
    url: str


class OCIRepository(TypedDict, total=False):
    spec: OCIRepositorySpec
    status: Annotated[OCIRepositoryStatus, Default({"observedGeneration": -1})]


BUCKET = Api(
    group="source.toolkit.fluxcd.io",
    version="v1",
    kind="Bucket",
    plural="buckets",
    spec=BucketSpec,
    top=Bucket,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("Endpoint", ".spec.endpoint"),
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
    doc="Files of an object store, fetched again and again.",
)

EXTERNAL_ARTIFACT = Api(
    group="source.toolkit.fluxcd.io",
    version="v1",
    kind="ExternalArtifact",
    plural="externalartifacts",
    spec=ExternalArtifactSpec,
    status=ExternalArtifactStatus,
    core="1.36",
    status_subresource=True,
    columns=(
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
        Column("Source", ".spec.sourceRef.name"),
    ),
    health=READY,
)

GIT_REPOSITORY = Api(
    group="source.toolkit.fluxcd.io",
    version="v1",
    kind="GitRepository",
    plural="gitrepositories",
    spec=GitRepositorySpec,
    top=GitRepository,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("URL", ".spec.url"),
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
    doc="Files of a Git repository, fetched again and again.",
)

HELM_CHART = Api(
    group="source.toolkit.fluxcd.io",
    version="v1",
    kind="HelmChart",
    plural="helmcharts",
    spec=HelmChartSpec,
    top=HelmChart,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("Chart", ".spec.chart"),
        Column("Version", ".spec.version"),
        Column("Source Kind", ".spec.sourceRef.kind"),
        Column("Source Name", ".spec.sourceRef.name"),
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
)

HELM_REPOSITORY = Api(
    group="source.toolkit.fluxcd.io",
    version="v1",
    kind="HelmRepository",
    plural="helmrepositories",
    spec=HelmRepositorySpec,
    top=HelmRepository,
    core="1.36",
    status_subresource=True,
    columns=(
        Column("URL", ".spec.url"),
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
    doc="A repository of charts.",
)

OCI_REPOSITORY = Api(
    group="source.toolkit.fluxcd.io",
    version="v1",
    kind="OCIRepository",
    plural="ocirepositories",
    spec=OCIRepositorySpec,
    top=OCIRepository,
    rules=(
        Cel("has(self.spec) && has(self.spec.url)", "spec.url is needed"),
        Cel("has(self.spec) && has(self.spec.interval)", "spec.interval is needed"),
    ),
    core="1.36",
    status_subresource=True,
    columns=(
        Column("URL", ".spec.url"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
        AGE,
    ),
    health=READY,
    doc="Files of an artifact in a registry, fetched again and again.",
)

CRDS = (
    Definition((BUCKET,), categories=("all", "fluxcd", "fluxcd-sources")),
    Definition((EXTERNAL_ARTIFACT,), short_names=("ea",), categories=("all", "fluxcd", "fluxcd-sources")),
    Definition((GIT_REPOSITORY,), short_names=("gitrepo",), categories=("all", "fluxcd", "fluxcd-sources")),
    Definition((HELM_CHART,), short_names=("hc",), categories=("all", "fluxcd", "fluxcd-sources")),
    Definition((HELM_REPOSITORY,), short_names=("helmrepo",), categories=("all", "fluxcd", "fluxcd-sources")),
    Definition((OCI_REPOSITORY,), short_names=("ocirepo",), categories=("all", "fluxcd", "fluxcd-sources")),
)
