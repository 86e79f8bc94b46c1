"""Flux 2.10 (source.extensions.fluxcd.io): artifacts made of other sources."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Cel, MaxItems, MaxLength, MinItems, MinLength, Pattern, Ref
from platform_def.crds.typed_dict import TypedDict

OriginRevision = Annotated[str, MaxLength(64), Pattern("^@([a-z0-9]([a-z0-9_-]*[a-z0-9])?)$")]


_FILES = Pattern("^@([a-z0-9]([a-z0-9_-]*[a-z0-9])?)/(.*)$")
# The artifact itself or what lies in it, and no part of the way is `..`.
_NO_WAY_UP = "([^/]{0,1}|[^./][^/]|[.][^./]|[^/]{3,})"
TARGET = Pattern(f"^@artifact/{_NO_WAY_UP}(/{_NO_WAY_UP})*$")
ARTIFACT_NAMES = "has(self.pathPattern) && size(self.pathPattern) > 0 || self.artifacts.all(a, {})"
OBJECT_NAME = r"'^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'"

Copy = TypedDict(
    "Copy",
    {
        "exclude": "Annotated[list[Annotated[str, MaxLength(1024)]], MaxItems(100)]",
        "from": "Required[Annotated[str, MaxLength(1024), MinLength(1), _FILES]]",
        "optional": "bool",
        "strategy": 'Literal["Overwrite", "Merge", "Extract"]',
        "to": "Required[Annotated[str, MaxLength(1024), MinLength(1), TARGET]]",
    },
    total=False,
)


class Artifact(TypedDict, total=False):
    copy: Required[Annotated[list[Copy], MinItems(1)]]
    inputsFrom: Annotated[str, MaxLength(1024), MinLength(1), _FILES]
    name: Required[Annotated[str, MaxLength(1024)]]
    namespace: Annotated[str, MaxLength(1024)]
    originRevision: OriginRevision
    revision: OriginRevision


class CommonMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class Source(TypedDict, total=False):
    """A source that files are taken from."""

    alias: Required[Annotated[str, MaxLength(63), Pattern("^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$")]]
    kind: Required[Literal["Bucket", "GitRepository", "OCIRepository", "HelmChart", "ExternalArtifact"]]
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            Pattern("^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"),
            Ref("GitRepository", group="source.toolkit.fluxcd.io", kind_field="kind", namespace="namespace"),
        ]
    ]
    namespace: Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]


class Labelled(TypedDict, total=False):
    """What the namespaces of that name, or all of them by `*`, are given."""

    annotations: dict[str, str]
    labels: dict[str, str]
    namespace: Required[Annotated[str, MaxLength(63), Pattern(r"^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$")]]
    strategy: Required[Literal["Reset", "Override", "Merge"]]


class FromSource(TypedDict, total=False):
    """Labels and annotations that a file of a source may set."""

    allowedAnnotations: dict[str, str]
    allowedLabels: dict[str, str]
    path: Required[Annotated[str, MaxLength(1024), MinLength(1), _FILES]]


NamespaceMetadata = TypedDict(
    "NamespaceMetadata",
    {
        "from": list[Labelled],
        "fromSource": Annotated[
            FromSource,
            Cel(
                "(has(self.allowedAnnotations) && size(self.allowedAnnotations) > 0) || (has(self.allowedLabels) && size(self.allowedLabels) > 0)",
                "allowedAnnotations or allowedLabels must say something",
            ),
        ],
    },
    total=False,
)


class ManagedNamespaces(TypedDict, total=False):
    """Namespaces of artifacts, which the generator makes."""

    allowedNames: Required[Annotated[list[str], MinItems(1)]]
    metadata: Annotated[
        NamespaceMetadata,
        Cel("has(self.fromSource) || (has(self.from) && size(self.from) > 0)", "fromSource or from must say something"),
    ]
    prune: Required[bool]


class ArtifactGeneratorSpec(TypedDict, total=False):
    artifacts: Required[Annotated[list[Artifact], MaxItems(1000), MinItems(1)]]
    commonMetadata: CommonMetadata
    managedNamespaces: ManagedNamespaces
    pathPattern: Annotated[str, MaxLength(1024), _FILES]
    serviceAccountName: Annotated[
        str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"), Ref("ServiceAccount")
    ]
    sources: Required[Annotated[list[Source], MaxItems(1000), MinItems(1)]]


class Inventory(TypedDict, total=False):
    digest: Required[str]
    filename: str
    kind: Literal["ExternalArtifact", "Namespace"]
    name: Required[str]
    namespace: str


class ArtifactGeneratorStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    inventory: list[Inventory]
    lastHandledReconcileAt: str
    observedSourcesDigest: str


class ArtifactGenerator(TypedDict, total=False):
    spec: Annotated[
        ArtifactGeneratorSpec,
        Cel(
            ARTIFACT_NAMES.format(f"a.name.matches({OBJECT_NAME}) && a.name.size() <= 253"),
            "without pathPattern every artifact is named like a Kubernetes object",
        ),
        Cel(
            ARTIFACT_NAMES.format(
                "!has(a.__namespace__) || (a.__namespace__.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && a.__namespace__.size() <= 63)"
            ),
            "without pathPattern every artifact's namespace is named like one",
        ),
    ]
    status: ArtifactGeneratorStatus


ARTIFACT_GENERATOR = Api(
    group="source.extensions.fluxcd.io",
    version="v1beta1",
    kind="ArtifactGenerator",
    plural="artifactgenerators",
    spec=ArtifactGeneratorSpec,
    top=ArtifactGenerator,
    core="1.37",
    status_subresource=True,
    columns=(
        AGE,
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
    ),
    health=READY,
)

CRDS = (Definition((ARTIFACT_GENERATOR,), short_names=("ag",), categories=("all", "fluxcd", "fluxcd-sources")),)
