"""Where metrics, dashboards and logs go."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Labels, Name, Url


class Metrics(Capability):
    """A Prometheus that reads ServiceMonitors of the cluster."""

    title: ClassVar[str] = "a Prometheus"

    address: Url | None = None
    """Where it is asked, for dashboards and autoscalers."""
    monitors: bool = True
    """It reads ServiceMonitors; otherwise it finds its targets by itself, and none are made."""
    rules: bool = True
    """It evaluates PrometheusRules; an agent evaluates none. Otherwise no alerts are made."""
    labels: Labels = Field(default_factory=dict)
    """Labels that a ServiceMonitor or PrometheusRule must have for it to be read."""
    namespace: Name | None = None
    """Where it runs in the cluster; None: outside, or not known."""
    pods: Labels = Field(default_factory=dict)
    """Labels of its pods in that namespace, for policies that let it in."""
    exporters: list[Name] = Field(default_factory=list)
    """Exporters that it reads beside those of the stack, by name: `kube-state-metrics`, `node-exporter`, `kubelet`.
    Alerts and dashboards over their metrics are made only where the stack has the exporter, or this names it."""

    @property
    def brings(self) -> tuple[str, ...]:
        """Monitors and rules, which its operator serves."""
        kinds = ("ServiceMonitor", "PodMonitor", *(("PrometheusRule",) if self.rules else ()))
        return tuple(f"{kind}.monitoring.coreos.com" for kind in kinds) if self.monitors else ()


class AlertRouter(Capability):
    """An Alertmanager in the cluster, which groups alerts and sends them to people."""

    title: ClassVar[str] = "an Alertmanager"

    service: Name
    """Its Service."""
    namespace: Name
    """The Service's namespace."""
    port: Name = "web"
    """Name of the Service's port."""
    address: Url | None = None
    """Where it is asked, for pages about alerts."""


class ResourceMetrics(Capability):
    """What serves `kubectl top` and autoscalers by CPU and memory: the API metrics.k8s.io; a cluster has one."""

    title: ClassVar[str] = "an API of resource metrics"


class Exporter(Capability):
    """An exporter whose series others may join with their own."""

    title: ClassVar[str] = "an exporter of metrics"
    gathered: ClassVar[bool] = True

    name: Name
    """Its name, as tables of metrics have it: `kube-state-metrics`."""


class DashboardReader(Capability):
    """A Grafana that reads dashboards from ConfigMaps."""

    title: ClassVar[str] = "a Grafana that reads dashboards from ConfigMaps"

    labels: Labels = Field(default_factory=lambda: {"grafana_dashboard": "1"})
    """Labels by which it finds them."""
    namespace: Name | None = None
    """The namespace in which it looks; by default in all."""
    address: Url | None = None
    """Where people open it."""


class Logs(Capability):
    """A store of logs that can be asked."""

    title: ClassVar[str] = "a store of logs"

    address: Url
    """Where it is asked."""
