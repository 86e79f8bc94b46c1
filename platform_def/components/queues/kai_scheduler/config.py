"""What a stack may choose about the KAI scheduler."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.components.queues.kai_scheduler.releases import RELEASES
from platform_def.config.model import LabelKey, Name
from platform_def.constructs import ComponentConfig

Duration = Annotated[str, Field(pattern=r"^([0-9]+h)?([0-9]+m)?([0-9]+s)?$", min_length=2)]
"""As Go reads it: `10m`, `1h30m`."""


class KaiSchedulerConfig(ComponentConfig):
    """What a stack may choose about the KAI scheduler."""

    releases = RELEASES

    namespace: Name = "kai-scheduler"
    """Namespace of operator, scheduler and all other programs, upstream's."""
    node_pool_label: LabelKey = "kai.scheduler/node-pool"
    """Label by which KAI knows the nodes of pools that say `scheduler: kai-scheduler`, upstream's: it stands in their
    `selector:`, with one value that no other pool has, and on pods and queues. One that these nodes have already will
    do as well."""
    bin_packing: bool = True
    """Fill one node before the next, and one card before the next where pods share cards; otherwise the one with most
    room is taken."""
    reclaim_after: Duration = "0s"
    """How long a job runs at least before a queue that gets less than its quota takes its place."""
    preempt_after: Duration = "0s"
    """How long a job runs at least before one of its own queue with a higher priority takes its place."""
    consolidation: bool = True
    """Let it stop jobs and start them elsewhere so that others fit: those that may be preempted, where nodes are
    filled."""
    gpu_sharing: bool = False
    """Let pods ask for a part of a card by the annotation `gpu-fraction` or `gpu-memory`. What they use of it is not
    limited; and KAI divides only cards that no device plugin shares."""
    reservation_namespace: Name = "kai-resource-reservation"
    """Namespace of the pods that hold cards of which others have parts; upstream's."""
    priority_classes: bool = True
    """Make upstream's PriorityClasses `train` (50, as jobs without one have), `build-preemptible` (75), `build` (100)
    and `inference` (125). Jobs with 100 and more are never preempted, and they never get more than the queue owns."""
    schedule_period_seconds: Annotated[int, Field(ge=1, le=60)] = 1
    """Time between two rounds of the scheduler; upstream's default."""
