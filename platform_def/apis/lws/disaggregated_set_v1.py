"""DisaggregatedSet 0.10 (disaggregatedset.x-k8s.io): LeaderWorkerSets for the roles of one service, as one object."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.apis.lws.leader_worker_set_v1 import LeaderWorkerSetSpec
from platform_def.crds.model import AGE, Api, Column, Definition, Scale
from platform_def.crds.schema import (
    Cel,
    Default,
    Int32,
    Int64,
    ListMap,
    Maximum,
    MaxItems,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
)
from platform_def.crds.typed_dict import TypedDict


class DisaggregatedSetRoleScalerSpec(TypedDict, total=False):
    """How many replicas an autoscaler wants of a role."""

    replicas: Required[Annotated[Int32, Default(0), Minimum(0)]]


class DisaggregatedSetRoleScalerStatus(TypedDict, total=False):
    """How many there are."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    observedGeneration: Int64
    replicas: Int32
    selector: str


class PlacementPolicy(TypedDict, total=False):
    """Where the roles of a slice are placed."""

    topology: str
    """Label of nodes whose value names a domain, such as a rack."""
    type: Annotated[Literal["None", "ExclusiveSlice", "ExclusiveTopology"], Default("None")]


class RoleMetadata(TypedDict, total=False):
    """Labels and annotations of a role's LeaderWorkerSet."""

    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class Scaling(TypedDict, total=False):
    """Who says how many replicas a role has."""

    mode: Annotated[Literal["Static", "External"], Default("Static")]
    """External: an autoscaler writes the replicas of the role's DisaggregatedSetRoleScaler."""


class Role(TypedDict, total=False):
    """One role: prefill, decode or a router."""

    metadata: RoleMetadata
    name: Required[Annotated[str, MaxLength(63), MinLength(1), Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]]
    scaling: Scaling
    spec: LeaderWorkerSetSpec
    """Its LeaderWorkerSet."""


class DisaggregatedSetSpec(TypedDict, total=False):
    """The roles of a service that are rolled out together."""

    placementPolicy: PlacementPolicy
    """Where the pods of a slice are placed."""
    roles: Required[Annotated[list[Role], MaxItems(10), MinItems(2), ListMap("name")]]
    """Two to ten roles."""
    slices: Annotated[Int32, Default(1), Maximum(100), Minimum(1)]
    """Independent copies of all roles together."""


class RoleStatus(TypedDict, total=False):
    """The replicas of a role."""

    name: Required[str]
    readyReplicas: Int32
    replicas: Int32
    updatedReplicas: Int32


class DisaggregatedSetStatus(TypedDict, total=False):
    """The replicas of all roles."""

    conditions: Annotated[list[meta_v1.Condition], ListMap("type")]
    roleStatuses: Annotated[list[RoleStatus], ListMap("name")]


class DisaggregatedSet(TypedDict, total=False):
    """A service of several roles, each a LeaderWorkerSet."""

    spec: Required[
        Annotated[
            DisaggregatedSetSpec,
            Cel(
                "self.roles.filter(r, !has(r.scaling) || r.scaling.mode != 'External').all(r, !has(r.spec.replicas) || r.spec.replicas == 0) || self.roles.filter(r, !has(r.scaling) || r.scaling.mode != 'External').all(r, has(r.spec.replicas) && r.spec.replicas > 0)",
                "replicas must be zero for all non-External roles or non-zero for all non-External roles",
            ),
        ]
    ]
    status: DisaggregatedSetStatus


DISAGGREGATED_SET_ROLE_SCALER = Api(
    group="disaggregatedset.x-k8s.io",
    version="v1",
    kind="DisaggregatedSetRoleScaler",
    plural="disaggregatedsetrolescalers",
    spec=DisaggregatedSetRoleScalerSpec,
    status=DisaggregatedSetRoleScalerStatus,
    doc="The number of replicas of one role, for autoscalers; the controller makes it.",
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    scale=Scale(spec=".spec.replicas", status=".status.replicas", selector=".status.selector"),
    columns=(
        Column("Desired", ".spec.replicas", type="integer"),
        Column("Current", ".status.replicas", type="integer"),
        AGE,
    ),
)

DISAGGREGATED_SET = Api(
    group="disaggregatedset.x-k8s.io",
    version="v1",
    kind="DisaggregatedSet",
    plural="disaggregatedsets",
    spec=DisaggregatedSetSpec,
    top=DisaggregatedSet,
    doc="A service of several roles, such as prefill and decode, each a LeaderWorkerSet.",
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
)

CRDS = (Definition((DISAGGREGATED_SET_ROLE_SCALER,), short_names=("dsrs",)), Definition((DISAGGREGATED_SET,)))
