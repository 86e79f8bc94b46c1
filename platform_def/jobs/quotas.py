"""What a job needs of its team's quota, and why the quota never lets it start whole."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from platform_def.config.devices import as_written, device_of, devices, gpu_quota, granted, in_words
from platform_def.config.platform import Platform
from platform_def.config.pools import WHOLE_GPU, NodePool, asked
from platform_def.config.teams import Quota, Team, owned
from platform_def.crds.quantity import amount
from platform_def.jobs.demand import Demand
from platform_def.jobs.problem import JobProblem

_FIELDS = {"requests.cpu": "cpu", "requests.memory": "memory", "pods": "workers"}
"""The field of a job that lowers what it needs."""


def needs_of(demand: Demand, platform: Platform) -> dict[str, Decimal]:
    """What all pods of a job ask for together: extended resources, `requests.cpu`, `requests.memory` and `pods`."""
    pool = platform.pool(demand.pool) if demand.pool else None
    if demand.pool and pool is None:
        return {}
    of_one = asked(pool, demand.gpus, demand.profile or "") if pool else {WHOLE_GPU: demand.gpus}
    needs = {name: Decimal(number * demand.pods) for name, number in of_one.items()}
    pods = max(demand.all_pods, demand.pods)
    each = {"requests.cpu": demand.cpu, "requests.memory": demand.memory, "pods": "1"}
    return needs | {name: (amount(value) or Decimal(0)) * pods for name, value in each.items()}


def limits_of(team: Team, platform: Platform) -> dict[str, Decimal]:
    """What a team may use at once, by the same names; no storage, which claims ask for and jobs do not."""
    limits = {name: Decimal(number) for name, number in gpu_quota(team, platform.node_pools).items()}
    others = team.quota.of_pods() if team.quota else {}
    return limits | {name: amount(text) or Decimal(0) for name, text in others.items() if name in _FIELDS}


def shown(resource: str, number: Decimal) -> str:
    """An amount with its unit: `48 nvidia.com/gpu`, `512Gi of memory`, `1.5 cores`."""
    if resource == "requests.memory":
        return f"{_short(number / 2**30)}Gi of memory"
    if resource == "requests.cpu":
        return f"{_short(number)} cores"
    return f"{_short(number)} {'pod' if resource == 'pods' and number == 1 else resource}"


def _short(number: Decimal) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def over_quota(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """Why the team's quota does not hold the job, alone as it is."""
    team = owned(demand.owner, platform.teams)
    if team is None or team.quota is None:
        return
    pool = platform.pool(demand.pool) if demand.pool else None
    # What a queue has is more: it borrows.
    if demand.gpus and team.limits_devices and (pool is None or devices(pool)):
        yield from _too_many(demand, team, team.quota, pool)
    needs, limits = needs_of(demand, platform), limits_of(team, platform)
    for resource in sorted(limits.keys() & _FIELDS.keys()):
        if needs.get(resource, 0) > limits[resource]:
            there = shown(resource, limits[resource])
            text = f"needs {shown(resource, needs[resource])}, {team.in_words} has a quota of {there}"
            yield JobProblem(_FIELDS[resource], text)


def _too_many(demand: Demand, team: Team, quota: Quota, pool: NodePool | None) -> Iterator[JobProblem]:
    """More devices than the quota grants; where it grants none, what to write into it."""
    needed = demand.gpus * demand.pods
    device = device_of(pool, demand.profile or "") if pool else None
    limit = granted(quota, pool, device)
    if limit is None or needed <= limit:
        return
    kind, key = (device.kind, device.key) if device else ("gpus", "")
    if limit:
        text = f"needs {needed} {in_words(kind, key)}, {team.in_words} has a quota of {limit}"
        yield JobProblem("workers", text)
    else:
        text = f"needs {needed} {in_words(kind, key)}, and the quota of {team.in_words} grants none"
        yield JobProblem("team", text, f"write `{as_written(kind, key, needed)}` in its quota")
