"""NVIDIA's device plugin: offers GPUs to pods as whole cards, time slices, MPS shares or MIG devices, pool by pool.

One DaemonSet for each distinct way in which pools use their GPUs. Upstream's way, one DaemonSet with a config-manager
beside it that follows a Node label, needs labels that GitOps cannot own, and SYS_ADMIN on every node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    NodeSelectorRequirement,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    Volume,
)
from platform_def.apis.core.node_v1 import RUNTIME_CLASS as RUNTIME_CLASS_API
from platform_def.capabilities import Devices, GpuClient, NodeWork, RuntimeClass
from platform_def.components.gpu.nvidia_device_plugin.mps import (
    CONFIG_MOUNTS,
    MPS_MOUNTS,
    host_path,
    mps_containers,
)
from platform_def.components.gpu.pools.configurations import (
    WHOLE,
    Configuration,
    configurations,
    undivided,
    unserved,
)
from platform_def.components.gpu.pools.device_plugin_config import (
    DEFAULT,
    PluginConfig,
    config_name,
    mps_name,
    plugin_config,
)
from platform_def.components.gpu.pools.mig_layouts import impossible
from platform_def.config.model import Name
from platform_def.config.pools import SHARED_GPU, WHOLE_GPU
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Component,
    ComponentConfig,
    DaemonSet,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Resource,
    Setting,
    allow,
    config_map,
    node_paths,
    releases,
    restart_on_change,
    yaml_file,
)
from platform_def.constructs.gpu_nodes import (
    RUNTIME_CLASS,
    gpu_affinity,
    gpu_tolerations,
    renders_runtime_class,
    with_runtime,
)
from platform_def.constructs.host_libraries import library_volumes, with_libraries

RELEASES = releases(
    # Upstream says 1.10 and newer; what it speaks with the kubelet has been the same since.
    Release("0.20.0", image="nvcr.io/nvidia/k8s-device-plugin:v0.20.0", kubernetes="1.25-1.37"),
    license=APACHE,
)

# Upstream's config-manager reads Node labels. Nothing here does, so the pods get no token; the role stays for those who
# patch the manager in.
RULES = (allow("", "nodes", verbs=READ),)

NAME = "nvidia-device-plugin"
MPS_DAEMON = "nvidia-device-plugin-mps-control-daemon"
ACCOUNT = "nvidia-device-plugin-service-account"
CONFIGS = "nvidia-device-plugin-configs"
PRIVILEGED = "the plugin mounts the kubelet's folder for device plugins; MPS daemons are privileged"

KUBELET_SOCKETS = "/var/lib/kubelet/device-plugins"
"""Compiled into the plugin: the folder inside its container, whatever it is called on the node."""

# Upstream sets none. NVML maps the driver's libraries, hence the room; a CPU limit would only delay health checks.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}

# MIG manager gives a Node this label while it cuts cards, and waits for the plugin to leave; upstream's chart does
# not look at it. Nodes without the label are meant too.
NOT_PAUSED: NodeSelectorRequirement = {
    "key": "nvidia.com/gpu.deploy.device-plugin",
    "operator": "NotIn",
    "values": ["paused-for-mig-change", "false"],
}
# The label by which MIG manager waits until the plugin has left the cards.
MIG_CLIENT = {"app": "nvidia-device-plugin-daemonset"}

Strategy = Literal["envvar", "volume-mounts", "cdi-annotations", "cdi-cri"]
HostPath = Annotated[str, Field(pattern=r"^/[^\s:]*$", max_length=200)]


class NvidiaDevicePluginConfig(ComponentConfig):
    """What a stack may choose about the device plugin; how GPUs are shared is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the plugin, as upstream's instructions have it; it needs the privileged Pod Security level."""
    one_share_a_request: bool = True
    """Refuse containers that ask for more than one share: two shares are no faster than one, and may be of one card.
    Upstream recommends it, and leaves it off for time-slicing for the sake of older clusters."""
    fail_on_init_error: bool = True
    """Stop with an error on a node whose GPUs cannot be reached, so that it shows; otherwise wait silently."""
    device_list_strategy: list[Strategy] = Field(default=["envvar"], min_length=1)
    """How containers get their GPUs: `envvar` needs the nvidia runtime, the two of CDI a runtime that knows CDI;
    `volume-mounts` keeps containers from choosing GPUs by themselves; it needs SYS_ADMIN, and the toolkit set to it."""
    device_id_strategy: Literal["uuid", "index"] = "uuid"
    """How GPUs are named to the runtime."""
    discovery: Literal["auto", "nvml", "tegra"] = "auto"
    """How the plugin finds GPUs."""
    allocation: Literal["distributed", "packed"] = "distributed"
    """Shares are spread over the cards, or fill one card after the other."""
    cpu_manager: bool = False
    """Work with the kubelet's static CPU manager: device files are handed over one by one by a privileged plugin."""
    driver_root: HostPath | None = None
    """Where the driver is installed on the node: `/`, or `/run/nvidia/driver` for a driver container. Used for CDI
    (then `/` unless said otherwise) and with `cpuManager`."""
    cdi_hook: HostPath | None = None
    """Path of nvidia-cdi-hook on the node, for CDI; upstream's default is /usr/bin/nvidia-ctk."""
    gdrcopy: bool = False
    """Give GDRCopy to containers with GPUs."""
    gds: bool = False
    """Give GPUDirect Storage to containers with GPUs."""
    mofed: bool = False
    """Give the devices of NVIDIA's network driver to containers with GPUs."""
    imex: Literal["off", "optional", "required"] = "off"
    """Give IMEX channel 0 (multi-node NVLink) to containers with GPUs."""
    mps_root: HostPath = "/run/nvidia/mps"
    """Folder on the node for the pipes and shared memory of MPS."""
    runtime_class: Literal["auto", "create", "existing"] = "auto"
    """Whether RuntimeClass `nvidia` is made here. `auto`: unless nvidia is the default runtime, or the GPU Operator
    makes the class, or the distribution brings it (k3s and RKE2 from Kubernetes 1.30)."""

    @property
    def cdi(self) -> bool:
        """Whether containers get GPUs by CDI."""
        return any(strategy.startswith("cdi-") for strategy in self.device_list_strategy)

    @property
    def mounted_driver(self) -> str | None:
        """Driver root that the plugin sees; without it, it would write CDI files that name no library."""
        return self.driver_root or ("/" if self.cdi else None)


class NvidiaDevicePlugin(Component[NvidiaDevicePluginConfig]):
    """Account, RuntimeClass, configuration files, a DaemonSet each, and MPS daemons where a pool uses MPS."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Devices, GpuClient, NodeWork, RuntimeClass)

    @classmethod
    def offers(cls, at: Setting[NvidiaDevicePluginConfig]) -> Offers:
        """Cards, the RuntimeClass that reaches them, and pods that hold them."""
        blind = (
            "let this tool render nvidia-device-plugin, which leaves out pools with mode vgpu" if at.provided else ""
        )
        return Offers(
            capabilities=(
                Devices(resources=[WHOLE_GPU, SHARED_GPU, "nvidia.com/mig-*"]),
                NodeWork(work="devices", nodes=WHOLE, everywhere=blind),
                GpuClient(labels=MIG_CLIENT, namespace=at.config.namespace),
                *_runtime_class(at),
            )
        )

    @classmethod
    def problems(cls, at: Setting[NvidiaDevicePluginConfig]) -> Iterator[Problem]:
        """Pools that one plugin cannot tell apart or serve."""
        yield from impossible(at.platform.node_pools)
        yield from undivided(at.platform)
        yield from unserved(NAME, at.platform.node_pools)

    def build(self) -> None:
        """Everything that makes GPUs a resource that pods can ask for."""
        ways = configurations(self.platform.node_pools)
        files = {way.name or DEFAULT: yaml_file(self.file(way)) for way in ways}
        Account(self, ACCOUNT).allow(RULES, role="nvidia-device-plugin-role")
        if self.config.runtime_class == "create" or renders_runtime_class(self):
            Resource(self, RUNTIME_CLASS_API, RUNTIME_CLASS, fields={"handler": RUNTIME_CLASS})
        config_map(self, CONFIGS, files)
        for way in ways:
            restart = restart_on_change(files[way.name or DEFAULT])
            DaemonSet(
                self,
                _joined(NAME, config_name(way.gpu)),
                pod=self.plugin_pod(way),
                pod_labels=MIG_CLIENT if way.mig else None,
                pod_annotations=restart,
            )
            if way.mps:
                # Not behind GPU feature discovery's label nvidia.com/mps.capable, as upstream has it: that label says
                # false unless discovery happens to read the same sharing configuration. The pool says it already.
                DaemonSet(
                    self,
                    _joined(MPS_DAEMON, mps_name(way.gpu) if way.gpu else ""),
                    pod=self.mps_pod(way),
                    pod_annotations=restart,
                )

    def file(self, way: Configuration) -> PluginConfig:
        """The configuration file of one way to use GPUs."""
        config = self.config
        plugin: dict[str, object] = {
            "deviceListStrategy": config.device_list_strategy,
            "deviceIDStrategy": config.device_id_strategy,
            "passDeviceSpecs": config.cpu_manager,
            "sharedDevicesAllocationPolicy": config.allocation,
        }
        if config.cdi_hook:
            plugin["nvidiaCTKPath"] = config.cdi_hook
        if way.libraries:
            # Without the toolkit nothing reads the variable: device files are all that a container gets.
            plugin |= {"deviceListStrategy": ["envvar"], "passDeviceSpecs": True}
        flags: dict[str, object] = {
            "failOnInitError": config.fail_on_init_error,
            "deviceDiscoveryStrategy": config.discovery,
            "gdrcopyEnabled": config.gdrcopy,
            "gdsEnabled": config.gds,
            "mofedEnabled": config.mofed,
            "plugin": plugin,
        }
        if config.mounted_driver and not way.libraries:
            flags["nvidiaDriverRoot"] = config.mounted_driver
        imex = {} if config.imex == "off" else {"channelIDs": [0], "required": config.imex == "required"}
        return plugin_config(way.gpu, flags=flags, imex=imex, one_share_a_request=config.one_share_a_request)

    def plugin_pod(self, way: Configuration) -> PodSpec:
        """The plugin on the nodes of one configuration."""
        container: Container = {
            "name": "nvidia-device-plugin-ctr",
            "image": self.release.image,
            "command": ["nvidia-device-plugin"],
            "env": [*self.environment(way), {"name": "MPS_ROOT", "value": self.config.mps_root}],
            "volumeMounts": [
                {"name": "kubelet-device-plugins-dir", "mountPath": KUBELET_SOCKETS},
                {"name": "cdi-root", "mountPath": "/var/run/cdi"},
                *MPS_MOUNTS,
                *CONFIG_MOUNTS,
            ],
            "securityContext": self.security(way),
            "resources": RESOURCES,
        }
        sockets = node_paths(self.platform.distribution).device_plugins
        volumes: list[Volume] = [
            host_path("kubelet-device-plugins-dir", sockets, "Directory"),
            host_path("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
            *self.volumes(way),
        ]
        if way.libraries:
            container = with_libraries(container, way.libraries)
            volumes += library_volumes(way.libraries)
        elif self.config.mounted_driver:
            container["volumeMounts"].append({"name": "driver-root", "mountPath": "/driver-root", "readOnly": True})
            volumes.append(host_path("driver-root", self.config.mounted_driver, "Directory"))
        return self.pod(way, {"containers": [container], "volumes": volumes})

    def mps_pod(self, way: Configuration) -> PodSpec:
        """The daemon through which the clients of a shared card reach it; privileged, and in the host's process space,
        because the driver looks clients up by their process id there."""
        mounts, daemon = mps_containers(self.release.image, self.environment(way))
        volumes = self.volumes(way)
        return self.pod(way, {"hostPID": True, "initContainers": [mounts], "containers": [daemon], "volumes": volumes})

    def pod(self, way: Configuration, pod: PodSpec) -> PodSpec:
        """What the plugin's and the MPS daemon's pods share: nodes, priority, account, runtime."""
        also = [NOT_PAUSED] if way.mig else []
        common: PodSpec = {
            **pod,
            "serviceAccountName": ACCOUNT,
            "automountServiceAccountToken": False,
            "priorityClassName": "system-node-critical",
            "affinity": {"nodeAffinity": gpu_affinity(way.pools, also=also)},
            "tolerations": gpu_tolerations(way.pools),
        }
        return common if way.libraries else with_runtime(common, self.platform)

    def volumes(self, way: Configuration) -> list[Volume]:
        """The configuration file, and the folders of MPS, through which the plugin sees whether the daemon is well."""
        return [
            {
                "name": "config",
                "configMap": {"name": CONFIGS, "items": [{"key": way.name or DEFAULT, "path": "config.yaml"}]},
            },
            host_path("mps-root", self.config.mps_root, "DirectoryOrCreate"),
            host_path("mps-shm", f"{self.config.mps_root}/shm"),
        ]

    def environment(self, way: Configuration) -> list[EnvVar]:
        """Where the file is, and what the nvidia runtime is to give to the container itself."""
        values = {"CONFIG_FILE": "/config/config.yaml"}
        if way.mig:
            values["NVIDIA_MIG_MONITOR_DEVICES"] = "all"
        values |= {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
        return [{"name": name, "value": value} for name, value in values.items()]

    def security(self, way: Configuration) -> SecurityContext:
        """Upstream's, each configuration by itself: nothing, SYS_ADMIN where MIG or volume mounts need it, or all."""
        if self.config.cpu_manager or way.libraries:
            return {"privileged": True}
        if way.mig or "volume-mounts" in self.config.device_list_strategy:
            return {"capabilities": {"add": ["SYS_ADMIN"]}}
        return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def _runtime_class(at: Setting[NvidiaDevicePluginConfig]) -> Iterator[RuntimeClass]:
    """The class by which its pods reach cards, unless nvidia is the default runtime, or no node has that runtime."""
    gpus = [pool.gpu for pool in at.platform.node_pools if pool.gpu]
    wanted = at.platform.nvidia_runtime == "class" and not (gpus and all(gpu.host_libraries for gpu in gpus))
    if at.config.runtime_class == "existing":
        yield RuntimeClass(name=RUNTIME_CLASS, made="existing")
    elif at.config.runtime_class == "create" or wanted:
        yield RuntimeClass(name=RUNTIME_CLASS, made="rendered")


def _joined(*words: str) -> str:
    return "-".join(word for word in words if word)
