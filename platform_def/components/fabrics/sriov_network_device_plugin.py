"""The SR-IOV network device plugin: offers virtual functions of RDMA adapters, one at a time, as extended resources.

One DaemonSet for each pool, since a pool's nodes call their ports alike and other pools' do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container, PodSpec, Volume, VolumeMount
from platform_def.config.component import ComponentConfig
from platform_def.config.fabrics import DEVICE_PLUGIN, functions_of
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.config.pools import NodePool
from platform_def.config.rdma import FUNCTION_NAME, RDMA_PREFIX, Network, Rdma
from platform_def.constructs.component import Component
from platform_def.constructs.config_map import config_map, restart_on_change
from platform_def.constructs.gpu_nodes import gpu_tolerations, rdma_affinity
from platform_def.constructs.node_paths import NodePaths, node_paths
from platform_def.constructs.pool_names import per_pool
from platform_def.constructs.release import Release, releases
from platform_def.constructs.workload import DaemonSet
from platform_def.errors import Problem

RELEASES = releases(Release(version="3.11.0", image="ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.11.0"))

WORKLOAD = "kube-sriov-device-plugin"
CONTAINER = "kube-sriovdp"
CONFIG = "sriovdp-config"
CONFIG_FOLDER = "/etc/pcidp"
DEVICE_INFO = "/var/run/k8s.cni.cncf.io/devinfo/dp"
"""Where Multus reads what the plugin says of a function."""
PRIVILEGED = "the plugin is privileged, in the host's network, and mounts the kubelet's folders"

KUBELET = NodePaths().kubelet
"""Compiled into the plugin: the kubelet's folder inside its container, and the one that it tells the kubelet."""

LINK_TYPES = {"infiniband": "infiniband", "roce": "ether"}
"""Link types of the kernel by fabric: a port that is set to the other one is not offered."""

# Upstream's.
RESOURCES = {"requests": {"cpu": "250m", "memory": "40Mi"}, "limits": {"cpu": "1", "memory": "200Mi"}}


class SriovNetworkDevicePluginConfig(ComponentConfig):
    """What a stack may choose about the device plugin; ports and functions are said in `nodePools`."""

    releases = RELEASES

    namespace: Name = DEVICE_PLUGIN
    """Namespace of the plugin, at the privileged Pod Security level; upstream uses kube-system, which others share."""
    topology: bool = True
    """Tell the kubelet which NUMA node a function is near, so that its Topology Manager, where it is on, gives pods
    functions beside their GPUs."""


class SriovNetworkDevicePlugin(Component[SriovNetworkDevicePluginConfig]):
    """A configuration and a DaemonSet for each pool whose pods get virtual functions."""

    @classmethod
    def offers(cls, config: SriovNetworkDevicePluginConfig) -> Offers:
        """The namespace, and a resource for each network of a pool."""
        return Offers(
            namespaces=(NamespaceNeed(config.namespace, "privileged", why=PRIVILEGED),),
            resources=(f"{RDMA_PREFIX}/{FUNCTION_NAME}*",),
        )

    @classmethod
    def problems(cls, config: SriovNetworkDevicePluginConfig, platform: Platform) -> Iterator[Problem]:  # noqa: ARG003
        """No pool with virtual functions."""
        if not functions_of(platform):
            yield Problem(
                f"components.{DEVICE_PLUGIN}: no node pool has virtual functions",
                hint="say `rdma: {kind: roce, mode: sriov, functions: 8, networks: [{name: rail0, interface: …}]}`",
            )

    def build(self) -> None:
        """What makes virtual functions resources that pods can ask for."""
        for pool in functions_of(self.platform):
            name, text = per_pool(CONFIG, pool.name), plugin_config(pool.rdma, topology=self.config.topology)
            config_map(self, name, {"config.json": text})
            DaemonSet(
                self,
                per_pool(WORKLOAD, pool.name),
                pod=self.pod(name, pool),
                pod_annotations=restart_on_change(text),
            )

    def pod(self, config: str, pool: NodePool) -> PodSpec:
        """The plugin on the nodes of one pool: in the host's network, where it asks for link types; privileged, as
        upstream has it. It calls no API."""
        paths = node_paths(self.platform.distribution)
        mounts: list[VolumeMount] = [{"name": "devicesock", "mountPath": f"{KUBELET}/device-plugins"}]
        volumes: list[Volume] = [{"name": "devicesock", "hostPath": {"path": paths.device_plugins}}]
        if paths.kubelet == KUBELET:
            # Elsewhere the plugin would tell the kubelet a path that the node does not have; without this folder it
            # registers the older way, which names the socket alone.
            mounts.append({"name": "plugins-registry", "mountPath": f"{KUBELET}/plugins_registry"})
            volumes.append({"name": "plugins-registry", "hostPath": {"path": paths.registry}})
        mounts += [
            {"name": "config-volume", "mountPath": CONFIG_FOLDER},
            {"name": "device-info", "mountPath": DEVICE_INFO},
        ]
        volumes += [
            {
                "name": "config-volume",
                "configMap": {"name": config, "items": [{"key": "config.json", "path": "config.json"}]},
            },
            {"name": "device-info", "hostPath": {"path": DEVICE_INFO, "type": "DirectoryOrCreate"}},
        ]
        container: Container = {
            "name": CONTAINER,
            "image": self.release.image,
            # Without a folder for logs they go to the container's own log, and none of the node is mounted for them.
            "args": ["--log-level=4"],
            "securityContext": {"privileged": True},
            "resources": RESOURCES,  # type: ignore[typeddict-item]
            "volumeMounts": mounts,
        }
        return {
            "hostNetwork": True,
            "automountServiceAccountToken": False,
            "priorityClassName": "system-node-critical",
            "affinity": {"nodeAffinity": rdma_affinity([pool])},
            "tolerations": gpu_tolerations([pool]),
            "containers": [container],
            "volumes": volumes,
        }


def plugin_config(rdma: Rdma, *, topology: bool = True) -> str:
    """The plugin's `config.json` for nodes with this fabric: a resource for each network."""
    resources = [
        {
            "resourceName": network.resource_name,
            "resourcePrefix": RDMA_PREFIX,
            **({} if topology else {"excludeTopology": True}),
            "selectors": [_selector(network, rdma)],
        }
        for network in rdma.networks
    ]
    return json.dumps({"resourceList": resources}, indent=2) + "\n"


def _selector(network: Network, rdma: Rdma) -> dict[str, object]:
    """The functions of one port by number, which the port itself has none of: it is never given away, even while it has
    no functions yet."""
    port = f"{network.port}#0-{(rdma.functions or 1) - 1}"
    return {
        "pfNames" if network.interface else "rootDevices": [port],
        "linkTypes": [LINK_TYPES[rdma.kind]],
        "isRdma": True,
    }
