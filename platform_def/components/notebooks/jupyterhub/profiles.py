"""What people may start: choices made from node pools, each with all that a pod needs there, as KubeSpawner has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from platform_def.apis.core.core_v1 import Container, NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm
from platform_def.capabilities import JobQueue
from platform_def.components.notebooks.jupyterhub.config import JupyterhubConfig, Profile
from platform_def.config.devices import OfferedDevices, devices, granted
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.crds.quantity import amount
from platform_def.jobs.demand import Demand
from platform_def.jobs.placement import demand_problems, place
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.queueing import given_on, queue_of_pods
from platform_def.jobs.shares import half, share

CORES, MEMORY = "1", "2Gi"
"""What a server without devices asks for, where nothing is written."""
Override = dict[str, Any]
"""Traits of KubeSpawner."""


@dataclass(frozen=True)
class ProfileChoice:
    """A profile of the stack file, or one that a pool suggests."""

    name: str
    wanted: Profile
    pool: NodePool | None
    device: OfferedDevices | None = None
    suggested: bool = False
    """It was added automatically: a team that cannot have it is not shown it."""

    @property
    def cuda(self) -> bool:
        """Whether it has NVIDIA's devices."""
        return bool(self.wanted.gpus and (self.pool is None or self.pool.gpu))


def choices(config: JupyterhubConfig, platform: Platform) -> list[ProfileChoice]:
    """The stack's profiles, or those that its pools suggest."""
    if not config.profiles:
        return [*_suggested(platform.node_pools)]
    made = []
    for name, wanted in config.profiles.items():
        pool = platform.pool(wanted.pool) if wanted.pool else None
        kinds = [each for each in devices(pool) if each.profile == (wanted.mig_profile or "")] if pool else []
        made.append(ProfileChoice(name, wanted, pool, kinds[0] if kinds and wanted.gpus else None))
    return sorted(made, key=_size)


def _size(choice: ProfileChoice) -> tuple[int, Decimal, Decimal, str]:
    """Small ones first; the order of a map in a stack file says nothing."""
    cpu, memory = sizes(choice, choice.wanted.gpus)
    return choice.wanted.gpus, amount(cpu) or Decimal(0), amount(memory) or Decimal(0), choice.name


def _suggested(pools: Sequence[NodePool]) -> Iterator[ProfileChoice]:
    """One without devices for each pool that has none, else one anywhere; then one for each kind of device."""
    plain = [pool for pool in pools if not devices(pool)]
    for pool in plain:
        yield ProfileChoice(pool.name, Profile(pool=pool.name), pool, suggested=True)
    if not plain:
        yield ProfileChoice("cpu", Profile(), None, suggested=True)
    for pool in pools:
        for device in devices(pool):
            if pool.accelerator and pool.accelerator.hosts > 1:
                continue  # a slice of several nodes is for one job
            profile = device.profile or None
            name = "-".join(filter(None, (pool.name, (profile or "").replace(".", "-").replace("+", "-"))))
            yield ProfileChoice(
                name, Profile(pool=pool.name, gpus=1, mig_profile=profile), pool, device, suggested=True
            )


def problems_of(choice: ProfileChoice, team: Team | None, platform: Platform) -> list[JobProblem]:
    """Why no one of a team could ever start it; without a team, why no one could at all."""
    wanted = choice.wanted
    if wanted.pool and choice.pool is None:
        return [JobProblem("pool", f"the stack has no node pool '{wanted.pool}'")]
    size = sizes(choice, wanted.gpus)
    demand = Demand(
        wanted.pool,
        1,
        wanted.gpus,
        "gpus",
        rdma=False,
        owner=team.owner if team else "",
        profile=wanted.mig_profile,
        cpu=size[0],
        memory=size[1],
    )
    return [*demand_problems(demand, platform)]


def offered_to(choice: ProfileChoice, team: Team, config: JupyterhubConfig, platform: Platform) -> bool:
    """Whether people of a team have this choice, in its namespace or in a member's own."""
    if choice.wanted.teams and team.name not in choice.wanted.teams:
        return False
    if choice.wanted.gpus and not config.outside_queues and unqueued(choice, team, platform):
        return False
    return not problems_of(choice, team, platform) and _fits(choice, team)


def _fits(choice: ProfileChoice, room: Team) -> bool:
    """Whether the quota of a namespace, a team's or a member's own, holds one server."""
    if room.quota is None:
        return True
    limit = granted(room.quota, choice.pool, choice.device) if choice.wanted.gpus and room.limits_devices else None
    limits, size = room.quota.of_pods(), sizes(choice, choice.wanted.gpus)
    fitting = (
        (amount(wanted) or 0) <= (amount(limits[name]) or 0)
        for name, wanted in (("requests.cpu", size[0]), ("requests.memory", size[1]))
        if name in limits
    )
    return (limit is None or choice.wanted.gpus <= limit) and all(fitting)


def unqueued(choice: ProfileChoice, team: Team, platform: Platform) -> bool:
    """Whether the team's devices are counted by a queue that pods by themselves cannot wait in."""
    queued = team.queue is not None and given_on(JobQueue, choice.pool, platform) is not None
    return queued and not queue_of_pods(team.owner, choice.pool, platform).name


def counts(choice: ProfileChoice, team: Team) -> list[int]:
    """How many devices people choose from: what is written, or from one to a whole node, as far as the quota goes."""
    if not choice.suggested or not (choice.device and choice.device.several):
        return [choice.wanted.gpus]
    limit = granted(team.quota, choice.pool, choice.device) if team.quota and team.limits_devices else None
    most = min(choice.device.per_node, choice.device.per_node if limit is None else limit)
    steps = [number for number in (1, 2, 4, 8, 16) if number < most]
    return [*steps, most] if most else []


def sizes(choice: ProfileChoice, gpus: int) -> tuple[str, str]:
    """Cores and memory."""
    own = share(choice.pool, gpus, choice.wanted.mig_profile or "") if gpus else None
    cpu = choice.wanted.cpu or (own.cpu if own else CORES)
    return cpu, choice.wanted.memory or (own.memory if own else MEMORY)


def profile_of(choice: ProfileChoice, team: Team, images: Sequence[str], platform: Platform) -> Mapping[str, Any]:
    """The profile as the hub's file of settings has it; the first number of devices is what it begins with."""
    numbers = counts(choice, team)
    made: dict[str, Any] = {
        "slug": choice.name,
        "display_name": choice.wanted.title or _title(choice, numbers),
        "description": choice.wanted.description or _description(choice, numbers),
        "kubespawner_override": override(choice, numbers[0], team, platform),
        "images": [*images],
    }
    if len(numbers) > 1:
        options = {
            f"{number:0{len(str(numbers[-1]))}}": {
                "display_name": str(number),
                "kubespawner_override": override(choice, number, team, platform),
            }
            for number in numbers
        }
        made["profile_options"] = {"gpus": {"display_name": "Devices", "choices": options}}
    return made


def _title(choice: ProfileChoice, numbers: Sequence[int]) -> str:
    if choice.device is None:
        what = f"{choice.wanted.gpus} GPUs" if choice.wanted.gpus else "Processors"
        return f"{what}, pool {choice.pool.name}" if choice.pool else what
    several = f" to {numbers[-1]}" if len(numbers) > 1 else ""
    return f"{numbers[0]}{several} × {choice.device.title}, pool {choice.wanted.pool}"


def _description(choice: ProfileChoice, numbers: Sequence[int]) -> str:
    cpu, memory = sizes(choice, numbers[0])
    each = " for each device" if len(numbers) > 1 else ""
    return f"CPU {cpu}, memory {memory}{each}"


def override(choice: ProfileChoice, gpus: int, team: Team, platform: Platform) -> Override:
    """What the pod has beside its image, its home and its team's data."""
    cpu, memory = sizes(choice, gpus)
    placement = place(choice.wanted.pool, gpus=gpus, rdma=False, platform=platform, profile=choice.wanted.mig_profile)
    bare: Container = {"name": "notebook"}
    pod = placement.pod(bare, shared_memory=half(memory), accelerated=gpus > 0)
    container = pod["containers"][0]
    queue = queue_of_pods(team.owner, choice.pool, platform)
    nodes = pod.get("affinity", {}).get("nodeAffinity", {})
    made: Override = {
        "cpu_guarantee": float(amount(cpu) or 0),
        "mem_guarantee": int(amount(memory) or 0),
        "mem_limit": int(amount(memory) or 0),
        "extra_resource_limits": placement.limits(),
        "extra_resource_guarantees": placement.limits(),
        "node_selector": pod.get("nodeSelector", {}),
        "node_affinity_required": _terms(nodes, choice.pool),
        "tolerations": pod.get("tolerations", []),
        "environment": {each["name"]: each["value"] for each in container.get("env", [])},
        "volumes": {each["name"]: each for each in pod.get("volumes", [])},
        "volume_mounts": {each["name"]: each for each in container.get("volumeMounts", [])},
        "scheduler_name": queue.scheduler or pod.get("schedulerName", ""),
        "extra_annotations": {**placement.annotations, **queue.annotations},
        "extra_labels": {**queue.labels},
        "extra_pod_config": {"runtimeClassName": pod["runtimeClassName"]} if "runtimeClassName" in pod else {},
    }
    return {name: value for name, value in made.items() if value not in ({}, [], "")}


def _terms(given: NodeAffinity, pool: NodePool | None) -> list[NodeSelectorTerm]:
    """What nodes must have: the model that the pool names, and no label of those to keep away from."""
    terms = [*given.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])]
    away: list[NodeSelectorRequirement] = [
        {"key": key, "operator": "NotIn", "values": [value]}
        for key, value in sorted((pool.avoid if pool else {}).items())
    ]
    if not away:
        return terms
    return [{"matchExpressions": [*term.get("matchExpressions", []), *away]} for term in terms or [{}]]
