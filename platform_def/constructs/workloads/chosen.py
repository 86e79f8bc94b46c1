"""What a stack says of one workload of a component."""

from __future__ import annotations

from platform_def.config.workloads import WorkloadConfig
from platform_def.constructs.component import AnyComponent


def chosen_for(component: AnyComponent, role: str) -> WorkloadConfig | None:
    """What the stack says of the workload that it calls `role`; None: nothing."""
    chosen: WorkloadConfig | None = component.config.workloads.get(role)
    return chosen
