"""The SR-IOV network device plugin: offers virtual functions of RDMA adapters, one at a time, as extended resources.

One DaemonSet for each pool, since a pool's nodes call their ports alike and other pools' do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container, PodSpec, ResourceRequirements, Volume, VolumeMount
from platform_def.capabilities import Devices, Fabric
from platform_def.config.model import Name
from platform_def.config.pools import NodePool
from platform_def.config.rdma import FUNCTION_NAME, RDMA_PREFIX, Network, Rdma
from platform_def.constructs import (
    APACHE,
    Component,
    ComponentConfig,
    DaemonSet,
    NodePaths,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    config_map,
    node_paths,
    releases,
    restart_on_change,
)
from platform_def.constructs.fabrics import functions_of
from platform_def.constructs.gpu_nodes import gpu_tolerations, rdma_affinity
from platform_def.constructs.pool_names import per_pool

RELEASES = releases(
    Release(
        "3.11.0",
        image="ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.11.0",
        # Upstream's manifest is for 1.16 and newer; it speaks with the kubelet alone.
        kubernetes="1.25-1.37",
    ),
    license=APACHE,
)

NAME = "sriov-network-device-plugin"
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
RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "250m", "memory": "40Mi"},
    "limits": {"cpu": "1", "memory": "200Mi"},
}


class SriovNetworkDevicePluginConfig(ComponentConfig):
    """What a stack may choose about the device plugin; ports and functions are said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the plugin, at the privileged Pod Security level; upstream uses kube-system, which others share."""
    topology: bool = True
    """Tell the kubelet which NUMA node a function is near, so that its Topology Manager, where it is on, gives pods
    functions beside their GPUs."""


class SriovNetworkDevicePlugin(Component[SriovNetworkDevicePluginConfig]):
    """A configuration and a DaemonSet for each pool whose pods get virtual functions."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Devices, Fabric)

    @classmethod
    def offers(cls, at: Setting[SriovNetworkDevicePluginConfig]) -> Offers:
        """A resource for each network of a pool."""
        functions = Devices(resources=[f"{RDMA_PREFIX}/{FUNCTION_NAME}*"])
        return Offers(capabilities=(functions, Fabric(part="functions", namespace=at.config.namespace)))

    @classmethod
    def problems(cls, at: Setting[SriovNetworkDevicePluginConfig]) -> Iterator[Problem]:
        """No pool with virtual functions."""
        if not functions_of(at.platform):
            yield Problem(
                f"components.{NAME}: no node pool has virtual functions",
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
            "resources": RESOURCES,
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
