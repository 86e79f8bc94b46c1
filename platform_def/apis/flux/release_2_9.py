"""Flux 2.9: the kinds of 2.10 without what that added."""
# ruff: noqa: D101

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Required

from platform_def.apis.flux import extensions_v1beta1, helm_v2, image_v1, kustomize_v1, notification_v1, source_v1
from platform_def.apis.flux.extensions_v1beta1 import (
    ARTIFACT_NAMES,
    OBJECT_NAME,
    ArtifactGeneratorStatus,
    CommonMetadata,
    Copy,
    OriginRevision,
    Source,
)
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Cel, MaxItems, MaxLength, MinItems, MinLength, Pattern
from platform_def.crds.typed_dict import TypedDict

CHART = (
    "certSecretRef",
    "ignore",
    "insecure",
    "layerSelector",
    "provider",
    "proxySecretRef",
    "ref",
    "secretRef",
    "serviceAccountName",
    "suspend",
    "timeout",
    "url",
    "verify.matchOIDCIdentity",
    "verify.trustedRootSecretRef",
    "chart?",
    "sourceRef?",
    "reconcileStrategy:=ChartVersion",
    "version:=*",
)
LACKS: Mapping[str, tuple[str, ...]] = {
    "Alert": (),
    "ExternalArtifact": ("status.exportedInputs",),
    "GitRepository": ("status.sourceVerificationFingerprint",),
    "HelmRelease": ("spec.chart!", "spec.chart.kind", *(f"spec.chart.spec.{field}" for field in CHART)),
    "ImageUpdateAutomation": ("spec.policyChangeDelay",),
    "OCIRepository": (
        "spec.interval?",
        "spec.url?",
        "spec.provider:=generic",
        "spec.timeout:=60s",
        "status.sourceVerificationFingerprint",
    ),
    "Provider": ("spec.type=mastodon", "spec.type=zoom", "spec.type=incident.io"),
}


class Artifact(TypedDict, total=False):
    copy: Required[Annotated[list[Copy], MinItems(1)]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    originRevision: OriginRevision
    revision: OriginRevision


class ArtifactGeneratorSpec(TypedDict, total=False):
    artifacts: Required[Annotated[list[Artifact], MaxItems(1000), MinItems(1)]]
    commonMetadata: CommonMetadata
    pathPattern: Annotated[str, MaxLength(1024), Pattern("^@([a-z0-9]([a-z0-9_-]*[a-z0-9])?)/(.*)$")]
    sources: Required[Annotated[list[Source], MaxItems(1000), MinItems(1)]]


class ArtifactGenerator(TypedDict, total=False):
    spec: Annotated[
        ArtifactGeneratorSpec,
        Cel(
            ARTIFACT_NAMES.format(f"a.name.matches({OBJECT_NAME})"),
            "without pathPattern every artifact is named like a Kubernetes object",
        ),
    ]
    status: ArtifactGeneratorStatus


_NEWER_GENERATOR: Api[Any] = extensions_v1beta1.ARTIFACT_GENERATOR
GENERATOR: Api[ArtifactGeneratorSpec] = replace(
    _NEWER_GENERATOR,
    spec=ArtifactGeneratorSpec,
    top=ArtifactGenerator,
    lacks=(
        "spec.artifacts[].copy[].optional",
        "status.inventory[].filename?",
        "status.inventory[].kind",
        "status.inventory[].namespace?",
    ),
)


def _older(newer: Definition) -> Definition:
    api: Api[Any] = newer.versions[-1]
    if api.kind not in LACKS:
        return newer
    older = replace(api, lacks=LACKS[api.kind], rules=(), storage=True, deprecated=False, deprecation_warning="")
    return replace(newer, versions=(older,))


_NEWER = (source_v1, kustomize_v1, helm_v2, notification_v1, image_v1)
CRDS = (
    *(_older(newer) for module in _NEWER for newer in module.CRDS),
    *(replace(newer, versions=(GENERATOR,)) for newer in extensions_v1beta1.CRDS),
)
