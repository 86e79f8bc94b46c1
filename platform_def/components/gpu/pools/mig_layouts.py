"""MIG layouts of the pools: their names, the file that mig-parted reads, and layouts that a card cannot have.

A layout is called after what it says, so that a changed pool changes the label, and MIG manager acts on it.
Sources: mig-parted 0.15 (api/spec/v1), NVIDIA's MIG user guide.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from platform_def.config.pools import Gpu, NodePool
from platform_def.errors import Problem

DISABLED = "all-disabled"
"""Upstream's name for cards that are not partitioned."""

CAPABLE = re.compile(r"(a30|a100|a800|h20|h100|h200|h800|gh200|b100|b200|b300|gb200|gb300|rtx-pro-6000)(-.*)?")
"""Models with MIG."""
_WITHOUT = re.compile(
    r"((k|m|p|t)\d+.*|v100.*|titan.*|gtx.*|quadro.*|rtx(?!-?pro-6000).*|a2|a10g?|a16|a40|a[2456]000|l2|l4|l20|l40s?)(-.*)?"
)
"""Models without; of one that is in neither list its pool is believed."""
_SMALL = re.compile(r"a30|rtx-pro-6000")
"""Models of four compute slices; the others have seven."""
_MEMORY = re.compile(r".*-(\d+)gb")
_PROFILE = re.compile(r"(?P<slices>\d)g\.(?P<memory>\d+)gb.*")
_FEATURE = re.compile(r"(\+|-).*")
"""What a profile says behind its size: media engines, graphics."""
_PROFILES: Mapping[str, Mapping[str, int]] = {
    model: {profile: int(most) for profile, most in (each.split(":") for each in profiles.split())}
    for models, profiles in (
        ("a30 a30-24gb", "1g.6gb:4 2g.12gb:2 4g.24gb:1"),
        ("a100-40gb a800-40gb", "1g.5gb:7 1g.10gb:4 2g.10gb:3 3g.20gb:2 4g.20gb:1 7g.40gb:1"),
        (
            "a100-80gb a800-80gb h100-80gb h800-80gb",
            "1g.10gb:7 1g.20gb:4 2g.20gb:3 3g.40gb:2 4g.40gb:1 7g.80gb:1",
        ),
        ("h100-94gb", "1g.12gb:7 1g.24gb:4 2g.24gb:3 3g.47gb:2 4g.47gb:1 7g.94gb:1"),
        ("h100-96gb h20-96gb gh200-96gb", "1g.12gb:7 1g.24gb:4 2g.24gb:3 3g.48gb:2 4g.48gb:1 7g.96gb:1"),
        ("h200 h200-141gb", "1g.18gb:7 1g.35gb:4 2g.35gb:3 3g.71gb:2 4g.71gb:1 7g.141gb:1"),
        ("b200 b200-180gb", "1g.23gb:7 1g.45gb:4 2g.45gb:3 3g.90gb:2 4g.90gb:1 7g.180gb:1"),
    )
    for model in models.split()
}
"""Profiles by model, with the most devices of each on one card; of a model that is not here the layout is believed."""


# Functional syntax: mig-parted's keys have hyphens.
MigConfigSpec = TypedDict(
    "MigConfigSpec", {"devices": str, "mig-enabled": bool, "mig-devices": Mapping[str, int]}, total=False
)
MigFile = TypedDict("MigFile", {"version": str, "mig-configs": dict[str, list[MigConfigSpec]]})


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
        why = _impossible(pool.gpu)
        if why:
            yield Problem(
                f"nodePools: pool {pool.name}: {why}",
                hint="see NVIDIA's table of the model's MIG profiles",
                at=("nodePools", pool.name, "gpu", "mig"),
            )


def _impossible(gpu: Gpu) -> str:
    if _WITHOUT.fullmatch(gpu.model):
        return f"{gpu.model} has no MIG"
    layout = gpu.mig.layout if gpu.mig else {}
    known = _PROFILES.get(gpu.model)
    for profile, count in layout.items() if known else ():
        most = (known or {}).get(_FEATURE.sub("", profile))
        if most is None:
            return f"{gpu.model} has no profile {profile}: it has {', '.join(known or ())}"
        if count > most:
            return f"at most {most} of {profile} fit on one {gpu.model}, not {count}"
    parts = [(found, count) for profile, count in layout.items() if (found := _PROFILE.fullmatch(profile))]
    slices, there = sum(int(found["slices"]) * count for found, count in parts), 4 if _SMALL.match(gpu.model) else 7
    if slices > there:
        return f"its layout takes {slices} compute slices, and {gpu.model} has {there}"
    memory, card = sum(int(found["memory"]) * count for found, count in parts), _MEMORY.fullmatch(gpu.model)
    # Profiles round their memory up to whole gigabytes.
    if card and memory > int(card[1]) + sum(layout.values()):
        return f"its layout takes {memory} GB, and {gpu.model} has {card[1]}"
    return ""
