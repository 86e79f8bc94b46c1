"""NVIDIA's DRA driver 25.12 (resource.nvidia.com): groups of nodes that share memory over multi-node NVLink."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import Cel, Default, ListMap

Status = Annotated[Literal["Ready", "NotReady"], Default("NotReady")]


class ComputeDomainCliqueDaemon(TypedDict, total=False):
    cliqueID: Required[str]
    index: int
    """Place among the daemons of its clique; its host name follows from it."""
    ipAddress: Required[str]
    nodeName: Required[str]
    status: Status


class ComputeDomainClique(TypedDict, total=False):
    daemons: Annotated[list[ComputeDomainCliqueDaemon], ListMap("nodeName")]


class ClaimTemplate(TypedDict, total=False):
    name: Required[str]
    """ResourceClaimTemplate that the driver makes; pods of the workload name it."""


class Channel(TypedDict, total=False):
    allocationMode: Annotated[Literal["All", "Single"], Default("Single")]
    resourceClaimTemplate: Required[ClaimTemplate]


class ComputeDomainSpec(TypedDict, total=False):
    channel: Required[Channel]
    numNodes: Required[int]
    """0 lets the workload count its nodes itself; upstream will drop the field."""


class Node(TypedDict, total=False):
    cliqueID: Required[str]
    index: int
    ipAddress: Required[str]
    name: Required[str]
    status: Status


class ComputeDomainStatus(TypedDict, total=False):
    nodes: Annotated[list[Node], ListMap("name")]
    status: Required[Status]


class ComputeDomain(TypedDict, total=False):
    spec: Annotated[ComputeDomainSpec, Cel("self == oldSelf", "A computeDomain.spec is immutable")]
    status: ComputeDomainStatus


COMPUTE_DOMAIN_CLIQUE = Api(
    group="resource.nvidia.com",
    version="v1beta1",
    kind="ComputeDomainClique",
    plural="computedomaincliques",
    spec=ComputeDomainClique,
    top_level=True,
)

COMPUTE_DOMAIN = Api(
    group="resource.nvidia.com",
    version="v1beta1",
    kind="ComputeDomain",
    plural="computedomains",
    spec=ComputeDomainSpec,
    top=ComputeDomain,
    status_subresource=True,
)

DEFINITIONS = (Definition((COMPUTE_DOMAIN_CLIQUE,)), Definition((COMPUTE_DOMAIN,)))
