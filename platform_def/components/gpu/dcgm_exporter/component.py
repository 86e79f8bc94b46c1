"""DCGM exporter: metrics of every GPU, with the pod that uses it, for Prometheus.

Which resource names are GPUs, and whether several pods share one, follows from the pools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, EnvVar, NodeSelectorRequirement, PodSpec, SecurityContext, Volume
from platform_def.capabilities import Devices, Exporter, GpuClient, NodeWork
from platform_def.components.gpu.dcgm_exporter.alerts import gpu_alerts
from platform_def.components.gpu.dcgm_exporter.counters import Counter, counters_file, measures
from platform_def.components.gpu.dcgm_exporter.dashboards import gpu_dashboards
from platform_def.components.gpu.dcgm_exporter.metrics import metrics_of
from platform_def.components.gpu.pools.exporter import sharing_environment
from platform_def.components.monitoring.exporters.kube_state_metrics import KUBE_STATE_METRICS
from platform_def.config.model import Name
from platform_def.config.pools import NodePool
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    DaemonSet,
    Dashboards,
    Offers,
    Platform,
    PodSecurityNeed,
    Problem,
    Release,
    Service,
    Setting,
    allow,
    config_map,
    node_paths,
    port,
    releases,
    restart_on_change,
)
from platform_def.constructs.gpu_nodes import gpu_affinity, gpu_tolerations, with_runtime

IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter"


@dataclass(frozen=True, kw_only=True)
class DcgmRelease(Release):
    """What differs between releases."""

    reads_claims: bool = True
    """It looks for devices that pods claim in the API that clusters serve. Otherwise in v1beta1, which they do not
    unless told to, and waits for it before it serves anything."""


RELEASES = releases(
    # The GPU Operator's own, since 26.7. It calls the label `Hostname` `hostname`.
    DcgmRelease("4.6.0-4.8.3", image=f"{IMAGE}:4.6.0-4.8.3-distroless", kubernetes="1.25-1.37"),
    # Upstream's chart asks for 1.19 and newer, and all other APIs that they call are stable.
    DcgmRelease("4.5.3-4.8.2", image=f"{IMAGE}:4.5.3-4.8.2-distroless", kubernetes="1.25-1.37", reads_claims=False),
    license=APACHE,
)

COUNTERS = "exporter-metrics-config-map"
# Only used with `-m`, which reads the counters by the API; the pods mount them instead and get no token.
RULES = (allow("", "configmaps", verbs="get", names=COUNTERS),)
# With labels of pods, or claims, alone. Upstream grants resourceslices and core's pods in one rule for both API groups.
POD_RULES = (
    allow("", "pods", verbs=READ),
    allow("resource.k8s.io", "resourceslices", verbs=READ),
)

NAME = "dcgm-exporter"
METRICS = 9400
POD_RESOURCES = "/var/lib/kubelet/pod-resources"
"""Compiled into the exporter: the folder inside its container, whatever it is called on the node."""
FILE = "/etc/dcgm-exporter/default-counters.csv"
PRIVILEGED = "it reads the kubelet's pod-resources, as root with SYS_ADMIN for hardware counters"

PAUSED: NodeSelectorRequirement = {
    "key": "nvidia.com/gpu.deploy.dcgm-exporter",
    "operator": "NotIn",
    "values": ["paused-for-mig-change", "false"],
}
MIG_CLIENT = {"app": "nvidia-dcgm-exporter"}
"""The label by which MIG manager waits for these pods to leave the cards."""


class DcgmExporterConfig(ComponentConfig):
    """What a stack may choose about DCGM exporter."""

    releases = RELEASES

    namespace: Name = "nvidia-device-plugin"
    """Namespace; upstream names none. The device plugin's: MIG manager waits for GPU clients in one namespace."""
    profiling: bool = True
    """Measure tensor cores, memory and PCIe by hardware counters (Volta and newer), which takes SYS_ADMIN. Turn it off
    for older cards, or where another profiler needs the counters."""
    counters: dict[Annotated[str, Field(pattern=r"^DCGM_[A-Z0-9_]+$")], Counter] = Field(default_factory=dict)
    """More counters, by DCGM's name of the field: `DCGM_FI_DEV_ECC_DBE_VOL_TOTAL: {type: counter, help: …}`."""
    interval_seconds: int = Field(default=30, ge=1)
    """How often values are read, as upstream has it."""
    pod_labels: bool = False
    """Put the labels and the id of the pod that uses a GPU on its metrics; needs the right to read all pods, and makes
    a series for each."""


class DcgmExporter(Component[DcgmExporterConfig]):
    """Account, counters, DaemonSet on all GPU nodes, Service, monitor, alerts, dashboards."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Exporter, GpuClient, NodeWork)

    @classmethod
    def offers(cls, at: Setting[DcgmExporterConfig]) -> Offers:
        """Metrics of cards, and pods that hold them."""
        return Offers(
            capabilities=(
                NodeWork(work="metrics"),
                GpuClient(labels=MIG_CLIENT, namespace=at.config.namespace),
                Exporter(name=NAME),
            )
        )

    @classmethod
    def problems(cls, at: Setting[DcgmExporterConfig]) -> Iterator[Problem]:
        """Another exporter on the same cards, and nodes on which none can run."""
        gpus = [pool for pool in at.platform.node_pools if pool.gpu]
        if gpus and not _measured(gpus):
            yield Problem(
                "components.dcgm-exporter: no pool is left for it, it needs NVIDIA's container toolkit, and all pools "
                "have `hostLibraries`",
                hint="remove the component",
            )

        release = cls.release_of(at.config)
        if isinstance(release, DcgmRelease) and not release.reads_claims and _claimed(at.platform):
            known = ", ".join(each.version for each in RELEASES if each.reads_claims)
            yield Problem(
                f"components.dcgm-exporter: pods get GPUs by claims, and release {release.version} waits for "
                "resource.k8s.io/v1beta1 before it serves anything, which API servers have off",
                hint=f"write `release:` with one that reads v1: {known}",
            )

    def build(self) -> None:
        """Everything that measures GPUs."""
        account = Account(self, NAME).allow_in(self.namespace, RULES, role="dcgm-exporter-read-cm")
        if self.asks_the_api:
            account.allow(POD_RULES, role="dcgm-exporter-read-pods")
        measured = measures(profiling=self.config.profiling, further=self.config.counters)
        file = counters_file(measured)
        config_map(self, COUNTERS, {"metrics": file})
        DaemonSet(self, NAME, pod=self.pod(), pod_labels=MIG_CLIENT, pod_annotations=restart_on_change(file))
        service = Service(self, NAME, ports=[port("metrics", METRICS)])
        service.monitor("metrics", interval="15s", honor_labels=True, node=True)
        tables = [metrics_of(measured, pod_labels=self.config.pod_labels, claims=self.claims)]
        Alerts(self, [*gpu_alerts(NAME, profiling=self.config.profiling)], tables=tables)
        boards = gpu_dashboards(profiling=self.config.profiling)
        Dashboards(self, [*boards], tables=[*tables, KUBE_STATE_METRICS])

    @property
    def claims(self) -> bool:
        """Whether pods get GPUs by claims, which are looked up in the cluster."""
        return _claimed(self.platform)

    @property
    def asks_the_api(self) -> bool:
        """Whether it needs rights and a token; with neither labels nor claims the kubelet's socket tells all."""
        return self.config.pod_labels or self.claims

    @property
    def pools(self) -> list[NodePool]:
        """Pools with GPUs, however they are shared: cards are measured."""
        return _measured(self.platform.node_pools)

    def pod(self) -> PodSpec:
        """The exporter; upstream's chart schedules it on every node, where it fails without a GPU."""
        container: Container = {
            "name": "exporter",
            "image": self.release.image,
            "args": ["-f", FILE],
            "env": self.environment(),
            "ports": [{"name": "metrics", "containerPort": METRICS}],
            "livenessProbe": {
                "httpGet": {"path": "/health", "port": METRICS},
                "initialDelaySeconds": 45,
                "periodSeconds": 5,
            },
            "readinessProbe": {"httpGet": {"path": "/health", "port": METRICS}, "initialDelaySeconds": 45},
            "volumeMounts": [
                {"name": "pod-gpu-resources", "mountPath": POD_RESOURCES, "readOnly": True},
                {"name": "exporter-metrics-volume", "mountPath": FILE, "subPath": "default-counters.csv"},
            ],
            "securityContext": self.security(),
            "resources": {
                "requests": {"cpu": "100m", "memory": "128Mi"},
                "limits": {"cpu": "200m", "memory": "512Mi"},
            },
        }
        volumes: list[Volume] = [
            {
                "name": "pod-gpu-resources",
                "hostPath": {"path": f"{node_paths(self.platform.distribution).kubelet}/pod-resources"},
            },
            {
                "name": "exporter-metrics-volume",
                "configMap": {"name": COUNTERS, "items": [{"key": "metrics", "path": "default-counters.csv"}]},
            },
        ]
        pod: PodSpec = {
            "serviceAccountName": NAME,
            "automountServiceAccountToken": self.asks_the_api,
            "priorityClassName": "system-node-critical",
            "containers": [container],
            "volumes": volumes,
            "affinity": {"nodeAffinity": gpu_affinity(self.pools, also=[PAUSED])},
            "tolerations": [
                {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"},
                *gpu_tolerations(self.pools),
            ],
        }
        return with_runtime(pod, self.platform)

    def environment(self) -> list[EnvVar]:
        """How to listen, and which pods to look for."""
        values = {
            "DCGM_EXPORTER_KUBERNETES": "true",
            "DCGM_EXPORTER_LISTEN": f":{METRICS}",
            "DCGM_EXPORTER_INTERVAL": str(self.config.interval_seconds * 1000),
            **sharing_environment(self.pools),
        }
        if self.config.pod_labels:
            values["DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS"] = "true"
            values["DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID"] = "true"
        if self.claims:
            values["KUBERNETES_ENABLE_DRA"] = "true"
        env: list[EnvVar] = [{"name": name, "value": value} for name, value in values.items()]
        return [*env, {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]

    def security(self) -> SecurityContext:
        """Upstream's: root, for the kubelet's socket; SYS_ADMIN for hardware counters alone."""
        added: SecurityContext = {"capabilities": {"drop": ["ALL"]}}
        if self.config.profiling:
            added = {"capabilities": {"add": ["SYS_ADMIN"], "drop": ["ALL"]}}
        return {"runAsNonRoot": False, "runAsUser": 0, "allowPrivilegeEscalation": False, **added}


def _claimed(platform: Platform) -> bool:
    return any(given.value.by_claim for given in platform.all(Devices))


def _measured(pools: Iterable[NodePool]) -> list[NodePool]:
    """Without NVIDIA's container toolkit DCGM's own libraries find no driver."""
    return [pool for pool in pools if pool.gpu and not pool.gpu.host_libraries]
