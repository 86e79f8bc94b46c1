"""Which scheduler starts all pods of a job together: operators take the stack's unless told otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal, TypeVar

from platform_def.capabilities import GangScheduler
from platform_def.config.words.registered import gang_schedulers
from platform_def.constructs import ComponentConfig, Problem, Setting, need

C = TypeVar("C", bound=ComponentConfig)
Choice = Literal["none", "volcano", "scheduler-plugins", "kai"]

POD_GROUPS: Mapping[str, str] = {
    "volcano": "PodGroup.scheduling.volcano.sh",
    "scheduler-plugins": "PodGroup.scheduling.x-k8s.io",
}
"""Each operator's setting for gangs; KAI finds gangs by itself."""


def gang_scheduler(at: Setting[C], chosen: Choice | None, *, known: Collection[str]) -> GangScheduler | None:
    """The gang scheduler that an operator is configured with.

    `chosen` is what the stack says: an implementation, or `none`; without a word it is the stack's own gang scheduler,
    where that is one of the implementations `known` to the operator.
    """
    if chosen == "none":
        return None
    if chosen:
        given = at.maybe(need(GangScheduler, implementation=chosen))
        return given.value if given else GangScheduler(implementation=chosen, scheduler=gang_schedulers()[chosen])
    if not any(each.value.implementation in known for each in at.platform.all(GangScheduler)):
        return None
    given = at.maybe(GangScheduler)
    return given.value if given and given.value.implementation in known else None


def renamed(at: Setting[C], gang: GangScheduler | None, compiled: Mapping[str, str]) -> Iterator[Problem]:
    """The problem of a scheduler that has another name than the one that is `compiled` into the operator.

    Its pods would wait for a scheduler that is not there.
    """
    if gang is None or gang.scheduler == (name := compiled.get(gang.implementation, gang.scheduler)):
        return
    yield Problem(
        f"components.{at.name}: gangScheduler: the operator's pods ask for the scheduler {name}, "
        f"and this one is called {gang.scheduler}",
        hint=f"call it `{name}`, or write `gangScheduler: none`",
    )


def of_others(at: Setting[C], gang: GangScheduler | None, *, takes: Collection[str]) -> Iterator[Problem]:
    """Pools with a scheduler of their own, whose pods an operator takes from it.

    `takes` are implementations with which it does so for all jobs, whatever their pods ask for: no job says otherwise.
    """
    own = next((pool for pool in at.platform.node_pools if pool.scheduler), None)
    if own is None or gang is None or gang.implementation not in takes:
        return
    text = f"components.{at.name}: gangScheduler: it hands jobs of all pools to {gang.scheduler}"
    others = f", and those of pool {own.name} are {own.scheduler}'s"
    alone = f", which has pool {own.name} alone"
    yield Problem(text + (alone if gang.scheduler == own.scheduler else others), hint="write `gangScheduler: none`")


def pod_groups(at: Setting[C], gang: GangScheduler | None) -> tuple[str, ...]:
    """The API of the gang scheduler's PodGroups, where the stack serves it: operators look for it when they start."""
    api = POD_GROUPS.get(gang.implementation) if gang else None
    return (api,) if api and at.platform.serves(api) else ()
