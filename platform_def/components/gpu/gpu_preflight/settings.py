"""What the owner of a pool's nodes has to set there, as text to copy: no program in the cluster writes it.

It follows from the pool and the cluster alone, so it says the same as what plugins, jobs and the preflight expect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.components.gpu.gpu_preflight.labels import node_labels
from platform_def.config.accelerators import HostLibraries
from platform_def.config.cluster import Distribution
from platform_def.config.pools import NodePool, layer
from platform_def.config.rdma import Rdma
from platform_def.constructs import Platform, yaml_file

FINDS_TOOLKIT: frozenset[Distribution] = frozenset(("k3s", "rke2"))
"""Distributions whose containerd finds the container toolkit by itself."""
MANAGED: frozenset[Distribution] = frozenset(("eks", "gke", "aks", "openshift", "talos"))
"""Distributions whose nodes are set by images or machine configurations of their own."""
UNITS: Mapping[Distribution, str] = {
    "k3s": "k3s-agent",
    "rke2": "rke2-agent",
    "microk8s": "snap.microk8s.daemon-containerd",
    "minikube": "docker",
    "openshift": "crio",
}
"""systemd unit that containers inherit their limits from, where it is not containerd's."""

CGROUP_V1_REFUSED_FROM = "1.35"
"""Minor version of Kubernetes from which kubelets do not start with control groups of version 1."""


def node_settings(pool: NodePool, platform: Platform) -> str:
    """The settings of one pool's nodes, by file."""
    parts = [*_head(pool, platform), *_kubelet(pool, platform), *_runtime(pool, platform), *_kernel(pool)]
    return "\n".join(parts)


def _head(pool: NodePool, platform: Platform) -> Iterator[str]:
    yield f"# Nodes of pool {pool.name}."
    if platform.distribution in MANAGED:
        yield f"# {platform.distribution} sets its nodes by images or machine configurations: carry this over to those."
    yield ""


def _kubelet(pool: NodePool, platform: Platform) -> Iterator[str]:
    content: dict[str, object] = {}
    if pool.taints:
        content["registerWithTaints"] = [
            {"key": taint.key, **({"value": taint.value} if taint.value else {}), "effect": taint.effect}
            for taint in pool.taints
        ]
    if platform.feature_gates:
        content["featureGates"] = dict(platform.feature_gates)
    if layer(pool) == "gpu-manager":
        content["cgroupDriver"] = "cgroupfs"
    if platform.cgroup == "v1" and platform.kubernetes >= CGROUP_V1_REFUSED_FROM:
        content["failCgroupV1"] = False
    yield from node_labels(pool)
    if content:
        yield "## The kubelet's configuration, on top of what it has:"
        yield yaml_file({"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", **content})


def _runtime(pool: NodePool, platform: Platform) -> Iterator[str]:
    unit = UNITS.get(platform.distribution, "containerd")
    if pool.rdma.pinned or pool.memlock_unlimited:
        yield f"## /etc/systemd/system/{unit}.service.d/10-memlock.conf"
        yield f"## then: systemctl daemon-reload && systemctl restart {unit}"
        yield "[Service]"
        yield "LimitMEMLOCK=infinity"
        yield ""
    if layer(pool) == "gpu-manager":
        yield "## containerd 1.x, without NVIDIA's container toolkit; in its configuration:"
        yield '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]'
        yield "  SystemdCgroup = false"
        yield ""
    elif pool.gpu and pool.gpu.host_libraries:
        yield from _libraries(pool.gpu.host_libraries)
    elif pool.gpu:
        yield from _toolkit(platform, unit)


def _libraries(libraries: HostLibraries) -> Iterator[str]:
    """What NVIDIA's container toolkit does elsewhere."""
    yield "## NVIDIA's libraries for containers, without the container toolkit: the driver's files alone, none of the"
    yield "## system's, and of the version whose kernel module is loaded:"
    yield f"{libraries.driver}/lib64: libcuda.so.1, libnvidia-ml.so.1, libnvidia-ptxjitcompiler.so.1 and the others"
    yield f"{libraries.driver}/bin: nvidia-smi"
    if libraries.cuda:
        yield f"{libraries.cuda}/lib64: the CUDA toolkit's libraries"
    yield ""
    yield "## Device files, at each start of the node and before the kubelet's:"
    yield "nvidia-modprobe -u -c=0"
    yield ""


def _toolkit(platform: Platform, unit: str) -> Iterator[str]:
    """The toolkit writes containerd's configuration itself: its form changed between containerd 1 and 2."""
    default = " --set-as-default" if platform.nvidia_runtime == "default" else ""
    program = "crio" if unit == "crio" else "docker" if unit == "docker" else "containerd"
    yield "## NVIDIA's container toolkit, once it is installed:"
    if platform.distribution in FINDS_TOOLKIT and not default:
        yield f"systemctl restart {unit}  # it finds the toolkit when it starts"
    else:
        yield f"nvidia-ctk runtime configure --runtime={program}{default} && systemctl restart {unit}"
    yield ""


def _kernel(pool: NodePool) -> Iterator[str]:
    if pool.gpu:
        yield "## /etc/modprobe.d/nouveau.conf, then make the initial RAM disk anew and restart the node:"
        yield "blacklist nouveau"
        yield "options nouveau modeset=0"
        yield ""
    if pool.rdma.pinned:
        modules = ["ib_uverbs", "rdma_ucm", *(["ib_umad", "ib_ipoib"] if pool.rdma.kind == "infiniband" else [])]
        yield "## /etc/modules-load.d/rdma.conf"
        yield from modules
        if pool.gpu:
            yield "nvidia_peermem"
        yield ""
    if pool.rdma.sriov:
        yield from _functions(pool.rdma)


def _functions(rdma: Rdma) -> Iterator[str]:
    """Virtual functions: made anew at every start, before the device plugin counts them."""
    if rdma.netns == "exclusive":
        yield "## /etc/modprobe.d/ib_core.conf, then make the initial RAM disk anew and restart the node:"
        yield "options ib_core netns_mode=0"
        yield ""
    yield f"## Firmware of the adapters, once (mstconfig or mlxconfig): SRIOV_EN=1 NUM_OF_VFS={rdma.functions}"
    yield "## /etc/systemd/system/sriov-functions.service, then: systemctl enable --now sriov-functions"
    yield from ("[Unit]", "After=network-pre.target", "Before=kubelet.service", "[Service]", "Type=oneshot")
    for network in rdma.networks:
        folder = f"net/{network.interface}/device" if network.interface else f"pci/devices/{network.pci_address}"
        root = "/sys/class" if network.interface else "/sys/bus"
        yield f"ExecStart=/bin/sh -c 'echo {rdma.functions} > {root}/{folder}/sriov_numvfs'"
    yield from ("[Install]", "WantedBy=multi-user.target", "")
    if rdma.kind == "infiniband":
        yield "## InfiniBand: give each function GUIDs (ip link set <port> vf <number> node_guid …, then port_guid …),"
        yield "## and let the subnet manager serve virtual ports (opensm: virt_enabled 2)."
        yield ""
