"""The CNI plugins that move a virtual function into a pod, and the networks that pods of each pool ask for.

Ethernet and InfiniBand have a plugin each; with Ethernet a third moves the RDMA device along, which InfiniBand's does
itself. The networks are in this component's namespace, and jobs name them with it: one owner, whatever teams there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container, PodSpec, ResourceRequirements
from platform_def.apis.multi_network.network_attachment_v1 import NETWORK_ATTACHMENT_DEFINITION
from platform_def.capabilities import Fabric
from platform_def.config.model import Name
from platform_def.config.pools import NodePool
from platform_def.config.rdma import Network, Rdma
from platform_def.constructs import (
    APACHE,
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    DaemonSet,
    Need,
    NodePaths,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Resource,
    Setting,
    need,
    node_paths,
    releases,
)
from platform_def.constructs.cni import COPIES, EVERYWHERE, PLUGINS_MOUNT, plugins_volume
from platform_def.constructs.fabrics import addressed, functions_of, network_name
from platform_def.constructs.gpu_nodes import rdma_affinity

NAME = "sriov-cni"
ETHERNET, INFINIBAND, DEVICES = "sriov", "ib-sriov", "rdma"
"""CNI plugins by the name of their program."""

RELEASES = releases(
    Release(
        "2.10.0",
        image="ghcr.io/k8snetworkplumbingwg/sriov-cni:v2.10.0",
        # Upstream says 1.16 and newer; the plugins call no API.
        kubernetes="1.25-1.37",
        images={
            INFINIBAND: "ghcr.io/k8snetworkplumbingwg/ib-sriov-cni:v1.3.0",
            DEVICES: "ghcr.io/k8snetworkplumbingwg/rdma-cni:v1.6.0",
        },
    ),
    license=APACHE,
)

# Names of upstream's DaemonSets and containers; InfiniBand's DaemonSet ends in the one architecture it ran on.
INSTALLERS = {
    ETHERNET: ("kube-sriov-cni-ds", "kube-sriov-cni"),
    INFINIBAND: ("kube-ib-sriov-cni-ds", "kube-ib-sriov-cni"),
    DEVICES: ("kube-rdma-cni-ds", "rdma-cni"),
}
PRIVILEGED = "CNI plugins are written into a folder of the node"
CNI_VERSION = "0.3.1"
"""Of the networks' configuration: the one that all three plugins' examples have."""
RESOURCE_ANNOTATION = "k8s.v1.cni.cncf.io/resourceName"
"""Tells Multus which resource of the pod holds the function."""

# Upstream's, for a program that copies a file and sleeps.
RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "100m", "memory": "50Mi"},
    "limits": {"cpu": "100m", "memory": "50Mi"},
}


class SriovCniConfig(ComponentConfig):
    """What a stack may choose about the CNI plugins; ports and addresses are said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the pods that install the plugins, at the privileged Pod Security level, and of the networks;
    upstream uses kube-system, which others share."""
    install: bool = True
    """Write the plugins to the nodes. Off where they have them already (OpenShift, an operator for SR-IOV): then only
    the networks are rendered."""


class SriovCni(Component[SriovCniConfig]):
    """Plugins for the fabrics that pools have, and a network for each port of each pool."""

    gives = (Fabric,)

    @classmethod
    def security_of(cls, at: Setting[SriovCniConfig]) -> PodSecurityNeed:
        """Privileged where it writes to nodes."""
        return PodSecurityNeed("privileged", PRIVILEGED) if at.config.install else RESTRICTED_LEVEL

    @classmethod
    def offers(cls, at: Setting[SriovCniConfig]) -> Offers:
        """The networks of pools, and what moves a function into a pod."""
        return Offers(capabilities=(Fabric(part="networks", namespace=at.config.namespace),))

    @classmethod
    def needs_of(cls, at: Setting[SriovCniConfig]) -> tuple[Need[Fabric], ...]:
        """Who attaches the networks, and who gives out their addresses; where one is missing, pools say it."""
        parts = ["attach", *(["addresses"] if addressed(functions_of(at.platform)) else [])]
        return tuple(need(Fabric, part=part, optional=True) for part in parts)

    @classmethod
    def problems(cls, at: Setting[SriovCniConfig]) -> Iterator[Problem]:
        """No pool with virtual functions, two networks of one name, or a folder of plugins that others write."""
        pools = functions_of(at.platform)
        if not pools:
            yield Problem(
                f"components.{NAME}: no node pool has virtual functions",
                hint="say `rdma: {kind: roce, mode: sriov, functions: 8, networks: [{name: rail0, interface: …}]}`",
            )
        names = [network_name(pool, network) for pool in pools for network in pool.rdma.networks]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield Problem(
                f"nodePools: pool and network make the name {name} twice",
                hint="rename one of the pools, or its network",
            )
        if at.platform.distribution == "openshift" and at.config.install:
            yield Problem(
                f"components.{NAME}: OpenShift's nodes have their CNI plugins from its SR-IOV operator",
                hint=f"write `{NAME}: {{install: false}}`, which renders the networks alone",
            )

    def build(self) -> None:
        """The plugins on the nodes that need each, and the networks."""
        pools = functions_of(self.platform)
        if self.config.install:
            for plugin, users in _by_plugin(pools).items():
                self.installer(plugin, users)
        for pool in pools:
            for network in pool.rdma.networks:
                self.network(pool, network)

    def installer(self, plugin: str, pools: tuple[NodePool, ...]) -> None:
        """A pod that copies one plugin into the node's folder. Upstream runs two of the three privileged and in the
        host's network; all do the same, by the same script."""
        name, container_name = INSTALLERS[plugin]
        container: Container = {
            "name": container_name,
            "image": self.release.images.get(plugin, self.release.image),
            "securityContext": COPIES,
            "resources": RESOURCES,
            "volumeMounts": [PLUGINS_MOUNT],
        }
        pod: PodSpec = {
            "automountServiceAccountToken": False,
            "priorityClassName": "system-node-critical",
            "affinity": {"nodeAffinity": rdma_affinity(pools)},
            "tolerations": [*EVERYWHERE],
            "containers": [container],
            "volumes": [plugins_volume(self.platform.distribution)],
        }
        DaemonSet(self, name, pod=pod)

    def network(self, pool: NodePool, network: Network) -> None:
        """A network that jobs on the pool ask for; its functions are those of the resource in the annotation."""
        name = network_name(pool, network)
        folder = node_paths(self.platform.distribution).cni_config
        Resource(
            self,
            NETWORK_ATTACHMENT_DEFINITION,
            name,
            spec={"config": json.dumps(cni_config(name, pool.rdma, network, folder=folder), indent=2) + "\n"},
            annotations={RESOURCE_ANNOTATION: network.resource},
        )


def cni_config(name: str, rdma: Rdma, network: Network, *, folder: str = "/etc/cni/net.d") -> dict[str, object]:
    """The network's list of plugins; `folder` is the node's folder of CNI configurations."""
    exclusive = rdma.netns == "exclusive"
    ipam = {"ipam": addresses(network, folder)} if network.range else {}
    if rdma.kind == "infiniband":
        # The link of a function is down until it is enabled; rdma-cni must not run together with rdmaIsolation.
        first = {"type": INFINIBAND, "link_state": "enable", "rdmaIsolation": exclusive, "ibKubernetesEnabled": False}
        plugins = [{**first, **ipam}]
    else:
        plugins = [{"type": ETHERNET, **({"vlan": network.vlan} if network.vlan else {}), **ipam}]
        plugins += [{"type": DEVICES}] if exclusive else []
    return {"cniVersion": CNI_VERSION, "name": name, "plugins": plugins}


def addresses(network: Network, folder: str) -> dict[str, object]:
    """The settings of whereabouts: by default it would give out the router's address like any other, and reads its
    settings only from the usual folder."""
    content: dict[str, object] = {"type": "whereabouts", "range": network.range}
    if network.kept():
        content["exclude"] = network.kept()
    if network.gateway:
        content["gateway"] = network.gateway
    if network.routes:
        content["routes"] = [{"dst": route} for route in network.routes]
    if folder != NodePaths().cni_config:
        content["configuration_path"] = f"{folder}/whereabouts.d/whereabouts.conf"
    return content


def _by_plugin(pools: tuple[NodePool, ...]) -> dict[str, tuple[NodePool, ...]]:
    """The pools whose nodes need each plugin."""
    ethernet = tuple(pool for pool in pools if pool.rdma.kind == "roce")
    found = {
        ETHERNET: ethernet,
        INFINIBAND: tuple(pool for pool in pools if pool.rdma.kind == "infiniband"),
        DEVICES: tuple(pool for pool in ethernet if pool.rdma.netns == "exclusive"),
    }
    return {plugin: users for plugin, users in found.items() if users}
