"""MIG layouts of the pools: their names, the file that mig-parted reads, and layouts that a card cannot have.

A layout is called after what it says, so that a changed pool changes the label, and MIG manager acts on it.
Source: mig-parted 0.15 (api/spec/v1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from platform_def.apis.nvidia.mig_cards import CAPABLE, misfit
from platform_def.apis.nvidia.mig_parted_v1 import MigConfigSpec, MigFile
from platform_def.config.pools import Mig, NodePool
from platform_def.config.reads import independently
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
    return _fitting("_".join(_words(layout)))


def name_of(mig: Mig) -> str:
    """The same of all cards: `0.1g.10gb-1.2g.20gb-3_1-7.whole`."""
    if not mig.cards:
        return layout_name(mig.layout)
    cards = (f"{cards}.{'.'.join(_words(layout)) or 'whole'}" for cards, layout in mig.cards.items())
    return _fitting("_".join(sorted(cards)))


def _words(layout: Mapping[str, int]) -> list[str]:
    return [f"{profile.replace('+', '.')}-{count}" for profile, count in sorted(layout.items())]


def _fitting(name: str) -> str:
    return name if len(name) <= 63 else f"{name[:54].rstrip('-_.')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def layout_of(pool: NodePool) -> str | None:
    """Name of the layout that the pool's nodes are to have; None where the cards have no MIG."""
    if pool.gpu and pool.gpu.mig:
        return name_of(pool.gpu.mig)
    return DISABLED if capable(pool) else None


def mig_file(pools: Sequence[NodePool], named: Mapping[str, Mapping[str, int]]) -> MigFile:
    """The file with the layouts of all pools, those of `named` by their own names, and `all-disabled`."""
    configs: dict[str, list[MigConfigSpec]] = {DISABLED: [_cut("all", {})]}
    found = {name: [_cut("all", layout)] for name, layout in named.items()}
    for pool in pools:
        if pool.gpu and pool.gpu.mig:
            by_card = [_cut([*cards], layout) for cards, layout in pool.gpu.mig.of_cards()]
            found[name_of(pool.gpu.mig)] = by_card or [_cut("all", pool.gpu.mig.layout)]
    return {"version": "v1", "mig-configs": {**configs, **dict(sorted(found.items()))}}


def _cut(devices: str | list[int], layout: Mapping[str, int]) -> MigConfigSpec:
    if not layout:
        return {"devices": devices, "mig-enabled": False}
    return {"devices": devices, "mig-enabled": True, "mig-devices": dict(sorted(layout.items()))}


def impossible(pools: Sequence[NodePool]) -> Iterator[Problem]:
    """Layouts of pools that their cards cannot have."""
    yield from independently(map(_impossible, pools))


def _impossible(pool: NodePool) -> Iterator[Problem]:
    if pool.gpu is None or pool.gpu.mig is None:
        return
    mig = pool.gpu.mig
    each = [(f"card {cards}: ", layout) for cards, layout in mig.cards.items()] or [("", mig.layout)]
    for which, layout in each:
        why = misfit(pool.gpu.model, layout)
        if why:
            yield Problem(
                f"nodePools: pool {pool.name}: {which}{why}",
                hint="see NVIDIA's table of the model's MIG profiles",
                at=("nodePools", pool.name, "gpu", "mig"),
            )
