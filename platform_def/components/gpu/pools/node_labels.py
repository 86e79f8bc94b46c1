"""Labels that programs on the nodes read, and that follow from the pool table: who needs them, on which nodes.

GitOps owns no Node. A worker of node feature discovery runs on the nodes of one pool alone and reports the pool's
labels, so no list of node names and no table of PCI devices is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from platform_def.apis.core.core_v1 import NodeAffinity, NodeSelectorRequirement
from platform_def.capabilities import NodeLabels, NodeWork
from platform_def.components.gpu.pools.mig_layouts import layout_of
from platform_def.config.capability import Need, need
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, overlap
from platform_def.constructs.component import Setting
from platform_def.errors import Problem

MIG_CONFIG = "nvidia.com/mig.config"
"""Label that names the layout of a Node's cards."""
FEATURES: Need[NodeWork] = need(NodeWork, work="features")
"""What writes labels: node feature discovery, with every installer."""


def mig_labels(pools: Sequence[NodePool]) -> dict[str, dict[str, str]]:
    """The label that MIG manager acts on, by pool; where cards have no MIG there is none."""
    return {pool.name: {MIG_CONFIG: layout} for pool in pools if (layout := layout_of(pool))}


def wanted_labels(platform: Platform, own: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, dict[str, str]]:
    """Labels that components of the stack read, by pool, beside a component's own."""
    found = {pool: dict(labels) for pool, labels in (own or {}).items()}
    for given in platform.all(NodeLabels):
        for pool, labels in given.value.pools.items() if not given.provided else ():
            found.setdefault(pool, {}).update(labels)
    return {pool: dict(sorted(labels.items())) for pool, labels in found.items() if labels}


def unwritten(at: Setting[Any], hint: str) -> Iterator[Problem]:
    """Labels of pools that this component reads, where the discovery that should write them is the cluster's own."""
    read = [each.value.pools for each in at.platform.all(NodeLabels) if each.by == at.name]
    keys = sorted({key for pools in read for labels in pools.values() for key in labels})
    by = at.platform.maybe(FEATURES)
    if keys and by and by.provided:
        yield Problem(
            f"components.{at.name}: the cluster's own {by.by} does not know the pools, so nothing writes their labels "
            f"({', '.join(keys)})",
            hint=hint,
        )


def on(pool: NodePool) -> NodeAffinity:
    """The nodes of one pool."""
    terms: list[NodeSelectorRequirement] = [_label(key, value, "In") for key, value in sorted(pool.selector.items())]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": terms}]}}


def beside(pools: Sequence[NodePool]) -> NodeAffinity:
    """The nodes of none of these pools. One with two labels is left by missing either, so each choice is a term."""
    choices = product(*(sorted(pool.selector.items()) for pool in pools))
    terms = {tuple(sorted(set(choice))) for choice in choices}
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchExpressions": [_label(key, value, "NotIn") for key, value in term]} for term in sorted(terms)
            ]
        }
    }


def _label(key: str, value: str, operator: str) -> NodeSelectorRequirement:
    return {"key": key, "operator": operator, "values": [value]}


def indistinct(platform: Platform) -> Iterator[Problem]:
    """Pools with labels whose nodes cannot be distinguished from those of other pools."""
    labels: Mapping[str, Mapping[str, str]] = wanted_labels(platform)
    labelled = [pool for pool in platform.node_pools if pool.name in labels]
    for pool in labelled:
        if not pool.selector:
            yield Problem(
                f"nodePools: pool {pool.name} has no selector, so the nodes that get its labels cannot be found "
                f"({', '.join(labels[pool.name])})",
                hint="give the pool a selector with labels that its nodes alone carry",
                at=("nodePools", pool.name),
            )
    for one, other in combinations([pool for pool in labelled if pool.selector], 2):
        if overlap(one, other):
            yield Problem(
                f"nodePools: pools {one.name} and {other.name} select the same nodes, which would get labels of both",
                hint="give each pool a selector with labels that its nodes alone carry",
                at=("nodePools", one.name),
            )
