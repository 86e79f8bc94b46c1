"""Node problem detector: what ails a node, as conditions, events and metrics: kernel, disks, cards, RDMA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec, Volume
from platform_def.components.monitoring.node_problem_detector import monitors, taint
from platform_def.components.monitoring.node_problem_detector.metrics import ALERTS, DASHBOARD, METRICS
from platform_def.components.monitoring.node_problem_detector.taint import TaintConfig
from platform_def.config.model import Name, conflict
from platform_def.constructs import (
    APACHE,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    DaemonSet,
    Dashboards,
    NetworkPolicy,
    PodSecurityNeed,
    Problem,
    Release,
    Service,
    Setting,
    config_map,
    env,
    from_cluster,
    from_field,
    host_paths,
    mounts,
    port,
    releases,
    restart_on_change,
    scratch,
)

NAME, CONFIG = "node-problem-detector", "node-problem-detector-config"
RELEASES = releases(
    # Numbered as the Kubernetes that it is compiled against. The tree at v1.36.0 still names the image of 0.8.19.
    Release("1.36.0", kubernetes="1.25-1.37", image=f"registry.k8s.io/{NAME}/{NAME}:v1.36.0", exports=(METRICS,)),
    license=APACHE,
)
PORT = 20257
FOLDER, SCRIPT = "/config", "gpu-node-checks.sh"
WHY = "it reads the kernel's log at /dev/kmsg, which takes a privileged container"


class NodeProblemDetectorConfig(ComponentConfig):
    """What a stack may choose about node problem detector."""

    releases = RELEASES

    namespace: Name = "node-problem-detector"
    """Namespace of the pods; upstream uses kube-system, whose Pod Security level others share."""
    gpus: bool = True
    """Look at cards and RDMA ports too: conditions GpuFatalError, GpuDriverMissing, GpuMissing and RdmaPortDown."""
    interval_seconds: Annotated[int, Field(ge=10, le=3600)] = 60
    """How often cards and ports are looked at."""
    taint: TaintConfig | None = None
    """Taint nodes of GPU pools while they have one of some conditions, and take the taint away afterwards."""

    @conflict
    def _conditions_that_are_looked_for(self) -> Iterator[ValueError]:
        known = monitors.conditions(gpus=self.gpus)
        for each in self.taint.conditions if self.taint else ():
            if each not in known:
                yield ValueError(f"taint: nothing sets the condition {each}; there are {', '.join(sorted(known))}")


class NodeProblemDetector(Component[NodeProblemDetectorConfig]):
    """A DaemonSet on every node, its configuration and script, and alerts over what it finds."""

    pod_security = PodSecurityNeed("privileged", WHY)

    @classmethod
    def problems(cls, at: Setting[NodeProblemDetectorConfig]) -> Iterator[Problem]:
        """A taint without pools, or without what keeps its account to it."""
        if at.config.taint:
            for text, hint in taint.problems(at.platform):
                yield Problem(f"components.{at.name}.taint: {text}", hint=hint)

    def build(self) -> None:
        """Everything that looks at nodes."""
        Account(self, NAME).bind("system:node-problem-detector", binding="npd-binding")
        files = self.files()
        config_map(self, CONFIG, files)
        DaemonSet(self, NAME, pod=self.pod([*files]), pod_annotations=restart_on_change(*files.values()))
        service = Service(self, NAME, ports=[port("metrics", PORT, "metrics")], extra_spec={"clusterIP": "None"})
        service.monitor("metrics", node=True)
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_cluster("metrics")])
        if self.config.taint:
            taint.make(self, self.config.taint)
        Alerts(self, ALERTS)
        Dashboards(self, [DASHBOARD])

    def files(self) -> dict[str, str]:
        """Its monitors, and the script that one of them runs."""
        made = {
            "kernel-monitor.json": monitors.log_monitor("kernel-monitor", monitors.KERNEL, monitors.KERNEL_EVENTS),
            "readonly-monitor.json": monitors.log_monitor("readonly-monitor", monitors.READ_ONLY),
        }
        if self.config.gpus:
            made["gpu-monitor.json"] = monitors.log_monitor("gpu-monitor", monitors.GPU, monitors.GPU_EVENTS)
            checks = monitors.script_monitor(f"{FOLDER}/{SCRIPT}", self.config.interval_seconds)
            made |= {"gpu-node-checks.json": checks, SCRIPT: monitors.SCRIPT}
        return made

    def pod(self, files: list[str]) -> PodSpec:
        """The detector."""
        logs = ",".join(f"{FOLDER}/{each}" for each in files if each.endswith("-monitor.json"))
        checks = ["--config.custom-plugin-monitor=/config/gpu-node-checks.json"] if self.config.gpus else []
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": ["/node-problem-detector"],
            "args": [
                "--logtostderr",
                f"--config.system-log-monitor={logs}",
                *checks,
                "--prometheus-address=0.0.0.0",
                f"--prometheus-port={PORT}",
            ],
            "env": env({"NODE_NAME": from_field("spec.nodeName")}),
            "ports": [{"name": "metrics", "containerPort": PORT, "protocol": "TCP"}],
            # Upstream limits it to a hundredth of a CPU, which a storm of messages uses up.
            "resources": {"requests": {"cpu": "10m", "memory": "80Mi"}, "limits": {"memory": "160Mi"}},
            "securityContext": {"privileged": True},
            "volumeMounts": [
                *mounts({"log": "/var/log", "kmsg": "/dev/kmsg", "localtime": "/etc/localtime"}, read_only=True),
                {"name": "config", "mountPath": FOLDER, "readOnly": True},
                {"name": "state", "mountPath": "/tmp"},  # noqa: S108 - in the container
            ],
        }
        config: Volume = {"name": "config", "configMap": {"name": CONFIG, "defaultMode": 0o555}}
        return {
            "serviceAccountName": NAME,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "priorityClassName": "system-node-critical",
            "tolerations": [
                {"operator": "Exists", "effect": "NoSchedule"},
                {"operator": "Exists", "effect": "NoExecute"},
            ],
            "containers": [container],
            "volumes": [
                *host_paths({"log": "/var/log/", "kmsg": "/dev/kmsg", "localtime": "/etc/localtime"}),
                config,
                *scratch("state"),
            ],
        }
