"""Labels that programs on the nodes read, and that follow from the pool table: who needs them, on which nodes.

GitOps owns no Node. A worker of node feature discovery runs on the nodes of one pool alone and reports the pool's
labels, so no list of node names and no table of PCI devices is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, product

from platform_def.apis.core.core_v1 import NodeAffinity, NodeSelectorRequirement
from platform_def.components.gpu.device_plugin_config import config_name
from platform_def.components.gpu.mig_manager_layouts import LABEL, layout_of
from platform_def.config.pools import NodePool
from platform_def.errors import Problem

MIG_MANAGER, GPU_OPERATOR, DISCOVERY = "mig-manager", "gpu-operator", "node-feature-discovery"
PLUGIN_CONFIG = "nvidia.com/device-plugin.config"
PLUGIN = "nvidia.com/gpu.deploy.device-plugin"


def labels_of(pool: NodePool, components: Collection[str]) -> dict[str, str]:
    """Labels that the stack's components read on this pool's nodes.

    The GPU Operator's plugin takes the file that a Node's label names, and stays away from nodes where another
    component hands out virtual GPUs.
    """
    labels: dict[str, str] = {}
    layout = layout_of(pool)
    if layout and (MIG_MANAGER in components or GPU_OPERATOR in components):
        labels[LABEL] = layout
    if pool.gpu and GPU_OPERATOR in components:
        if pool.gpu.sharing and pool.gpu.sharing.mode == "vgpu":
            labels[PLUGIN] = "false"
        elif name := config_name(pool.gpu):
            labels[PLUGIN_CONFIG] = name
    return labels


def discovery(components: Collection[str]) -> str:
    """The component that brings node feature discovery: its own, unless the GPU Operator's is the only one."""
    return GPU_OPERATOR if GPU_OPERATOR in components and DISCOVERY not in components else DISCOVERY


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


def indistinct(pools: Sequence[NodePool], components: Collection[str]) -> Iterator[Problem]:
    """Pools with labels whose nodes cannot be told from those of other pools."""
    labelled = [pool for pool in pools if labels_of(pool, components)]
    for pool in labelled:
        if not pool.selector:
            yield Problem(
                f"nodePools: pool {pool.name} has no selector, so its nodes cannot be told to get its labels "
                f"({', '.join(labels_of(pool, components))})",
                hint="give the pool a selector with labels that its nodes alone carry",
                at=("nodePools", pool.name),
            )
    for one, other in combinations([pool for pool in labelled if pool.selector], 2):
        if one.selector.items() <= other.selector.items() or other.selector.items() <= one.selector.items():
            yield Problem(
                f"nodePools: pools {one.name} and {other.name} select the same nodes, which would get labels of both",
                hint="give each pool a selector with labels that its nodes alone carry",
                at=("nodePools", one.name),
            )
