"""Tolerations for the taints of node pools."""

from __future__ import annotations

from platform_def.apis.core.core_v1 import Toleration
from platform_def.config.pools import NodePool


def toleration(key: str, value: str, effect: str) -> Toleration:
    """A toleration for one taint."""
    if value:
        return {"key": key, "operator": "Equal", "value": value, "effect": effect}
    return {"key": key, "operator": "Exists", "effect": effect}


def tolerations_of(pool: NodePool) -> list[Toleration]:
    """Tolerations for all taints of a pool."""
    return [toleration(taint.key, taint.value, taint.effect) for taint in pool.taints]
