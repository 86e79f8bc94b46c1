"""What queues have: the one arithmetic of quotas by pool that queues, jobs, checks and `explain` go by.

A queue's own amounts are those of its teams, taken from the pools in their order; what no queue owns is the cohort's,
for those who may borrow. So the amounts of all queues and of the cohort are, pool by pool, exactly what the pool has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

from platform_def.config.devices import by_kind
from platform_def.config.pools import NodePool, asked, offered
from platform_def.config.teams import DeviceAmounts, Team

V = TypeVar("V")
Place = tuple[str, str]
"""A pool and a resource that its nodes offer."""


@dataclass(frozen=True)
class Queue:
    """What jobs of some teams may use together."""

    name: str
    teams: tuple[Team, ...]
    own: Mapping[Place, int]
    """What belongs to it, for every resource of every pool."""
    borrowing: Mapping[Place, int | None]
    """What it may use beyond that while no other queue does; None: all that there is."""
    unmet: Mapping[str, int]
    """What its teams were promised beyond what there is for them, by resource."""
    lent: Mapping[str, int | None]
    """What it may use beyond its own of each resource, wherever it is, for who cannot tell pools apart; None: all."""
    above: Queue | None = None
    """The team's queue, where it is a member's: it owns nothing, and uses the team's share up to the member's quota."""
    below: tuple[str, ...] = ()
    """Queues of members, which use its share beside its own jobs."""

    @property
    def share(self) -> str:
        """Name of what it and the queues below it use together, where there are any."""
        return f"{self.name}-share"

    @property
    def homes(self) -> tuple[str, ...]:
        """Namespaces of its teams, sorted."""
        return tuple(sorted(team.home for team in self.teams))

    def most(self, place: Place, there: int) -> int:
        """The most that its jobs can have at once of a place with so much."""
        borrowing = self.borrowing[place]
        return there if borrowing is None else min(self.own[place] + borrowing, there)

    def most_anywhere(self, resource: str, there: Mapping[Place, int]) -> int:
        """The most that its jobs can have at once of a resource, of all pools together."""
        own, whole = (sum(each[place] for place in there if place[1] == resource) for each in (self.own, there))
        lent = self.lent[resource]
        return whole if lent is None else min(own + lent, whole)


@dataclass(frozen=True)
class Shares:
    """What all queues have."""

    there: Mapping[Place, int]
    """What the nodes of each pool have."""
    queues: tuple[Queue, ...]
    """In the order in which teams name them."""
    rest: Mapping[Place, int]
    """What belongs to no queue: who may borrow uses it."""

    def queue(self, name: str) -> Queue | None:
        """The queue of that name."""
        return next((queue for queue in self.queues if queue.name == name), None)

    def on(self, pools: Sequence[NodePool]) -> Shares:
        """The part of it that lies on these pools, for who keeps queues of them alone; `unmet` is that of the whole."""
        names = {pool.name for pool in pools}
        there = _within(self.there, names)
        found: dict[str, Queue] = {}
        for queue in self.queues:
            part = replace(queue, own=_within(queue.own, names), borrowing=_within(queue.borrowing, names))
            if queue.above:
                part = replace(part, above=found[queue.above.name])
            found[queue.name] = replace(part, lent=_lent_on(part, pools, there))
        return Shares(there, tuple(found.values()), _within(self.rest, names))


def _within(amounts: Mapping[Place, V], pools: Collection[str]) -> dict[Place, V]:
    return {place: amount for place, amount in amounts.items() if place[0] in pools}


def amounts(pools: Iterable[NodePool]) -> dict[Place, int]:
    """What all nodes of each pool offer, in the order of the pools."""
    return {
        (pool.name, resource): amount * pool.nodes
        for pool in pools
        for resource, amount in sorted(offered(pool).items())
    }


def shares(teams: Sequence[Team], pools: Sequence[NodePool]) -> Shares:
    """Divide what the pools have among the queues that teams name.

    A member's namespace has a queue of its own where the team has one. It owns nothing: what a member runs counts to
    the team's share.
    What a quota says by pool comes first, then its numbers for all pools. Where these are more than there is, all
    together, each queue gets its part of what there is.
    """
    there = amounts(pools)
    rest = dict(there)
    members = {name: [team for team in teams if team.queue == name] for team in teams if (name := team.queue)}
    own: dict[str, dict[Place, int]] = {name: dict.fromkeys(there, 0) for name in members}
    unmet: dict[str, dict[str, int]] = {name: {} for name in members}

    def divide(places: Sequence[Place], wanted: Mapping[str, int]) -> None:
        for name, part in _fitting(wanted, sum(rest[place] for place in places)).items():
            if part < wanted[name]:
                resource = places[0][1]
                unmet[name][resource] = unmet[name].get(resource, 0) + wanted[name] - part
            left = part
            for place in places:
                taken = min(left, rest[place])
                own[name][place], rest[place], left = own[name][place] + taken, rest[place] - taken, left - taken

    promised = {name: [_promised(team.quota, pools) for team in found] for name, found in members.items()}
    for place in there:
        divide([place], {name: sum(each.here.get(place, 0) for each in found) for name, found in promised.items()})
    for (kind, resource), places in _places(pools).items():
        wanted = {
            name: sum(each.anywhere.get((kind, resource), 0) for each in found) for name, found in promised.items()
        }
        divide(places, wanted)
    queues: list[Queue] = []
    for name, found in members.items():
        rooms = tuple(room for team in found for room in team.rooms if room.queue)
        below = tuple(str(room.queue) for room in rooms)
        borrowing, lent = _borrowing(found, pools, there), _lent(found, pools, there)
        queue = Queue(name, tuple(found), own[name], borrowing, unmet[name], lent, below=below)
        queues += [queue, *(_of_member(room, queue, pools, there) for room in rooms)]
    return Shares(there, tuple(queues), rest)


def _of_member(room: Team, above: Queue, pools: Sequence[NodePool], there: Mapping[Place, int]) -> Queue:
    """A member's queue: as much as the quota says of what the team may have, first of what the team owns."""
    own, most = dict.fromkeys(there, 0), {place: above.most(place, amount) for place, amount in there.items()}
    unmet: dict[str, int] = {}
    borrowing: dict[Place, int | None]
    if _unbounded(room):
        borrowing = {place: None if above.borrowing[place] is None else amount for place, amount in most.items()}
    else:
        granted, unmet = _granted(_promised(room.quota, pools), (above.own, most), _places(pools))
        borrowing = {**own, **granted}
    queue = Queue(str(room.queue), (room,), own, borrowing, unmet, {}, above=above)
    return replace(queue, lent=_lent_on(queue, pools, there))


def _granted(
    promised: _Promised, bounds: Sequence[Mapping[Place, int]], offering: Mapping[tuple[str, str], Sequence[Place]]
) -> tuple[dict[Place, int], dict[str, int]]:
    """What is promised, taken from the places up to the first bounds, then up to the next; and what no bound leaves."""
    granted: dict[Place, int] = {}
    unmet: dict[str, int] = {}
    wanted: list[tuple[Sequence[Place], int]] = [((place,), amount) for place, amount in promised.here.items()]
    wanted += [(offering[named], amount) for named, amount in promised.anywhere.items()]
    for places, left in wanted:
        for bound, place in product(bounds, places):
            taken = min(left, max(0, bound[place] - granted.get(place, 0)))
            granted[place], left = granted.get(place, 0) + taken, left - taken
        if left:
            resource = places[0][1]
            unmet[resource] = unmet.get(resource, 0) + left
    return granted, unmet


def _lent_on(queue: Queue, pools: Sequence[NodePool], there: Mapping[Place, int]) -> Mapping[str, int | None]:
    """What a queue may use beyond its own on these pools; of a member without limits, all that the team's may."""
    if queue.above is None:
        return _lent(queue.teams, pools, there)
    if any(_unbounded(room) for room in queue.teams):
        owned = by_resource(queue.above.own)
        return {name: None if more is None else owned[name] + more for name, more in queue.above.lent.items()}
    return {**by_resource({place: amount or 0 for place, amount in queue.borrowing.items()})}


def by_resource(amounts: Mapping[Place, int]) -> dict[str, int]:
    """Amounts of all pools together, by the names of resources."""
    found: dict[str, int] = {}
    for (_, resource), amount in sorted(amounts.items(), key=lambda item: item[0][1]):
        found[resource] = found.get(resource, 0) + amount
    return found


@dataclass(frozen=True)
class _Promised:
    """What a quota says, in amounts of resources."""

    here: Mapping[Place, int]
    anywhere: Mapping[tuple[str, str], int]
    """By kind of device and resource: on any of the pools that offer it."""


def _promised(quota: DeviceAmounts | None, pools: Sequence[NodePool]) -> _Promised:
    here: dict[Place, int] = {}
    anywhere: dict[tuple[str, str], int] = {}
    offering = by_kind(pools)
    for kind, key, number in quota.of_devices() if quota else ():
        for pool, device in offering.get((kind, key), ()):
            count = number.get(pool.name, 0) if isinstance(number, dict) else number
            for resource, amount in asked(pool, count, device.profile).items():
                if resource not in offered(pool):
                    continue
                if isinstance(number, dict):
                    here[pool.name, resource] = here.get((pool.name, resource), 0) + amount
                else:
                    named = (f"{kind} {key}", resource)
                    anywhere[named] = max(amount, anywhere.get(named, 0))
    return _Promised(here, anywhere)


def _places(pools: Sequence[NodePool]) -> dict[tuple[str, str], list[Place]]:
    """Where there is something of each kind of device and resource, in the order of the pools."""
    found: dict[tuple[str, str], list[Place]] = {}
    for (kind, key), offering in by_kind(pools).items():
        for pool, device in offering:
            for resource in sorted(offered(pool).keys() & device.resources.keys()):
                found.setdefault((f"{kind} {key}", resource), []).append((pool.name, resource))
    return found


def _fitting(wanted: Mapping[str, int], total: int) -> dict[str, int]:
    """What everybody gets of a total: what they want, or their part of it in whole devices."""
    together = sum(wanted.values())
    if together <= total:
        return dict(wanted)
    found = {name: amount * total // together for name, amount in wanted.items()}
    for name in [name for name, amount in wanted.items() if amount][: total - sum(found.values())]:
        found[name] += 1
    return found


def _borrowing(teams: Sequence[Team], pools: Sequence[NodePool], places: Iterable[Place]) -> dict[Place, int | None]:
    """What the teams of a queue may borrow together; who owns nothing and says nothing may have all that is idle."""
    found = dict.fromkeys(places, 0)
    for team in teams:
        if _unbounded(team):
            return dict.fromkeys(found)
        more = _promised(team.borrow, pools)
        for place, amount in more.here.items():
            found[place] += amount
        for named, of_kind in _places(pools).items():
            for place in of_kind:
                found[place] += more.anywhere.get(named, 0)
    return {**found}


def _lent(teams: Sequence[Team], pools: Sequence[NodePool], places: Iterable[Place]) -> dict[str, int | None]:
    """The same for all pools together."""
    found = dict.fromkeys(sorted({resource for _, resource in places}), 0)
    for team in teams:
        if _unbounded(team):
            return dict.fromkeys(found)
        more = _promised(team.borrow, pools)
        for (_, resource), amount in (*more.here.items(), *more.anywhere.items()):
            found[resource] += amount
    return {**found}


def _unbounded(team: Team) -> bool:
    return team.borrow is None and not (team.quota and any(True for _ in team.quota.of_devices()))
