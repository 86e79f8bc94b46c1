"""What of a stack decides which runtimes it gets, and where their pods run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.capabilities import GangScheduler, JobQueue
from platform_def.components.training.gangs import gang_scheduler
from platform_def.components.training.trainer.config import TrainerConfig
from platform_def.components.training.trainer.runtimes import NODE, OWN_GPUS, RUNTIMES, Runtime
from platform_def.config.pools import NodePool, common, places, whole_cards
from platform_def.constructs import Problem, Setting
from platform_def.constructs.gpu_nodes import gpu_runtime_class


def chosen(at: Setting[TrainerConfig]) -> tuple[Runtime, ...]:
    """The runtimes that a stack wants, or those that it can run."""
    wanted = at.config.runtimes
    if wanted is not None:
        return tuple(each for each in RUNTIMES if each.name in wanted)
    return tuple(each for each in RUNTIMES if not each.program or fine_tuning_pool(at))


def on_processors(at: Setting[TrainerConfig]) -> Mapping[str, Runtime]:
    """Runtimes for jobs without GPUs, each by the name of the runtime that it equals but for RuntimeClass `nvidia`.

    A TrainJob cannot take a RuntimeClass away, and nodes without GPUs do not know it. Those of MPI and torchtune
    are for GPUs.
    """
    if not gpu_runtime_class(at.platform) or at.provided:
        return {}
    alike = (each for each in chosen(at) if each.trains == (NODE,) and not each.program)
    return {each.name: each.on_processors for each in alike if each.name not in at.config.without_gpus}


def fine_tuning_pool(at: Setting[TrainerConfig]) -> NodePool | None:
    """The pool of runtimes that bring their own GPUs: the one that is named, or the first that has them."""
    named = at.config.fine_tuning_pool
    fitting = (pool for pool in common(at.platform.node_pools) if named in (None, pool.name) and _has_gpus(pool))
    return next(fitting, None)


def _has_gpus(pool: NodePool) -> bool:
    return bool(pool.gpu) and whole_cards(pool) and places(pool) >= OWN_GPUS


def pool_problems(at: Setting[TrainerConfig]) -> Iterator[Problem]:
    """No pool for runtimes that bring their own GPUs."""
    config, pools = at.config, at.platform.node_pools
    if fine_tuning_pool(at):
        return
    fitting = [pool.name for pool in common(pools) if _has_gpus(pool)]
    there = f"pools that have: {', '.join(fitting)}" if fitting else f"no pool has {OWN_GPUS} whole GPUs a node"
    bringing = [each.name for each in RUNTIMES if each.program and each.name in (config.runtimes or ())]
    if config.fine_tuning_pool:
        own = next((pool.scheduler for pool in pools if pool.name == config.fine_tuning_pool), None)
        why = f"is {own}'s, and runtimes ask for no scheduler" if own else f"has no {OWN_GPUS} whole GPUs a node"
        text = f"pool {config.fine_tuning_pool} {why}"
        yield Problem(f"components.{at.name}.fineTuningPool: {text}", hint=f"name another, or leave it out; {there}")
    elif bringing and pools:
        text = (
            f"components.{at.name}.runtimes: {bringing[0]} asks for {OWN_GPUS} whole GPUs a node, and no pool has them"
        )
        yield Problem(text, hint="leave it out, or add a pool")


def gang_of(at: Setting[TrainerConfig]) -> GangScheduler | None:
    """Who starts the pods of a job together, in all runtimes."""
    return gang_scheduler(at, at.config.gang_scheduler, known=("volcano", "scheduler-plugins", "kai"))


def makes_pod_groups(at: Setting[TrainerConfig]) -> bool:
    """Whether runtimes that all share say how pods start together; not with Volcano where jobs wait in Kueue.

    The trainer makes the PodGroup of a job that is held back too, and Volcano keeps room for it (overcommit.go of
    1.15.1 adds up what is in queue): jobs that Kueue lets in would wait for those that it does not.
    """
    gang, queues = gang_of(at), at.platform.maybe(JobQueue)
    held_back = queues is not None and queues.value.implementation == "kueue"
    waits = held_back and any(team.queue for team in at.platform.teams)
    return not (waits and gang and gang.implementation == "volcano")
