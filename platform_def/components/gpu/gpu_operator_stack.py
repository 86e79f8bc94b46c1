"""What of a stack the GPU Operator cannot serve: components that do its work, and pools that one policy cannot hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from platform_def.components.gpu.mig_manager_layouts import impossible
from platform_def.components.gpu.node_feature_discovery_pools import indistinct, labels_of
from platform_def.components.gpu.pool_configurations import BEFORE_TURING, VIRTUAL, configurations, undivided
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, layer
from platform_def.errors import ConfigError, Problem

NAME = "gpu-operator"
DISCOVERY = "node-feature-discovery"
OWN: Mapping[str, str] = {
    "nvidia-device-plugin": "two device plugins would hand out the same cards",
    "gpu-feature-discovery": "both would write the same labels",
    "dcgm-exporter": "every metric would appear twice",
    "mig-manager": "both would cut the same cards",
    DISCOVERY: "both would own the same CRDs and labels",
}
"""Components whose work the operator does, and what happens beside it."""
DRA = "nvidia-dra-driver"

# NVIDIA's data centre drivers: the last branch with Kepler, and the last with Maxwell, Pascal and Volta.
KEPLER, KEPLER_BRANCH, VOLTA_BRANCH = re.compile(r"k\d+.*"), 470, 580


def neighbours(platform: Platform, beside: Sequence[str]) -> Iterator[Problem]:
    """Components that do the operator's work without having been declared."""
    for name, why in OWN.items():
        if name in platform.components and name not in beside:
            yield Problem(
                f"components.{NAME}: it brings its own {name}, and the stack has that component too: {why}",
                hint=f"remove {name}, or write `beside: [{name}]`, and the operator leaves it out",
            )
    for name in beside:
        if name not in platform.components:
            yield Problem(
                f"components.{NAME}.beside: {name} is not among the components, so nobody would do its work",
                hint=f"add `{name}: {{}}`, or take it out of `beside`",
            )
    yield from cluster_rivals(NAME, platform)
    provided = platform.components.get(DISCOVERY)
    if provided and provided.provided and any(labels_of(pool, (NAME,)) for pool in platform.node_pools):
        yield Problem(
            f"components.{NAME}: the cluster's own {DISCOVERY} does not know the pools, so nobody writes their labels",
            hint=f"write `{DISCOVERY}: {{}}` and `beside: [{DISCOVERY}]`",
        )


def cluster_rivals(name: str, platform: Platform) -> Iterator[Problem]:
    """What the cluster has already and hands out cards, or does the same work, beside component `name` of the stack.

    How it was set up is not known, so it is taken as its makers deliver it.
    """
    there = {each for each, fact in platform.components.items() if fact.provided}
    if NAME in there and name in OWN:
        yield Problem(
            f"components.{name}: the cluster's own {NAME} brings its own {name}: {OWN[name]}",
            hint=f"remove {name}; where the operator was told to leave it out, remove {NAME} from the stack instead",
        )
    if name not in (NAME, "nvidia-device-plugin", DRA):
        return
    if DRA in there:
        yield Problem(
            f"components.{name}: the cluster's own {DRA} hands out the same cards, and neither sees the other's pods",
            hint=f"let this tool render {DRA} with `gpus: false`, or remove {name}",
        )
    pools = {layer(pool) for pool in platform.node_pools}
    for divides in ("gpu-manager", "hami"):
        if divides in there and (name == NAME or divides not in pools):
            yield Problem(
                f"components.{name}: the cluster's own {divides} hands out the same cards, and neither sees the "
                "other's pods",
                hint="keep one of the two"
                if name == NAME
                else f"say which pools are {divides}'s: `sharing: {{mode: vgpu, layer: {divides}}}`",
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


def one_policy(platform: Platform, beside: Sequence[str]) -> Iterator[Problem]:
    """Pools that one ClusterPolicy cannot hold, and layouts that their cards cannot have."""
    yield from impossible(platform.node_pools)
    yield from undivided(platform.node_pools, platform.components)
    yield from _without_toolkit(platform.node_pools)
    if DISCOVERY not in beside:
        yield from indistinct(platform.node_pools, (NAME,))
    if "nvidia-device-plugin" in beside:
        return
    try:
        if any(pool.gpu and not _virtual(pool) for pool in platform.node_pools):
            configurations(platform.node_pools)
    except ConfigError as error:
        yield from error.problems
    single, mixed = (_with_mig(platform.node_pools, strategy) for strategy in ("single", "mixed"))
    if single and mixed:
        yield Problem(
            f"components.{NAME}: it has one MIG strategy for the cluster, and pool {single[0]} wants single, "
            f"pool {mixed[0]} mixed",
            hint="give all pools one strategy, or run the components nvidia-device-plugin and mig-manager without it",
        )
    mps = [
        pool.name for pool in platform.node_pools if pool.gpu and pool.gpu.sharing and pool.gpu.sharing.mode == "mps"
    ]
    if mps and mixed:
        yield Problem(
            f"components.{NAME}: its device plugins get the MIG strategy mixed of pool {mixed[0]} everywhere, "
            f"and with it the plugin refuses MPS, which pool {mps[0]} wants",
            hint="use time-slicing there, or run the component nvidia-device-plugin without it",
        )


def drivers(pools: Sequence[NodePool], default: str, chosen: Mapping[str, str]) -> Iterator[Problem]:
    """Cards that a driver no longer knows, and drivers of pools that do not exist."""
    names = {pool.name for pool in pools if pool.gpu}
    for name in chosen:
        if name not in names:
            yield Problem(f"components.{NAME}.drivers: no pool with GPUs is called {name}")
    for pool in pools:
        if pool.gpu is None:
            continue
        if pool.name in chosen and not pool.selector:
            yield Problem(
                f"components.{NAME}.drivers: pool {pool.name} has no selector, so its driver would go everywhere",
                hint="give the pool a selector with labels that its nodes alone carry",
            )
        version, last = chosen.get(pool.name, default), _last_branch(pool.gpu.model)
        if last and int(version.partition(".")[0]) > last:
            yield Problem(
                f"components.{NAME}: driver {version} does not know a {pool.gpu.model} (pool {pool.name}); "
                f"the last branch that does is R{last}",
                hint=f"write `drivers: {{{pool.name}: {last}…}}` with a version of it that NVIDIA has as an image, "
                "or `driver: host`",
            )


def mig_strategy(pools: Sequence[NodePool]) -> str:
    """The cluster's one strategy."""
    return next((name for name in ("mixed", "single") if _with_mig(pools, name)), "none")


def _with_mig(pools: Sequence[NodePool], strategy: str) -> list[str]:
    return [pool.name for pool in pools if pool.gpu and pool.gpu.mig and pool.gpu.mig.strategy == strategy]


def _virtual(pool: NodePool) -> bool:
    return bool(pool.gpu and pool.gpu.sharing and pool.gpu.sharing.mode == VIRTUAL)


def _last_branch(model: str) -> int | None:
    if KEPLER.fullmatch(model):
        return KEPLER_BRANCH
    return VOLTA_BRANCH if BEFORE_TURING.fullmatch(model) else None
