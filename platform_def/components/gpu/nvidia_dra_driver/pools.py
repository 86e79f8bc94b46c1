"""What of a stack's pools the DRA driver serves, and what it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from platform_def.capabilities import NodeWork
from platform_def.components.gpu.pools.configurations import collisions, undivided
from platform_def.components.gpu.pools.mig_layouts import impossible
from platform_def.config.pools import NodePool, layer, virtual
from platform_def.constructs import Platform, Problem


def served(pools: Iterable[NodePool]) -> list[NodePool]:
    """Pools whose cards the driver hands out: those that no virtual GPU layer divides."""
    return [pool for pool in pools if pool.gpu and not virtual(pool)]


def cut_twice(platform: Platform) -> Iterator[Problem]:
    """Another that cuts cards, beside a driver that cuts them as claims ask for it (feature gate DynamicMIG)."""
    cut = next((pool.name for pool in served(platform.node_pools) if pool.gpu and pool.gpu.mig), "")
    cutting = [given.by for given in platform.all(NodeWork) if given.value.work == "partitions"]
    if cut or cutting:
        other = f"pool {cut} has a layout that stays" if cut else f"{cutting[0]} cuts them as the pools say"
        yield Problem(
            f"components.nvidia-dra-driver: with DynamicMIG it cuts cards as claims ask for it, and {other}",
            hint="turn the gate off, or take `mig:` out of the pools, and MIG manager out of the stack",
        )


def unlike_claims(platform: Platform) -> Iterator[Problem]:
    """Ways to use cards that claims do not know, and nodes that are not the driver's alone."""
    for pool in served(platform.node_pools):
        if pool.gpu and pool.gpu.sharing:
            mode = pool.gpu.sharing.mode
            yield Problem(
                f"nodePools: pool {pool.name} shares its cards by {mode}, which is the device plugin's: with "
                "nvidia-dra-driver each claim says how its card is shared",
                hint="take `sharing:` out, and share in ResourceClaims (feature gates TimeSlicingSettings, MPSSupport)",
                at=("nodePools", pool.name, "gpu", "sharing"),
            )
        if pool.gpu and pool.gpu.host_libraries:
            yield Problem(
                f"nodePools: pool {pool.name} takes libraries from folders of its nodes, and nvidia-dra-driver brings "
                "them with each card",
                hint="take `hostLibraries:` out, and name the driver's folder in `driverRoot:` of nvidia-dra-driver",
                at=("nodePools", pool.name, "gpu", "hostLibraries"),
            )
    yield from impossible(platform.node_pools)
    # One driver serves all other ways to use cards.
    yield from collisions(platform.node_pools, way=layer)
    yield from undivided(platform)
