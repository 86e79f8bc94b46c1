"""The part of a kube-scheduler's profile that fills nodes: components whose scheduler is a kube-scheduler share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from platform_def.config.pools import WHOLE_GPU, NodePool, offered

OTHERS = ("cpu", "memory")
"""Resources that count one beside a device's weight."""
SPREADING = ({"name": "NodeResourcesBalancedAllocation"},)
"""Plug-ins that prefer even use, and would work against it."""


def fit(pools: Sequence[NodePool], weight: int) -> dict[str, Any]:
    """Nodes with most of their devices in use score best."""
    devices = sorted({name for pool in pools for name in offered(pool)}) or [WHOLE_GPU]
    weights = [
        *({"name": name, "weight": weight} for name in devices),
        *({"name": name, "weight": 1} for name in OTHERS),
    ]
    args = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "NodeResourcesFitArgs",
        "scoringStrategy": {"type": "MostAllocated", "resources": weights},
    }
    return {"name": "NodeResourcesFit", "args": args}
