"""node-exporter: CPU, memory, disks, file systems, network and RDMA adapters of every node."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import Exporter
from platform_def.components.monitoring.exporters.node_exporter import NAME, NODE_EXPORTER
from platform_def.components.monitoring.node_exporter.alerts import ALERTS, DASHBOARD
from platform_def.components.monitoring.rbac_proxy import PROXY, REVIEWS, rbac_proxy
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    DaemonSet,
    Dashboards,
    Offers,
    PodSecurityNeed,
    Release,
    Service,
    Setting,
    host_paths,
    mounts,
    port,
    releases,
)

RELEASES = releases(
    Release(
        "1.12.1",
        # It reads the kernel's files and calls no API.
        kubernetes="1.25-1.37",
        image="quay.io/prometheus/node-exporter:v1.12.1",
        images={"proxy": PROXY},
        exports=(NODE_EXPORTER,),
    ),
    license=APACHE,
)
HTTPS, HTTP = 9100, 9101
"""On the node's own network, as everywhere; the second on its loopback alone."""
Collector = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=50)]
PODS = r"^(veth.*|cali.*|lxc.*|cilium.*|[a-f0-9]{15})$"
"""Network devices of pods, which come and go."""
MOUNTS = r"^/(dev|proc|sys|run/k3s/containerd/.+|var/lib/(docker|containerd|kubelet/pods|kubelet/plugins)/.+)($|/)"
OFF = ("wifi", "hwmon", "btrfs")
"""Upstream's packaging switches these off."""
WHY = "it reads the node's /proc and /sys, on the node's network and among its processes"


class NodeExporterConfig(ComponentConfig):
    """What a stack may choose about node-exporter."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the pods."""
    collectors: dict[Collector, bool] = Field(default_factory=dict)
    """Collectors to switch on or off: `{systemd: true, hwmon: true}`."""


class NodeExporter(Component[NodeExporterConfig]):
    """A DaemonSet on every node, read through kube-rbac-proxy."""

    pod_security = PodSecurityNeed("privileged", WHY)
    gives = (Exporter,)

    @classmethod
    def offers(cls, at: Setting[NodeExporterConfig]) -> Offers:  # noqa: ARG003 - the same in every setting
        """Series that others may join."""
        return Offers(capabilities=(Exporter(name=NAME),))

    def build(self) -> None:
        """Everything that measures machines."""
        Account(self, NAME).allow(REVIEWS)
        DaemonSet(
            self, NAME, pod=self.pod(), extra_spec={"updateStrategy": {"rollingUpdate": {"maxUnavailable": "10%"}}}
        )
        service = Service(self, NAME, ports=[port("https", HTTPS, "https")])
        service.monitor("https", scheme="https", token=True, interval="15s", node=True)
        Alerts(self, ALERTS)
        Dashboards(self, [DASHBOARD])

    def pod(self) -> PodSpec:
        """The exporter beside its proxy. No network policy holds for pods on the node's network."""
        switched = {**dict.fromkeys(OFF, False), **self.config.collectors}
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "args": [
                f"--web.listen-address=127.0.0.1:{HTTP}",
                "--path.sysfs=/host/sys",
                "--path.rootfs=/host/root",
                "--path.procfs=/host/root/proc",
                "--path.udev.data=/host/root/run/udev/data",
                *(f"--{'' if on else 'no-'}collector.{name}" for name, on in switched.items()),
                f"--collector.filesystem.mount-points-exclude={MOUNTS}",
                f"--collector.netclass.ignored-devices={PODS}",
                f"--collector.netdev.device-exclude={PODS}",
            ],
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
            # Upstream's; SYS_TIME is for adjtimex, which tells how far the clock is off.
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"add": ["SYS_TIME"], "drop": ["ALL"]},
                "readOnlyRootFilesystem": True,
                "runAsNonRoot": True,
                "runAsUser": 65534,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "volumeMounts": [
                *mounts({"sys": "/host/sys", "root": "/host/root"}, read_only=True, propagation="HostToContainer")
            ],
        }
        return {
            "serviceAccountName": NAME,
            "hostNetwork": True,
            "hostPID": True,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "priorityClassName": "system-node-critical",
            "tolerations": [{"operator": "Exists"}],
            "containers": [container, rbac_proxy(self.release.images["proxy"], HTTPS, upstream=HTTP, on_node=True)],
            "volumes": host_paths({"sys": "/sys", "root": "/"}),
        }
