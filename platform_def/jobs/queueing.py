"""How jobs say that they wait in their team's queue, and how their pods are to be placed then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from platform_def.apis.kubeflow.training_v1 import SchedulingPolicy
from platform_def.capabilities import Devices, GangScheduler, JobQueue
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, layer
from platform_def.config.queues import Queue, shares
from platform_def.config.teams import Team

if TYPE_CHECKING:
    from platform_def.jobs.template import JobConfig

NEAR = "kueue.x-k8s.io/podset-preferred-topology"
"""Annotation of pods that are to run near each other, as far as there is room."""
GROUP = "kueue.x-k8s.io/podset-group-name"
"""Annotation of two pod sets, of which one is a single pod, that are placed as one."""
HOST = "kubernetes.io/hostname"


def queue_of(team: str | None, platform: Platform) -> Queue | None:
    """The queue that jobs of a team wait in; None where nobody queues jobs."""
    found = _team(team, platform)
    if found is None or found.queue is None or not platform.all(JobQueue):
        return None
    return shares(platform.teams, platform.node_pools).queue(found.queue)


def queue_labels(team: str | None, priority: str | None, platform: Platform) -> dict[str, str]:
    """Labels by which a job's object waits in the queue of its team, with its priority there."""
    found = _team(team, platform)
    given = platform.maybe(JobQueue)
    if found is None or found.queue is None or given is None or not given.value.label:
        return {}
    return {given.value.label: found.queue, **({given.value.priority_label: priority} if priority else {})}


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


def pod_queue(team: str | None, platform: Platform) -> PodQueue:
    """How pods of a team wait in its queue."""
    found = _team(team, platform)
    given = platform.maybe(JobQueue)
    if found is None or found.queue is None or given is None:
        return PodQueue()
    said = given.value
    if not said.annotation and not said.pod_label:
        return PodQueue()
    annotations, labels = ({each: found.queue} if each else {} for each in (said.annotation, said.pod_label))
    return PodQueue(annotations, labels, said.scheduler)


def owners_gang(pool: NodePool | None, platform: Platform) -> GangScheduler | None:
    """Who finds a job's pods by their owner, so that all must ask for it; none where others divide the cards."""
    given = (each.value for each in platform.all(GangScheduler) if each.value.by_owner)
    return None if pool and scheduler_of(pool, platform) else next(given, None)


def scheduler_of(pool: NodePool, platform: Platform) -> str:
    """The scheduler that knows the divided cards of a pool one by one, where the stack has it."""
    known = (given.value for given in platform.all(Devices) if given.value.layer and given.value.layer == layer(pool))
    return next((each.scheduler for each in known if each.scheduler), "")


def scheduling_policy(config: JobConfig, platform: Platform, *, least: int = 0) -> SchedulingPolicy:
    """What an operator says in the gang that it makes of a job: its queue, its priority, and the pods that must fit.

    `least` is for jobs that go on with fewer pods than they have; otherwise all must.
    """
    policy: SchedulingPolicy = {}
    told = [each for each in platform.all(GangScheduler) if not each.value.by_owner]
    if (queue := pod_queue(config.team, platform)).annotations:
        policy["queue"] = queue.name
    if platform.all(GangScheduler):
        if config.priority_class and told:
            policy["priorityClass"] = config.priority_class
        if least:
            policy["minAvailable"] = least
    return policy


def waits(kind: str, needed: Sequence[str], platform: Platform) -> bool:
    """Whether objects of a kind, `Job.batch`, wait in queues; who queues any kind queues those `needed` by the job."""
    given = platform.maybe(JobQueue)
    return given is not None and kind in (given.value.kinds or needed)


def near(pool: NodePool, platform: Platform) -> dict[str, str]:
    """What a pool's pods say so that those of a job run near each other: in one rack before two, not on one host."""
    given = platform.maybe(JobQueue) if pool.topology else None
    if given is None or given.value.implementation != "kueue":
        return {}
    above = [level for level in pool.topology if level != HOST]
    return {NEAR: above[-1]} if above else {}


def as_one(annotations: Mapping[str, str], *, lone: int, others: int) -> dict[str, str]:
    """What `near` leaves out: a job's lone pod is placed with the others. Kueue takes two sets, one of a single pod."""
    return {GROUP: "job"} if NEAR in annotations and lone == 1 and others else {}


def _team(name: str | None, platform: Platform) -> Team | None:
    return next((team for team in platform.teams if team.name == name), None)
