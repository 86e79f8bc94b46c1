"""Where the parts of a node live, by distribution: the one table that every component with host paths reads.

Facts are the distributions' own defaults; a cluster that was installed with other folders needs an overlay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from platform_def.config.cluster import Distribution


@dataclass(frozen=True)
class NodePaths:
    """Folders and sockets of one distribution's nodes."""

    kubelet: str = "/var/lib/kubelet"
    """The kubelet's root folder (`--root-dir`)."""
    runtime_socket: str = "/run/containerd/containerd.sock"
    """Socket of the container runtime (CRI)."""
    cni_config: str = "/etc/cni/net.d"
    """Where the runtime finds which CNI plugin to call."""
    cni_plugins: str = "/opt/cni/bin"
    """Where the runtime finds CNI plugins."""
    selinux: bool = True
    """The host has /etc/selinux, or a root file system on which the runtime can make it."""

    @property
    def device_plugins(self) -> str:
        """Sockets of device plugins."""
        return f"{self.kubelet}/device-plugins"

    @property
    def plugins(self) -> str:
        """Folders of CSI and DRA drivers."""
        return f"{self.kubelet}/plugins"

    @property
    def registry(self) -> str:
        """Sockets by which drivers make themselves known."""
        return f"{self.kubelet}/plugins_registry"

    @property
    def pods(self) -> str:
        """Volumes of the node's pods."""
        return f"{self.kubelet}/pods"


_BY_DISTRIBUTION: Mapping[Distribution, NodePaths] = {
    "kubeadm": NodePaths(),
    "kind": NodePaths(),
    "minikube": NodePaths(runtime_socket="/var/run/cri-dockerd.sock"),
    # Both keep the kubelet where upstream has it; only containerd moved, and k3s' CNI (the folder of plugins is that of
    # releases since late 2024).
    "k3s": NodePaths(
        runtime_socket="/run/k3s/containerd/containerd.sock",
        cni_config="/var/lib/rancher/k3s/agent/etc/cni/net.d",
        cni_plugins="/var/lib/rancher/k3s/data/cni",
    ),
    "rke2": NodePaths(runtime_socket="/run/k3s/containerd/containerd.sock"),
    # A snap: /var/lib/kubelet is at best a link, which mount propagation does not follow.
    "microk8s": NodePaths(
        kubelet="/var/snap/microk8s/common/var/lib/kubelet",
        runtime_socket="/var/snap/microk8s/common/run/containerd.sock",
        cni_config="/var/snap/microk8s/current/args/cni-network",
        cni_plugins="/var/snap/microk8s/current/opt/cni/bin",
    ),
    "talos": NodePaths(selinux=False),
    "openshift": NodePaths(
        runtime_socket="/run/crio/crio.sock", cni_config="/etc/kubernetes/cni/net.d", cni_plugins="/var/lib/cni/bin"
    ),
    "eks": NodePaths(),
    "gke": NodePaths(cni_plugins="/home/kubernetes/bin"),
    "aks": NodePaths(),
}


def node_paths(distribution: Distribution) -> NodePaths:
    """The paths of a distribution's nodes."""
    return _BY_DISTRIBUTION[distribution]
