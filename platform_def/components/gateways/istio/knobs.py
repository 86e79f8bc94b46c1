"""What a stack may say of the mesh's proxies: where they send traces, what goes past them, how large they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from platform_def.config.model import Host, Model, Port, Quantity


class Tracing(Model):
    """Where proxies send the traces of requests, by OpenTelemetry's protocol over gRPC."""

    host: Host
    """Service of the collector, such as `collector.tracing.svc.cluster.local`, which the mesh must know."""
    port: Port = 4317
    """Its port for gRPC."""
    percent: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Share of requests without a trace of their own that get one."""


class ProxyResources(Model):
    """What the proxy beside a pod asks for, unless the pod's annotations name other amounts."""

    cpu: Quantity = "100m"
    """CPU that it asks for; upstream's."""
    memory: Quantity = "128Mi"
    """Memory that it asks for; upstream's."""
    cpu_limit: Quantity = "2"
    """Most that it gets, by which the agent sizes Envoy; upstream's."""
    memory_limit: Quantity = "1Gi"
    """Memory at which it is ended; upstream's."""

    def amounts(self) -> Mapping[str, Mapping[str, str]]:
        """As a container has them."""
        return {
            "requests": {"cpu": self.cpu, "memory": self.memory},
            "limits": {"cpu": self.cpu_limit, "memory": self.memory_limit},
        }
