"""What of a stack the GPU Operator reads and what it cannot serve: pools that one policy and one driver cannot hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from platform_def.components.gpu.gpu_operator.config import DISCOVERY, NAME, GpuOperatorConfig
from platform_def.components.gpu.pools.clients import elsewhere
from platform_def.components.gpu.pools.configurations import BEFORE_TURING, configurations, undivided
from platform_def.components.gpu.pools.device_plugin_config import config_name
from platform_def.components.gpu.pools.mig_layouts import impossible
from platform_def.components.gpu.pools.node_labels import indistinct, mig_labels, unwritten
from platform_def.config.pools import NodePool, virtual
from platform_def.constructs import ConfigError, Problem, Setting

# NVIDIA's data centre drivers: the last branch with Kepler, and the last with Maxwell, Pascal and Volta.
LAST_BRANCHES = ((re.compile(r"k\d+.*"), 470), (BEFORE_TURING, 580))
AT = f"components.{NAME}"


def labels_of(pools: Sequence[NodePool], own: Collection[str]) -> dict[str, dict[str, str]]:
    """Labels by pool: its plugin takes the file that a Node's label names, and leaves nodes alone where another
    component hands out virtual GPUs; its MIG manager cuts cards as another says."""
    labels = mig_labels(pools) if "mig-manager" in own else {}
    for pool in pools if "nvidia-device-plugin" in own or "gpu-feature-discovery" in own else ():
        if virtual(pool):
            labels.setdefault(pool.name, {})["nvidia.com/gpu.deploy.device-plugin"] = "false"
        elif name := config_name(pool.gpu):
            labels.setdefault(pool.name, {})["nvidia.com/device-plugin.config"] = name
    return labels


def problems_of(at: Setting[GpuOperatorConfig]) -> Iterator[Problem]:
    """All of them."""
    pools, own = at.platform.node_pools, at.config.own
    yield from unwritten(at, f"write `{DISCOVERY}: {{}}` and `beside: [{DISCOVERY}]`")
    yield from impossible(pools)
    yield from undivided(at.platform)
    yield from _without_toolkit(pools)
    if DISCOVERY in own:
        yield from indistinct(at.platform)
    if "mig-manager" in own and mig_strategy(pools) != "none":
        yield from elsewhere(at, at.config.namespace)
    if "nvidia-device-plugin" in own:
        yield from _one_policy(pools)
    if at.config.driver == "container":
        yield from _drivers(pools, at.config)
        if at.platform.distribution == "talos":
            yield Problem(
                f"{AT}: Talos takes signed kernel modules alone, no driver from a container",
                hint="install NVIDIA's system extensions, and write `driver: host` and `toolkit: host`",
            )


def _without_toolkit(pools: Sequence[NodePool]) -> Iterator[Problem]:
    for pool in pools:
        if pool.gpu and pool.gpu.host_libraries:
            yield Problem(
                f"nodePools: pool {pool.name} takes libraries from folders of its nodes, and {NAME} brings driver and "
                "container toolkit",
                hint="take `hostLibraries:` out of the pool, or run the component nvidia-device-plugin without it",
                at=("nodePools", pool.name, "gpu", "hostLibraries"),
            )


def _one_policy(pools: Sequence[NodePool]) -> Iterator[Problem]:
    """Ways to use cards that its one device plugin cannot have together."""
    try:
        configurations(pools)
    except ConfigError as error:
        yield from error.problems
    single, mixed = (_with_mig(pools, strategy) for strategy in ("single", "mixed"))
    if single and mixed:
        yield Problem(
            f"{AT}: it has one MIG strategy for the cluster, and pool {single[0]} wants single, pool {mixed[0]} mixed",
            hint="give all pools one strategy, or run the components nvidia-device-plugin and mig-manager without it",
        )
    mps = [pool.name for pool in pools if pool.gpu and pool.gpu.sharing and pool.gpu.sharing.mode == "mps"]
    if mps and mixed:
        yield Problem(
            f"{AT}: its device plugins get the MIG strategy mixed of pool {mixed[0]} everywhere, "
            f"and with it the plugin refuses MPS, which pool {mps[0]} wants",
            hint="use time-slicing there, or run the component nvidia-device-plugin without it",
        )


def _drivers(pools: Sequence[NodePool], config: GpuOperatorConfig) -> Iterator[Problem]:
    """Cards that a driver no longer knows, and drivers of pools that do not exist."""
    names = {pool.name for pool in pools if pool.gpu}
    for name in config.drivers:
        if name not in names:
            yield Problem(f"{AT}.drivers: no pool with GPUs is called {name}")
    for pool in pools:
        if pool.gpu is None:
            continue
        if pool.name in config.drivers and not pool.selector:
            yield Problem(
                f"{AT}.drivers: pool {pool.name} has no selector, so its driver would go everywhere",
                hint="give the pool a selector with labels that its nodes alone carry",
            )
        version, model = config.drivers.get(pool.name, config.driver_version), pool.gpu.model
        last = next((branch for models, branch in LAST_BRANCHES if models.fullmatch(model)), None)
        if last and int(version.partition(".")[0]) > last:
            yield Problem(
                f"{AT}: driver {version} does not know a {model} (pool {pool.name}); "
                f"the last branch that does is R{last}",
                hint=f"write `drivers: {{{pool.name}: {last}…}}` with a version of it that NVIDIA has as an image, "
                "or `driver: host`",
            )


def mig_strategy(pools: Sequence[NodePool]) -> str:
    """The cluster's one strategy."""
    return next((name for name in ("mixed", "single") if _with_mig(pools, name)), "none")


def _with_mig(pools: Sequence[NodePool], strategy: str) -> list[str]:
    return [pool.name for pool in pools if pool.gpu and pool.gpu.mig and pool.gpu.mig.strategy == strategy]
