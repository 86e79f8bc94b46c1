"""NVIDIA's DRA driver, 25.12 and 0.4 (resource.nvidia.com): nodes that share memory over multi-node NVLink."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import Cel, Default, ListMap, Minimum
from platform_def.crds.typed_dict import TypedDict

Status = Annotated[Literal["Ready", "NotReady"], Default("NotReady")]


class ComputeDomainCliqueDaemon(TypedDict, total=False):
    """A daemon on one node."""

    cliqueID: Required[str]
    index: int
    """Place among the daemons of its clique; its host name follows from it."""
    ipAddress: Required[str]
    nodeName: Required[str]
    status: Status


class ComputeDomainClique(TypedDict, total=False):
    """Nodes of one NVLink clique; the driver writes it."""

    daemons: Annotated[list[ComputeDomainCliqueDaemon], ListMap("nodeName")]


class ClaimTemplate(TypedDict, total=False):
    """Name of what the driver makes."""

    name: Required[str]
    """ResourceClaimTemplate that the driver makes; pods of the workload name it."""


class Channel(TypedDict, total=False):
    """Access of a workload's pods to the shared memory."""

    allocationMode: Annotated[Literal["All", "Single"], Default("Single")]
    """Single: one channel for each pod; All: all of a node's channels."""
    resourceClaimTemplate: Required[ClaimTemplate]
    """The ResourceClaimTemplate that the driver makes for it."""


class ComputeDomainSpec(TypedDict, total=False):
    """Nodes whose GPUs share memory over NVLink, for one workload."""

    channel: Required[Channel]
    """Access of the workload's pods."""
    numNodes: Required[int]
    """0 lets the workload count its nodes itself; upstream will drop the field."""


class CountedDomainSpec(TypedDict, total=False):
    """Nodes whose GPUs share memory over NVLink, for one workload; since 0.4, which is younger than 25.12."""

    channel: Required[Channel]
    """Access of the workload's pods."""
    numNodes: Annotated[int, Default(0), Minimum(0)]
    """0 lets the workload count its nodes itself; upstream will drop the field."""


class Node(TypedDict, total=False):
    """A node of the domain."""

    cliqueID: Required[str]
    index: int
    ipAddress: Required[str]
    name: Required[str]
    status: Status


class ComputeDomainStatus(TypedDict, total=False):
    """What the driver reports."""

    nodes: Annotated[list[Node], ListMap("name")]
    status: Required[Status]


class ComputeDomain(TypedDict, total=False):
    """A domain with its rules."""

    spec: Annotated[ComputeDomainSpec, Cel("self == oldSelf", "A computeDomain.spec is immutable")]
    status: ComputeDomainStatus


class CountedDomain(TypedDict, total=False):
    """A domain with its rules, since 0.4."""

    spec: Annotated[CountedDomainSpec, Cel("self == oldSelf", "A computeDomain.spec is immutable")]
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
    makes=(Makes("ResourceClaimTemplate", "spec.channel.resourceClaimTemplate.name", group="resource.k8s.io"),),
    doc="Nodes whose GPUs share memory over NVLink, for one workload.",
)

COUNTED_DOMAIN = Api(
    group="resource.nvidia.com",
    version="v1beta1",
    kind="ComputeDomain",
    plural="computedomains",
    spec=CountedDomainSpec,
    top=CountedDomain,
    status_subresource=True,
    makes=(Makes("ResourceClaimTemplate", "spec.channel.resourceClaimTemplate.name", group="resource.k8s.io"),),
    doc="Nodes whose GPUs share memory over NVLink, for one workload.",
)

CLIQUES = Definition((COMPUTE_DOMAIN_CLIQUE,))
RELEASE_0_4 = (CLIQUES, Definition((COUNTED_DOMAIN,)))
DEFINITIONS = (CLIQUES, Definition((COMPUTE_DOMAIN,)))
