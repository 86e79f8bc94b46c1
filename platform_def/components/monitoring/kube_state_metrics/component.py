"""kube-state-metrics: what the objects of a cluster say, as metrics: requests, phases, owners, quotas, labels."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import Exporter
from platform_def.components.monitoring.exporters.dcgm import DCGM
from platform_def.components.monitoring.exporters.kube_state_metrics import KUBE_STATE_METRICS, NAME
from platform_def.components.monitoring.kube_state_metrics import flux, gpu_hours, training
from platform_def.components.monitoring.kube_state_metrics.alerts import ALERTS, DASHBOARD
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    Dashboards,
    Deployment,
    ImageFacts,
    NetworkPolicy,
    Offers,
    Release,
    Service,
    Setting,
    allow,
    config_map,
    from_cluster,
    http_probe,
    mounts,
    port,
    releases,
    restart_on_change,
    secured,
    yaml_file,
)

RELEASES = releases(
    # Compiled against Kubernetes 1.36; upstream's table of tested versions ends with its client's.
    Release(
        "2.20.0",
        kubernetes="1.30-1.37",
        image="registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.20.0",
        exports=(KUBE_STATE_METRICS,),
    ),
    license=APACHE,
)
FACTS = ImageFacts(runs_as=65534, read_only=True, source="examples/standard at v2.20.0 runs it so")
METRICS, TELEMETRY = 8080, 8081
FOLDER = "/etc/kube-state-metrics"
CUSTOM, CUSTOM_FILE = "kube-state-metrics-custom-resources", "custom-resources.yaml"
WAITS = (allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="list watch"),)
"""It waits for the kinds of custom resources."""
LabelKey = Annotated[
    str, Field(pattern=r"^\*$|^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$", max_length=300)
]

READ: dict[str, str] = {
    "": "endpoints limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods replicationcontrollers"
    " resourcequotas services",
    "admissionregistration.k8s.io": "mutatingadmissionpolicies mutatingadmissionpolicybindings"
    " mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings"
    " validatingwebhookconfigurations",
    "apps": "daemonsets deployments replicasets statefulsets",
    "autoscaling": "horizontalpodautoscalers",
    "batch": "cronjobs jobs",
    "certificates.k8s.io": "certificatesigningrequests",
    "coordination.k8s.io": "leases",
    "discovery.k8s.io": "endpointslices",
    "networking.k8s.io": "ingressclasses ingresses networkpolicies",
    "policy": "poddisruptionbudgets",
    "storage.k8s.io": "storageclasses volumeattachments",
}
"""What it lists, by API group: upstream's without Secrets and ConfigMaps, whose content it would get to see, and
without accounts and roles, which are off by default."""
OFF = frozenset({"ingressclasses", "endpoints"})
"""May be listed, and is only where the stack switches it on."""


class KubeStateMetricsConfig(ComponentConfig):
    """What a stack may choose about kube-state-metrics."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the program; upstream's example uses kube-system."""
    labels_of: dict[Name, list[LabelKey]] = Field(default_factory=dict)
    """Labels of objects that become labels of `kube_<kind>_labels`, by the kind's plural: `{pods: [team]}`; each value
    makes series. Namespaces and nodes have all of theirs without it."""


class KubeStateMetrics(Component[KubeStateMetricsConfig]):
    """One Deployment that lists everything once, with alerts about pods and workloads."""

    pod_security = RESTRICTED_LEVEL
    gives = (Exporter,)

    @classmethod
    def offers(cls, at: Setting[KubeStateMetricsConfig]) -> Offers:  # noqa: ARG003 - the same in every setting
        """Series that many join with their own."""
        return Offers(capabilities=(Exporter(name=NAME),))

    def build(self) -> None:
        """Everything that tells of objects."""
        files = self.custom_resources()
        custom = [*(flux.RULES if self.reads_flux else ()), *training.rules(self.platform)]
        Account(self, NAME).allow([*rules(), *custom, *(WAITS if files else ())])
        Deployment(self, NAME, pod=self.pod(), pod_annotations=restart_on_change(*files.values()) if files else None)
        if files:
            config_map(self, CUSTOM, files)
        if self.reads_flux:
            applied = Alerts(self, flux.ALERTS, name="flux", tables=[flux.STATE])
            Dashboards(self, [flux.DASHBOARD], name="flux", tables=applied.tables)
        if training.served(self.platform):
            states = Alerts(self, training.ALERTS, name="training-jobs", tables=[training.STATE])
            Dashboards(self, [training.DASHBOARD], name="training-jobs", tables=states.tables)
        ports = [port("http-metrics", METRICS, "http-metrics"), port("telemetry", TELEMETRY, "telemetry")]
        Service(self, NAME, ports=ports).monitor("http-metrics", honor_labels=True)
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_cluster("http-metrics", "telemetry")])
        Alerts(self, ALERTS)
        pools = self.platform.node_pools
        hours = [*gpu_hours.records(self.platform.teams, pools)]
        recorded = Alerts(self, hours, name="gpu-hours", tables=[DCGM], interval=gpu_hours.INTERVAL)
        Dashboards(self, [DASHBOARD, *([gpu_hours.dashboard(pools)] if hours else ())], tables=recorded.tables)

    @property
    def reads_flux(self) -> bool:
        """Whether the stack has Flux' Kustomizations, whose state Flux itself does not export."""
        return self.platform.serves(flux.SERVED)

    def custom_resources(self) -> dict[str, str]:
        """The file that says which fields of custom resources become series; none where the stack has no such kind."""
        found = [*([flux.resource()] if self.reads_flux else ()), *training.resources(self.platform)]
        made = {"kind": "CustomResourceStateMetrics", "spec": {"resources": found}}
        return {CUSTOM_FILE: yaml_file(made)} if found else {}

    def pod(self) -> PodSpec:
        """The program, with what it is to say of custom resources."""
        container = self.container()
        pod: PodSpec = {"serviceAccountName": NAME, "containers": [container]}
        if self.custom_resources():
            container["args"].append(f"--custom-resource-state-config-file={FOLDER}/{CUSTOM_FILE}")
            container["volumeMounts"] = mounts({"custom-resources": FOLDER}, read_only=True)
            pod["volumes"] = [{"name": "custom-resources", "configMap": {"name": CUSTOM}}]
        return pod

    def container(self) -> Container:
        """The program. Its memory grows with the objects of the cluster, so the limit is far above what it asks for."""
        listed = sorted(each for kinds in READ.values() for each in kinds.split() if each not in OFF)
        chosen = {"namespaces": ["*"], "nodes": ["*"], **self.config.labels_of}
        labels = ",".join(f"{kind}=[{','.join(keys)}]" for kind, keys in sorted(chosen.items()))
        return {
            "name": NAME,
            "image": self.release.image,
            "args": [
                f"--port={METRICS}",
                f"--telemetry-port={TELEMETRY}",
                f"--resources={','.join(listed)}",
                f"--metric-labels-allowlist={labels}",
            ],
            "ports": [
                {"name": "http-metrics", "containerPort": METRICS, "protocol": "TCP"},
                {"name": "telemetry", "containerPort": TELEMETRY, "protocol": "TCP"},
            ],
            "livenessProbe": http_probe("/livez", "http-metrics", delay=5, timeout=5),
            "readinessProbe": http_probe("/readyz", "telemetry", delay=5, timeout=5),
            "resources": {"requests": {"cpu": "50m", "memory": "200Mi"}, "limits": {"memory": "2Gi"}},
            "securityContext": secured(FACTS),
        }


def rules() -> list[PolicyRule]:
    """List and watch, never get."""
    return [allow(group, kinds, verbs="list watch") for group, kinds in READ.items()]
