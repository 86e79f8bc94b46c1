"""The distinct ways in which a stack's pools use their GPUs, and what makes them collide on a node.

Two plugins on one node would hand out the same cards, so every node must belong to one way alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from platform_def.capabilities import Devices, NodeWork
from platform_def.components.gpu.pools.device_plugin_config import config_name
from platform_def.config.accelerators import HostLibraries
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool, layer, virtual
from platform_def.constructs.component import Setting
from platform_def.errors import ConfigError, Problem

WHOLE = "whole"
"""What NVIDIA's own programs call the nodes that no virtual GPU layer divides (`NodeWork.nodes`); the others are called
after their layer."""

BEFORE_TURING = re.compile(r"[kmp]\d+.*|v100.*|titan-?[xv].*")
"""Models below compute capability 7.5: Kepler, Maxwell, Pascal and Volta."""
OLD_CLIENTS = 16
"""Most MPS clients of such a card (mps/device.go, 0.20; its text says Volta, its code means Turing)."""


@dataclass(frozen=True)
class Configuration:
    """One way to use GPUs, and the pools that do."""

    name: str
    gpu: Gpu | None
    """GPUs of the first of its pools: what the name is made of is the same in all of them."""
    pools: tuple[NodePool, ...]
    """Empty where the stack has no pool with GPUs: nodes are then found by upstream's labels."""

    @property
    def mps(self) -> bool:
        """Whether cards are shared through MPS daemons."""
        return bool(self.gpu and self.gpu.sharing and self.gpu.sharing.mode == "mps")

    @property
    def mig(self) -> bool:
        """Whether cards are partitioned in hardware."""
        return bool(self.gpu and self.gpu.mig)

    @property
    def libraries(self) -> HostLibraries | None:
        """The driver's folder on nodes without a container toolkit; what runs there needs no CUDA."""
        given = self.gpu.host_libraries if self.gpu else None
        return HostLibraries(driver=given.driver) if given else None


def configurations(pools: Sequence[NodePool]) -> list[Configuration]:
    """The ways that NVIDIA's plugin serves, by name; raises ConfigError with all that makes pools collide."""
    ways: dict[str, list[NodePool]] = {}
    for pool in pools:
        if pool.gpu and not virtual(pool):
            ways.setdefault(config_name(pool.gpu), []).append(pool)
    problems = [*collisions(pools), *_too_many_clients(pools)]
    if problems:
        raise ConfigError(problems)
    if not ways:
        return [Configuration("", None, ())]
    return [Configuration(name, members[0].gpu, tuple(members)) for name, members in sorted(ways.items())]


def unserved(who: str, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """Why one program for each configuration cannot serve the pools."""
    gpus = [pool for pool in pools if pool.gpu]
    if gpus and all(virtual(pool) for pool in gpus):
        text = f"components.{who}: no pool is left for it, all GPUs are shared with mode vgpu"
        yield Problem(text, hint="remove the component, or give a pool whole cards, time-slicing, mps or mig")
    try:
        configurations(pools)
    except ConfigError as error:
        yield from error.problems


def collisions(pools: Sequence[NodePool], *, way: Callable[[NodePool], str] | None = None) -> Iterator[Problem]:
    """Pools that use their GPUs in different ways, and whose selectors do not keep their nodes apart.

    The same words for every caller, so that a user reads it once. `way` is what must not differ on a node.
    """
    way = way or _hands_out
    for one, other in combinations([pool for pool in pools if pool.gpu], 2):
        wide, narrow = (one, other) if one.selector.items() <= other.selector.items() else (other, one)
        if way(one) != way(other) and wide.selector.items() <= narrow.selector.items():
            what = f"selects nodes of pool {narrow.name} too" if wide.selector else "has no selector"
            yield Problem(
                f"nodePools: pool {wide.name} {what}, and uses its GPUs in another way than pool {narrow.name}: "
                "two programs would hand out the same cards",
                hint=f"give pool {wide.name} a selector with labels that its nodes alone carry",
                at=("nodePools", wide.name),
            )


def _hands_out(pool: NodePool) -> str:
    return layer(pool) or (config_name(pool.gpu) if pool.gpu else "")


def undivided(platform: Platform) -> Iterator[Problem]:
    """Pools with virtual GPUs that nothing in the stack divides: all other components leave their cards out."""
    dividing = {given.value.layer for given in platform.all(Devices) if given.value.resources}
    for pool in platform.node_pools:
        divides = layer(pool)
        if divides and divides not in dividing:
            yield Problem(
                f"nodePools: pool {pool.name} leaves its cards to {divides}, which the stack does not have",
                hint=f"add `{divides}: {{}}` under components, or `{{provided: true}}` when the cluster has it",
                at=("nodePools", pool.name),
            )


def dividing(at: Setting[Any], name: str) -> NodeWork:
    """A layer's work, on the nodes of its pools alone; that of the cluster has all nodes where no pool says it."""
    alone = not at.provided or any(layer(pool) == name for pool in at.platform.node_pools)
    apart = "" if alone else f"say which pools are {name}'s: `sharing: {{mode: vgpu, layer: {name}}}`"
    return NodeWork(work="devices", nodes=name, everywhere=apart)


def _too_many_clients(pools: Sequence[NodePool]) -> Iterator[Problem]:
    for pool in pools:
        sharing = pool.gpu.sharing if pool.gpu else None
        if pool.gpu is None or sharing is None or sharing.mode != "mps":
            continue
        if sharing.replicas > OLD_CLIENTS and BEFORE_TURING.fullmatch(pool.gpu.model):
            yield Problem(
                f"nodePools: pool {pool.name}: MPS serves at most {OLD_CLIENTS} clients of a {pool.gpu.model}, "
                f"not {sharing.replicas}: the daemon would not start",
                hint=f"write replicas: {OLD_CLIENTS}",
                at=("nodePools", pool.name, "gpu", "sharing", "replicas"),
            )
