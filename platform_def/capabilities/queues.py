"""Who decides when a job starts."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Labels, Name


class OfPools(Capability):
    """What may be given for some node pools alone."""

    pools: list[Name] = Field(default_factory=list)
    """Pools that it serves, and no others; empty: all pools that no scheduler has to itself."""

    @property
    def of_all_pools(self) -> bool:  # noqa: D102
        return not self.pools


class JobQueue(OfPools):
    """Queues that jobs wait in until their quota is free."""

    title: ClassVar[str] = "a job queue"

    implementation: Literal["kueue", "volcano", "kai"]
    """Whose queues they are."""
    label: str = ""
    """Label by which a job names its queue; empty where its gang and its pods do."""
    annotation: str = ""
    """Annotation by which pods name their queue, where they do; a gang names it in its PodGroup too."""
    pod_label: str = ""
    """Label by which pods name their queue, where they do."""
    scheduler: str = ""
    """Scheduler that keeps the queues, which all pods must ask for; empty where any will do."""
    by_pool: bool = True
    """It counts what each pool has by itself; otherwise a resource is one amount, whichever pools offer it."""
    kinds: list[str] = Field(default_factory=list)
    """Kinds of jobs that wait, as `Kind.group`; empty: any."""
    priority_label: str = ""
    """Label by which it names its priority; empty where it cannot."""
    priorities: list[Name] = Field(default_factory=list)
    """Priorities that there are."""


class GangScheduler(OfPools):
    """A scheduler that starts all pods of a job together or none."""

    title: ClassVar[str] = "a gang scheduler"

    implementation: Literal["volcano", "scheduler-plugins", "kai"]
    """Whose PodGroups it reads."""
    scheduler: Name
    """Name that pods ask for."""
    kinds: list[str] = Field(default_factory=list)
    """Kinds of jobs that it supports, as `Kind.group`, where it does; pods of any other kind it admits one by one."""
    labels: Labels = Field(default_factory=dict)
    """Labels without which it does not see a pod, where it has some pools alone."""

    @property
    def by_owner(self) -> bool:
        """Whether it finds the pods of a job by their owner: no operator tells it of them, and all must ask for it."""
        return self.implementation == "kai"


class BinPacker(OfPools):
    """A scheduler that fills one node before it takes the next, so that whole nodes stay free for large jobs."""

    title: ClassVar[str] = "a scheduler that fills nodes one after the other"

    scheduler: Name
    """Name that pods ask for."""
