"""What whereabouts 0.9 remembers: which addresses of a range are taken, by which pod."""

from __future__ import annotations

from typing import Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.typed_dict import TypedDict


class Allocation(TypedDict, total=False):
    """An address in use."""

    id: Required[str]
    """Sandbox of the pod, as the container runtime calls it."""
    ifname: str
    """Interface in the pod."""
    podref: Required[str]
    """The pod, as namespace/name."""


class IPPoolSpec(TypedDict, total=False):
    """The addresses of one range."""

    allocations: Required[dict[str, Allocation]]
    """Addresses in use, by their distance from the first of the range."""
    range: Required[str]
    """The range, such as 10.56.0.0/16."""


class NodeSlicePoolSpec(TypedDict, total=False):
    """A range of which every node gets a part."""

    range: Required[str]
    """The range, such as 10.56.0.0/16."""
    sliceSize: Required[str]
    """Length of the prefix of each part."""


class Slice(TypedDict, total=False):
    """The part of one node."""

    nodeName: Required[str]
    """The node; empty while the part is free."""
    sliceRange: Required[str]
    """The part, as a range."""


class NodeSlicePoolStatus(TypedDict, total=False):
    """Who has which part."""

    allocations: Required[list[Slice]]
    """Parts by node."""


class OverlappingRangeIPReservationSpec(TypedDict, total=False):
    """An address that is taken in every range that holds it; the object is named after it."""

    containerid: str
    """Sandbox of the pod."""
    ifname: str
    """Interface in the pod."""
    podref: Required[str]
    """The pod, as namespace/name."""


IP_POOL = Api(
    group="whereabouts.cni.cncf.io",
    version="v1alpha1",
    kind="IPPool",
    plural="ippools",
    spec=IPPoolSpec,
    doc="Addresses of one range, and who has them.",
)

NODE_SLICE_POOL = Api(
    group="whereabouts.cni.cncf.io",
    version="v1alpha1",
    kind="NodeSlicePool",
    plural="nodeslicepools",
    spec=NodeSlicePoolSpec,
    status=NodeSlicePoolStatus,
    doc="Which part of a range each node gives out addresses from.",
)

OVERLAPPING_RANGE_IP_RESERVATION = Api(
    group="whereabouts.cni.cncf.io",
    version="v1alpha1",
    kind="OverlappingRangeIPReservation",
    plural="overlappingrangeipreservations",
    spec=OverlappingRangeIPReservationSpec,
    required=("spec",),
    doc="An address that is taken in all ranges.",
)

CRDS = (Definition((IP_POOL,)), Definition((NODE_SLICE_POOL,)), Definition((OVERLAPPING_RANGE_IP_RESERVATION,)))
