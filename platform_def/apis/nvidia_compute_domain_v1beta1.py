"""NVIDIA DRA driver 25.12 (resource.nvidia.com): domains of nodes that share memory over NVLink."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import Cel, Default, ListMap

Status = Annotated[Literal["Ready", "NotReady"], Default("NotReady")]


class ComputeDomainCliqueDaemon(TypedDict, total=False):
    cliqueID: Required[str]
    index: int
    ipAddress: Required[str]
    nodeName: Required[str]
    status: Status


class ComputeDomainClique(TypedDict, total=False):
    daemons: Annotated[list[ComputeDomainCliqueDaemon], ListMap("nodeName")]


class Channel(TypedDict, total=False):
    allocationMode: Annotated[Literal["All", "Single"], Default("Single")]
    resourceClaimTemplate: Required[core_v1.ResourceClaim]


class ComputeDomainSpec(TypedDict, total=False):
    channel: Required[Channel]
    numNodes: Required[int]


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
    spec: Annotated[ComputeDomainSpec, Cel("self == oldSelf", "the spec cannot change: make a new ComputeDomain")]
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
    core="1.30",
    status_subresource=True,
)

CRDS = (Definition((COMPUTE_DOMAIN_CLIQUE,)), Definition((COMPUTE_DOMAIN,)))
