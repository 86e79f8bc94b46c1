"""What the DCGM exporter must know about pools, with every installer."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.config.pools import WHOLE_GPU, NodePool, offered


def sharing_environment(pools: Sequence[NodePool]) -> dict[str, str]:
    """Names of renamed shares, and word that cards are shared: without them such pods would be missing on metrics."""
    names = sorted({name for pool in pools for name in offered(pool) if name.startswith(f"{WHOLE_GPU}.")})
    shared = any(pool.gpu and pool.gpu.sharing and pool.gpu.sharing.mode != "vgpu" for pool in pools)
    return {
        **({"NVIDIA_RESOURCE_NAMES": ",".join(names)} if names else {}),
        **({"KUBERNETES_VIRTUAL_GPUS": "true"} if shared else {}),
    }
