"""How what jobs ask for compares with what pools and teams have, by the same sums as queues, quotas and checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from platform_def.config.devices import by_kind, card_price, card_shares, gpu_quota, in_words
from platform_def.config.platform import Platform
from platform_def.config.pools import WHOLE_GPU, asked, common, offered
from platform_def.config.queues import Place, Queue, Shares, amounts, shares
from platform_def.config.teams import owned, with_rooms
from platform_def.jobs.demand import Demand
from platform_def.jobs.queueing import queue_of
from platform_def.jobs.template import PlacedConfig


@dataclass(frozen=True)
class PoolLine:
    """Devices of one resource of a pool."""

    pool: str
    devices: str
    """For people: `whole GPUs`, `slices of GPUs`."""
    resource: str
    nodes: int
    per_node: int
    there: int
    owned: int
    """What queues own of it."""
    asked: int
    """What jobs on this pool that the engine starts ask for together."""
    left: int
    """What is there beyond that; below zero where these jobs cannot all run at once."""


@dataclass(frozen=True)
class QueueLine:
    """What a queue has of one resource of a pool."""

    queue: str
    teams: tuple[str, ...]
    pool: str
    resource: str
    own: int
    borrows: int | None
    """What it may use beyond its own; None: all that is idle."""
    most: int
    """The most that its jobs can have at once."""
    asked: int
    left: int
    """What the queue owns beyond what its jobs ask for, of a member what the quota leaves; below zero they borrow, or
    wait. What members run counts to the queue of their team too."""


@dataclass(frozen=True)
class TeamLine:
    """A limit of a team without a queue."""

    team: str
    resource: str
    limit: int
    asked: int
    left: int


@dataclass(frozen=True)
class JobLine:
    """What a job asks for, and what it starts with."""

    job: str
    team: str | None
    queue: str | None
    pool: str | None
    asks: Mapping[str, int]
    """Resources of all its pods."""
    started: bool
    """Whether the engine starts it; the others only wait in dist/, and count nowhere."""
    from_: str
    """Where that comes from if nothing else runs: `own`, `own and 4 borrowed`, `quota`, `pool`."""


@dataclass(frozen=True)
class PriceLine:
    """What GPUs of a pool cost in an hour, as the recorded series of kube-state-metrics count it."""

    pool: str
    card: str
    who: str
    """A team, by what its jobs that the engine starts ask for; or all nodes of the pool."""
    cards: float
    per_hour: float
    """In the currency of `nodePools[].pricePerHour`."""


@dataclass(frozen=True)
class Capacity:
    """All of a stack."""

    pools: tuple[PoolLine, ...]
    queues: tuple[QueueLine, ...]
    teams: tuple[TeamLine, ...]
    jobs: tuple[JobLine, ...]
    prices: tuple[PriceLine, ...] = ()


def capacity(platform: Platform, jobs: Mapping[str, PlacedConfig]) -> Capacity:
    """Count a stack; `jobs` are its served models too."""
    divided = shares(platform.teams, platform.node_pools)
    demands = {name: demand for name, job in jobs.items() if (demand := job.demand(platform)) and demand.gpus}
    started = {name: demand for name, demand in demands.items() if jobs[name].started}
    lines = tuple(_jobs(platform, jobs, demands))
    return Capacity(
        tuple(_pools(platform, divided, started)),
        tuple(_queues(platform, divided, started)),
        tuple(_teams(platform, started)),
        lines,
        tuple(_prices(platform, lines)),
    )


def needs(demand: Demand, platform: Platform) -> dict[str, int]:
    """Extended resources of all pods of a job."""
    pool = platform.pool(demand.pool) if demand.pool else None
    of_one = asked(pool, demand.gpus, demand.profile or "") if pool else {WHOLE_GPU: demand.gpus}
    return {name: amount * demand.pods for name, amount in of_one.items()}


def _sum(demands: Mapping[str, Demand], platform: Platform, resource: str) -> int:
    return sum(needs(demand, platform).get(resource, 0) for demand in demands.values())


def _pools(platform: Platform, divided: Shares, started: Mapping[str, Demand]) -> Iterator[PoolLine]:
    titles = {
        (pool.name, resource): in_words(kind, key)
        for (kind, key), offering in by_kind(platform.node_pools).items()
        for pool, device in offering
        for resource in device.resources
    }
    for pool in platform.node_pools:
        own = {name: demand for name, demand in started.items() if demand.pool == pool.name}
        for resource, amount in sorted(offered(pool).items()):
            place = (pool.name, resource)
            wanted, there = _sum(own, platform, resource), divided.there[place]
            owned = sum(queue.own[place] for queue in divided.queues)
            title = titles.get(place, resource)
            yield PoolLine(pool.name, title, resource, pool.nodes, amount, there, owned, wanted, there - wanted)


def _queues(platform: Platform, divided: Shares, started: Mapping[str, Demand]) -> Iterator[QueueLine]:
    for_all = amounts(common(platform.node_pools))
    for queue in divided.queues:
        names = tuple(team.owner for team in queue.teams)
        below = tuple(room.owner for team in queue.teams for room in team.rooms if room.queue)
        waiting = {name: demand for name, demand in started.items() if demand.owner in {*names, *below}}
        for place, there in divided.there.items():
            here = {name: demand for name, demand in waiting.items() if _pool_of(demand, queue, for_all) == place[0]}
            wanted, own = _sum(here, platform, place[1]), queue.own[place]
            most = queue.most(place, there)
            left = (most if queue.above else own) - wanted
            yield QueueLine(queue.name, names, *place, own, queue.borrowing[place], most, wanted, left)


def _pool_of(demand: Demand, queue: Queue, there: Mapping[Place, int]) -> str:
    """The job's pool; for one without, the first that ever has room for it, as Kueue tries those `there` for all."""
    if demand.pool:
        return demand.pool
    places = [place for place in there if place[1] == WHOLE_GPU]
    wanted = demand.gpus * demand.pods
    roomy = [place[0] for place in places if queue.most(place, there[place]) >= wanted]
    return roomy[0] if roomy else ""


def _teams(platform: Platform, started: Mapping[str, Demand]) -> Iterator[TeamLine]:
    for team in with_rooms(platform.teams):
        if team.queue is None:
            own = {name: demand for name, demand in started.items() if demand.owner == team.owner}
            for resource, limit in gpu_quota(team, platform.node_pools).items():
                wanted = _sum(own, platform, resource)
                yield TeamLine(team.owner, resource, limit, wanted, limit - wanted)


def _jobs(platform: Platform, jobs: Mapping[str, PlacedConfig], demands: Mapping[str, Demand]) -> Iterator[JobLine]:
    for_all = amounts(common(platform.node_pools))
    for name, demand in demands.items():
        queue, wanted = queue_of(demand.owner, demand.pool, platform), needs(demand, platform)
        pool = _pool_of(demand, queue, for_all) if queue else demand.pool or ""
        source = _source(queue, pool, wanted) if queue else "quota" if _limited(demand, platform) else "pool"
        yield JobLine(
            name, demand.owner or None, queue.name if queue else None, pool or None, wanted, jobs[name].started, source
        )


def _source(queue: Queue, pool: str, wanted: Mapping[str, int]) -> str:
    own = (queue.above or queue).own
    borrowed = {
        resource: amount - own[place]
        for resource, amount in wanted.items()
        if (place := _place(pool, resource)) in own and amount > own[place]
    }
    return " and ".join(["own", *(f"{amount} {resource} borrowed" for resource, amount in sorted(borrowed.items()))])


def _place(pool: str, resource: str) -> Place:
    return pool, resource


def _limited(demand: Demand, platform: Platform) -> bool:
    team = owned(demand.owner, platform.teams)
    return team is not None and bool(gpu_quota(team, platform.node_pools))


ALL = "all nodes"
"""Who has what no one asks for."""


def _prices(platform: Platform, jobs: Sequence[JobLine]) -> Iterator[PriceLine]:
    for pool in platform.node_pools:
        price = card_price(pool)
        if price is None or pool.gpu is None:
            continue
        shares = card_shares(pool)
        cards: dict[str, Fraction] = {ALL: Fraction(pool.nodes * pool.gpu.per_node)}
        for job in (each for each in jobs if each.started and each.pool == pool.name):
            parts = (amount * shares.get(resource, Fraction(0)) for resource, amount in job.asks.items())
            cards[job.team or "-"] = cards.get(job.team or "-", Fraction(0)) + sum(parts, Fraction(0))
        for who, number in cards.items():
            yield PriceLine(pool.name, pool.gpu.model, who, float(number), float(number * price))
