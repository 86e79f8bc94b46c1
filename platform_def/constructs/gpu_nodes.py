"""Which nodes have NVIDIA GPUs, and what a pod needs to run there: what every GPU component shares.

Nodes are found by the selectors of the stack's pools. GitOps does not own Node labels, so nothing here asks for a label
that a person would have to set, as long as the pools have selectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from platform_def.apis.core.core_v1 import (
    NodeAffinity,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    PreferredSchedulingTerm,
    Toleration,
)
from platform_def.capabilities import RuntimeClass
from platform_def.config.cluster import brought_classes
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.component import AnyComponent
from platform_def.constructs.extended_resources import gpus_by_claim
from platform_def.constructs.workloads.tolerations import tolerations_of

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
RUNTIME_CLASS = "nvidia"
"""Name and handler that NVIDIA's container toolkit registers with containerd and CRI-O."""

UPSTREAM_TERMS: tuple[NodeSelectorTerm, ...] = tuple(
    {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    for key, value in (
        ("feature.node.kubernetes.io/pci-10de.present", "true"),
        ("feature.node.kubernetes.io/cpu-model.vendor_id", "NVIDIA"),
        ("nvidia.com/gpu.present", "true"),
    )
)
"""Labels by which NVIDIA's charts find GPU nodes: two of node-feature-discovery, the third is set by hand."""

RDMA_TERMS: tuple[NodeSelectorTerm, ...] = (
    {
        "matchExpressions": [
            {"key": "feature.node.kubernetes.io/custom-rdma.available", "operator": "In", "values": ["true"]}
        ]
    },
)
"""Label of node feature discovery for nodes with RDMA adapters and loaded modules, as the RDMA plugin suggests."""

UPSTREAM_TOLERATIONS: tuple[Toleration, ...] = (
    {"key": "CriticalAddonsOnly", "operator": "Exists"},
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
)
"""Taints that NVIDIA's charts tolerate."""


def gpu_affinity(pools: Iterable[NodePool], *, also: Sequence[NodeSelectorRequirement] = ()) -> NodeAffinity:
    """Nodes of these pools; without pools, or where one has no selector, the nodes that upstream's charts choose.

    `also` must hold on every such node.
    """
    return pool_affinity(pools, otherwise=UPSTREAM_TERMS, also=also)


def rdma_affinity(pools: Iterable[NodePool]) -> NodeAffinity:
    """Nodes of these pools; where one has no selector, nodes with RDMA as node feature discovery finds them."""
    return pool_affinity(pools, otherwise=RDMA_TERMS)


def pool_affinity(
    pools: Iterable[NodePool],
    *,
    otherwise: Sequence[NodeSelectorTerm],
    also: Sequence[NodeSelectorRequirement] = (),
) -> NodeAffinity:
    """Nodes of these pools; without pools, or where one has no selector, those that the terms `otherwise` choose."""
    selectors = {tuple(sorted(pool.selector.items())) for pool in pools}
    terms: list[NodeSelectorTerm] = [
        {"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in selector]}
        for selector in sorted(selectors)
    ]
    if not selectors or () in selectors:
        terms = list(otherwise)
    if also:
        terms = [{"matchExpressions": [*term["matchExpressions"], *also]} for term in terms]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def gpu_tolerations(pools: Iterable[NodePool]) -> list[Toleration]:
    """Upstream's tolerations and those for the taints of the pools, each once."""
    wanted = [*UPSTREAM_TOLERATIONS, *(toleration for pool in pools for toleration in tolerations_of(pool))]
    return [toleration for index, toleration in enumerate(wanted) if toleration not in wanted[:index]]


def prefer_control_plane(pod: PodSpec) -> PodSpec:
    """A controller's pod that is best not lost with the nodes that it looks after."""
    # With any value: k3s and RKE2 write `true`.
    expressions: list[NodeSelectorRequirement] = [{"key": CONTROL_PLANE, "operator": "Exists"}]
    term: PreferredSchedulingTerm = {"weight": 1, "preference": {"matchExpressions": expressions}}
    return {
        **pod,
        "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}},
        "tolerations": [{"key": CONTROL_PLANE, "operator": "Exists", "effect": "NoSchedule"}],
    }


def with_runtime(pod: PodSpec, platform: Platform) -> PodSpec:
    """The pod under the nvidia runtime: by its RuntimeClass, unless it is the nodes' default runtime."""
    return {**pod, "runtimeClassName": RUNTIME_CLASS} if platform.nvidia_runtime == "class" else pod


def gpu_runtime_class(platform: Platform) -> str:
    """RuntimeClass by which pods reach whole GPUs; empty where they need none, or where none is given."""
    given = any(each.value.name == RUNTIME_CLASS for each in platform.all(RuntimeClass))
    return RUNTIME_CLASS if platform.nvidia_runtime == "class" and given and not gpus_by_claim(platform) else ""


def renders_runtime_class(component: AnyComponent) -> bool:
    """Whether RuntimeClass `nvidia` is this component's to render: it offers to, and none ranks higher."""
    platform, ranks = component.platform, ("existing", "runtime", "rendered", "fallback")
    own = [each for each in component.offers(component.setting).capabilities if isinstance(each, RuntimeClass)]
    if (
        not own
        or own[0].made in ranks[:2]
        or RUNTIME_CLASS in brought_classes(platform.distribution, platform.kubernetes)
    ):
        return False
    others = [
        given
        for given in platform.all(RuntimeClass)
        if given.value.name == RUNTIME_CLASS and given.by != component.name
    ]
    mine = (ranks.index(own[0].made), component.name)
    return not any(given.provided or (ranks.index(given.value.made), given.by) < mine for given in others)
