"""Prometheus adapter: CPU and memory for `kubectl top` and autoscalers, from what Prometheus has read already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import Exporter, Metrics, ResourceMetrics
from platform_def.components.monitoring import resource_metrics
from platform_def.config.model import Name, Url
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED_LEVEL,
    Account,
    Component,
    ComponentConfig,
    Deployment,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    Problem,
    Release,
    Service,
    Setting,
    allow,
    config_files,
    config_map,
    from_everywhere,
    http_probe,
    need,
    port,
    releases,
    restart_on_change,
    scratch,
    secured,
    yaml_file,
)

NAME, CONFIG, PORT = "prometheus-adapter", "adapter-config", 6443
RELEASES = releases(
    # The last release; its client is that of Kubernetes 1.30, and what it calls is stable.
    Release("0.12.0", kubernetes="1.25-1.37", image=f"registry.k8s.io/{NAME}/{NAME}:v0.12.0"),
    license=APACHE,
)
FACTS = ImageFacts(user=65534, read_only=True, source="kube-prometheus runs the image so, by its own user")
RULES = (allow("", "namespaces nodes pods services", verbs=READ),)


class PrometheusAdapterConfig(ComponentConfig):
    """What a stack may choose about Prometheus adapter."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the server."""
    prometheus: Url | None = None
    """The Prometheus that it asks; by default the stack's."""


class PrometheusAdapter(Component[PrometheusAdapterConfig]):
    """The server, and the API metrics.k8s.io that it serves."""

    pod_security = RESTRICTED_LEVEL
    gives = (ResourceMetrics,)

    @classmethod
    def needs_of(cls, at: Setting[PrometheusAdapterConfig]) -> tuple[Need[Any], ...]:
        """A Prometheus that can be asked, unless one is named."""
        return () if at.config.prometheus else (need(Metrics, order="any"),)

    @classmethod
    def offers(cls, at: Setting[PrometheusAdapterConfig]) -> Offers:  # noqa: ARG003 - the same in every setting
        """The API."""
        return Offers(capabilities=(ResourceMetrics(),))

    @classmethod
    def problems(cls, at: Setting[PrometheusAdapterConfig]) -> Iterator[Problem]:
        """Another server of the API, and a Prometheus that cannot answer."""
        yield from resource_metrics.problems(at)
        here = ("components", at.name)
        given = None if at.config.prometheus else at.maybe(Metrics)
        if given and not given.value.address:
            text = f"components.{at.name}: {given.by} answers no queries"
            yield Problem(text, hint="name another by `prometheus:`, or use metrics-server", at=here)
        if given is None:
            return
        read = {each.value.name for each in at.platform.all(Exporter)} | {*given.value.exporters}
        for name in sorted({"cadvisor", "node-exporter"} - read):
            text = f"components.{at.name}: {given.by} does not read {name}, which it asks about"
            yield Problem(text, hint=f"add it, or write it under `exporters:` where {given.by} reads it", at=here)

    def build(self) -> None:
        """Everything that serves the API."""
        account = Account(self, NAME).allow(RULES)
        account.bind("system:auth-delegator", binding="resource-metrics:system:auth-delegator")
        account.read_authentication(binding="resource-metrics-auth-reader")
        file = yaml_file(configuration())
        config_map(self, CONFIG, {"config.yaml": file})
        Deployment(self, NAME, pod=self.pod(), ha_replicas=2, pod_annotations=restart_on_change(file))
        service = Service(self, NAME, ports=[port("https", 443, PORT)])
        service.monitor("https", scheme="https", token=True)
        resource_metrics.serve(self, NAME)
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_everywhere(PORT)])

    def pod(self) -> PodSpec:
        """The server."""
        address = self.config.prometheus or self.one(need(Metrics, order="any")).value.address
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "args": [
                "--cert-dir=/var/run/serving-cert",
                "--config=/etc/adapter/config.yaml",
                "--metrics-relist-interval=1m",
                f"--prometheus-url={address}/",
                f"--secure-port={PORT}",
            ],
            "ports": [{"name": "https", "containerPort": PORT, "protocol": "TCP"}],
            "startupProbe": http_probe("/livez", "https", scheme="HTTPS", period=10, failures=18),
            "livenessProbe": http_probe("/livez", "https", scheme="HTTPS", period=5, failures=5),
            "readinessProbe": http_probe("/readyz", "https", scheme="HTTPS", period=5, failures=5),
            "resources": {"requests": {"cpu": "100m", "memory": "180Mi"}, "limits": {"memory": "512Mi"}},
            "securityContext": secured(FACTS),
            "volumeMounts": [
                {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - in the container
                {"name": "serving-cert", "mountPath": "/var/run/serving-cert"},
                {"name": CONFIG, "mountPath": "/etc/adapter", "readOnly": True},
            ],
        }
        volumes = [*scratch("tmp", "serving-cert"), *config_files(CONFIG)]
        return {"serviceAccountName": NAME, "containers": [container], "volumes": volumes}


def configuration() -> dict[str, object]:
    """What it asks Prometheus: of containers cAdvisor, of nodes node-exporter.

    `<<.LabelMatchers>>` is what a request asks about, and `<<.GroupBy>>` by what the answer is split.
    """
    asked = "<<.LabelMatchers>>"
    pods, busy = f'container!="",pod!="",{asked}', f'mode!~"idle|iowait|steal",{asked}'
    return {
        "resourceRules": {
            "cpu": _rule(
                f"rate(container_cpu_usage_seconds_total{{{pods}}}[4m])", f"rate(node_cpu_seconds_total{{{busy}}}[4m])"
            ),
            "memory": _rule(
                f"container_memory_working_set_bytes{{{pods}}}",
                f"node_memory_MemTotal_bytes{{{asked}}} - node_memory_MemAvailable_bytes{{{asked}}}",
            ),
            "window": "5m",
        }
    }


def _rule(containers: str, nodes: str) -> dict[str, object]:
    return {
        "containerLabel": "container",
        "containerQuery": f"sum by (<<.GroupBy>>) ({containers})",
        "nodeQuery": f"sum by (<<.GroupBy>>) ({nodes})",
        "resources": {"overrides": {each: {"resource": each} for each in ("node", "namespace", "pod")}},
    }
