"""Queues of teams, by the arithmetic that all queues go by.

A queue of Volcano counts resources by name, in the whole cluster: what pools with the same devices have is one amount.
A queue with others below it takes no jobs: where a team's members have queues, the team's share is one of its own, and
its queue and theirs are below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.apis.volcano.scheduling_v1beta1 import QUEUE, QueueSpec
from platform_def.config.platform import Platform
from platform_def.config.pools import common
from platform_def.config.queues import Place, Queue, by_resource, shares
from platform_def.constructs import Piece, Problem, Resource, Scope


class VolcanoQueues(Piece):
    """A Queue for each that teams name, in the part `after`: Volcano's webhooks must admit it."""

    def __init__(self, scope: Scope, *, weighed: bool):
        """`weighed`: they divide what is asked for by weight, and own nothing."""
        super().__init__(scope, "queues")
        platform = self.component.platform
        divided = shares(platform.teams, platform.node_pools).on(common(platform.node_pools))
        for queue in divided.queues:
            spec = queue_spec(queue, divided.there, weighed=weighed)
            if queue.below:
                # The webhook refuses a queue whose parent is not there, so that one comes before the others.
                Resource(self, QUEUE, queue.share, spec=spec, part="classes")
                spec = {"weight": 1, "reclaimable": lends_to(queue), "parent": queue.share}
            Resource(self, QUEUE, queue.name, spec=spec, part="after")


def queue_spec(queue: Queue, there: Mapping[Place, int], *, weighed: bool) -> QueueSpec:
    """What the queue owns, and the most that its jobs may use; a team that may borrow everything has no limit."""
    own, whole = by_resource(queue.own), by_resource(there)
    most = {resource: queue.most_anywhere(resource, there) for resource in whole}
    # The webhook would write weight and reclaimable where they are missing, and no engine would find its object again.
    spec: QueueSpec = {"weight": 1, "reclaimable": True}
    owned: dict[str, int | str] = {name: str(amount) for name, amount in own.items() if amount}
    if weighed:
        spec["weight"] = max(1, sum(own.values()))
    elif owned:
        spec["deserved"] = owned
    limits: dict[str, int | str] = {name: str(amount) for name, amount in most.items() if amount < whole[name]}
    if limits:
        spec["capability"] = limits
    if queue.above:
        spec |= {"reclaimable": lends_to(queue.above), "parent": queue.above.share}
    return spec


def lends_to(queue: Queue) -> bool:
    """Whether others lend it anything, and may take that back. The action that evicts gangs does not see whose share a
    queue without one of its own is part of: where nothing is lent, nothing may be taken from it."""
    return any(amount is None or amount for amount in queue.lent.values())


def queue_problems(name: str, platform: Platform, *, weighed: bool) -> Iterator[Problem]:
    """Queues of members where the plug-in knows of none below others."""
    for index, team in enumerate(platform.teams):
        if weighed and any(room.queue for room in team.rooms):
            text = f"components.{name}: `quotas: proportion` knows no queues of members of {team.name} below the team's"
            hint = "say `quotas: capacity`, or leave out the quotas of members"
            yield Problem(text, hint=hint, at=("teams", index, "members"))
