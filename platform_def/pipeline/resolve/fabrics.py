"""What of the pools' RDMA fabrics cannot work in a stack, told at the pool's own line.

A pool that gives its pods virtual functions needs several programs at once, and nodes that no other plugin serves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from platform_def.capabilities import Fabric
from platform_def.config.capability import need
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, overlap
from platform_def.config.rdma import Network
from platform_def.constructs.fabrics import addressed
from platform_def.errors import Problem
from platform_def.pipeline.resolve.givers import who_could

PARTS = (need(Fabric, part="attach"), need(Fabric, part="networks"), need(Fabric, part="functions"))
ADDRESSES = need(Fabric, part="addresses")


def fabric_problems(platform: Platform) -> Iterator[Problem]:
    """Components that are missing, nodes where Multus cannot work, and pools whose nodes two plugins would serve."""
    for index, pool in enumerate(platform.node_pools):
        if pool.rdma.sriov:
            yield from _missing(index, pool, platform)
            yield from _unfit(index, pool, platform)
    yield from _collisions(platform)
    yield from _exhausted(platform)


def _missing(index: int, pool: NodePool, platform: Platform) -> Iterator[Problem]:
    """Who does a part of what such pods need; networks are those of the pools, so they must be rendered here."""
    for wanted in (*PARTS, *((ADDRESSES,) if addressed((pool,)) else ())):
        if platform.maybe(wanted) is None:
            text = f"pool {pool.name} gives its pods virtual functions, and the stack lacks {wanted.title}"
            yield _problem(index, text, who_could(wanted, platform))
    networks = [given for given in platform.all(Fabric) if given.value.part == "networks"]
    if networks and all(given.provided for given in networks):
        by = networks[0].by
        text = f"pool {pool.name} has networks, which nothing renders where {by} is provided"
        yield _problem(index, text, f"write `{by}: {{install: false}}`: the networks without the plugins")


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
