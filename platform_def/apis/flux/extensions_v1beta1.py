"""Flux 2.9 (source.extensions.fluxcd.io): artifacts made of other sources."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Cel, MaxItems, MaxLength, MinItems, MinLength, Pattern, Ref
from platform_def.crds.typed_dict import TypedDict

OriginRevision = Annotated[str, MaxLength(64), Pattern("^@([a-z0-9]([a-z0-9_-]*[a-z0-9])?)$")]


Copy = TypedDict(
    "Copy",
    {
        "exclude": "Annotated[list[str], MaxItems(100)]",
        "from": 'Required[Annotated[str, MaxLength(1024), MinLength(1), Pattern("^@([a-z0-9]([a-z0-9_-]*[a-z0-9])?)/(.*)$")]]',
        "strategy": 'Literal["Overwrite", "Merge", "Extract"]',
        "to": 'Required[Annotated[str, MaxLength(1024), MinLength(1), Pattern("^@(artifact)/(.*)$")]]',
    },
    total=False,
)


class Artifact(TypedDict, total=False):
    copy: Required[Annotated[list[Copy], MinItems(1)]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
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


class ArtifactGeneratorSpec(TypedDict, total=False):
    artifacts: Required[Annotated[list[Artifact], MaxItems(1000), MinItems(1)]]
    commonMetadata: CommonMetadata
    pathPattern: Annotated[str, MaxLength(1024), Pattern("^@([a-z0-9]([a-z0-9_-]*[a-z0-9])?)/(.*)$")]
    sources: Required[Annotated[list[Source], MaxItems(1000), MinItems(1)]]


class Inventory(TypedDict, total=False):
    digest: Required[str]
    filename: Required[str]
    name: Required[str]
    namespace: Required[str]


class ArtifactGeneratorStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    inventory: list[Inventory]
    lastHandledReconcileAt: str
    observedSourcesDigest: str


class ArtifactGenerator(TypedDict, total=False):
    spec: Annotated[
        ArtifactGeneratorSpec,
        Cel(
            r"has(self.pathPattern) && size(self.pathPattern) > 0 || self.artifacts.all(a, a.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'))",
            "without pathPattern every artifact is named like a Kubernetes object",
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
