"""MIG manager: cuts the cards of a pool into the MIG devices that the pool table says, and puts them together again.

It acts on the label `nvidia.com/mig.config` of its Node, which node feature discovery writes from the same table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, ResourceRequirements, Volume
from platform_def.capabilities import NodeLabels, NodeWork
from platform_def.components.gpu.pools.clients import elsewhere, waited_for
from platform_def.components.gpu.pools.mig_layouts import capable, impossible, mig_file
from platform_def.components.gpu.pools.node_labels import FEATURES, mig_labels, unwritten
from platform_def.config.cluster import Distribution
from platform_def.config.model import Name
from platform_def.config.pools import NodePool
from platform_def.constructs import (
    APACHE,
    Account,
    Component,
    ComponentConfig,
    DaemonSet,
    Need,
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

RELEASES = releases(
    # Upstream names none; it calls the core API alone.
    Release("0.15.0", image="nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0", kubernetes="1.25-1.37"),
    license=APACHE,
)

# Upstream's example allows everything on the core group, secrets of all namespaces included. These are the calls in
# 0.15's source: it watches and labels its Node, and waits until daemon pods have left it.
RULES = (allow("", "nodes", verbs="get list watch patch"), allow("", "pods", verbs="list"))
# In the namespace of GPU clients: pods of the GPU Operator's validators are deleted there.
CLIENT_RULES = (allow("", "pods", verbs="list delete"),)

NAME = "nvidia-mig-manager"
ACCOUNT = "nvidia-mig-manager-service-account"
ROLE = "nvidia-mig-manager-role"
LAYOUTS, CLIENTS = "mig-parted-config", "gpu-clients"
CHOSEN = {"nvidia.com/gpu.deploy.mig-manager": "true"}
"""Upstream's label of nodes that it runs on; asked for where the stack has no pool with MIG-capable cards."""
PRIVILEGED = "it changes the mode of GPUs, and stops and starts services of the node"

# Upstream sets none. mig-parted runs for moments.
RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}}

KUBELET_SERVICE: Mapping[Distribution, str] = {
    "k3s": "k3s-agent.service",
    "rke2": "rke2-agent.service",
    "microk8s": "snap.microk8s.daemon-kubelite.service",
}
"""systemd's name of the kubelet, where it is not kubelet.service."""

SERVICES = (
    "nvsm.service",
    "nvsm-mqtt.service",
    "nvsm-core.service",
    "nvsm-api-gateway.service",
    "nvsm-notifier.service",
    "nv_peer_mem.service",
    "nvidia-dcgm.service",
    "dcgm-exporter.service",
)
"""Services of NVIDIA's own that hold a card; upstream's list."""


class MigManagerConfig(ComponentConfig):
    """What a stack may choose about MIG manager; layouts are said in `nodePools`."""

    releases = RELEASES

    namespace: Name = "nvidia-device-plugin"
    """Namespace, that of the device plugin: one privileged namespace is enough. Upstream's is `default`."""
    labelled_by: Literal["discovery", "manual"] = "discovery"
    """Who writes `nvidia.com/mig.config`: node feature discovery, from the pools, or people by hand."""
    layouts: dict[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$")],
        dict[
            Annotated[str, Field(pattern=r"^[1-7]g\.\d{1,3}gb(\+me(\.all)?|\+gfx|-me)?$")], Annotated[int, Field(ge=1)]
        ],
    ] = Field(default_factory=dict)
    """More layouts by name, for labels by hand: `half: {3g.40gb: 2}`."""
    stop_host_services: bool = True
    """Stop services of the node that hold a card, and the kubelet where MIG is turned on or off, as upstream's example
    does; turn it off where the driver runs in a container."""
    host_services: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9@_.-]+\.service$")]] = Field(
        default_factory=lambda: [*SERVICES]
    )
    """Services that are stopped; the default is upstream's list."""
    kubelet_service: Annotated[str, Field(pattern=r"^[A-Za-z0-9@_.-]+\.service$")] | None = None
    """systemd's name of the kubelet; by default the distribution's (that of an agent on k3s and RKE2)."""
    reboot: bool = False
    """Reboot the node where cards do not change mode otherwise; off, as upstream has it: it takes every pod along."""


class MigManager(Component[MigManagerConfig]):
    """Account, layouts, services to stop, and a DaemonSet on nodes whose cards have MIG."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (NodeLabels, NodeWork)

    @classmethod
    def offers(cls, at: Setting[MigManagerConfig]) -> Offers:
        """It cuts cards, as labels say that it reads."""
        labels = mig_labels(at.platform.node_pools) if at.config.labelled_by == "discovery" else {}
        return Offers(capabilities=(NodeWork(work="partitions"), NodeLabels(pools=labels)))

    @classmethod
    def needs_of(cls, at: Setting[MigManagerConfig]) -> tuple[Need[NodeWork], ...]:
        """Node feature discovery, where it writes the labels."""
        return (FEATURES,) if at.config.labelled_by == "discovery" else ()

    @classmethod
    def problems(cls, at: Setting[MigManagerConfig]) -> Iterator[Problem]:
        """Layouts that no card has, nodes without systemd, and labels that nothing writes."""
        yield from impossible(at.platform.node_pools)
        if at.platform.distribution == "talos":
            yield Problem(
                "components.mig-manager: it stops services through the node's systemd, and Talos has none",
                hint="partition the cards by other means, and leave `mig:` in the pools for the device plugin",
            )
        yield from unwritten(at, "write `node-feature-discovery: {}`, or `labelledBy: manual` and the labels by hand")
        yield from elsewhere(at)

    def build(self) -> None:
        """Everything that partitions cards."""
        layouts = yaml_file(mig_file(self.pools, self.config.layouts))
        services = yaml_file({"version": "v1", "systemd-services": self.config.host_services})
        account = Account(self, ACCOUNT).allow(RULES, role=ROLE)
        account.allow_in(self.clients_namespace, CLIENT_RULES, role=ROLE)
        config_map(self, LAYOUTS, {"config.yaml": layouts})
        config_map(self, CLIENTS, {"clients.yaml": services})
        DaemonSet(self, NAME, pod=self.pod(), pod_annotations=restart_on_change(layouts, services))

    @property
    def pools(self) -> list[NodePool]:
        """Pools whose cards have MIG; where it is not wanted, it is turned off, so that the pool table holds."""
        return [pool for pool in self.platform.node_pools if capable(pool)]

    @property
    def clients_namespace(self) -> str:
        """The one namespace in which it waits for device plugin, feature discovery and exporter to leave the cards."""
        return next((each.value.namespace for each in waited_for(self.platform)), self.namespace)

    def pod(self) -> PodSpec:
        """The manager; privileged with the node's root, as upstream has it: it runs programs there by chroot."""
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "env": self.environment(),
            "volumeMounts": [
                {"name": "host-root", "mountPath": "/host", "mountPropagation": "HostToContainer"},
                {"name": "host-sys", "mountPath": "/sys"},
                {"name": CLIENTS, "mountPath": "/gpu-clients", "readOnly": True},
                {"name": LAYOUTS, "mountPath": "/mig-parted-config", "readOnly": True},
            ],
            "securityContext": {"privileged": True},
            "resources": RESOURCES,
        }
        volumes: list[Volume] = [
            {"name": "host-root", "hostPath": {"path": "/", "type": "Directory"}},
            {"name": "host-sys", "hostPath": {"path": "/sys", "type": "Directory"}},
            {"name": CLIENTS, "configMap": {"name": CLIENTS}},
            {"name": LAYOUTS, "configMap": {"name": LAYOUTS}},
        ]
        pod: PodSpec = {
            "serviceAccountName": ACCOUNT,
            "priorityClassName": "system-node-critical",
            "hostPID": True,
            "hostIPC": True,
            "containers": [container],
            "volumes": volumes,
            "tolerations": gpu_tolerations(self.pools),
        }
        if self.pools:
            pod["affinity"] = {"nodeAffinity": gpu_affinity(self.pools)}
        else:
            pod["nodeSelector"] = CHOSEN
        return with_runtime(pod, self.platform)

    def environment(self) -> list[EnvVar]:
        """Upstream's, with the namespace of GPU clients and the kubelet's service as they are here."""
        kubelet = KUBELET_SERVICE.get(self.platform.distribution, "kubelet.service")
        values = {
            "CONFIG_FILE": "/mig-parted-config/config.yaml",
            "GPU_CLIENTS_FILE": "/gpu-clients/clients.yaml",
            "HOST_ROOT_MOUNT": "/host",
            "HOST_NVIDIA_DIR": "/usr/local/nvidia",
            "HOST_KUBELET_SYSTEMD_SERVICE": self.config.kubelet_service or kubelet,
            "HOST_MIG_MANAGER_STATE_FILE": "/etc/systemd/system/nvidia-mig-manager.service.d/override.conf",
            "DEFAULT_GPU_CLIENTS_NAMESPACE": self.clients_namespace,
            "WITH_SHUTDOWN_HOST_GPU_CLIENTS": str(self.config.stop_host_services).lower(),
            "WITH_REBOOT": str(self.config.reboot).lower(),
        }
        fields = {"NODE_NAME": "spec.nodeName", "POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"}
        given: list[EnvVar] = [{"name": name, "value": value} for name, value in values.items()]
        own: list[EnvVar] = [
            {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()
        ]
        return [*own, *given]
