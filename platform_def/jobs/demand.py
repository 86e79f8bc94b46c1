"""What a job asks of the accelerators of its pool, and why the pool cannot give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from platform_def.capabilities import JobQueue
from platform_def.config.platform import Platform
from platform_def.config.pools import (
    WHOLE_GPU,
    NodePool,
    asked,
    common,
    offered,
    places,
    profiles,
    uncut,
    virtual,
    whole_cards,
)
from platform_def.config.teams import owned
from platform_def.constructs.extended_resources import GATE, by_extended_resource, gpus_by_claim
from platform_def.errors import nearest
from platform_def.jobs.problem import JobProblem


@dataclass(frozen=True)
class Demand:
    """What a job asks of a pool."""

    pool: str | None
    pods: int
    """Pods with GPUs."""
    gpus: int
    """GPUs of each."""
    gpus_field: str
    rdma: bool
    owner: str
    """Whose it is: a team, or a member of one (`vision/li@example.com`); empty where it belongs to none."""
    profile: str | None = None
    """MIG profile of the devices, where the pool has some."""
    fabric_pods: int = 0
    """Pods that use the fabric, where these are more than those with GPUs."""
    all_pods: int = 0
    """Pods of the whole job, where these are more than those with GPUs."""
    cpu: str = "0"
    """Cores that each of them asks for."""
    memory: str = "0"
    """Memory that each of them asks for."""


def anywhere_problems(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """What a job without a pool cannot get: pods ask for whole cards there, tolerate no taint and mount nothing."""
    if demand.profile:
        yield JobProblem("migProfile", "MIG devices are those of a pool", "name one with `pool:`")
    if not demand.gpus:
        return
    if not platform.offers_resource(WHOLE_GPU):
        yield JobProblem("pool", f"nothing in the stack offers {WHOLE_GPU}", missing=WHOLE_GPU)
        return
    team = owned(demand.owner, platform.teams)
    # A queue writes the tolerations of the pool that it chooses.
    queued = bool(team and team.queue and platform.maybe(JobQueue))
    pools = [pool for pool in common(platform.node_pools) if WHOLE_GPU in offered(pool) and _open(pool, queued=queued)]
    most = max((places(pool) for pool in pools), default=0)
    if platform.node_pools and not pools:
        own = " and ask for no scheduler" if any(pool.scheduler for pool in platform.node_pools) else ""
        text = f"no pool gives {WHOLE_GPU} to pods that tolerate no taint{own}"
        yield JobProblem("pool", text, "name a pool with `pool:`, which brings tolerations and names")
    elif pools and demand.gpus > most:
        text = f"no node offers {demand.gpus} {WHOLE_GPU}, the most is {most}"
        yield JobProblem(demand.gpus_field, text)
    elif pools and demand.gpus > 1 and not any(whole_cards(pool) for pool in pools):
        text = f"pools share {WHOLE_GPU}: {demand.gpus} may be slices of one card"
        yield JobProblem(demand.gpus_field, text, "ask for 1, or choose a pool of whole cards")


def _open(pool: NodePool, *, queued: bool) -> bool:
    """Whether pods without mounts, and without tolerations unless a queue writes them, can use the pool's cards."""
    closed = not queued and any(taint.effect in ("NoSchedule", "NoExecute") for taint in pool.taints)
    return not closed and not (pool.gpu and pool.gpu.host_libraries)


def profile_problems(pool: NodePool, demand: Demand) -> Iterator[JobProblem]:
    """A profile that the pool does not have, or none where it has several."""
    mig, known = pool.gpu.mig if pool.gpu else None, profiles(pool)
    if demand.profile and mig is None:
        yield JobProblem("migProfile", f"pool {pool.name} has no MIG devices", "leave `migProfile` out")
    elif demand.profile and mig and demand.profile not in mig.profiles:
        text = f"pool {pool.name} has no MIG devices of profile {demand.profile}"
        yield JobProblem("migProfile", text, nearest(demand.profile, mig.profiles))
    elif demand.gpus > 1 and demand.profile and uncut(pool.gpu) > 0:
        text = f"pool {pool.name}: {demand.gpus} are MIG devices, of which a program uses one"
        yield JobProblem(demand.gpus_field, text, "ask for 1, or leave `migProfile` out for whole cards")
    elif demand.gpus and not demand.profile and len(known) > 1 and not uncut(pool.gpu):
        text = f"pool {pool.name} has MIG devices of several profiles"
        yield JobProblem("pool", text, f"say which with `migProfile:`: {', '.join(known)}")


def slice_problems(pool: NodePool, demand: Demand) -> Iterator[JobProblem]:
    """A slice of several nodes is given to one job, with every device of every node."""
    accelerator = pool.accelerator
    if accelerator is None or accelerator.hosts == 1 or not demand.gpus:
        return
    if demand.gpus != accelerator.per_node:
        text = f"a slice of {accelerator.topology} is used whole: each pod takes all {accelerator.per_node} devices"
        yield JobProblem(demand.gpus_field, text, f"ask for {accelerator.per_node}")
    if demand.pods % accelerator.hosts:
        text = f"a slice of {accelerator.topology} is {accelerator.hosts} nodes, {demand.pods} pods leave some unused"
        yield JobProblem("workers", text, f"use a multiple of {accelerator.hosts}")


def unoffered(pool: NodePool, demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """Resources that nothing in the stack puts on nodes: the job would stay pending."""
    wanted = asked(pool, demand.gpus, demand.profile or "") if demand.gpus and pool.gpu else {}
    # HAMi's cores and memory are known to its scheduler alone, no node shows them.
    for name in filter(offered(pool).__contains__, wanted):
        if not platform.offers_resource(name):
            yield JobProblem("pool", f"nothing in the stack offers {name}", missing=name)


def claim_problems(pool: NodePool, gpus: int, platform: Platform) -> Iterator[JobProblem]:
    """Jobs ask for resources by name; the DRA driver has a name for whole cards alone, where Kubernetes knows how."""
    if not gpus or pool.gpu is None or virtual(pool) or not gpus_by_claim(platform):
        return
    if not by_extended_resource(platform):
        text = f"the DRA driver gives GPUs by {WHOLE_GPU} with the feature gate {GATE}, which is off"
        yield JobProblem(
            "pool", text, f"turn it on in the cluster and say `cluster: {{featureGates: {{{GATE}: true}}}}`"
        )
    elif pool.gpu.mig:
        text = f"{WHOLE_GPU} of the DRA driver is a whole card, and pool {pool.name} has MIG devices"
        yield JobProblem("pool", text, "use the device plugin, or claim devices of class mig.nvidia.com yourself")
