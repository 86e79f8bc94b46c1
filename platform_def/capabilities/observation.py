"""Where metrics and logs go."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Labels, Url


class Metrics(Capability):
    """A Prometheus that reads ServiceMonitors of the cluster."""

    title: ClassVar[str] = "a Prometheus"

    address: Url | None = None
    """Where it is asked, for dashboards and autoscalers."""
    monitors: bool = True
    """It reads ServiceMonitors; otherwise it finds its targets by itself, and none are made."""
    labels: Labels = Field(default_factory=dict)
    """Labels that a ServiceMonitor must bear for it to be read."""

    @property
    def brings(self) -> tuple[str, ...]:
        """ServiceMonitors, which its operator serves."""
        return ("ServiceMonitor.monitoring.coreos.com",) if self.monitors else ()


class Logs(Capability):
    """A store of logs that can be asked."""

    title: ClassVar[str] = "a store of logs"

    address: Url
    """Where it is asked."""
