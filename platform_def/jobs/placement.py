"""Where a job's pods run and what they get there: everything follows from the node pool that the job names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    Volume,
    VolumeMount,
)
from platform_def.config.platform import Platform
from platform_def.config.pools import (
    HAMI_SCHEDULER,
    RDMA_RESOURCE,
    VIRTUAL_SCHEDULER,
    WHOLE_GPU,
    NodePool,
    asked,
    layer,
    memory_blocks,
    offered,
    places,
    virtual,
    whole_cards,
)
from platform_def.constructs.extended_resources import GATE, by_extended_resource, gpus_by_claim
from platform_def.constructs.workload import tolerations_of
from platform_def.jobs.template import JobProblem

SLOW_GBPS = 10
"""Below this, exchanging gradients takes longer than computing them for most models."""


@dataclass(frozen=True)
class Placement:
    """What a pod needs to run on a pool with some of its accelerators."""

    pool: NodePool | None
    gpus: int
    rdma: bool
    gpu_runtime: bool
    """Whether the pod must ask for RuntimeClass `nvidia`."""
    scheduler: str = ""
    """Scheduler that the pod must ask for; empty for the cluster's own."""
    env: tuple[EnvVar, ...] = field(default=())

    def pod(self, container: Container, *, shared_memory: str, accelerated: bool = True) -> PodSpec:
        """A pod with this one container; without `accelerated` it takes no accelerator or adapter of the pool."""
        made: Container = {**container}
        if accelerated:
            made["resources"] = _with_limits(container, self.limits())
            if self.env:
                made["env"] = [*container.get("env", []), *self.env]
            if self.rdma and not (self.pool and self.pool.memlock_unlimited):
                made["securityContext"] = RDMA_CONTEXT
        mount: VolumeMount = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108 - where NCCL and data loaders look
        made["volumeMounts"] = [*container.get("volumeMounts", []), mount]
        volume: Volume = {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": shared_memory}}
        pod: PodSpec = {"containers": [made], "volumes": [volume]}
        if self.pool and self.pool.selector:
            pod["nodeSelector"] = dict(self.pool.selector)
        if self.pool and self.pool.taints:
            pod["tolerations"] = tolerations_of(self.pool)
        if accelerated and self.gpu_runtime and self.gpus:
            pod["runtimeClassName"] = "nvidia"
        if accelerated and self.scheduler and self.gpus:
            pod["schedulerName"] = self.scheduler
        return pod

    def limits(self) -> dict[str, str]:
        """Extended resources of one pod."""
        limits = dict(_accelerators(self.pool, self.gpus))
        if self.rdma:
            limits[RDMA_RESOURCE] = "1"
        return limits


RDMA_CONTEXT: SecurityContext = {"capabilities": {"add": ["IPC_LOCK"]}}
"""Registered memory is locked memory. The capability works for root alone; others need LimitMEMLOCK on the node."""


def place(pool_name: str | None, *, gpus: int, rdma: bool, platform: Platform) -> Placement:
    """The placement on a pool of the platform, or anywhere."""
    pool = platform.pool(pool_name) if pool_name else None
    fabric = pool.rdma if pool and rdma else "none"
    divides = layer(pool) if pool else ""
    # gpu-manager works with the plain runtime: nvidia's would put the driver's own library over the dividing one.
    # The DRA driver hands cards over by CDI, and nobody makes the RuntimeClass.
    runtime = platform.nvidia_runtime == "class" and (pool is None or pool.gpu is not None)
    runtime = runtime and divides != "gpu-manager" and (divides == "hami" or not gpus_by_claim(platform))
    scheduler = _scheduler(divides, platform) if divides else ""
    return Placement(pool, gpus, fabric != "none", runtime, scheduler, tuple(_fabric_env(fabric)))


def _scheduler(divides: str, platform: Platform) -> str:
    """The scheduler that knows the cards of a node one by one, where the stack has it."""
    component, name = ("hami", HAMI_SCHEDULER) if divides == "hami" else (VIRTUAL_SCHEDULER, VIRTUAL_SCHEDULER)
    return name if component in platform.components else ""


def _accelerators(pool: NodePool | None, count: int) -> Iterator[tuple[str, str]]:
    """Amounts that the pool's own plugin understands; anywhere, whole cards are meant."""
    amounts = asked(pool, count) if pool else {WHOLE_GPU: count} if count else {}
    yield from ((name, str(amount)) for name, amount in amounts.items())


def _with_limits(container: Container, limits: dict[str, str]) -> ResourceRequirements:
    given = container.get("resources", {})
    # Requests follow the limits for extended resources; naming both keeps quota arithmetic visible.
    amounts = {"limits": {**given.get("limits", {}), **limits}, "requests": {**given.get("requests", {}), **limits}}
    return cast(ResourceRequirements, {key: value for key, value in amounts.items() if value})


def _fabric_env(fabric: str) -> Iterator[EnvVar]:
    """NCCL's choice of transport; RoCE needs the GID of RoCE v2 over IPv4, index 3 on Mellanox adapters."""
    if fabric == "none":
        return
    yield {"name": "NCCL_IB_DISABLE", "value": "0"}
    yield {"name": "NCCL_NET_GDR_LEVEL", "value": "PHB"}
    if fabric == "roce":
        yield {"name": "NCCL_IB_GID_INDEX", "value": "3"}
    yield {"name": "UCX_NET_DEVICES", "value": "all"}


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
    team: str | None


def demand_problems(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """What the pool cannot give: too many GPUs a pod, several slices of shared cards, more than it has, no fabric."""
    pool = platform.pool(demand.pool) if demand.pool else None
    if pool is None:
        if demand.rdma:
            yield JobProblem("rdma", "RDMA needs a pool with a fabric", "name one with `pool:`")
        return
    there = places(pool)
    if demand.gpus and layer(pool) == "gpu-manager" and pool.gpu and memory_blocks(pool.gpu) is None:
        text = f"pool {pool.name} divides the memory of its cards, and that of model {pool.gpu.model} is not known"
        yield JobProblem("pool", text, "say `memoryGib:` under the pool's `gpu:`")
    yield from _claim_problems(pool, demand.gpus, platform)
    yield from _unoffered(pool, demand, platform)
    if demand.gpus and not there:
        yield JobProblem("pool", f"pool {pool.name} has no accelerators", "choose a pool with `gpu:`")
    elif demand.gpus > there:
        yield JobProblem(demand.gpus_field, f"a node of pool {pool.name} offers {there}, not {demand.gpus}")
    elif demand.gpus > 1 and pool.gpu and not whole_cards(pool):
        text = f"pool {pool.name} shares its cards: {demand.gpus} may be slices of one card"
        yield JobProblem(demand.gpus_field, text, "ask for 1, or choose a pool of whole cards")
    elif demand.gpus * demand.pods > there * pool.nodes:
        asked = demand.gpus * demand.pods
        text = f"{demand.pods} pods with {demand.gpus} GPUs are {asked}, pool {pool.name} has {there * pool.nodes}"
        yield JobProblem("workers", text)
    team = next((each for each in platform.teams if each.name == demand.team), None)
    if team and team.quota and team.quota.gpus is not None and demand.gpus * demand.pods > team.quota.gpus:
        yield JobProblem(
            "workers", f"needs {demand.gpus * demand.pods} GPUs, team {team.name} has a quota of {team.quota.gpus}"
        )
    if demand.rdma and pool.rdma == "none":
        yield JobProblem(
            "rdma", f"pool {pool.name} has no RDMA fabric", "leave `rdma` out, or say which fabric the pool has"
        )
    if demand.rdma and not pool.memlock_unlimited and team and team.pod_security != "privileged":
        text = f"RDMA needs IPC_LOCK, which Pod Security level '{team.pod_security}' of team {team.name} forbids"
        yield JobProblem("team", text, "set `podSecurity: privileged` for the team")


OFFERED_BY = {"nvidia.com/v": "hami", "nvidia.com/": "nvidia-device-plugin", "tencent.com/": "gpu-manager"}
"""Component that puts a resource on nodes, by how its name begins; the longest match counts."""


def _unoffered(pool: NodePool, demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """Resources that nothing in the stack puts on nodes: the job would wait for ever."""
    wanted = asked(pool, demand.gpus) if demand.gpus and pool.gpu else {}
    # HAMi's cores and memory are known to its scheduler alone, no node shows them.
    for name in filter(offered(pool).__contains__, wanted):
        if not platform.offers_resource(name):
            component = next((each for prefix, each in OFFERED_BY.items() if name.startswith(prefix)), "")
            yield JobProblem("pool", f"nothing in the stack offers {name}", _add(component))
    if demand.rdma and pool.rdma != "none" and not platform.offers_resource(RDMA_RESOURCE):
        yield JobProblem("rdma", f"nothing in the stack offers {RDMA_RESOURCE}", _add("rdma-shared-device-plugin"))


def _add(component: str) -> str:
    if not component:
        return ""
    return f"add `{component}: {{}}` under components, or `{{provided: true}}` when the cluster has it"


def _claim_problems(pool: NodePool, gpus: int, platform: Platform) -> Iterator[JobProblem]:
    """Jobs ask for resources by name; the DRA driver has a name for whole cards alone, where Kubernetes knows how."""
    if not gpus or pool.gpu is None or virtual(pool) or not gpus_by_claim(platform):
        return
    if not by_extended_resource(platform):
        text = f"nvidia-dra-driver gives GPUs by {WHOLE_GPU} with the feature gate {GATE}, which is off"
        yield JobProblem(
            "pool", text, f"turn it on in the cluster and say `cluster: {{featureGates: {{{GATE}: true}}}}`"
        )
    elif pool.gpu.mig:
        text = f"{WHOLE_GPU} of nvidia-dra-driver is a whole card, and pool {pool.name} has MIG devices"
        yield JobProblem("pool", text, "use the device plugin, or claim devices of class mig.nvidia.com yourself")
