"""The pools that ask for KAI, and the label by which it keeps to them.

A scheduler of KAI's sees nodes, queues and PodGroups that carry its partition's label, and no others (the lists of
kubernetes_lister.go at v0.17.0). A PodGroup has the labels of its pods' owner, and that one of the pods where the owner
has none (`addNodePoolLabel` of pod_controller.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from platform_def.components.queues.kai_scheduler.config import KaiSchedulerConfig
from platform_def.components.queues.kai_scheduler.words import SCHEDULER
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs import Problem, Setting

NAME = SCHEDULER.word
_LEASE = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def own(pools: Sequence[NodePool]) -> list[NodePool]:
    """The pools that ask for KAI; none where it is there for all."""
    return [pool for pool in pools if pool.scheduler == NAME]


def kept(pools: Sequence[NodePool]) -> list[NodePool]:
    """The pools whose cards it hands out."""
    return own(pools) or [*pools]


def labels(config: KaiSchedulerConfig, platform: Platform) -> dict[str, str]:
    """What its pods and queues carry so that it sees them; nothing where it is there for all nodes."""
    values = [value for pool in own(platform.node_pools) if (value := pool.selector.get(config.node_pool_label))]
    return {config.node_pool_label: values[0]} if values else {}


def lease(config: KaiSchedulerConfig, platform: Platform) -> str:
    """The scheduler's Lease (`LeaseName` at v0.17.0)."""
    return "-".join((NAME, *labels(config, platform).values()))


def partition_problems(at: Setting[KaiSchedulerConfig]) -> Iterator[Problem]:
    """Pools whose nodes KAI would not find, and other pools' nodes that it would."""
    key, pools = at.config.node_pool_label, at.platform.node_pools
    value = labels(at.config, at.platform).get(key)
    wanted = value or next((pool.name for pool in own(pools)), "")
    for index, pool in enumerate(pools):
        found, place = pool.selector.get(key, ""), ("nodePools", index)
        if pool.scheduler == NAME and not found:
            text = f"pool {pool.name} asks for {at.name}, which knows its nodes by the label {key}, and has none"
            others = f", or say `nodePoolLabel: {next(iter(pool.selector))}` in components.{at.name}"
            hint = f"label its nodes, and add `{key}: {wanted}` to its `selector:`{others if pool.selector else ''}"
            yield Problem(text, hint=hint, at=(*place, "selector") if pool.selector else place)
        elif pool.scheduler == NAME and found != value:
            text = f"pool {pool.name} has {key}: {found}, another of {at.name} has {value}, and there is one set"
            hint = f"give both one value, by a label that both have: `{key}: {wanted}`"
            yield Problem(f"{text} of queues for all of them", hint=hint, at=(*place, "selector"))
        elif pool.scheduler == NAME and not _LEASE.fullmatch(found):
            text = f"pool {pool.name} has {key}: {found}, and {at.name} has it in names: small letters, digits and '-'"
            yield Problem(text, hint="write another value", at=(*place, "selector"))
        elif pool.scheduler is None and value is not None and found == value:
            text = f"pool {pool.name} has {key}: {value} too, so {at.name} would take its nodes"
            yield Problem(
                text, hint=f"say `scheduler: {NAME}` there too, or give it another value", at=(*place, "selector")
            )
