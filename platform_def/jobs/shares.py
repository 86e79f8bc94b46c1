"""Processors, memory and shared memory of a pod by default: the share of its node that its GPUs are.

A pod with all GPUs of a node gets nine tenths of its cores and memory; the rest is the system's and the agents'. Where
the pool does not say what its nodes have, four cores and 16 GiB a GPU are asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from platform_def.config.pools import NodePool, places
from platform_def.crds.quantity import amount

FREE = Fraction(9, 10)
"""Part of a node that pods of jobs may take: kubelet, system and DaemonSets have the rest."""
CORES_A_GPU, GIB_A_GPU = 4, 16
GIB = 1024**3


@dataclass(frozen=True)
class Share:
    """What a pod gets, and why."""

    cpu: str
    memory: str
    shared_memory: str
    """Half of the memory, as a plain tmpfs has; what lies there counts as memory of the pod."""
    why: str


def share(pool: NodePool | None, gpus: int, profile: str = "") -> Share:
    """The share of a pod with so many of what the pool calls a GPU."""
    there = places(pool, profile) if pool else 0
    part = min(Fraction(gpus, there), Fraction(1)) * FREE if gpus and there else None
    cores, memory = (pool.cores, pool.memory_gib) if pool and part else (None, None)
    of_node = f"{gpus} of {there} devices of a node of pool {pool.name}" if pool and part else ""
    plain = f"{max(gpus, 1)} times {CORES_A_GPU} cores and {GIB_A_GPU} GiB"
    cpu = _cores(cores * part) if cores and part else str(CORES_A_GPU * max(gpus, 1))
    mib = math.floor(memory * part * 1024) if memory and part else GIB_A_GPU * 1024 * max(gpus, 1)
    known = [f"{cores} cores"] if cores else []
    known += [f"{memory} GiB"] if memory else []
    why = f"{of_node}, which has {' and '.join(known)}" if known else plain
    if of_node and len(known) == 1:
        why += f"; else {plain}"
    return Share(cpu, _size(mib), _size(mib // 2), why)


def half(memory: str) -> str:
    """Half of a quantity of memory."""
    found = amount(memory) or Decimal(GIB)
    return _size(math.floor(found / 2 / 1024**2))


def _cores(cores: Fraction) -> str:
    return str(math.floor(cores)) if cores >= 1 else f"{math.floor(cores * 1000)}m"


def _size(mib: int) -> str:
    return f"{mib // 1024}Gi" if mib >= 1024 else f"{max(mib, 64)}Mi"
