"""tkestack's gpu-manager: divides the GPUs of pools with `sharing: {mode: vgpu}` by cores and memory.

The project has rested since 2021; what it was built for (containerd 1, cgroup v1) is asked for before anything is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import (
    Container,
    NodeSelectorTerm,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    Toleration,
    Volume,
    VolumeMount,
)
from platform_def.capabilities import Devices, NodeWork, RuntimeClass
from platform_def.components.gpu.gpu_manager.words import LAYER
from platform_def.components.gpu.pools.configurations import collisions, dividing, undivided
from platform_def.config.model import Image, Name
from platform_def.config.pools import NodePool, layer, memory_units
from platform_def.constructs import (
    APACHE,
    Account,
    Component,
    ComponentConfig,
    DaemonSet,
    Offers,
    Platform,
    PodSecurityNeed,
    Problem,
    Release,
    Service,
    Setting,
    Support,
    Upkeep,
    allow,
    node_paths,
    port,
    releases,
    tolerations_of,
)
from platform_def.constructs.gpu_nodes import pool_affinity

# The manifest of the release still names 1.0.3, which knows no containerd.
RELEASES = releases(
    # It speaks v1alpha2 with containerd, which 2.0 has no more; 1.35 is the last minor version for containerd 1.
    Release(
        "1.1.5",
        image="docker.io/tkestack/gpu-manager:v1.1.5",
        kubernetes="1.25-1.35",
        upkeep=Upkeep(Support.ENDED),
        kept="clusters with vcuda libraries need it; hami is the maintained way to virtual GPUs",
    ),
    license=APACHE,
)

# Upstream's README binds cluster-admin. These are the calls in its sources: it labels its own Node with the model, and
# finds, marks, fails and deletes pods of its own node, which RBAC cannot narrow to a node.
RULES = (
    allow("", "nodes", verbs="get update"),
    allow("", "pods", verbs="delete get list patch watch"),
    allow("", "pods/status", verbs="update"),
)

NAME = "gpu-manager"
DAEMON = "gpu-manager-daemonset"
ROLE = "gpu-manager-role"
METRICS = "gpu-manager-metric"
METRICS_PORT = 5678
METRICS_PATH = "/metric"
PRIVILEGED = (
    "gpu-manager is privileged, sees the host's processes, and mounts folders of the kubelet, the runtime and /usr"
)

ENABLED: NodeSelectorTerm = {
    "matchExpressions": [{"key": "nvidia-device-enable", "operator": "In", "values": ["enable"]}]
}
"""The label that upstream asks to set by hand; used where a pool has no selector."""

TOLERATIONS: tuple[Toleration, ...] = (
    {"key": "CriticalAddonsOnly", "operator": "Exists"},
    {"key": LAYER.cores, "operator": "Exists", "effect": "NoSchedule"},
)
SECURITY: SecurityContext = {"privileged": True}
# Upstream sets none. It copies the driver's libraries when it starts, and samples all processes on the cards.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}


class GpuManagerConfig(ComponentConfig):
    """What a stack may choose about gpu-manager; how many shares a card has is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace, at the privileged Pod Security level; upstream uses kube-system, which others share."""
    image: Image | None = None
    """An image of your own, by default the release's, which is of 2021: later drivers may need a newer build."""
    cgroup_driver: Literal["cgroupfs", "systemd"] = "cgroupfs"
    """The kubelet's `cgroupDriver` on these nodes. Release 1.1.5 finds no container of containerd under `systemd`: it
    looks for `containerd-<id>.scope`, and the name is `cri-containerd-<id>.scope`. A build of upstream's last commit
    does."""
    log_level: Annotated[int, Field(ge=0, le=10)] = 4
    """Upstream's; from 5 on every call of the dividing library is logged."""


class GpuManager(Component[GpuManagerConfig]):
    """Account, role, DaemonSet and metrics of gpu-manager."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Devices, NodeWork)

    @classmethod
    def offers(cls, at: Setting[GpuManagerConfig]) -> Offers:
        """What pods ask for."""
        return Offers(capabilities=(Devices(resources=[LAYER.cores, LAYER.memory], layer=NAME), dividing(at, NAME)))

    @classmethod
    def problems(cls, at: Setting[GpuManagerConfig]) -> Iterator[Problem]:
        """Nodes that it cannot work on, and pools that it cannot divide."""
        yield from _of_nodes(at.config, at.platform)
        yield from _of_pools(at.platform)
        yield from _of_others(at.platform)

    def build(self) -> None:
        """Everything that makes parts of GPUs a resource that pods can ask for."""
        Account(self, NAME).allow(RULES, role=ROLE)
        DaemonSet(self, DAEMON, pod=self.pod())
        Service(
            self,
            METRICS,
            workload=DAEMON,
            ports=[port("metrics", METRICS_PORT)],
            annotations=None if self.monitored else SCRAPED,
            extra_spec={"clusterIP": "None"},
        ).monitor("metrics", path=METRICS_PATH)

    def pod(self) -> PodSpec:
        """The daemon on the nodes whose GPUs are divided."""
        pools = _pools(self.platform)
        socket, runtime_mounts, runtime_volumes = self.runtime()
        flags = {
            "logtostderr": "true",
            "container-runtime-endpoint": socket,
            "cgroup-driver": self.config.cgroup_driver,
        }
        container: Container = {
            "name": NAME,
            "image": self.config.image or self.release.image,
            "env": [
                {"name": "LOG_LEVEL", "value": str(self.config.log_level)},
                {"name": "EXTRA_FLAGS", "value": " ".join(f"--{name}={value}" for name, value in flags.items())},
                {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            ],
            "ports": [{"name": "metrics", "containerPort": METRICS_PORT, "protocol": "TCP"}],
            "readinessProbe": {"httpGet": {"path": METRICS_PATH, "port": METRICS_PORT}, "timeoutSeconds": 5},
            "volumeMounts": [*MOUNTS, *runtime_mounts],
            "securityContext": SECURITY,
            "resources": RESOURCES,
        }
        wanted = [*TOLERATIONS, *(toleration for pool in pools for toleration in tolerations_of(pool))]
        return {
            "serviceAccountName": NAME,
            "hostPID": True,
            "priorityClassName": "system-node-critical",
            "affinity": {"nodeAffinity": pool_affinity(pools, otherwise=[ENABLED])},
            "tolerations": [each for index, each in enumerate(wanted) if each not in wanted[:index]],
            "containers": [container],
            "volumes": [
                _host_path("device-plugin", node_paths(self.platform.distribution).device_plugins, "Directory"),
                *VOLUMES,
                *runtime_volumes,
            ],
        }

    def runtime(self) -> tuple[str, list[VolumeMount], list[Volume]]:
        """The container runtime's socket, and the folder it is in where that is not below /var/run."""
        socket = node_paths(self.platform.distribution).runtime_socket
        if socket.startswith("/run/"):
            return f"/var{socket}", [], []
        if socket.startswith("/var/run/"):
            return socket, [], []
        folder = socket.rpartition("/")[0]
        mount: VolumeMount = {"name": "runtime", "mountPath": folder}
        return socket, [mount], [_host_path("runtime", folder, "Directory")]


def _pools(platform: Platform) -> list[NodePool]:
    return [pool for pool in platform.node_pools if layer(pool) == NAME]


def _of_nodes(config: GpuManagerConfig, platform: Platform) -> Iterator[Problem]:
    at = "components.gpu-manager"
    if platform.cgroup == "v2":
        yield Problem(
            f"{at}: reads control groups of version 1 alone, and the nodes have version 2: it would find no process",
            hint="say `cluster: {cgroup: v1}` when the nodes do have it (from Kubernetes 1.35 on the kubelet must be "
            "told `failCgroupV1: false`), or write `layer: hami` for the pool",
        )
    if platform.nvidia_runtime == "default":
        yield Problem(
            f"{at}: nvidia is the nodes' default runtime, which puts the driver's own library over the one that "
            "divides: containers would have whole cards",
            hint="make runc the default runtime of these nodes, and say `cluster: {nvidiaRuntime: class}`",
        )
    if config.cgroup_driver == "systemd" and config.image is None:
        yield Problem(
            f"{at}: with the systemd driver release {config.version} looks for containerd's containers by a wrong name",
            hint="set the kubelet's cgroupDriver to cgroupfs on these nodes, or name a later build in `image:`",
        )


def _of_pools(platform: Platform) -> Iterator[Problem]:
    pools = _pools(platform)
    if not pools:
        yield Problem(
            "components.gpu-manager: no node pool has virtual GPUs",
            hint="write `sharing: {mode: vgpu, replicas: 4}` under a pool's `gpu:`",
        )
    for pool in pools:
        if pool.gpu and memory_units(pool.gpu, LAYER) is None:
            yield Problem(
                f"nodePools: pool {pool.name} divides the memory of its cards, and that of model {pool.gpu.model} is "
                "not known",
                hint="say `memoryGib:` under the pool's `gpu:`",
                at=("nodePools", pool.name, "gpu", "model"),
            )
    yield from collisions(platform.node_pools)
    yield from undivided(platform)


def _of_others(platform: Platform) -> Iterator[Problem]:
    """Who sets up NVIDIA's runtime on every node with cards: containers would get the driver's own library."""
    for given in platform.all(RuntimeClass):
        if given.value.made == "runtime":
            yield Problem(
                f"components.gpu-manager: {given.by} sets up NVIDIA's container runtime on every node with GPUs, which "
                "puts the driver's own library over the one that divides",
                hint="keep one of the two, or write `layer: hami` for the pool",
            )


SCRAPED = {
    "prometheus.io/scrape": "true",
    # Upstream leaves these out, so what is asked is /metrics, which it does not have.
    "prometheus.io/path": METRICS_PATH,
    "prometheus.io/port": str(METRICS_PORT),
}
MOUNTS: tuple[VolumeMount, ...] = (
    {"name": "device-plugin", "mountPath": "/var/lib/kubelet/device-plugins"},
    {"name": "vdriver", "mountPath": "/etc/gpu-manager/vdriver"},
    {"name": "vmdata", "mountPath": "/etc/gpu-manager/vm"},
    {"name": "log", "mountPath": "/var/log/gpu-manager"},
    {"name": "checkpoint", "mountPath": "/etc/gpu-manager/checkpoint"},
    {"name": "run-dir", "mountPath": "/var/run"},
    {"name": "cgroup", "mountPath": "/sys/fs/cgroup", "readOnly": True},
    {"name": "usr-directory", "mountPath": "/usr/local/host", "readOnly": True},
)


def _host_path(name: str, path: str, kind: str) -> Volume:
    return {"name": name, "hostPath": {"path": path, "type": kind}}


VOLUMES: tuple[Volume, ...] = (
    _host_path("vmdata", "/etc/gpu-manager/vm", "DirectoryOrCreate"),
    _host_path("vdriver", "/etc/gpu-manager/vdriver", "DirectoryOrCreate"),
    _host_path("log", "/etc/gpu-manager/log", "DirectoryOrCreate"),
    _host_path("checkpoint", "/etc/gpu-manager/checkpoint", "DirectoryOrCreate"),
    # The whole folder: the socket is a new file whenever the runtime restarts.
    _host_path("run-dir", "/var/run", "Directory"),
    _host_path("cgroup", "/sys/fs/cgroup", "Directory"),
    # The whole folder: each Linux distribution keeps the driver's libraries elsewhere below it.
    _host_path("usr-directory", "/usr", "Directory"),
)
