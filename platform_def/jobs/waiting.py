"""What no queue will ever give a job that waits in it."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.capabilities import JobQueue
from platform_def.config.platform import Platform
from platform_def.config.pools import WHOLE_GPU, asked
from platform_def.config.queues import amounts
from platform_def.config.reads import independently
from platform_def.config.teams import owned
from platform_def.jobs.demand import Demand
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.queueing import (
    given_on,
    keeps,
    owners_gang,
    pod_queue,
    pool_of,
    queue_labels,
    queue_of,
    scheduler_of,
)
from platform_def.jobs.template import JobConfig


def waiting_problems(config: JobConfig, platform: Platform) -> Iterator[JobProblem]:
    """Why a job can never leave its queue, or would never be in it."""
    yield from independently(
        (
            _priority_problems(config, platform),
            _kind_problems(config, platform),
            _scheduler_problems(config, platform),
            _label_problems(config, platform),
        )
    )
    if demand := config.demand(platform):
        yield from independently(
            (
                _unkept_problems(demand, platform),
                _gang_problems(config, demand, platform),
                _size_problems(demand, platform),
            )
        )


def _priority_problems(config: JobConfig, platform: Platform) -> Iterator[JobProblem]:
    """A priority of a job that waits nowhere, or that there is none of."""
    if config.priority is None:
        return
    given = given_on(JobQueue, pool_of(config, platform), platform)
    if given is None or queue_of(config.owner, config.pool_name(platform), platform) is None:
        yield JobProblem(
            "priority", "only jobs of a team with a `queue` have one", "leave it out, or give the team one"
        )
    elif not given.value.priority_label:
        text = f"{given.by} orders jobs by the PriorityClass of their pods"
        yield JobProblem("priority", text, "leave it out, and say `priorityClass:`")
    elif config.priority not in given.value.priorities:
        known = ", ".join(given.value.priorities)
        hint = f"one of these: {known}" if known else f"add it under `priorities:` of {given.by}"
        yield JobProblem("priority", f"{given.by} knows no priority '{config.priority}'", hint)


def _unkept_problems(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """A queue that is kept for other pools alone."""
    team = owned(demand.owner, platform.teams)
    keepers, pool = platform.all(JobQueue), platform.pool(demand.pool) if demand.pool else None
    if not (demand.gpus and team and team.queue and keepers) or (pool and pool.scheduler):
        return
    if given_on(JobQueue, pool, platform):
        return
    where = f"pool {pool.name}" if pool else "whatever pool there is room"
    kept = ", ".join(name for each in keepers for name in each.value.pools)
    text = f"{keepers[0].by} keeps queue {team.queue} on {kept} alone: on {where} the job would start past the quota"
    hint = "name such a pool, add `kueue: {}` for the others, or give the job to a team without a `queue`"
    yield JobProblem("pool", text, hint)


def _kind_problems(config: JobConfig, platform: Platform) -> Iterator[JobProblem]:
    """A kind of job that does not wait: it would start past the quota that its team's queue keeps."""
    waiting = queue_labels(config, platform)
    given = given_on(JobQueue, pool_of(config, platform), platform) if waiting else None
    for api in config.queued_kinds():
        if given and given.value.kinds and api not in given.value.kinds:
            text = f"{given.by} queues no {api.partition('.')[0]}: the job would start past the quota of its team"
            yield JobProblem("template", text, "give the job to a team without a `queue`")


def _scheduler_problems(config: JobConfig, platform: Platform) -> Iterator[JobProblem]:
    """A pool whose cards one scheduler divides, and a queue that another keeps: a pod has one scheduler."""
    pool, keeper = pool_of(config, platform), pod_queue(config, platform).scheduler
    divides = scheduler_of(pool, platform) if pool else ""
    if pool and keeper and divides and divides != keeper:
        text = f"pods of pool {pool.name} need the scheduler {divides}, and the queue of their team needs {keeper}"
        yield JobProblem("pool", text, "use another pool, or give the job to a team without a `queue`")


def _gang_problems(config: JobConfig, demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """A job of several pods that no operator tells its scheduler of, and that this one does not know."""
    pool = platform.pool(demand.pool) if demand.pool else None
    gang = owners_gang(pool, platform) if demand.pods > 1 else None
    for api in config.queued_kinds():
        if gang and gang.kinds and api not in gang.kinds:
            text = f"{gang.scheduler} makes no gang of a {api.partition('.')[0]}: its pods would start one by one"
            yield JobProblem("template", text, "use another template, or schedule gangs by volcano")


def _label_problems(config: JobConfig, platform: Platform) -> Iterator[JobProblem]:
    """A label of the job's own by which its pods would not be seen: that of the owner counts."""
    gang = owners_gang(pool_of(config, platform), platform)
    if gang is None:
        return
    for key, value in gang.labels.items():
        if config.labels.get(key, value) != value:
            text = f"{gang.scheduler} sees pods of the pool by {key}: {value}"
            yield JobProblem("labels", text, f"leave {key} out: the job's pods have it")


def _size_problems(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """More than the queue of its team can ever have: the job would stay pending."""
    pool = platform.pool(demand.pool) if demand.pool else None
    queue, given = queue_of(demand.owner, demand.pool, platform), given_on(JobQueue, pool, platform)
    if queue is None or given is None or not demand.gpus:
        return
    there = amounts(keeps(given.value, platform))
    wanted = asked(pool, demand.gpus, demand.profile or "") if pool else {WHOLE_GPU: demand.gpus}
    for resource, amount in wanted.items():
        one_pool = pool.name if pool and given.value.by_pool else None
        places = [place for place in there if place[1] == resource and one_pool in (None, place[0])]
        by_pool = sum(queue.most(place, there[place]) for place in places)
        most = by_pool if given.value.by_pool or not places else queue.most_anywhere(resource, there)
        if places and amount * demand.pods > most:
            where = f" of pool {one_pool}" if one_pool else ""
            text = f"needs {amount * demand.pods} {resource}, and queue {queue.name} never has more than {most}{where}"
            yield JobProblem("workers", text, "raise the quota of the team, or what it may `borrow:`")
