"""Flux 2.10 (image.toolkit.fluxcd.io): new image tags, and commits that take them up."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.health import READY
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Cel, Default, Int64, MaxItems, MaxLength, Pattern, Ref, Time
from platform_def.crds.typed_dict import TypedDict

Interval = Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$")]


class FilterTags(TypedDict, total=False):
    extract: str
    pattern: str


class ImageRepositoryRef(TypedDict, total=False):
    name: Required[Annotated[str, Ref("ImageRepository", group="image.toolkit.fluxcd.io", namespace="namespace")]]
    namespace: str


class Alphabetical(TypedDict, total=False):
    order: Annotated[Literal["asc", "desc"], Default("asc")]


class Semver(TypedDict, total=False):
    range: Required[str]


class Policy(TypedDict, total=False):
    alphabetical: Alphabetical
    numerical: Alphabetical
    semver: Semver


class ImagePolicySpec(TypedDict, total=False):
    """Which of the tags is the newest."""

    digestReflectionPolicy: Annotated[Literal["Always", "IfNotPresent", "Never"], Default("Never")]
    filterTags: FilterTags
    imageRepositoryRef: Required[ImageRepositoryRef]
    interval: Interval
    policy: Required[Policy]
    suspend: bool


class LatestRef(TypedDict, total=False):
    digest: str
    name: Required[str]
    tag: Required[str]


class ImagePolicyStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    latestRef: LatestRef
    observedGeneration: Int64
    observedPreviousRef: LatestRef


class ImagePolicy(TypedDict, total=False):
    spec: Annotated[
        ImagePolicySpec,
        Cel(
            "!has(self.interval) || (has(self.digestReflectionPolicy) && self.digestReflectionPolicy == 'Always')",
            "interval goes with digestReflectionPolicy Always",
        ),
        Cel(
            "has(self.interval) || !has(self.digestReflectionPolicy) || self.digestReflectionPolicy != 'Always'",
            "digestReflectionPolicy Always needs an interval",
        ),
    ]
    status: Annotated[ImagePolicyStatus, Default({"observedGeneration": -1})]


class NamespaceSelector(TypedDict, total=False):
    matchLabels: dict[str, str]


class AccessFrom(TypedDict, total=False):
    namespaceSelectors: Required[list[NamespaceSelector]]


class CertSecretRef(TypedDict, total=False):
    """A Secret of the same namespace."""

    name: Required[Annotated[str, Ref("Secret")]]


class SecretRef(TypedDict, total=False):
    name: Required[Annotated[str, Ref("Secret")]]


class ImageRepositorySpec(TypedDict, total=False):
    """Tags of an image, looked at again and again."""

    accessFrom: AccessFrom
    certSecretRef: CertSecretRef
    exclusionList: Annotated[list[str], Default([r"^.*\.sig$"]), MaxItems(25)]
    image: Required[str]
    insecure: bool
    interval: Required[Interval]
    provider: Annotated[Literal["generic", "aws", "azure", "gcp"], Default("generic")]
    proxySecretRef: CertSecretRef
    secretRef: SecretRef
    serviceAccountName: Annotated[str, MaxLength(253), Ref("ServiceAccount")]
    suspend: bool
    timeout: Annotated[str, Pattern(r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$")]


class LastScanResult(TypedDict, total=False):
    latestTags: list[str]
    revision: str
    scanTime: Time
    tagCount: Required[int]


class ImageRepositoryStatus(TypedDict, total=False):
    canonicalImageName: str
    conditions: list[meta_v1.Condition]
    lastHandledReconcileAt: str
    lastScanResult: LastScanResult
    observedExclusionList: list[str]
    observedGeneration: Int64


class ImageRepository(TypedDict, total=False):
    spec: ImageRepositorySpec
    status: Annotated[ImageRepositoryStatus, Default({"observedGeneration": -1})]


class CheckoutRef(TypedDict, total=False):
    branch: str
    commit: str
    name: str
    semver: str
    tag: str


class Checkout(TypedDict, total=False):
    ref: Required[CheckoutRef]


class Author(TypedDict, total=False):
    email: Required[str]
    name: str


class SigningKey(TypedDict, total=False):
    secretRef: Required[CertSecretRef]
    type: Literal["gpg", "ssh"]


class Commit(TypedDict, total=False):
    author: Required[Author]
    messageTemplate: str
    messageTemplateValues: dict[str, str]
    signingKey: SigningKey


class Push(TypedDict, total=False):
    branch: str
    options: dict[str, str]
    refspec: Annotated[str, Pattern(r"^$|^[^+:]")]


class Git(TypedDict, total=False):
    checkout: Checkout
    commit: Required[Commit]
    push: Push


class SourceRef(TypedDict, total=False):
    """Where changes are written."""

    apiVersion: str
    kind: Required[Annotated[Literal["GitRepository"], Default("GitRepository")]]
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
    namespace: str


class Update(TypedDict, total=False):
    path: str
    strategy: Annotated[Literal["Setters"], Default("Setters")]


class ImageUpdateAutomationSpec(TypedDict, total=False):
    """New tags, written into Git."""

    git: Git
    interval: Required[Interval]
    policyChangeDelay: Interval
    policySelector: meta_v1.LabelSelector
    sourceRef: Required[SourceRef]
    suspend: bool
    update: Annotated[Update, Default({"strategy": "Setters"})]


class ImageUpdateAutomationStatus(TypedDict, total=False):
    conditions: list[meta_v1.Condition]
    lastAutomationRunTime: Time
    lastHandledReconcileAt: str
    lastPushCommit: str
    lastPushTime: Time
    observedGeneration: Int64
    observedPolicies: dict[str, LatestRef]
    observedSourceRevision: str


class ImageUpdateAutomation(TypedDict, total=False):
    spec: ImageUpdateAutomationSpec
    status: Annotated[ImageUpdateAutomationStatus, Default({"observedGeneration": -1})]


IMAGE_POLICY = Api(
    group="image.toolkit.fluxcd.io",
    version="v1",
    kind="ImagePolicy",
    plural="imagepolicies",
    spec=ImagePolicySpec,
    top=ImagePolicy,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Image", ".status.latestRef.name"),
        Column("Tag", ".status.latestRef.tag"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
        AGE,
    ),
    health=READY,
)

IMAGE_REPOSITORY = Api(
    group="image.toolkit.fluxcd.io",
    version="v1",
    kind="ImageRepository",
    plural="imagerepositories",
    spec=ImageRepositorySpec,
    top=ImageRepository,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Image", ".spec.image"),
        Column("Tags", ".status.lastScanResult.tagCount"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
        Column("Last scan", ".status.lastScanResult.scanTime", priority=1),
        AGE,
    ),
    health=READY,
)

IMAGE_UPDATE_AUTOMATION = Api(
    group="image.toolkit.fluxcd.io",
    version="v1",
    kind="ImageUpdateAutomation",
    plural="imageupdateautomations",
    spec=ImageUpdateAutomationSpec,
    top=ImageUpdateAutomation,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Status", '.status.conditions[?(@.type=="Ready")].message'),
        Column("Last run", ".status.lastAutomationRunTime", priority=1),
        AGE,
    ),
    health=READY,
)

CRDS = (
    Definition((IMAGE_POLICY,), short_names=("imgpol", "imagepol")),
    Definition((IMAGE_REPOSITORY,), short_names=("imgrepo", "imagerepo")),
    Definition(
        (IMAGE_UPDATE_AUTOMATION,),
        short_names=("iua", "imgupd", "imgauto"),
        categories=("all", "fluxcd", "fluxcd-images"),
    ),
)
