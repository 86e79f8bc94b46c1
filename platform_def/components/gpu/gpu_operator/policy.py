"""The settings of the GPU Operator: its ClusterPolicy, and a driver for each pool that needs one of its own.

Every image is written out, so that a mirror is used and the inventory knows it; the operator itself knows none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from platform_def.apis.nvidia.gpu_operator_v1 import ClusterPolicySpec, Env, NVIDIADriverSpec
from platform_def.components.gpu.gpu_operator.config import DRIVER, OPERANDS, PROGRAMS, GpuOperatorConfig
from platform_def.components.gpu.gpu_operator.stack import mig_strategy
from platform_def.components.gpu.pools.exporter import sharing_environment
from platform_def.config.cluster import Distribution
from platform_def.config.pools import NodePool
from platform_def.constructs import Component, NodePaths, node_paths, restart_on_change
from platform_def.constructs.gpu_nodes import RUNTIME_CLASS, gpu_tolerations

PLUGIN_FILES = "pools-device-plugin-config"
MIG_FILE = "pools-mig-parted-config"
PRIORITY = "system-node-critical"
MICROK8S: Mapping[str, str] = {
    "CONTAINERD_CONFIG": "/var/snap/microk8s/current/args/containerd-template.toml",
    "RUNTIME_CONFIG_SOURCE": "file=/var/snap/microk8s/current/args/containerd.toml",
}
"""containerd's file there is made of a template when it starts: the one is written, the other read (NVIDIA's guide)."""
OFF = (
    "dcgm nodeStatusExporter sandboxWorkloads vgpuManager vgpuDeviceManager vfioManager sandboxDevicePlugin "
    "kataSandboxDevicePlugin kataManager ccManager"
)
"""What only virtual machines need, and a DCGM beside the exporter's own."""


def parts(reference: str) -> dict[str, str]:
    """An image reference in three; the operator wants all of them or none."""
    path, _, version = reference.rpartition(":")
    repository, _, image = path.rpartition("/")
    return {"repository": repository, "image": image, "version": version}


def policy(
    component: Component[GpuOperatorConfig], *, plugin: Mapping[str, str], layouts: Mapping[str, str]
) -> ClusterPolicySpec:
    """The ClusterPolicy's spec. `plugin` and `layouts` are files of operands, which restart with them."""
    config, pools = component.config, component.platform.node_pools
    paths, gpus = node_paths(component.platform.distribution), [pool for pool in pools if pool.gpu]
    in_container = config.driver == "container"
    operands: dict[str, dict[str, object]] = {
        name: {**parts(component.image(image))} for name, image in OPERANDS.items() if name != "driverManager"
    }
    for name, program in PROGRAMS.items():
        if program.operand:
            operands[program.operand]["enabled"] = name in config.own
    spec: dict[str, object] = {
        "hostPaths": {"rootFS": "/", "driverInstallDir": "/run/nvidia/driver", "kubeletRootDir": paths.kubelet},
        "operator": {"runtimeClass": RUNTIME_CLASS},
        "daemonsets": {
            "tolerations": gpu_tolerations(gpus),
            "priorityClassName": PRIORITY,
            "updateStrategy": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": "1"},
        },
        "validator": {**parts(component.image(component.release.image)), "plugin": {"env": []}},
        "mig": {"strategy": mig_strategy(gpus)},
        # The stack gives the namespace its level.
        "psa": {"enabled": False},
        "cdi": {"enabled": True},
        "driver": {"enabled": in_container, "useNvidiaDriverCRD": in_container, "upgradePolicy": _upgrades(config)},
    }
    more: dict[str, dict[str, object]] = {
        "toolkit": {
            "enabled": config.toolkit == "container",
            "installDir": "/usr/local/nvidia",
            "env": _env({**runtime_environment(component.platform.distribution), **config.toolkit_environment}),
        },
        "devicePlugin": {"config": {"name": PLUGIN_FILES, "default": "default"}, "env": _restart(plugin)},
        "gfd": {"env": _restart(plugin)},
        "dcgmExporter": {
            "env": _env(sharing_environment(gpus)),
            "serviceMonitor": {"enabled": component.monitored, "interval": "15s"},
        },
        # No default: the label is written from the pools, and two writers would fight.
        "migManager": {"config": {"name": MIG_FILE, "default": ""}, "env": _restart(layouts)},
        "gds": {"enabled": config.gds},
        "gdrcopy": {"enabled": config.gdrcopy},
        **{name: {"enabled": False} for name in OFF.split()},
    }
    made = {**spec, **{name: {**operands.get(name, {}), **each} for name, each in more.items()}}
    return cast(ClusterPolicySpec, _pulled(made, component.platform.pull_secrets))


def runtime_environment(distribution: Distribution) -> dict[str, str]:
    """Where the toolkit finds containerd, where that is not in its usual place; CRI-O it sets up by hooks."""
    socket = node_paths(distribution).runtime_socket
    if socket == NodePaths().runtime_socket or not socket.endswith("/containerd.sock"):
        return {}
    return {"CONTAINERD_SOCKET": socket, **(MICROK8S if distribution == "microk8s" else {})}


def driver(component: Component[GpuOperatorConfig], version: str, pool: NodePool | None) -> NVIDIADriverSpec:
    """The driver of one pool, or of all nodes that no other driver selects."""
    config, pools = component.config, [pool for pool in component.platform.node_pools if pool.gpu]
    modules = {"gds": config.gds, "gdrcopy": config.gdrcopy}
    spec: dict[str, object] = {
        **parts(component.image(f"{DRIVER}:{version}")),
        "default": pool is None,
        "driverType": "gpu",
        "kernelModuleType": config.kernel_modules,
        "usePrecompiled": False,
        "manager": parts(component.image(OPERANDS["driverManager"])),
        "priorityClassName": PRIORITY,
        "tolerations": gpu_tolerations([pool] if pool else pools),
        "upgradePolicy": _upgrades(config),
        # As upstream's chart has it: building modules takes minutes.
        "startupProbe": {
            "initialDelaySeconds": 60,
            "periodSeconds": 10,
            "timeoutSeconds": 60,
            "failureThreshold": 120,
        },
        **({"nodeSelector": dict(pool.selector)} if pool else {}),
        **{name: {**parts(component.image(OPERANDS[name])), "enabled": True} for name, on in modules.items() if on},
    }
    return cast(NVIDIADriverSpec, _pulled(spec, component.platform.pull_secrets))


def _pulled(spec: Mapping[str, object], secrets: Sequence[str]) -> dict[str, object]:
    """The stack's pull secrets beside every image: the operator's accounts are its own, and name none."""
    found = {key: _pulled(each, secrets) if isinstance(each, Mapping) else each for key, each in spec.items()}
    return {**found, "imagePullSecrets": [*secrets]} if secrets and "repository" in found else found


def _upgrades(config: GpuOperatorConfig) -> dict[str, object]:
    return {"autoUpgrade": config.driver_upgrades, "maxParallelUpgrades": 1}


def _env(values: Mapping[str, str]) -> list[Env]:
    return [{"name": name, "value": value} for name, value in sorted(values.items())]


def _restart(files: Mapping[str, str]) -> list[Env]:
    """The operator rolls an operand when its environment changes, and not when a file does."""
    return _env({"PLATFORM_DEF_CONFIGURATION": next(iter(restart_on_change(*files.values()).values()))})
