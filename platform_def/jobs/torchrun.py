"""What torchrun is told in every template that starts it: by variables, which releases that do not know one ignore."""

from __future__ import annotations

from platform_def.jobs.training import PodConfig


def patience(config: PodConfig) -> dict[str, str]:
    """How long torchrun lets its processes go on after SIGTERM: as long as the pod has. Before 2.12 it is 30 s."""
    return {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(config.grace_period_seconds)}
