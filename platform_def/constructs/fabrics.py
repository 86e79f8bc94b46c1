"""Pools whose pods get virtual functions of their RDMA adapters, and their networks: what all who serve them share."""

from __future__ import annotations

from platform_def.capabilities import Fabric
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.rdma import Network

NETWORKS = "sriov-cni"
"""Namespace of the networks where the stack does not render them."""


def functions_of(platform: Platform) -> tuple[NodePool, ...]:
    """The pools whose pods get virtual functions."""
    return tuple(pool for pool in platform.node_pools if pool.rdma.sriov)


def network_name(pool: NodePool, network: Network) -> str:
    """Name of the NetworkAttachmentDefinition of one of the pool's networks."""
    return f"{pool.name}-{network.name}"


def networks_namespaces(platform: Platform) -> list[str]:
    """Namespaces in which networks of pools are defined; there is one, unless others bring networks of their own."""
    found = {given.value.namespace for given in platform.all(Fabric) if given.value.part == "networks"}
    return sorted(found)


def networks_namespace(platform: Platform) -> str:
    """Namespace of the networks that jobs name."""
    return next(iter(networks_namespaces(platform)), NETWORKS)


def addressed(pools: tuple[NodePool, ...]) -> bool:
    """Whether networks of these pools have ranges, from which addresses are assigned."""
    return any(network.range for pool in pools for network in pool.rdma.networks)
