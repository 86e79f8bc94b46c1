"""SealedSecret 0.36 (bitnami.com): a Secret that only the cluster can open."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import Bytes, Int64, Nullable, Preserve, Time


class SealedSecretTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class SealedSecretTemplate(TypedDict, total=False):
    data: Nullable[dict[str, str]]
    immutable: bool
    metadata: Annotated[Nullable[SealedSecretTemplateMetadata], Preserve()]
    type: str


class SealedSecretSpec(TypedDict, total=False):
    data: Bytes
    encryptedData: Required[Annotated[dict[str, str], Preserve()]]
    """Values, sealed with the cluster's public key."""
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
    health=Health(ready=("Synced",)),
)

CRDS = (Definition((SEALED_SECRET,)),)
