"""Where a job's pods run and what they get there: everything follows from the node pool that the job names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    NodeAffinity,
    NodeSelectorRequirement,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    Volume,
    VolumeMount,
)
from platform_def.capabilities import BinPacker
from platform_def.config.accelerators import ModelLabel
from platform_def.config.platform import Platform
from platform_def.config.pools import (
    WHOLE_GPU,
    NodePool,
    asked,
    dividing,
    layer,
    memory_units,
    places,
    whole_cards,
)
from platform_def.config.rdma import Rdma
from platform_def.config.reads import independently
from platform_def.config.teams import owned
from platform_def.constructs.extended_resources import gpus_by_claim
from platform_def.constructs.host_libraries import library_volumes, with_libraries
from platform_def.constructs.workloads.tolerations import tolerations_of
from platform_def.jobs.demand import (
    Demand as Demand,
)
from platform_def.jobs.demand import (
    anywhere_problems,
    claim_problems,
    profile_problems,
    slice_problems,
    unoffered,
)
from platform_def.jobs.fabric import (
    FabricChoice,
    fabric_annotations,
    fabric_demand_problems,
    fabric_env,
    fabric_limits,
    in_fabric,
)
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.queueing import near, scheduler_of
from platform_def.jobs.quotas import over_quota

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
    profile: str = ""
    """MIG profile of the devices, where the pool's pods choose one."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """What the template of an accelerated pod says beside: the networks that it is attached to."""
    driver: bool = False
    """Whether a pod without GPUs runs a program that is linked with the driver's libraries all the same."""
    default_runtime: bool = False
    """Whether nvidia's runtime runs every container of a node."""

    def pod(self, container: Container, *, shared_memory: str, accelerated: bool = True) -> PodSpec:
        """A pod with this one container; without `accelerated` it takes no accelerator or adapter of the pool."""
        made: Container = {**container}
        if accelerated:
            made["resources"] = _with_limits(container, self.limits())
            _add_variables(made, self.env)
            if self.rdma and self.pool and self.pool.rdma.pinned and not self.pool.memlock_unlimited:
                made["securityContext"] = RDMA_CONTEXT
        if no_cards := self._no_cards(accelerated=accelerated):
            _add_variables(made, no_cards)
        gpu = self.pool.gpu if self.pool else None
        libraries = gpu.host_libraries if gpu and accelerated else None
        if libraries:
            # Without GPUs too: libraries of frameworks that are built for them do not load without a driver's.
            made = with_libraries(made, libraries)
        volumes = list(library_volumes(libraries)) if libraries else []
        if not (accelerated and self.mps):
            mount: VolumeMount = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108 - where NCCL and data loaders look
            made["volumeMounts"] = [*made.get("volumeMounts", []), mount]
            volume: Volume = {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": shared_memory}}
            volumes = [volume, *volumes]
        pod: PodSpec = {"containers": [made], "volumes": volumes}
        accelerator = self.pool.accelerator if self.pool else None
        if self.pool and (labels := {**self.pool.selector, **(accelerator.node_labels if accelerator else {})}):
            pod["nodeSelector"] = labels
        if gpu and gpu.model_label:
            pod["affinity"] = {"nodeAffinity": _of_model(gpu.model_label)}
        if self.pool and self.pool.taints:
            pod["tolerations"] = tolerations_of(self.pool)
        if self.gpu_runtime and ((accelerated and self.gpus) or self.driver):
            pod["runtimeClassName"] = "nvidia"
        if accelerated and accelerator and accelerator.runtime_class and self.gpus:
            pod["runtimeClassName"] = accelerator.runtime_class
        if accelerated and self.scheduler and self.gpus:
            pod["schedulerName"] = self.scheduler
        return in_fabric(pod, self.pool.rdma) if accelerated and self.rdma and self.pool else pod

    @property
    def mps(self) -> bool:
        """Whether the device plugin mounts the MPS daemon's shared memory at /dev/shm, which a volume would hide."""
        sharing = self.pool.gpu.sharing if self.pool and self.pool.gpu else None
        return bool(self.gpus and sharing and sharing.mode == "mps")

    def _no_cards(self, *, accelerated: bool) -> list[EnvVar]:
        """Variables that keep nvidia's runtime from handing over cards that the pod did not ask for.

        `none` brings the driver's libraries without a card, `void` neither; without either an image that is made for
        CUDA gets all cards of the node (documentation of the container toolkit).
        """
        if (accelerated and self.gpus) or (self.pool and self.pool.gpu and self.pool.gpu.host_libraries):
            return []
        if self.driver and (self.gpu_runtime or self.default_runtime):
            return [
                {"name": "NVIDIA_VISIBLE_DEVICES", "value": "none"},
                {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "compute,utility"},
            ]
        return [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}] if self.default_runtime else []

    def limits(self) -> dict[str, str]:
        """Extended resources of one pod."""
        limits = dict(_accelerators(self.pool, self.gpus, self.profile))
        if self.rdma and self.pool:
            limits |= fabric_limits(self.pool, self.gpus)
        return limits


RDMA_CONTEXT: SecurityContext = {"capabilities": {"add": ["IPC_LOCK"]}}
"""Registered memory is locked memory. The capability works for root alone; others need LimitMEMLOCK on the node."""


def place(
    pool_name: str | None,
    *,
    gpus: int,
    rdma: bool,
    platform: Platform,
    profile: str | None = None,
    choice: FabricChoice | None = None,
    driver: bool = False,
) -> Placement:
    """The placement on a pool of the platform, or anywhere.

    `profile` chooses among the pool's MIG devices, `choice` the way to its fabric; `driver` is for programs that are
    linked with the driver's libraries and have no GPU.
    """
    pool = platform.pool(pool_name) if pool_name else None
    fabric = pool.rdma if pool and rdma else Rdma()
    annotations = {
        **(fabric_annotations(pool, platform) if pool and rdma else {}),
        **(near(pool, platform) if pool and gpus else {}),
    }
    divides = layer(pool) if pool else ""
    nvidia = pool is None or pool.gpu is not None
    own = pool and (divides or pool.scheduler)
    scheduler = scheduler_of(pool, platform) if pool and own else _packer(platform) if gpus else ""
    return Placement(
        pool,
        gpus,
        fabric.kind != "none",
        platform.nvidia_runtime == "class" and _by_runtime(pool, platform),
        scheduler,
        tuple(fabric_env(fabric, choice)),
        profile or "",
        annotations,
        driver,
        nvidia and platform.nvidia_runtime == "default",
    )


def brings_driver(pool: NodePool | None, platform: Platform) -> bool:
    """Whether a pod without GPUs can have the driver's libraries on the pool."""
    libraries = pool.gpu.host_libraries if pool and pool.gpu else None
    by_default = platform.nvidia_runtime == "default" and (pool is None or pool.gpu is not None)
    return bool(libraries) or by_default or _by_runtime(pool, platform)


def _by_runtime(pool: NodePool | None, platform: Platform) -> bool:
    """Whether pods reach the driver by the RuntimeClass `nvidia`."""
    # gpu-manager works with the plain runtime: nvidia's would put the driver's own library over the dividing one.
    # The DRA driver hands cards over by CDI, and no RuntimeClass exists.
    # A pool with libraries of its own has no nvidia runtime.
    divides = layer(pool) if pool else ""
    has = pool is None or bool(pool.gpu and not pool.gpu.host_libraries)
    return has and divides != "gpu-manager" and (divides == "hami" or not gpus_by_claim(platform))


def _packer(platform: Platform) -> str:
    """The scheduler that fills nodes one after the other, where the stack has one."""
    given = platform.maybe(BinPacker)
    return given.value.scheduler if given else ""


def _of_model(label: ModelLabel) -> NodeAffinity:
    """Nodes that name one of these models."""
    term: NodeSelectorRequirement = {"key": label.key, "operator": "In", "values": list(label.values)}
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}}


def _accelerators(pool: NodePool | None, count: int, profile: str) -> Iterator[tuple[str, str]]:
    """Amounts that the pool's own plugin understands; anywhere, whole cards are meant."""
    amounts = asked(pool, count, profile) if pool else {WHOLE_GPU: count} if count else {}
    yield from ((name, str(amount)) for name, amount in amounts.items())


def _add_variables(container: Container, further: Sequence[EnvVar]) -> None:
    """Those that the container does not set itself: what a job says wins over what follows from its pool."""
    given = {each["name"] for each in container.get("env", [])}
    if variables := [*container.get("env", []), *(each for each in further if each["name"] not in given)]:
        container["env"] = variables


def _with_limits(container: Container, limits: dict[str, str]) -> ResourceRequirements:
    given = container.get("resources", {})
    # Requests follow the limits for extended resources; naming both keeps quota arithmetic visible.
    amounts = {"limits": {**given.get("limits", {}), **limits}, "requests": {**given.get("requests", {}), **limits}}
    return cast(ResourceRequirements, {key: value for key, value in amounts.items() if value})


def demand_problems(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """What the pool cannot give (too many GPUs a pod, several slices of one card, no fabric), nor the team's quota."""
    fits = True
    for problem in _pool_problems(demand, platform):
        fits = False
        yield problem
    if fits:  # what the pool cannot give either is no matter of the quota
        yield from over_quota(demand, platform)


def _pool_problems(demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    pool = platform.pool(demand.pool) if demand.pool else None
    if pool is None:
        if demand.rdma:
            yield JobProblem("rdma", "RDMA needs a pool with a fabric", "name one with `pool:`")
        yield from anywhere_problems(demand, platform)
        return
    yield from independently(
        (
            profile_problems(pool, demand),
            slice_problems(pool, demand),
            _memory_problems(pool, demand),
            claim_problems(pool, demand.gpus, platform),
            unoffered(pool, demand, platform),
            _count_problems(pool, demand),
            _team_problems(pool, demand, platform),
        )
    )


def _memory_problems(pool: NodePool, demand: Demand) -> Iterator[JobProblem]:
    by = dividing(pool)
    if demand.gpus and by and by.memory and pool.gpu and memory_units(pool.gpu, by) is None:
        text = f"pool {pool.name} divides the memory of its cards, and that of model {pool.gpu.model} is not known"
        yield JobProblem("pool", text, "say `memoryGib:` under the pool's `gpu:`")


def _count_problems(pool: NodePool, demand: Demand) -> Iterator[JobProblem]:
    there = places(pool, demand.profile or "")
    if demand.gpus and not there:
        yield JobProblem("pool", f"pool {pool.name} has no accelerators", "choose a pool with `gpu:`")
    elif demand.gpus > there:
        yield JobProblem(demand.gpus_field, f"a node of pool {pool.name} offers {there}, not {demand.gpus}")
    elif demand.gpus > 1 and pool.gpu and not whole_cards(pool):
        why = "are MIG devices, of which a program uses one" if pool.gpu.mig else "may be slices of one card"
        text = f"pool {pool.name} shares its cards: {demand.gpus} {why}"
        yield JobProblem(demand.gpus_field, text, "ask for 1, or choose a pool of whole cards")
    elif demand.gpus * demand.pods > there * pool.nodes:
        asked = demand.gpus * demand.pods
        text = f"{demand.pods} pods with {demand.gpus} GPUs are {asked}, pool {pool.name} has {there * pool.nodes}"
        yield JobProblem("workers", text)


def _team_problems(pool: NodePool, demand: Demand, platform: Platform) -> Iterator[JobProblem]:
    """What the Pod Security level of the job's team forbids, and a fabric that the pool lacks."""
    team = owned(demand.owner, platform.teams)
    if pool.gpu and pool.gpu.host_libraries and team and team.pod_security != "privileged":
        text = (
            f"pool {pool.name} has its libraries in folders of the nodes, which Pod Security level "
            f"'{team.pod_security}' of team {team.name} forbids to mount"
        )
        yield JobProblem("team", text, "set `podSecurity: privileged` for the team")
    if demand.rdma:
        yield from fabric_demand_problems(pool, max(demand.pods, demand.fabric_pods), team, platform)
