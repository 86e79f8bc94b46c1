"""The shared RDMA device plugin: gives pods the InfiniBand or RoCE adapters of their node, many pods at a time.

One DaemonSet for each fabric that the node pools have, since a node's adapters are distinguished by their link type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec, ResourceRequirements, Volume, VolumeMount
from platform_def.capabilities import Devices
from platform_def.config.model import Model, Name
from platform_def.config.pools import NodePool, overlap
from platform_def.config.rdma import RDMA_NAME, RDMA_PREFIX, RDMA_RESOURCE
from platform_def.constructs import (
    APACHE,
    Component,
    ComponentConfig,
    DaemonSet,
    NodePaths,
    Offers,
    Platform,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    config_map,
    node_paths,
    releases,
    restart_on_change,
)
from platform_def.constructs.gpu_nodes import gpu_tolerations, rdma_affinity

RELEASES = releases(
    # Upstream names none; it speaks with the kubelet alone.
    Release("1.5.3", image="ghcr.io/mellanox/k8s-rdma-shared-dev-plugin:v1.5.3", kubernetes="1.25-1.37"),
    license=APACHE,
)

NAME = "rdma-shared-dp-ds"
CONTAINER = "k8s-rdma-shared-dp-ds"
CONFIG = "rdma-devices"
CONFIG_FOLDER = "/k8s-rdma-shared-dev-plugin"
PRIVILEGED = "the plugin is privileged, in the host's network, and mounts the kubelet's folders and /dev"

KUBELET = NodePaths().kubelet
"""Compiled into the plugin: the kubelet's folder inside its container, and the one that it tells the kubelet."""

Fabric = Literal["infiniband", "roce"]
LINK_TYPES: Mapping[Fabric, str] = {"infiniband": "infiniband", "roce": "ether"}
"""Link types of the kernel by fabric; adapters without RDMA are passed over by the plugin itself."""
SUFFIXES: Mapping[Fabric, str] = {"infiniband": "", "roce": "-roce"}

# Upstream sets none. It reads sysfs once in a while and answers the kubelet.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}}


class Adapters(Model):
    """Which adapters of a node are given to pods: one of each list, and all lists that are not empty."""

    vendors: list[str] = Field(default_factory=list)
    """PCI vendors, such as `15b3` for NVIDIA (Mellanox)."""
    device_ids: list[str] = Field(default_factory=list)
    """PCI devices, such as `1017`."""
    drivers: list[str] = Field(default_factory=list)
    """Kernel drivers, such as `mlx5_core`."""
    if_names: list[str] = Field(default_factory=list)
    """Network interfaces, such as `ib0`."""


class RdmaSharedDevicePluginConfig(ComponentConfig):
    """What a stack may choose about the shared RDMA device plugin; the fabric is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = "rdma-shared-device-plugin"
    """Namespace of the plugin, at the privileged Pod Security level; upstream uses kube-system, which others share."""
    pods_per_node: Annotated[int, Field(ge=1, le=10000)] = 1000
    """How many pods of a node may hold its adapters; upstream's number, more than a kubelet runs."""
    update_seconds: Annotated[int, Field(ge=0, le=86400)] = 300
    """How often the node is searched for adapters that came or went, upstream's number; 0 for never."""
    infiniband: Adapters = Adapters.of_defaults()
    """Narrows the adapters of InfiniBand pools; by default all of link type `infiniband` with RDMA."""
    roce: Adapters = Adapters.of_defaults()
    """Narrows the adapters of RoCE pools; by default all of link type `ether` with RDMA, the management network's too
    when it is on such an adapter."""
    cdi: bool = False
    """Hand devices over by CDI; the container runtime must know it."""


class RdmaSharedDevicePlugin(Component[RdmaSharedDevicePluginConfig]):
    """A configuration and a DaemonSet for each fabric."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Devices,)

    @classmethod
    def offers(cls, at: Setting[RdmaSharedDevicePluginConfig]) -> Offers:  # noqa: ARG003 - it is the same in every stack
        """The resource that pods ask for."""
        return Offers(capabilities=(Devices(resources=[RDMA_RESOURCE]),))

    @classmethod
    def problems(cls, at: Setting[RdmaSharedDevicePluginConfig]) -> Iterator[Problem]:
        """No pool with a fabric, or two fabrics on one node."""
        fabrics = _by_fabric(at.platform)
        if not fabrics:
            yield Problem(
                "components.rdma-shared-device-plugin: no node pool has an RDMA fabric whose adapters pods share",
                hint="say `rdma: infiniband` or `rdma: roce` for the pools that have one",
            )
        for one, other in product(fabrics.get("infiniband", ()), fabrics.get("roce", ())):
            if overlap(one, other):
                yield Problem(
                    f"nodePools: pools {one.name} and {other.name} have different fabrics, and their selectors do not "
                    f"keep their nodes apart: two plugins would offer {RDMA_RESOURCE} on one node",
                    hint="give each pool a selector with labels that its nodes alone carry",
                )

    def build(self) -> None:
        """What makes adapters a resource that pods can ask for."""
        # Without pools (told as a problem above) a plugin would still be InfiniBand's, as upstream's example is.
        fabrics = _by_fabric(self.platform) or {"infiniband": ()}
        for fabric, pools in sorted(fabrics.items()):
            name, text = CONFIG + SUFFIXES[fabric], plugin_config(self.config, fabric)
            config_map(self, name, {"config.json": text})
            pod = self.pod(name, pools)
            DaemonSet(self, NAME + SUFFIXES[fabric], pod=pod, pod_annotations=restart_on_change(text))

    def pod(self, config: str, pools: tuple[NodePool, ...]) -> PodSpec:
        """The plugin on the nodes of one fabric: it brings interfaces up and asks the kernel for their link types, so
        it is in the host's network, and privileged as upstream has it."""
        paths = node_paths(self.platform.distribution)
        folders = ["device-plugins"]
        if paths.kubelet == KUBELET:
            # Where the kubelet lives elsewhere, the plugin must not find this folder: it would tell the kubelet a path
            # that the node does not have. It then registers the older way, which names the socket alone.
            folders.append("plugins_registry")
        mounts: list[VolumeMount] = [{"name": _volume(each), "mountPath": f"{KUBELET}/{each}"} for each in folders]
        mounts += [{"name": "config", "mountPath": CONFIG_FOLDER}, {"name": "devs", "mountPath": "/dev/"}]
        volumes: list[Volume] = [_host_path(_volume(each), f"{paths.kubelet}/{each}") for each in folders]
        volumes += [
            {"name": "config", "configMap": {"name": config, "items": [{"key": "config.json", "path": "config.json"}]}},
            _host_path("devs", "/dev/"),
        ]
        container: Container = {
            "name": CONTAINER,
            "image": self.release.image,
            "volumeMounts": mounts,
            "securityContext": {"privileged": True},
            "resources": RESOURCES,
        }
        if self.config.cdi:
            # Upstream's overlay for CDI has the folder without the argument, and so changes nothing.
            container["command"] = ["/bin/k8s-rdma-shared-dp"]
            container["args"] = ["--use-cdi"]
            mounts.append({"name": "dynamic-cdi", "mountPath": "/var/run/cdi"})
            volumes.append(_host_path("dynamic-cdi", "/var/run/cdi", "DirectoryOrCreate"))
        return {
            "hostNetwork": True,
            "automountServiceAccountToken": False,
            "priorityClassName": "system-node-critical",
            "affinity": {"nodeAffinity": rdma_affinity(pools)},
            "tolerations": gpu_tolerations(pools),
            "containers": [container],
            "volumes": volumes,
        }


def plugin_config(config: RdmaSharedDevicePluginConfig, fabric: Fabric) -> str:
    """The plugin's `config.json` for nodes with this fabric."""
    adapters = config.infiniband if fabric == "infiniband" else config.roce
    chosen = {
        "vendors": adapters.vendors,
        "deviceIDs": adapters.device_ids,
        "drivers": adapters.drivers,
        "ifNames": adapters.if_names,
        "linkTypes": [LINK_TYPES[fabric]],
    }
    resource = {
        "resourceName": RDMA_NAME,
        "resourcePrefix": RDMA_PREFIX,
        "rdmaHcaMax": config.pods_per_node,
        "selectors": {name: values for name, values in chosen.items() if values},
    }
    content = {"periodicUpdateInterval": config.update_seconds, "configList": [resource]}
    return json.dumps(content, indent=2) + "\n"


def _by_fabric(platform: Platform) -> dict[Fabric, tuple[NodePool, ...]]:
    fabrics: dict[Fabric, tuple[NodePool, ...]] = {}
    for pool in platform.node_pools:
        if pool.rdma.shared and pool.rdma.kind in ("infiniband", "roce") and not pool.rdma.elsewhere:
            fabrics[pool.rdma.kind] = (*fabrics.get(pool.rdma.kind, ()), pool)
    return fabrics


def _volume(folder: str) -> str:
    return {"device-plugins": "device-plugin", "plugins_registry": "plugins-registry"}[folder]


def _host_path(name: str, path: str, kind: str = "") -> Volume:
    return {"name": name, "hostPath": {"path": path, "type": kind} if kind else {"path": path}}
