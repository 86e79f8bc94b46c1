"""What a stack may choose about Volcano."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.queues.volcano.releases import RELEASES
from platform_def.config.model import MisfitError, Model, Name, conflict
from platform_def.constructs import ComponentConfig

Weight = Annotated[int, Field(ge=0, le=1000)]
FurtherPlugin = Literal[
    "cdp",
    "extender",
    "nodegroup",
    "numaaware",
    "pdb",
    "resource-strategy-fit",
    "resourcequota",
    "sla",
    "task-topology",
    "tdm",
]
"""Plug-ins that upstream's configuration leaves out, and that need no further program or source of metrics."""


class BinPacking(Model):
    """How strongly nodes that are in use already are preferred."""

    enabled: bool = True
    """Fill one node before the next, so that whole nodes stay free for large jobs; otherwise pods are spread."""
    weight: Annotated[int, Field(ge=1, le=1000)] = 10
    """Weight of it all beside what else speaks for a node: affinities and taints, which count two and three."""
    devices: Weight = 10
    """Weight of devices, all that pools offer. Upstream's default counts none, and spreads jobs that differ in GPUs
    alone."""
    cpu: Weight = 1
    """Weight of processors."""
    memory: Weight = 1
    """Weight of memory."""


class SchedulerPlugin(Model):
    """A further plug-in of the scheduler."""

    name: FurtherPlugin
    """Its name."""
    arguments: dict[Annotated[str, Field(min_length=1, max_length=253)], bool | int | float | str] = Field(
        default_factory=dict
    )
    """Its arguments, as upstream spells them."""


class VolcanoConfig(ComponentConfig):
    """What a stack may choose about Volcano."""

    releases = RELEASES

    namespace: Name = "volcano-system"
    """Namespace of scheduler, controllers and webhooks, upstream's."""
    bin_packing: BinPacking = BinPacking.of_defaults()
    """How nodes are filled."""
    quotas: Literal["capacity", "proportion"] = "capacity"
    """How queues divide the cluster. `capacity`: each owns what its teams' quotas say; `proportion`: each gets its part
    of what is asked for, weighed by these quotas."""
    reclaim: bool = True
    """Owners take back what jobs of other queues have borrowed."""
    preempt: bool = False
    """Jobs push out jobs of the same queue whose PriorityClass is lower."""
    evict: Literal["gangs", "pods"] = "gangs"
    """What goes then: whole jobs, or only pods beyond what a job needs at least, so that a job of fixed size stays."""
    overcommit: Annotated[float, Field(ge=1, le=10)] | None = None
    """How many times the cluster's resources jobs may ask for together and have pods, that run or wait; those beyond
    get none yet, and nothing is taken back for them. Default: 2 where jobs may be evicted, so that any job may ask for
    its own in a full cluster; else upstream's 1.2."""
    schedule_period_seconds: Annotated[int, Field(ge=1, le=60)] = 1
    """Time between two rounds of the scheduler."""
    plugins: list[SchedulerPlugin] = Field(default_factory=list)
    """Further plug-ins of the scheduler."""
    certificates: Literal["cert-manager", "volcano"] = "cert-manager"
    """Who makes the webhooks' certificate: cert-manager, or once and for ten years a Job of upstream's image, which
    needs rights on all Secrets of the namespace for that."""

    @conflict
    def _distinct(self) -> Iterator[ValueError]:
        names = [each.name for each in self.plugins]
        for index, name in enumerate(names):
            if name in names[:index]:
                yield MisfitError(f"plug-in {name} is listed twice", "plugins", index, "name")
