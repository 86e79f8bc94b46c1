"""Queues of teams, by the arithmetic that all queues go by.

A queue of Volcano counts resources by name, in the whole cluster: what pools with the same devices have is one amount.
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.volcano.scheduling_v1beta1 import QUEUE, QueueSpec
from platform_def.config.pools import common
from platform_def.config.queues import Place, Queue, shares
from platform_def.constructs import Piece, Resource, Scope


class VolcanoQueues(Piece):
    """A Queue for each that teams name, in the part `after`: Volcano's webhooks must admit it."""

    def __init__(self, scope: Scope, *, weighed: bool):
        """`weighed`: they divide what is asked for by weight, and own nothing."""
        super().__init__(scope, "queues")
        platform = self.component.platform
        divided = shares(platform.teams, platform.node_pools).on(common(platform.node_pools))
        for queue in divided.queues:
            Resource(self, QUEUE, queue.name, spec=queue_spec(queue, divided.there, weighed=weighed), part="after")


def queue_spec(queue: Queue, there: Mapping[Place, int], *, weighed: bool) -> QueueSpec:
    """What the queue owns, and the most that its jobs may use; a team that may borrow everything has no limit."""
    own, whole = _by_resource(queue.own), _by_resource(there)
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
    return spec


def _by_resource(amounts: Mapping[Place, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for (_, resource), amount in sorted(amounts.items(), key=lambda item: item[0][1]):
        found[resource] = found.get(resource, 0) + amount
    return found
