"""What a stack may choose about Prometheus, and its releases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.monitoring.prometheus.metrics import METRICS
from platform_def.config.model import Labels, Model, Name, Url, conflict
from platform_def.config.secrets import CaSource
from platform_def.constructs import (
    APACHE,
    ComponentConfig,
    Release,
    SecretSource,
    Upkeep,
    releases,
)

Duration = Annotated[str, Field(pattern=r"^([1-9][0-9]*(y|w|d|h|m|s))+$", max_length=20)]
Size = Annotated[str, Field(pattern=r"^[1-9][0-9]*(\.[0-9]+)?(MB|GB|TB)$", max_length=20)]
LabelName = Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$", max_length=100)]

Part = Literal["kubelet", "apiserver"]
PARTS: tuple[Part, ...] = ("kubelet", "apiserver")

RELEASES = releases(
    # Any cluster will do: it calls discovery and core APIs, which are stable.
    # 3.13 has long-term support (prometheus.io, "Long-term support"); other lines are mended for six weeks, 3.14 until
    # 2026-09-30. No advisory is of this line.
    Release(
        "3.13.5",
        kubernetes="1.25-1.37",
        image="quay.io/prometheus/prometheus:v3.13.5",
        upkeep=Upkeep(date(2027, 7, 31), ()),
        exports=(METRICS,),
    ),
    license=APACHE,
)


class RemoteWrite(Model):
    """Another server that gets a copy of all series: for many clusters, or for years."""

    url: Url
    """Where it takes them: `https://metrics.example.com/api/v1/push`."""
    name: Name
    """What alerts and metrics call it."""
    basic: SecretSource | None = None
    """Secret with the keys `username` and `password`, for basic authentication."""
    token: SecretSource | None = None
    """Secret with the key `token`, sent as a bearer token."""
    ca: CaSource | None = None
    """The private authority that signed the server's certificate."""
    headers: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$", max_length=100)], str] = Field(default_factory=dict)
    """Headers of each request that are no secret: `X-Scope-OrgID: vision`."""
    keep: list[Annotated[str, Field(min_length=1, max_length=400)]] = Field(default_factory=list)
    """Names of the metrics that are sent, as regular expressions; empty: all."""

    @conflict
    def _one_way(self) -> Iterator[ValueError]:
        if self.basic and self.token:
            yield ValueError("name one of basic, token")


class PrometheusConfig(ComponentConfig):
    """What a stack may choose about Prometheus."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the server."""
    agent: bool = False
    """Only collect and forward (`remoteWrite`): nothing is kept, queried or evaluated here, so there are no alerts."""
    retention: Duration = "15d"
    """How long series are kept."""
    retention_size: Size | None = None
    """How much of its volume they may fill, such as 45GB; the oldest go first. Stay below the size of the volume."""
    interval: Duration = "30s"
    """How often targets are read that say nothing else, and rules evaluated."""
    select: Labels = Field(default_factory=dict)
    """Labels that monitors and rules must have for this Prometheus; components of the stack then write them. Empty: all
    monitors and rules of the cluster are read."""
    external_labels: dict[LabelName, str] = Field(default_factory=dict)
    """Labels of all that leaves the cluster; `cluster` is the stack's unless it is named here."""
    remote_write: list[RemoteWrite] = Field(default_factory=list)
    """Servers that get a copy of all series."""
    kubernetes: list[Part] = Field(default_factory=lambda: [*PARTS])
    """Parts of Kubernetes that are read: `kubelet` (volumes and, by cAdvisor, containers), `apiserver`."""
    series_limit: Annotated[int, Field(ge=1000, le=10_000_000)] = 200_000
    """Samples that one target may have; a target with more is not read at all, and an alert says so."""

    @conflict
    def _forwards(self) -> Iterator[ValueError]:
        if self.agent and not self.remote_write:
            yield ValueError("an agent keeps nothing: say by `remoteWrite:` where series go")
        names = [each.name for each in self.remote_write]
        if len({*names}) < len(names):
            yield ValueError("remoteWrite: two servers have one name")
