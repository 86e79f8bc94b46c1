"""MIG layouts of the pools: their names, the file that mig-parted reads, and layouts that a card cannot have.

A layout is called after what it says, so that a changed pool changes the label, and MIG manager acts on it.
Source: mig-parted 0.15 (api/spec/v1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from platform_def.apis.nvidia.mig_cards import CAPABLE, misfit
from platform_def.apis.nvidia.mig_parted_v1 import MigConfigSpec, MigFile
from platform_def.config.pools import NodePool
from platform_def.errors import Problem

DISABLED = "all-disabled"
"""Upstream's name for cards that are not partitioned."""


def capable(pool: NodePool) -> bool:
    """Whether the pool's cards have MIG that can be set up there, which takes NVIDIA's container toolkit."""
    if pool.gpu is None or pool.gpu.host_libraries:
        return False
    return bool(pool.gpu.mig or CAPABLE.fullmatch(pool.gpu.model))


def layout_name(layout: Mapping[str, int]) -> str:
    """A name made of the layout, fit for a label's value: `1g.10gb-4_3g.40gb-1`."""
    name = "_".join(f"{profile.replace('+', '.')}-{count}" for profile, count in sorted(layout.items()))
    return name if len(name) <= 63 else f"{name[:54].rstrip('-_.')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def layout_of(pool: NodePool) -> str | None:
    """Name of the layout that the pool's nodes are to have; None where the cards have no MIG."""
    if pool.gpu and pool.gpu.mig:
        return layout_name(pool.gpu.mig.layout)
    return DISABLED if capable(pool) else None


def mig_file(pools: Sequence[NodePool], more: Mapping[str, Mapping[str, int]]) -> MigFile:
    """The file with the layouts of all pools, those of `more` by their own names, and `all-disabled`."""
    layouts = {layout_name(pool.gpu.mig.layout): pool.gpu.mig.layout for pool in pools if pool.gpu and pool.gpu.mig}
    configs: dict[str, list[MigConfigSpec]] = {DISABLED: [{"devices": "all", "mig-enabled": False}]}
    for name, layout in sorted({**more, **layouts}.items()):
        configs[name] = [{"devices": "all", "mig-enabled": True, "mig-devices": dict(sorted(layout.items()))}]
    return {"version": "v1", "mig-configs": configs}


def impossible(pools: Sequence[NodePool]) -> Iterator[Problem]:
    """Layouts of pools that their cards cannot have."""
    for pool in pools:
        if pool.gpu is None or pool.gpu.mig is None:
            continue
        why = misfit(pool.gpu.model, pool.gpu.mig.layout)
        if why:
            yield Problem(
                f"nodePools: pool {pool.name}: {why}",
                hint="see NVIDIA's table of the model's MIG profiles",
                at=("nodePools", pool.name, "gpu", "mig"),
            )
