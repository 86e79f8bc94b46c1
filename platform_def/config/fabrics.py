"""What of the pools' RDMA fabrics cannot work in a stack, told at the pool's own line.

A pool that gives its pods virtual functions needs several components at once, and nodes that no other plugin serves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, overlap
from platform_def.config.rdma import Network
from platform_def.errors import Problem

MULTUS, DEVICE_PLUGIN = "multus", "sriov-network-device-plugin"
CNI_PLUGINS, ADDRESSES = "sriov-cni", "whereabouts"
"""Components that a pool of mode `sriov` needs: who attaches networks, offers functions, moves them, has addresses."""


def functions_of(platform: Platform) -> tuple[NodePool, ...]:
    """The pools whose pods get virtual functions."""
    return tuple(pool for pool in platform.node_pools if pool.rdma.sriov)


def network_name(pool: NodePool, network: Network) -> str:
    """Name of the NetworkAttachmentDefinition of one of the pool's networks, in the namespace of sriov-cni."""
    return f"{pool.name}-{network.name}"


def networks_namespace(platform: Platform) -> str:
    """Namespace of the networks that pools have."""
    fact = platform.components.get(CNI_PLUGINS)
    return fact.namespace if fact else CNI_PLUGINS


def needed(pools: tuple[NodePool, ...]) -> tuple[str, ...]:
    """Components that these pools need, if any gives its pods virtual functions."""
    sriov = [pool for pool in pools if pool.rdma.sriov]
    if not sriov:
        return ()
    addressed = any(network.range for pool in sriov for network in pool.rdma.networks)
    return (MULTUS, CNI_PLUGINS, DEVICE_PLUGIN, *((ADDRESSES,) if addressed else ()))


def fabric_problems(platform: Platform) -> Iterator[Problem]:
    """Components that are missing, nodes where Multus cannot work, and pools whose nodes two plugins would serve."""
    for index, pool in enumerate(platform.node_pools):
        if pool.rdma.sriov:
            yield from _missing(index, pool, platform)
            yield from _unfit(index, pool, platform)
    yield from _collisions(platform)
    yield from _exhausted(platform)


def _missing(index: int, pool: NodePool, platform: Platform) -> Iterator[Problem]:
    missing = [name for name in needed((pool,)) if name not in platform.components]
    if missing:
        text = f"pool {pool.name} gives its pods virtual functions, and the stack lacks {', '.join(missing)}"
        lines = ", ".join(f"`{name}: {{}}`" for name in missing)
        yield _problem(index, text, f"add {lines} under components, or `{{provided: true}}` for what the cluster has")
    networks = platform.components.get(CNI_PLUGINS)
    if networks and networks.provided:
        text = f"pool {pool.name} has networks, which nobody renders where {CNI_PLUGINS} is provided"
        yield _problem(index, text, f"write `{CNI_PLUGINS}: {{install: false}}`: the networks without the plugins")


def _unfit(index: int, pool: NodePool, platform: Platform) -> Iterator[Problem]:
    """Multus asks the kubelet which functions a pod has, by a path that is compiled in."""
    if platform.distribution == "microk8s":
        text = f"pool {pool.name}: Multus looks for the kubelet below /var/lib/kubelet, and microk8s has it elsewhere"
        yield _problem(index, text, f"let pods share the adapters: `rdma: {pool.rdma.kind}`")


def _collisions(platform: Platform) -> Iterator[Problem]:
    fabrics = [(index, pool) for index, pool in enumerate(platform.node_pools) if pool.rdma.kind != "none"]
    for (_, one), (index, other) in combinations(fabrics, 2):
        if (one.rdma.sriov or other.rdma.sriov) and overlap(one, other):
            text = (
                f"pools {one.name} and {other.name} reach their fabrics in different ways, and their selectors do not "
                "keep their nodes apart: two plugins would give out the same adapters"
            )
            yield _problem(index, text, "give each pool a selector with labels that its nodes alone carry")


def _exhausted(platform: Platform) -> Iterator[Problem]:
    """Networks of several pools that have one range, as those of one switch have, divide its addresses."""
    users: dict[str, list[tuple[int, NodePool, Network]]] = {}
    for index, pool in enumerate(platform.node_pools):
        for network in pool.rdma.networks:
            users.setdefault(network.range or "", []).append((index, pool, network))
    users.pop("", None)
    for addresses, found in users.items():
        wanted = sum(pool.nodes * (pool.rdma.functions or 0) for _, pool, _ in found)
        free = min(network.free() for _, _, network in found)
        if len(found) > 1 and wanted > free:
            pools = " and ".join(pool.name for _, pool, _ in found)
            text = (
                f"pools {pools} share the range {addresses}: {free} addresses for pods, of which they may need {wanted}"
            )
            yield _problem(found[-1][0], text, "write a larger range, or one for each pool with a router between them")


def _problem(index: int, text: str, hint: str) -> Problem:
    return Problem(f"nodePools[{index}].rdma: {text}", hint=hint, at=("nodePools", index, "rdma"))
