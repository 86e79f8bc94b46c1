"""What the GPU Operator is told: its ClusterPolicy, and a driver for each pool that needs one of its own.

Every image is written out, so that a mirror is used and the inventory knows it; the operator itself knows none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from platform_def.apis.nvidia_gpu_operator_v1 import ClusterPolicySpec, Env, NVIDIADriverSpec
from platform_def.components.gpu.dcgm_exporter_counters import sharing_environment
from platform_def.config.pools import NodePool
from platform_def.constructs.gpu_nodes import gpu_tolerations

DRIVER = "nvcr.io/nvidia/driver"
"""The tag is the version, or the version, a hyphen and the node's operating system."""
CLOUD = "nvcr.io/nvidia/cloud-native"
OPERANDS: Mapping[str, str] = {
    "toolkit": "nvcr.io/nvidia/k8s/container-toolkit:v1.20.0",
    "devicePlugin": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    "gfd": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    "dcgmExporter": "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless",
    "dcgm": f"{CLOUD}/dcgm:4.6.0-1-ubuntu24.04",
    "migManager": f"{CLOUD}/k8s-mig-manager:v0.15.0",
    "driverManager": f"{CLOUD}/k8s-driver-manager:v0.12.0",
    "gds": f"{CLOUD}/nvidia-fs:2.29.4",
    "gdrcopy": f"{CLOUD}/gdrdrv:v2.6",
}
"""Images of release 26.7.0 by the part of the policy that names them."""

PLUGIN_FILES = "pools-device-plugin-config"
MIG_FILE = "pools-mig-parted-config"
PRIORITY = "system-node-critical"
DEFAULT_SOCKET = "/run/containerd/containerd.sock"


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the policy depends on, settled by the component."""

    pools: Sequence[NodePool]
    images: Mapping[str, str]
    """As the cluster pulls them: those of OPERANDS, `driver` with a version, and `validator`."""
    driver: bool
    toolkit: bool
    beside: Sequence[str]
    """Components of the stack that do an operand's work."""
    kubelet: str
    socket: str
    toolkit_environment: Mapping[str, str]
    mig_strategy: str
    monitored: bool
    driver_upgrades: bool
    gds: bool
    gdrcopy: bool
    digests: Mapping[str, str]
    """Of the files that operands read, so that they restart with them."""


def parts(reference: str) -> dict[str, str]:
    """An image reference in three; the operator wants all of them or none."""
    path, _, version = reference.rpartition(":")
    repository, _, image = path.rpartition("/")
    return {"repository": repository, "image": image, "version": version}


def policy(choices: Choices) -> ClusterPolicySpec:
    """The ClusterPolicy's spec; what only virtual machines need is off."""
    images = {name: parts(image) for name, image in choices.images.items()}
    spec = {
        "hostPaths": {
            "rootFS": "/",
            "driverInstallDir": "/run/nvidia/driver",
            "kubeletRootDir": choices.kubelet,
        },
        "operator": {"runtimeClass": "nvidia"},
        "daemonsets": {
            "tolerations": gpu_tolerations(choices.pools),
            "priorityClassName": PRIORITY,
            "updateStrategy": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": "1"},
        },
        "validator": {**images["validator"], "plugin": {"env": []}},
        "mig": {"strategy": choices.mig_strategy},
        # The stack gives the namespace its level.
        "psa": {"enabled": False},
        "cdi": {"enabled": True},
        "driver": {
            "enabled": choices.driver,
            "useNvidiaDriverCRD": choices.driver,
            "upgradePolicy": {"autoUpgrade": choices.driver_upgrades, "maxParallelUpgrades": 1},
        },
        "toolkit": {
            **images["toolkit"],
            "enabled": choices.toolkit,
            "installDir": "/usr/local/nvidia",
            "env": _toolkit_environment(choices),
        },
        "devicePlugin": {
            **images["devicePlugin"],
            "enabled": "nvidia-device-plugin" not in choices.beside,
            "config": {"name": PLUGIN_FILES, "default": "default"},
            "env": [_digest(choices.digests["plugin"])],
        },
        "gfd": {
            **images["gfd"],
            "enabled": "gpu-feature-discovery" not in choices.beside,
            "env": [_digest(choices.digests["plugin"])],
        },
        "dcgm": {**images["dcgm"], "enabled": False},
        "dcgmExporter": {
            **images["dcgmExporter"],
            "enabled": "dcgm-exporter" not in choices.beside,
            "env": _env(sharing_environment(choices.pools)),
            "serviceMonitor": {"enabled": choices.monitored, "interval": "15s"},
        },
        "migManager": {
            **images["migManager"],
            "enabled": "mig-manager" not in choices.beside,
            # Not set by the operator: the label is written from the pools, and two writers would fight.
            "config": {"name": MIG_FILE, "default": ""},
            "env": [_digest(choices.digests["mig"])],
        },
        "nodeStatusExporter": {"enabled": False},
        "gds": {**images["gds"], "enabled": choices.gds},
        "gdrcopy": {**images["gdrcopy"], "enabled": choices.gdrcopy},
        "sandboxWorkloads": {"enabled": False},
        "vgpuManager": {"enabled": False},
        "vgpuDeviceManager": {"enabled": False},
        "vfioManager": {"enabled": False},
        "sandboxDevicePlugin": {"enabled": False},
        "kataSandboxDevicePlugin": {"enabled": False},
        "kataManager": {"enabled": False},
        "ccManager": {"enabled": False},
    }
    return cast(ClusterPolicySpec, spec)


def driver(choices: Choices, image: str, *, modules: str, pool: NodePool | None) -> NVIDIADriverSpec:
    """The driver of one pool, or of all nodes that no other driver selects."""
    spec: dict[str, object] = {
        **parts(image),
        "default": pool is None,
        "driverType": "gpu",
        "kernelModuleType": modules,
        "usePrecompiled": False,
        "manager": parts(choices.images["driverManager"]),
        "priorityClassName": PRIORITY,
        "tolerations": gpu_tolerations([pool] if pool else choices.pools),
        "upgradePolicy": {"autoUpgrade": choices.driver_upgrades, "maxParallelUpgrades": 1},
        # As upstream's chart has it: building modules takes minutes.
        "startupProbe": {
            "initialDelaySeconds": 60,
            "periodSeconds": 10,
            "timeoutSeconds": 60,
            "failureThreshold": 120,
        },
    }
    if pool:
        spec["nodeSelector"] = dict(pool.selector)
    for module, wanted in (("gds", choices.gds), ("gdrcopy", choices.gdrcopy)):
        if wanted:
            spec[module] = {**parts(choices.images[module]), "enabled": True}
    return cast(NVIDIADriverSpec, spec)


def _toolkit_environment(choices: Choices) -> list[Env]:
    socket = {"CONTAINERD_SOCKET": choices.socket} if choices.socket != DEFAULT_SOCKET else {}
    return _env({**socket, **choices.toolkit_environment})


def _env(values: Mapping[str, str]) -> list[Env]:
    return [{"name": name, "value": value} for name, value in sorted(values.items())]


def _digest(value: str) -> Env:
    """The operator rolls an operand when its environment changes, and not when a file does."""
    return {"name": "PLATFORM_DEF_CONFIGURATION", "value": value}
