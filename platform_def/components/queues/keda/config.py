"""What a stack may choose about KEDA."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.queues.keda.releases import RELEASES
from platform_def.config.model import Name
from platform_def.constructs import CertificateChoice

Scaled = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(\.[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$", max_length=253)]
"""A resource with the subresource `scale`, as `plural.group`."""


class KedaConfig(CertificateChoice):
    """What a stack may choose about KEDA."""

    releases = RELEASES

    namespace: Name = "keda"
    """Namespace of its programs, upstream's."""
    scales: list[Scaled] = Field(default_factory=lambda: ["deployments.apps", "statefulsets.apps"])
    """What ScaledObjects may scale, as `plural.group`; for others KEDA has no right. ScaledJobs need none of it."""
    secrets: Literal["everywhere", "own"] = "everywhere"
    """Where it reads Secrets that triggers need: in the namespace of each TriggerAuthentication, or in its own alone,
    where ClusterTriggerAuthentications have theirs."""
    external_metrics: bool = True
    """Serve the API `external.metrics.k8s.io`, by which autoscalers of ScaledObjects count; a cluster has one server of
    it. ScaledJobs need none."""
    http_timeout_seconds: Annotated[int, Field(ge=1, le=300)] = 3
    """How long it waits for an answer about a queue; upstream's default."""
