"""The scheduler's configuration file: actions of each round, and plug-ins in tiers, as release 1.15 reads it.

The scheduler silently ignores an argument that it does not know, so only those that it knows are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from platform_def.components.queues.volcano.config import BinPacking, VolcanoConfig
from platform_def.config.pools import WHOLE_GPU, NodePool, offered

FILE = "volcano-scheduler.conf"
HOST = "kubernetes.io/hostname"
_BELOW: dict[str, Any] = {"enableHierarchy": True, "arguments": {"ancestorReclaimLevel": 1}}
"""A queue that owns nothing takes back from others what belongs to the one above it."""
_OF_NAMESPACES = "resourcequota"
"""Holds a gang back while the ResourceQuota of its namespace, as members have one, would refuse its pods: Volcano's
controller gives up a job after three refusals."""


def configuration(config: VolcanoConfig, pools: Sequence[NodePool], *, below: bool = False) -> dict[str, Any]:
    """The file for a cluster with these pools; `below`: some queues are below others."""
    divided = tiers(config, pools, below=below)
    return {"actions": ", ".join(actions(config)), "tiers": [{"plugins": tier} for tier in divided]}


def actions(config: VolcanoConfig) -> list[str]:
    """What a round does, in order. Those that evict gangs and those that evict pods must not stand together."""
    prefix = "gang" if config.evict == "gangs" else ""
    evicting = {"preempt": config.preempt, "reclaim": config.reclaim}
    return ["enqueue", "allocate", "backfill", *(f"{prefix}{name}" for name, on in evicting.items() if on)]


def overcommit(config: VolcanoConfig) -> float:
    """The factor of the overcommit plug-in. Volcano evicts no pod for a job that the plug-in has not admitted yet."""
    return config.overcommit or (2.0 if config.reclaim or config.preempt else 1.2)


def tiers(config: VolcanoConfig, pools: Sequence[NodePool], *, below: bool = False) -> list[list[dict[str, Any]]]:
    """Plug-ins; where the first tier has decided whom to evict, the second is not asked."""
    first: list[dict[str, Any]] = [
        {"name": "priority"},
        {"name": "gang", "enablePreemptable": False},
        {"name": "conformance"},
    ]
    second: list[dict[str, Any]] = [
        {"name": "overcommit", "arguments": {"overcommit-factor": overcommit(config)}},
        {"name": "drf", "enablePreemptable": False},
        {"name": "predicates"},
        {"name": config.quotas, **(_BELOW if below else {})},
        _node_order(config.bin_packing),
    ]
    if config.bin_packing.enabled:
        devices = sorted({name for pool in pools for name in offered(pool)}) or [WHOLE_GPU]
        second.append({"name": "binpack", "arguments": _weights(config.bin_packing, devices)})
    if topologies(pools):
        second.append({"name": "network-topology-aware"})
    if below and not any(each.name == _OF_NAMESPACES for each in config.plugins):
        second.append({"name": _OF_NAMESPACES})
    for each in config.plugins:
        second.append({"name": each.name, **({"arguments": dict(each.arguments)} if each.arguments else {})})
    return [first, second]


def _node_order(packing: BinPacking) -> dict[str, Any]:
    """What speaks for a node beside; by default emptier ones do, which would work against packing."""
    spreading = {"leastrequested.weight": 0, "balancedresource.weight": 0}
    return {"name": "nodeorder", **({"arguments": spreading} if packing.enabled else {})}


def _weights(packing: BinPacking, devices: Iterable[str]) -> dict[str, Any]:
    named = [*devices]
    return {
        "binpack.weight": packing.weight,
        "binpack.cpu": packing.cpu,
        "binpack.memory": packing.memory,
        "binpack.resources": ", ".join(named),
        **{f"binpack.resources.{name}": packing.devices for name in named},
    }


def topologies(pools: Sequence[NodePool]) -> dict[str, list[str]]:
    """Levels of the network above nodes, widest first, by the name of the first pool that has them."""
    found: dict[str, list[str]] = {}
    for pool in pools:
        levels = [*(level for level in pool.topology if level != HOST), HOST] if pool.topology else []
        if levels and levels not in found.values():
            found[pool.name] = levels
    return found


def discovery(pools: Sequence[NodePool]) -> dict[str, Any]:
    """The controllers' file: HyperNodes are made from the labels of nodes that pools name as their topology."""
    levels = {name: [{"nodeLabel": label} for label in each] for name, each in topologies(pools).items()}
    source = {"source": "label", "enabled": True, "config": {"networkTopologyTypes": levels}}
    return {"networkTopologyDiscovery": [source] if levels else []}
