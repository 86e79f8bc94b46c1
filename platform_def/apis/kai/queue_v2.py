"""KAI 0.17 (scheduling.run.ai): queues of teams."""

from __future__ import annotations

from typing import Annotated

from platform_def.apis.core import core_v1
from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.schema import Quantity, Ref
from platform_def.crds.typed_dict import TypedDict


class Share(TypedDict, total=False):
    """A queue's part of one resource."""

    limit: float
    """The most that its jobs use together; -1 for no limit, nothing if left out."""
    overQuotaWeight: float
    """Its part of what other queues leave, beside their weights."""
    quota: float
    """What it gets when others want it too; -1 for all, nothing if left out."""


class Resources(TypedDict, total=False):
    """A queue's part of each resource; of one that is left out it gets nothing."""

    cpu: Share
    """Processors, in thousandths of a core."""
    gpu: Share
    """Cards of all models and pools, and parts of them; a MIG device counts as many as it has compute slices."""
    memory: Share
    """Memory, in millions of bytes."""


class QueueSpec(TypedDict, total=False):
    """A queue for the whole cluster; jobs wait in queues without children."""

    displayName: str
    """What logs call it."""
    parentQueue: Annotated[str, Ref("Queue", group="scheduling.run.ai")]
    """Queue that it shares with others; only such queues have jobs."""
    preemptMinRuntime: str
    """How long its jobs run before one of its own with a higher priority takes their place: `10m`."""
    priority: int
    """Queues with the greater number are served first, and give back last; 100 if left out."""
    reclaimMinRuntime: str
    """How long its jobs run before a queue that gets less than its quota takes their place: `10m`."""
    resources: Resources
    """Its part of each resource; the webhook refuses a queue that says none."""


class QueueStatus(TypedDict, total=False):
    """How much of it is in use; of processors in thousandths, of memory in millions of bytes."""

    allocated: dict[str, Quantity]
    """What running jobs have, those of its children too."""
    allocatedNonPreemptible: dict[str, Quantity]
    """What those of them have that cannot be preempted."""
    childQueues: list[str]
    """Queues that name it as their parent."""
    conditions: list[core_v1.PodCondition]
    requested: dict[str, Quantity]
    """What all jobs ask for, running or not."""


QUEUE = Api(
    group="scheduling.run.ai",
    version="v2",
    kind="Queue",
    plural="queues",
    namespaced=False,
    spec=QueueSpec,
    status=QueueStatus,
    doc="A queue of KAI's, in which jobs of teams wait.",
    core="1.32",
    status_subresource=True,
    columns=(
        Column("Priority", ".spec.priority"),
        Column("Parent", ".spec.parentQueue"),
        Column("Children", ".status.childQueues"),
        Column("DisplayName", ".spec.displayName"),
    ),
)

CRDS = (Definition((QUEUE,)),)
