"""The distinct ways in which a stack's pools use their GPUs, and what makes them collide on a node.

Two plugins on one node would hand out the same cards, so every node must belong to one way alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from platform_def.components.gpu.device_plugin_config import config_name
from platform_def.config.accelerators import HostLibraries
from platform_def.config.pools import Gpu, NodePool, layer
from platform_def.errors import ConfigError, Problem

VIRTUAL = "vgpu"
"""Not a configuration of NVIDIA's plugin: another component serves these pools."""

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
        if pool.gpu:
            ways.setdefault(_way(pool.gpu), []).append(pool)
    problems = [*collisions(pools), *_too_many_clients(pools)]
    if ways.keys() == {VIRTUAL}:
        problems.append(
            Problem(
                "components.nvidia-device-plugin: no pool is left for it, all GPUs are shared with mode vgpu",
                hint="remove the component, or give a pool whole cards, time-slicing, mps or mig",
            )
        )
    if problems:
        raise ConfigError(problems)
    served = {name: members for name, members in ways.items() if name != VIRTUAL}
    if not served:
        return [Configuration("", None, ())]
    return [Configuration(name, members[0].gpu, tuple(members)) for name, members in sorted(served.items())]


def _way(gpu: Gpu) -> str:
    return VIRTUAL if gpu.sharing and gpu.sharing.mode == "vgpu" else config_name(gpu)


def collisions(pools: Sequence[NodePool], *, way: Callable[[NodePool], str] | None = None) -> Iterator[Problem]:
    """Pools that use their GPUs in different ways, and whose selectors do not keep their nodes apart.

    Said in the same words whoever asks, so that a user reads it once. `way` is what must not differ on a node.
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
    return layer(pool) or (_way(pool.gpu) if pool.gpu else "")


def undivided(pools: Sequence[NodePool], components: Collection[str]) -> Iterator[Problem]:
    """Pools with virtual GPUs that nobody in the stack divides: everybody else leaves their cards alone."""
    for pool in pools:
        divides = layer(pool)
        if divides and divides not in components:
            yield Problem(
                f"nodePools: pool {pool.name} leaves its cards to {divides}, which the stack does not have",
                hint=f"add `{divides}: {{}}` under components, or `{{provided: true}}` when the cluster has it",
                at=("nodePools", pool.name),
            )


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
