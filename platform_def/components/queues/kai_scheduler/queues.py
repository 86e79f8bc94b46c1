"""Queues of teams, by the arithmetic that all queues go by.

A queue of KAI's counts cards of all its pools and models as one number, and a MIG device as many as it has compute
slices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from platform_def.apis.kai.queue_v2 import QUEUE, QueueSpec, Resources, Share
from platform_def.components.queues.kai_scheduler.partition import kept
from platform_def.config.platform import Platform
from platform_def.config.pools import WHOLE_GPU
from platform_def.config.queues import Place, Queue, shares
from platform_def.constructs import Piece, Problem, Resource, Scope

PARENT, DEFAULT = "default-parent-queue", "default-queue"
"""Upstream's names; the second is compiled into the pod grouper, for pods that name no queue."""
ALL: Share = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
_COUNTED = (WHOLE_GPU, "amd.com/gpu")
_MIG = re.compile(r"nvidia\.com/mig-(\d+)g\.")


class KaiQueues(Piece):
    """A Queue for each that teams name, one for pods that name none, and the parent of all, which hands out what is
    left. Where members have queues, the team's share has one, and its queue and theirs are below it."""

    def __init__(self, scope: Scope, labels: Mapping[str, str]):
        """`labels` say to which of its schedulers they belong."""
        super().__init__(scope, "queues")
        self.labels, platform = labels, self.component.platform
        divided = shares(platform.teams, platform.node_pools).on(kept(platform.node_pools))
        Resource(self, QUEUE, PARENT, spec={"resources": _resources(ALL)}, labels=labels, part="after")
        rest = cards(divided.rest)
        self._queue(DEFAULT, {**ALL, "quota": rest} if divided.there else ALL)
        for queue in divided.queues:
            if queue.below:
                self._queue(queue.share, gpus(queue, divided.there))
            together = queue.above or (queue if queue.below else None)
            self._queue(queue.name, gpus(queue, divided.there), parent=together.share if together else PARENT)

    def _queue(self, name: str, gpu: Share, *, parent: str = PARENT) -> None:
        spec: QueueSpec = {"parentQueue": parent, "resources": _resources(gpu)}
        Resource(self, QUEUE, name, spec=spec, labels=self.labels, part="after")


def _resources(gpu: Share) -> Resources:
    """Of processors and memory a queue without a part would get nothing, so each has all."""
    return {"cpu": {**ALL}, "memory": {**ALL}, "gpu": {**gpu}}


def gpus(queue: Queue, there: Mapping[Place, int]) -> Share:
    """The cards that the queue owns, and the most that its jobs may use; without pools their number is unknown."""
    if not there:
        return ALL
    whole = sum(weight(name) * amount for (_, name), amount in there.items())
    names = {name for _, name in there}
    most = sum(weight(name) * queue.most_anywhere(name, there) for name in names)
    # A member's jobs that may not be pushed out start within a quota alone, that of the share above holds too.
    quota = min(most, cards(queue.above.own)) if queue.above else cards(queue.own)
    return {"quota": quota, "limit": most if most < whole else -1, "overQuotaWeight": 1}


def cards(amounts: Mapping[Place, int]) -> int:
    """Devices as KAI counts them."""
    return sum(weight(name) * amount for (_, name), amount in amounts.items())


def weight(resource: str) -> int:
    """As how many cards one device counts; 0 where it is none to KAI."""
    if resource in _COUNTED:
        return 1
    sliced = _MIG.match(resource)
    return int(sliced[1]) if sliced else 0


def queue_problems(name: str, platform: Platform) -> Iterator[Problem]:
    """Queues that are others', and quotas of what KAI does not count."""
    for index, team in enumerate(platform.teams):
        if team.queue in (PARENT, DEFAULT):
            text = f"teams: queue {team.queue} is {name}'s own"
            yield Problem(text, hint="choose another name", at=("teams", index, "queue"))
    divided = shares(platform.teams, platform.node_pools).on(kept(platform.node_pools))
    for queue in divided.queues:
        named = queue.borrowing if queue.above else queue.own
        strange = sorted({resource for (_, resource), amount in named.items() if amount and not weight(resource)})
        for resource in strange:
            text = f"components.{name}: queue {queue.name} has a quota of {resource}, and KAI counts whole GPUs and MIG"
            yield Problem(text, hint="leave it out of the quotas, or keep the queues by kueue or volcano")
