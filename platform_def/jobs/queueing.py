"""How jobs say that they wait in their team's queue, and how their pods are to be placed then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeVar

from platform_def.apis.kubeflow.training_v1 import SchedulingPolicy
from platform_def.capabilities import Devices, GangScheduler, JobQueue
from platform_def.capabilities.queues import OfPools
from platform_def.config.capability import Given
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, common, layer
from platform_def.config.queues import Queue, shares
from platform_def.config.teams import owned

Q = TypeVar("Q", bound=OfPools)

NEAR = "kueue.x-k8s.io/podset-preferred-topology"
"""Annotation of pods that are to run near each other, as far as there is room."""
GROUP = "kueue.x-k8s.io/podset-group-name"
"""Annotation of two pod sets, of which one is a single pod, that are placed as one."""
HOST = "kubernetes.io/hostname"


def given_on(capability: type[Q], pool: NodePool | None, platform: Platform) -> Given[Q] | None:
    """Who gives it to pods of a pool: one with a scheduler of its own has what that gives, and nothing else."""
    if pool is None or pool.scheduler is None:
        return platform.maybe(capability)
    return next((each for each in platform.all(capability) if pool.name in each.value.pools), None)


def keeps(queues: JobQueue, platform: Platform) -> list[NodePool]:
    """The pools for whose jobs queues are kept."""
    return [pool for pool in platform.node_pools if pool.name in queues.pools] or common(platform.node_pools)


def queue_of(owner: str, pool: str | None, platform: Platform) -> Queue | None:
    """The queue that jobs of an owner on a pool wait in; None where there is none."""
    found = owned(owner, platform.teams)
    given = given_on(JobQueue, platform.pool(pool) if pool else None, platform)
    if found is None or found.queue is None or given is None:
        return None
    return shares(platform.teams, platform.node_pools).on(keeps(given.value, platform)).queue(found.queue)


def queue_labels(config: Run, platform: Platform) -> dict[str, str]:
    """Labels by which a job's object waits in the queue of its team, with its priority there."""
    found = owned(config.owner, platform.teams)
    given = given_on(JobQueue, pool_of(config, platform), platform)
    if found is None or found.queue is None or given is None or not given.value.label:
        return {}
    wanted: str | None = getattr(config, "priority", None)
    priority = {given.value.priority_label: wanted} if wanted else {}
    return {given.value.label: found.queue, **priority}


class Run(Protocol):
    """What is run for a team: a job, or a served model."""

    @property
    def owner(self) -> str:
        """Whose it is: a team, or a member of one; empty for what belongs to none."""

    @property
    def priority_class(self) -> str | None:
        """PriorityClass of its pods."""

    def apis(self) -> tuple[str, ...]:
        """Custom resources that the stack serves for it, as `Kind.group`."""

    def pool_name(self, platform: Platform) -> str | None:
        """The pool that it runs on."""


class PodQueue(NamedTuple):
    """How pods say that they wait in a queue, where they do and not their job."""

    annotations: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    scheduler: str = ""
    """Scheduler that they must ask for there."""

    @property
    def name(self) -> str:
        """The queue; empty where there is none."""
        return next(iter((*self.annotations.values(), *self.labels.values())), "")


def pod_queue(config: Run, platform: Platform) -> PodQueue:
    """How pods of a job wait in its team's queue."""
    return queue_of_pods(config.owner, pool_of(config, platform), platform)


def queue_of_pods(owner: str, pool: NodePool | None, platform: Platform) -> PodQueue:
    """How pods of an owner on a pool wait in its queue; without a name where only jobs do."""
    found = owned(owner, platform.teams)
    given = given_on(JobQueue, pool, platform)
    if found is None or found.queue is None or given is None:
        return PodQueue()
    said = given.value
    if not said.annotation and not said.pod_label:
        return PodQueue()
    annotations, labels = ({each: found.queue} if each else {} for each in (said.annotation, said.pod_label))
    return PodQueue(annotations, labels, said.scheduler)


def owners_gang(pool: NodePool | None, platform: Platform) -> GangScheduler | None:
    """Who finds a job's pods by their owner, so that all must ask for it; none where others divide the cards."""
    given = gangs_on(pool, platform)
    if pool and not pool.scheduler and scheduler_of(pool, platform):
        return None
    return next((each for each in given if each.by_owner), None)


def gangs_on(pool: NodePool | None, platform: Platform) -> list[GangScheduler]:
    """Who starts jobs on a pool whole."""
    own = pool.name if pool and pool.scheduler else None
    given = (each.value for each in platform.all(GangScheduler))
    return [each for each in given if (own in each.pools if own else each.of_all_pools)]


def scheduler_of(pool: NodePool, platform: Platform) -> str:
    """The scheduler that a pool has for itself: its own, or who knows its divided cards one by one."""
    if pool.scheduler:
        return pool.scheduler
    known = (given.value for given in platform.all(Devices) if given.value.layer and given.value.layer == layer(pool))
    return next((each.scheduler for each in known if each.scheduler), "")


def scheduling_policy(config: Run, platform: Platform, *, least: int = 0) -> SchedulingPolicy:
    """What an operator says in the gang that it makes of a job: its queue, its priority, and the pods that must fit.

    `least` is for jobs that go on with fewer pods than they have; otherwise all must.
    """
    policy: SchedulingPolicy = {}
    gangs = gangs_on(pool_of(config, platform), platform)
    if (queue := pod_queue(config, platform)).annotations:
        policy["queue"] = queue.name
    if gangs:
        if config.priority_class and not all(each.by_owner for each in gangs):
            policy["priorityClass"] = config.priority_class
        if least:
            policy["minAvailable"] = least
    return policy


def waits(kind: str, config: Run, platform: Platform) -> bool:
    """Whether a job's objects of a kind, `Job.batch`, wait in queues; who queues any kind queues what the job needs."""
    given = given_on(JobQueue, pool_of(config, platform), platform)
    return given is not None and kind in (given.value.kinds or config.apis())


def near(pool: NodePool, platform: Platform) -> dict[str, str]:
    """What a pool's pods say so that those of a job run near each other: in one rack before two, not on one host."""
    given = given_on(JobQueue, pool, platform) if pool.topology else None
    if given is None or given.value.implementation != "kueue":
        return {}
    above = [level for level in pool.topology if level != HOST]
    return {NEAR: above[-1]} if above else {}


def as_one(annotations: Mapping[str, str], *, lone: int, others: int) -> dict[str, str]:
    """What `near` leaves out: a job's lone pod is placed with the others. Kueue takes two sets, one of a single pod."""
    return {GROUP: "job"} if NEAR in annotations and lone == 1 and others else {}


def pool_of(config: Run, platform: Platform) -> NodePool | None:
    """The pool that a job runs on, where it says one."""
    name = config.pool_name(platform)
    return platform.pool(name) if name else None
