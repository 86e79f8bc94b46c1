"""Labels that a pool's nodes are to carry, and who may set them: a node's owner, or an administrator of the cluster.

A kubelet does not start when it is to give itself a label of Kubernetes' own, few excepted, and admission refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.config.pools import NodePool

WRITTEN_BY_PROGRAMS = frozenset(("nvidia.com/gpu.product", "gaia.tencent.com/gpu-model"))
"""Labels with models that GPU feature discovery and gpu-manager write."""

# Kubernetes' admission plugin NodeRestriction, and the kubelet's check of its arguments.
_OWN = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
    )
)
_OWN_PREFIXES = ("kubelet.kubernetes.io", "node.kubernetes.io")
_RESERVED = ("kubernetes.io", "k8s.io")


def labels_of(pool: NodePool) -> dict[str, str]:
    """Labels that must be set on nodes of the pool."""
    labels = dict(pool.selector)
    label = pool.gpu.model_label if pool.gpu else None
    if label and label.key not in WRITTEN_BY_PROGRAMS:
        labels.setdefault(label.key, label.values[0])
    return labels


def node_labels(pool: NodePool) -> Iterator[str]:
    """How they are set."""
    labels = sorted(labels_of(pool).items())
    own = [f"{key}={value}" for key, value in labels if _by_kubelet(key)]
    if own:
        yield "## Argument of the kubelet, when the node joins:"
        yield f"--node-labels={','.join(own)}"
        yield ""
    others = [f"{key}={value}" for key, value in labels if not _by_kubelet(key)]
    if others:
        yield "## Labels that a kubelet may not give itself, set by an administrator of the cluster:"
        yield f"kubectl label node NODE {' '.join(others)}"
        yield ""


def _by_kubelet(key: str) -> bool:
    prefix = key.rpartition("/")[0]
    reserved = any(prefix == domain or prefix.endswith(f".{domain}") for domain in _RESERVED)
    return not reserved or key in _OWN or any(prefix == own or prefix.endswith(f".{own}") for own in _OWN_PREFIXES)
