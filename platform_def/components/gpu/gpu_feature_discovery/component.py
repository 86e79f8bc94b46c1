"""GPU feature discovery: labels Nodes with model, memory, driver, MIG layout and sharing of their GPUs.

It reads a file with the same sharing as the device plugin's, made from the same pools: without it, it would label
shared nodes as whole ones, and MPS nodes as unable to do MPS.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    NodeSelectorRequirement,
    PodSpec,
    ResourceRequirements,
    Volume,
)
from platform_def.capabilities import GpuClient, NodeWork
from platform_def.components.gpu.pools.configurations import Configuration, configurations, unserved
from platform_def.components.gpu.pools.device_plugin_config import DEFAULT, PluginConfig, plugin_config
from platform_def.components.gpu.pools.node_labels import FEATURES
from platform_def.config.model import Name
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
    Setting,
    allow,
    config_map,
    releases,
    restart_on_change,
    yaml_file,
)
from platform_def.constructs.gpu_nodes import gpu_affinity, gpu_tolerations, with_runtime
from platform_def.constructs.host_libraries import library_volumes, with_libraries

# One image, version and range with the device plugin.
RELEASES = releases(
    Release("0.20.0", image="nvcr.io/nvidia/k8s-device-plugin:v0.20.0", kubernetes="1.25-1.37"), license=APACHE
)

# Upstream's config-manager reads Nodes; the program itself does not. Kept for those who patch the manager in.
RULES = (allow("", "nodes", verbs=READ),)
# Upstream grants these in all namespaces; the program reads its own pod and writes its reports beside it.
OWN_RULES = (
    allow("", "pods", verbs="get"),
    allow("nfd.k8s-sigs.io", "nodefeatures", verbs="get list watch create update"),
)

NAME = "gpu-feature-discovery"
CHART_NAME = "nvidia-device-plugin-gpu-feature-discovery"
CONFIGS = "gpu-feature-discovery-configs"
OUTPUT = "/etc/kubernetes/node-feature-discovery/features.d"
PRIVILEGED = "it is privileged, and reads the node's /sys"

# Upstream sets none. NVML maps the driver's libraries, as in the device plugin.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}

PAUSED: NodeSelectorRequirement = {
    "key": "nvidia.com/gpu.deploy.gpu-feature-discovery",
    "operator": "NotIn",
    "values": ["paused-for-mig-change", "false"],
}
POD_FIELDS = {"NODE_NAME": "spec.nodeName", "NAMESPACE": "metadata.namespace", "POD_NAME": "metadata.name"}
MIG_CLIENT = {"app": "gpu-feature-discovery"}
"""The label by which MIG manager waits for these pods to leave the cards."""


class GpuFeatureDiscoveryConfig(ComponentConfig):
    """What a stack may choose about GPU feature discovery; how GPUs are shared is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = "nvidia-device-plugin"
    """Namespace, that of the device plugin as in upstream's chart: MIG manager waits for GPU clients in one alone."""
    interval_seconds: int = Field(default=60, ge=1)
    """How often the labels are brought up to date, as upstream has it."""
    timestamp: bool = True
    """Write the label `nvidia.com/gfd.timestamp`; it changes whenever a pod starts."""
    fail_on_init_error: bool = True
    """Stop with an error on a node whose GPUs cannot be reached, so that it shows; otherwise wait silently."""
    discovery: Literal["auto", "nvml", "tegra"] = "auto"
    """How GPUs are found."""


class GpuFeatureDiscovery(Component[GpuFeatureDiscoveryConfig]):
    """Account, files, and a DaemonSet for each way in which pools use their GPUs."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (GpuClient, NodeWork)
    needs = (FEATURES,)
    """Node feature discovery makes labels of its reports."""

    @classmethod
    def offers(cls, at: Setting[GpuFeatureDiscoveryConfig]) -> Offers:
        """Labels of cards, and pods that hold them."""
        return Offers(
            capabilities=(NodeWork(work="labels"), GpuClient(labels=MIG_CLIENT, namespace=at.config.namespace))
        )

    @classmethod
    def problems(cls, at: Setting[GpuFeatureDiscoveryConfig]) -> Iterator[Problem]:
        """Pools that cannot be distinguished."""
        yield from unserved(NAME, at.platform.node_pools)

    def build(self) -> None:
        """Everything that labels GPU nodes."""
        ways = configurations(self.platform.node_pools)
        files = {way.name or DEFAULT: yaml_file(self.file(way)) for way in ways}
        Account(self, NAME).allow(RULES).allow_in(self.namespace, OWN_RULES)
        config_map(self, CONFIGS, files)
        for way in ways:
            # With a way's name behind it, the chart's name would be too long for a label.
            name = f"{NAME}-{way.name}" if way.name else CHART_NAME
            note = restart_on_change(files[way.name or DEFAULT])
            DaemonSet(self, name, pod=self.pod(way), pod_labels=MIG_CLIENT, pod_annotations=note)

    def file(self, way: Configuration) -> PluginConfig:
        """The device plugin's file of this way, with this program's flags."""
        config = self.config
        flags: dict[str, object] = {
            "failOnInitError": config.fail_on_init_error,
            "deviceDiscoveryStrategy": config.discovery,
            "useNodeFeatureAPI": True,
            "gfd": {"noTimestamp": not config.timestamp, "sleepInterval": f"{config.interval_seconds}s"},
        }
        return plugin_config(way.gpu, flags=flags, imex={}, one_share_a_request=True)

    def pod(self, way: Configuration) -> PodSpec:
        """The program on the nodes of one way."""
        values: list[EnvVar] = [{"name": name, "value": value} for name, value in self.values(way).items()]
        fields: list[EnvVar] = [
            {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in POD_FIELDS.items()
        ]
        container: Container = {
            "name": "gpu-feature-discovery-ctr",
            "image": self.release.image,
            "command": ["gpu-feature-discovery"],
            "env": [*fields, *values],
            "volumeMounts": [
                {"name": "output-dir", "mountPath": OUTPUT},
                {"name": "host-sys", "mountPath": "/sys"},
                {"name": "config", "mountPath": "/config", "readOnly": True},
            ],
            "securityContext": {"privileged": True},
            "resources": RESOURCES,
        }
        volumes: list[Volume] = [
            {"name": "output-dir", "hostPath": {"path": OUTPUT, "type": "DirectoryOrCreate"}},
            {"name": "host-sys", "hostPath": {"path": "/sys", "type": "Directory"}},
            {
                "name": "config",
                "configMap": {"name": CONFIGS, "items": [{"key": way.name or DEFAULT, "path": "config.yaml"}]},
            },
        ]
        pod: PodSpec = {
            "serviceAccountName": NAME,
            "priorityClassName": "system-node-critical",
            "containers": [container],
            "volumes": volumes,
            "affinity": {"nodeAffinity": gpu_affinity(way.pools, also=[PAUSED])},
            "tolerations": gpu_tolerations(way.pools),
        }
        if way.libraries:
            pod["containers"] = [with_libraries(container, way.libraries)]
            pod["volumes"] = [*volumes, *library_volumes(way.libraries)]
            return pod
        return with_runtime(pod, self.platform)

    def values(self, way: Configuration) -> dict[str, str]:
        """Where the file is, and what the nvidia runtime is to give to the container itself."""
        mig = {"NVIDIA_MIG_MONITOR_DEVICES": "all"} if way.mig else {}
        gpus = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
        return {"CONFIG_FILE": "/config/config.yaml", **mig, **gpus}
