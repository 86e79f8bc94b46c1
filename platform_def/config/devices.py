"""What pods can ask for on a pool, kind by kind: the one place that quotas, queues, notebooks and jobs go by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from platform_def.config.pools import NodePool, asked, places, profiles, whole_cards


@dataclass(frozen=True)
class Devices:
    """Devices of one kind that pods on a pool can ask for."""

    title: str
    """For people: `a100-80gb`, `t4 1/4`, `h100-80gb 3g.40gb`, `google.com/tpu`."""
    profile: str
    """MIG profile, where pods choose one; `asked` and `places` take it."""
    resources: Mapping[str, int]
    """What a pod with one of them asks for."""
    per_node: int
    several: bool
    """Whether a pod may have more than one: shares may be of one card, and programs use one MIG device at a time."""


def devices(pool: NodePool) -> tuple[Devices, ...]:
    """Each kind of device that the pool has; none where it has no accelerators."""
    if pool.accelerator:
        model, parts = pool.accelerator.resource, [""]
    elif pool.gpu:
        layout = sorted(pool.gpu.mig.layout) if pool.gpu.mig else [""]
        model, parts = pool.gpu.model, layout
    else:
        return ()
    share = f"1/{pool.gpu.sharing.replicas}" if pool.gpu and pool.gpu.sharing else ""
    several = pool.gpu is None or whole_cards(pool)
    found = []
    for part in parts:
        profile = part if part in profiles(pool) else ""
        title = " ".join(filter(None, (model, part, share)))
        found.append(Devices(title, profile, asked(pool, 1, profile), places(pool, profile), several))
    return tuple(found)
