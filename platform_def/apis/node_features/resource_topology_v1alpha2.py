"""Node resource topology (topology.node.k8s.io): what each NUMA zone of a node has left."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Int64, Quantity
from platform_def.crds.typed_dict import TypedDict


class NodeResourceTopologyAttribute(TypedDict, total=False):
    name: Required[str]
    value: Required[str]


class Cost(TypedDict, total=False):
    name: Required[str]
    value: Required[Int64]


class Resource(TypedDict, total=False):
    allocatable: Required[Quantity]
    available: Required[Quantity]
    capacity: Required[Quantity]
    name: Required[str]


class NodeResourceTopologyZone(TypedDict, total=False):
    attributes: list[NodeResourceTopologyAttribute]
    costs: list[Cost]
    name: Required[str]
    parent: str
    resources: list[Resource]
    type: Required[str]


class NodeResourceTopology(TypedDict, total=False):
    attributes: list[NodeResourceTopologyAttribute]
    topologyPolicies: list[str]
    zones: Required[list[NodeResourceTopologyZone]]


class NodeResourceTopologyV1alpha1(TypedDict, total=False):
    topologyPolicies: Required[list[str]]
    zones: Required[list[NodeResourceTopologyZone]]


NODE_RESOURCE_TOPOLOGY = Api(
    group="topology.node.k8s.io",
    version="v1alpha2",
    kind="NodeResourceTopology",
    plural="noderesourcetopologies",
    namespaced=False,
    spec=NodeResourceTopology,
    top_level=True,
)

NODE_RESOURCE_TOPOLOGY_V1ALPHA1 = Api(
    group="topology.node.k8s.io",
    version="v1alpha1",
    kind="NodeResourceTopology",
    plural="noderesourcetopologies",
    namespaced=False,
    spec=NodeResourceTopologyV1alpha1,
    top_level=True,
    storage=False,
)

CRDS = (
    Definition(
        (NODE_RESOURCE_TOPOLOGY_V1ALPHA1, NODE_RESOURCE_TOPOLOGY),
        short_names=("node-res-topo",),
        annotations={"api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements/pull/1870"},
    ),
)
