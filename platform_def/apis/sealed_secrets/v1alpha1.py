"""SealedSecret 0.36 (bitnami.com): a Secret that only the cluster can open."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required

from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import Bytes, Int64, Nullable, Preserve, Time
from platform_def.crds.typed_dict import TypedDict


class SealedSecretTemplateMetadata(TypedDict, total=False):
    """Metadata of the Secret."""

    annotations: dict[str, str]
    """Annotations."""
    finalizers: list[str]
    """Finalizers."""
    labels: dict[str, str]
    """Labels."""
    name: str
    """The SealedSecret's own."""
    namespace: str
    """The SealedSecret's own."""


class SealedSecretTemplate(TypedDict, total=False):
    """What the Secret looks like beside its values."""

    data: Nullable[dict[str, str]]
    """Further values, as templates that may use the opened ones."""
    immutable: bool
    """The Secret can't be changed."""
    metadata: Annotated[Nullable[SealedSecretTemplateMetadata], Preserve()]
    """Labels and annotations."""
    type: str
    """Type of the Secret; Opaque if left out."""


class SealedSecretSpec(TypedDict, total=False):
    """Values that only the cluster's controller can open."""

    data: Bytes
    """Older form: all values sealed at once."""
    encryptedData: Required[Annotated[dict[str, str], Preserve()]]
    """Values by key, each sealed with the cluster's public key for this name and namespace."""
    template: SealedSecretTemplate
    """Metadata and type of the Secret."""


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class SealedSecretStatus(TypedDict, total=False):
    conditions: list[Condition]
    observedGeneration: Int64


SEALED_SECRET = Api(
    group="bitnami.com",
    version="v1alpha1",
    kind="SealedSecret",
    plural="sealedsecrets",
    spec=SealedSecretSpec,
    status=SealedSecretStatus,
    required=("spec",),
    status_subresource=True,
    columns=(Column("Status", ".status.conditions[0].message"), Column("Synced", ".status.conditions[0].status"), AGE),
    health=HealthConditions(ready=("Synced",)),
    doc="A Secret that is sealed, so that it can lie in Git; only the cluster can open it.",
    makes=(Makes("Secret"),),
)

CRDS = (Definition((SEALED_SECRET,)),)
