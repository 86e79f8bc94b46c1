"""Whether jobs that start together fit: into their team's quota, and into their pool.

Engines start all synced jobs at once, and without a queue nothing admits a job whole: each would get some of its pods
and hold their devices while it waits for the rest, until its deadline. So what cannot run together is an error, though
each fits alone. Jobs of a queue wait for each other, and with a gang scheduler all jobs do so for nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from platform_def.config.devices import quota_on
from platform_def.config.platform import Platform
from platform_def.config.pools import offered
from platform_def.config.teams import with_rooms
from platform_def.jobs.demand import Demand
from platform_def.jobs.queueing import gangs_on, queue_of
from platform_def.jobs.quotas import limits_of, needs_of, shown

Needs = Mapping[str, Decimal]


@dataclass(frozen=True)
class Shortage:
    """Jobs that ask for more of a resource, all together, than there is."""

    jobs: tuple[str, ...]
    needed: str
    """`48 nvidia.com/gpu`, `96 cores`."""
    whose: str
    """Who has too little: `team vision has a quota of`, `pool train has`."""
    there: str
    remedy: str
    """What to write so that there is more."""


def shortages(demands: Mapping[str, Demand], platform: Platform) -> Iterator[Shortage]:
    """What these jobs, by name, cannot have at once; jobs that cannot run on their own are reported one by one.

    Jobs without a pool count against their team's quota alone: whose cards they get is the scheduler's choice.
    """
    demands = {
        name: demand for name, demand in demands.items() if queue_of(demand.owner, demand.pool, platform) is None
    }
    needs = {name: needs_of(demand, platform) for name, demand in demands.items()}
    for team in with_rooms(platform.teams):
        own = {name: needs[name] for name, demand in demands.items() if demand.owner == team.owner}
        whole, remedy = limits_of(team, platform), f"raise the quota of {team.in_words}"
        yield from _short(own, whole, f"{team.in_words} has a quota of", remedy)
        for pool in platform.node_pools:
            there = {name: of_job for name, of_job in own.items() if demands[name].pool == pool.name}
            # Where no other pool offers the name, the limit of the pool is that of the whole.
            limits = {name: Decimal(limit) for name, limit in quota_on(team.quota, pool).items() if limit < whole[name]}
            yield from _short(there, limits, f"{team.in_words} has on pool {pool.name} a quota of", remedy)
    # Started whole, they wait for each other there.
    for pool in (each for each in platform.node_pools if not gangs_on(each, platform)):
        limits = {name: Decimal(amount * pool.nodes) for name, amount in offered(pool).items()}
        own = {name: needs[name] for name, demand in demands.items() if demand.pool == pool.name}
        yield from _short(own, limits, f"pool {pool.name} has", "add nodes")


def _short(needs: Mapping[str, Needs], limits: Needs, whose: str, remedy: str) -> Iterator[Shortage]:
    for resource, there in sorted(limits.items()):
        amounts = {name: of_job.get(resource, Decimal(0)) for name, of_job in needs.items()}
        jobs = tuple(name for name, amount in amounts.items() if amount)
        needed = sum(amounts.values(), Decimal(0))
        if needed > there >= max(amounts.values(), default=0):
            yield Shortage(jobs, shown(resource, needed), whose, shown(resource, there), remedy)
