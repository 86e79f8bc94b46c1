"""The configuration file of NVIDIA's device plugin, format v1: made from a pool's GPUs, and named after what it says.

GPU feature discovery and the MPS daemon must read the same file as the plugin, so it is made here for all of them.
Source: k8s-device-plugin 0.20, api/config/v1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TypedDict

from platform_def.apis.nvidia.device_plugin_v1 import FEWEST_SHARES, VERSION, MigStrategy
from platform_def.config.pools import WHOLE_GPU, Gpu, Sharing

DEFAULT = "default"
"""Key of the configuration that shares nothing; upstream's chart takes this key where a node names none."""
LONGEST_NAME = 40
"""So that a DaemonSet's name with upstream's in front stays a label value (63)."""


class ReplicatedResource(TypedDict):
    """One resource of which each device is offered several times."""

    name: str
    replicas: int


class Replicated(TypedDict):
    """How the devices of a node are shared."""

    renameByDefault: bool
    failRequestsGreaterThanOne: bool
    resources: list[ReplicatedResource]


class PluginConfig(TypedDict, total=False):
    """A file that the plugin reads; command line and environment win over it."""

    version: str
    flags: Mapping[str, object]
    sharing: dict[str, Replicated]
    imex: Mapping[str, object]


def mig_strategy(gpu: Gpu | None) -> MigStrategy:
    """How MIG devices are named; `none` where cards are not partitioned."""
    return gpu.mig.strategy if gpu and gpu.mig else "none"


def devices(gpu: Gpu) -> list[str]:
    """Resource names of the devices before any sharing: cards, or MIG devices of the mixed strategy by profile."""
    if gpu.mig and gpu.mig.strategy == "mixed":
        return [f"nvidia.com/mig-{profile.replace('+', '.')}" for profile in gpu.mig.profiles]
    return [WHOLE_GPU]


def plugin_config(
    gpu: Gpu | None, *, flags: Mapping[str, object], imex: Mapping[str, object], one_share_a_request: bool
) -> PluginConfig:
    """The file for nodes with these GPUs; None stands for nodes that the stack says nothing about."""
    config: PluginConfig = {"version": VERSION, "flags": {"migStrategy": mig_strategy(gpu), **flags}}
    if gpu and gpu.sharing:
        shared: Replicated = {
            "renameByDefault": gpu.sharing.rename,
            "failRequestsGreaterThanOne": one_share_a_request,
            "resources": [{"name": name, "replicas": gpu.sharing.replicas} for name in devices(gpu)],
        }
        config["sharing"] = {"mps" if gpu.sharing.mode == "mps" else "timeSlicing": shared}
    if imex:
        config["imex"] = imex
    return config


def config_name(gpu: Gpu | None) -> str:
    """A name made of what the configuration says and nothing else; empty for whole cards.

    Objects are called after it, so it must not depend on other pools or on their order. What equals the plainest choice
    (whole cards, two shares, shares under a name of their own) is left out.
    """
    if gpu is None:
        return ""
    words: list[str] = []
    if gpu.host_libraries:
        # The pods mount the folder, so two folders are two configurations.
        words += ["host-libraries", hashlib.sha256(gpu.host_libraries.driver.encode()).hexdigest()[:8]]
    if gpu.mig:
        words.append(f"mig-{gpu.mig.strategy}")
    if gpu.sharing:
        words.append(gpu.sharing.mode)
        words += _shares(gpu.sharing)
        if gpu.mig and gpu.mig.strategy == "mixed":
            # The file lists the profiles to be shared, so two layouts are two configurations.
            words += [profile.replace(".", "-").replace("+", "-") for profile in gpu.mig.profiles]
    return _fitting("-".join(words))


def mps_name(gpu: Gpu) -> str:
    """The part of an MPS configuration's name that says more than MPS."""
    return "-".join(_shares(gpu.sharing)) if gpu.sharing else ""


def _shares(sharing: Sharing) -> list[str]:
    # The fewest leave no trace in the name.
    number = [str(sharing.replicas)] if sharing.replicas != FEWEST_SHARES else []
    return [*number, *([] if sharing.rename else ["as-gpu"])]


def _fitting(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9].rstrip('-')}-{digest}"
