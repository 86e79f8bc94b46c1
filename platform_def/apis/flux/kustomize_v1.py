"""Flux 2.10: Kustomization, what is applied from a source."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Cel, Default, Int64, MaxLength, MinLength, Pattern, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Interval = Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]


class CommonMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class SecretRef(TypedDict, total=False):
    """A Secret of the same namespace."""

    name: Required[Annotated[str, Ref("Secret")]]


class Decryption(TypedDict, total=False):
    """How encrypted files are opened."""

    provider: Required[Literal["sops"]]
    secretRef: SecretRef
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]


class DependsOn(TypedDict, total=False):
    """A Kustomization that must be ready first."""

    name: Required[Annotated[str, Ref("Kustomization", group="kustomize.toolkit.fluxcd.io", namespace="namespace")]]
    """Name of the Kustomization."""
    namespace: str
    """Its namespace; this one if left out."""
    readyExpr: str
    """When it counts as ready, in CEL."""


class HealthCheckExpr(TypedDict, total=False):
    """When objects of a kind are ready."""

    apiVersion: Required[str]
    """API version of the kind."""
    current: Required[str]
    """True: the object is ready."""
    failed: str
    """True: it failed."""
    inProgress: str
    """True: it is not there yet."""
    kind: str
    """The kind."""


class HealthCheck(TypedDict, total=False):
    """An object that must be ready."""

    apiVersion: str
    """API version of the object."""
    kind: Required[str]
    """Its kind."""
    name: Required[
        Annotated[
            str,
            Ref(
                "Deployment",
                group="apps",
                kind_field="kind",
                group_field="apiVersion",
                namespace="namespace",
                weak=True,
            ),
        ]
    ]
    """Its name."""
    namespace: str
    """Its namespace."""


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


class Image(TypedDict, total=False):
    digest: str
    name: Required[str]
    newName: str
    newTag: str


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


class Patch(TypedDict, total=False):
    patch: Required[str]
    target: Target


class SubstituteFrom(TypedDict, total=False):
    """Variables of a ConfigMap or a Secret."""

    kind: Required[Literal["Secret", "ConfigMap"]]
    name: Required[
        Annotated[str, MaxLength(253), MinLength(1), Ref("ConfigMap", kind_field="kind", optional="optional")]
    ]
    optional: Annotated[bool, Default(False)]


class PostBuild(TypedDict, total=False):
    substitute: dict[str, str]
    substituteFrom: list[SubstituteFrom]
    substituteStrategy: Literal["WithVariables", "Always"]


class SourceRef(TypedDict, total=False):
    """Where manifests come from."""

    apiVersion: str
    kind: Required[Literal["OCIRepository", "GitRepository", "Bucket", "ExternalArtifact"]]
    """Kind of the source."""
    name: Required[
        Annotated[
            str,
            Ref(
                "GitRepository",
                group="source.toolkit.fluxcd.io",
                kind_field="kind",
                group_field="apiVersion",
                namespace="namespace",
            ),
        ]
    ]
    """Its name."""
    namespace: str
    """Its namespace; this one if left out."""


class KustomizationSpec(TypedDict, total=False):
    """Manifests of a source, applied and kept as they are there."""

    buildMetadata: list[Literal["originAnnotations", "transformerAnnotations"]]
    commonMetadata: CommonMetadata
    """Labels and annotations for every object."""
    components: list[str]
    """Kustomize components, as folders."""
    decryption: Decryption
    """How SOPS files are decrypted."""
    deletionPolicy: Literal["MirrorPrune", "Delete", "WaitForTermination", "Orphan"]
    """What happens to its objects when it is deleted."""
    dependsOn: list[DependsOn]
    """Kustomizations that must be ready first."""
    force: Annotated[bool, Default(False)]
    """Objects whose immutable fields change are made again."""
    healthCheckExprs: list[HealthCheckExpr]
    """When objects of a kind are ready, in CEL."""
    healthChecks: list[HealthCheck]
    """Objects that must be ready, where `wait` is off."""
    ignore: list[Ignore]
    """Fields that others write, and that are no drift."""
    ignoreMissingComponents: bool
    images: list[Image]
    """Image names and tags to be replaced."""
    interval: Required[Interval]
    """How often the cluster is brought in line."""
    kubeConfig: Annotated[
        KubeConfig,
        # One rule in 2.10, which says the same.
        Cel(
            "has(self.configMapRef) || has(self.secretRef)",
            "configMapRef or secretRef, and not both",
        ),
        Cel(
            "!has(self.configMapRef) || !has(self.secretRef)",
            "configMapRef or secretRef, and not both",
        ),
    ]
    """Another cluster."""
    namePrefix: Annotated[str, MaxLength(200), MinLength(1)]
    """Put before every name."""
    nameSuffix: Annotated[str, MaxLength(200), MinLength(1)]
    """Put behind every name."""
    patches: list[Patch]
    """Patches, applied in order."""
    path: str
    """Folder in the source."""
    postBuild: PostBuild
    """Variables replaced in the manifests."""
    prune: Required[bool]
    """Objects that left the source are removed."""
    retryInterval: Interval
    """Pause after a failure."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """ServiceAccount that applies."""
    sourceRef: Required[SourceRef]
    """Where the manifests come from."""
    suspend: bool
    """True stops it."""
    targetNamespace: Annotated[str, MaxLength(63), MinLength(1)]
    """Namespace for every object."""
    timeout: Interval
    """How long applying and checking may take."""
    wait: bool
    """All objects must be ready; healthChecks are not read then."""


class History(TypedDict, total=False):
    digest: Required[str]
    firstReconciled: Required[Time]
    lastReconciled: Required[Time]
    lastReconciledDuration: Required[str]
    lastReconciledStatus: Required[str]
    metadata: dict[str, str]
    totalReconciliations: Required[Int64]


class Entry(TypedDict, total=False):
    id: Required[str]
    v: Required[str]


class Inventory(TypedDict, total=False):
    entries: Required[list[Entry]]


class KustomizationStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    history: list[History]
    inventory: Inventory
    lastAppliedOriginRevision: str
    lastAppliedRevision: str
    lastAttemptedRevision: str
    lastHandledReconcileAt: str
    observedGeneration: Int64


class Kustomization(TypedDict, total=False):
    spec: KustomizationSpec
    status: Annotated[KustomizationStatus, Default({"observedGeneration": -1})]


KUSTOMIZATION = Api(
    group="kustomize.toolkit.fluxcd.io",
    version="v1",
    kind="Kustomization",
    plural="kustomizations",
    spec=KustomizationSpec,
    top=Kustomization,
    core="1.36",
    status_subresource=True,
    columns=(
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
    doc="Manifests of a source, applied and kept as they are there.",
)

CRDS = (
    Definition(
        (KUSTOMIZATION,),
        short_names=("ks",),
        categories=("all", "fluxcd", "fluxcd-appliers"),
        annotations={"kustomize.toolkit.fluxcd.io/substitute": "disabled"},
    ),
)
