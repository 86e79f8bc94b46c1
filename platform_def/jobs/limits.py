"""What of a job cannot be: more than a node has, volumes that pods cannot mount, folders that go with the pod."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.reads import independently
from platform_def.config.storage import AnyStorage
from platform_def.config.teams import owned
from platform_def.config.written.watch import names_of
from platform_def.crds.quantity import amount
from platform_def.errors import nearest
from platform_def.jobs.fabric import meeting_problems
from platform_def.jobs.fields import ContainerConfig, PodFields
from platform_def.jobs.parameters import DATASETS_FOLDER, Volume
from platform_def.jobs.placement import demand_problems
from platform_def.jobs.pods.security import security_problems, team_of
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.template import PlacedConfig, fitting_pools

TENSORBOARD = "Tensorboard.tensorboard.kubeflow.org"
SHARED = "ReadWriteMany"
GIB = 1024**3


def training_problems(config: PodFields, platform: Platform) -> Iterator[JobProblem]:
    """Everything that is wrong with what every training job says."""
    yield from independently(
        (
            container_problems(config, platform),
            _dataset_problems(config, platform),
            _folder_problems(config),
            _tensorboard_problems(config, platform),
        )
    )


def _tensorboard_problems(config: PodFields, platform: Platform) -> Iterator[JobProblem]:
    if config.tensorboard and not platform.serves(TENSORBOARD):
        yield JobProblem(
            "tensorboard",
            f"the stack serves no {TENSORBOARD}",
            "leave `tensorboard` out, and open the logs on the volume with a development pod",
        )


def container_problems(config: ContainerConfig, platform: Platform) -> Iterator[JobProblem]:
    """Everything that is wrong with where containers run, what they ask for, and what they mount."""
    yield from independently(
        (
            pool_problems(config, platform),
            _demand_problems(config, platform),
            _placed_problems(config, platform),
            _fabric_choice_problems(config),
            security_problems(config, platform),
            _resource_problems(config),
            volume_problems(config, platform),
        )
    )


def _demand_problems(config: ContainerConfig, platform: Platform) -> Iterator[JobProblem]:
    demand = config.demand(platform)
    if demand:
        yield from demand_problems(demand, platform)


def _placed_problems(config: ContainerConfig, platform: Platform) -> Iterator[JobProblem]:
    """What the nodes of its pool cannot give one pod, and how its pods cannot meet over their fabric."""
    name = config.pool_name(platform)
    pool = platform.pool(name) if name else None
    if pool is None:
        return
    yield from _node_problems(config, pool)
    if config.rdma and config.exchanges_nothing:
        yield JobProblem("rdma", config.exchanges_nothing, "leave it out")
    elif config.rdma:
        yield from meeting_problems(
            pool,
            pods=config.fabric_pods,
            interface=config.interface,
            coordinator=config.coordinator,
            team=None if config.namespace else team_of(config, platform),
        )


def pool_problems(config: PlacedConfig, platform: Platform) -> Iterator[JobProblem]:
    """A model or a way of sharing that no pool has, or several, or not the one that is named."""
    if not (config.gpu_model or config.sharing):
        return
    wanted = [f"model {config.gpu_model}"] if config.gpu_model else []
    wanted += [f"sharing {config.sharing}"] if config.sharing else []
    text, field = " and ".join(wanted), "gpuModel" if config.gpu_model else "sharing"
    fitting = fitting_pools(config, platform)
    if config.pool and config.pool not in fitting:
        hint = f"pools that have: {', '.join(fitting)}" if fitting else "no pool has"
        yield JobProblem(field, f"pool {config.pool} has no GPUs of {text}", hint)
    elif not config.pool and not fitting:
        models = sorted({pool.gpu.model for pool in platform.node_pools if pool.gpu})
        hint = nearest(config.gpu_model, models) if config.gpu_model else ""
        yield JobProblem(field, f"no pool has GPUs of {text}", hint or f"there are {', '.join(models) or 'none'}")
    elif not config.pool and len(fitting) > 1:
        yield JobProblem(field, f"pools {', '.join(fitting)} have GPUs of {text}", "say which with `pool:`")


def _node_problems(config: ContainerConfig, pool: NodePool) -> Iterator[JobProblem]:
    """More processors or memory in one pod than in a node."""
    cores, memory = amount(config.cpu), amount(config.memory)
    shared = amount(config.shared_memory)
    if cores is not None and pool.cores and cores > pool.cores:
        yield JobProblem("cpu", f"a node of pool {pool.name} has {pool.cores} cores, not {config.cpu}")
    if memory is not None and pool.memory_gib and memory > pool.memory_gib * GIB:
        text = f"a node of pool {pool.name} has {pool.memory_gib} GiB of memory, not {config.memory}"
        yield JobProblem("memory", text)
    if shared is not None and memory is not None and shared > memory:
        text = f"what lies in /dev/shm counts as memory, of which there is {config.memory}"
        yield JobProblem(
            "sharedMemory", text, "raise `memory:`, or leave `sharedMemory` out: half of it is the default"
        )


def _fabric_choice_problems(config: ContainerConfig) -> Iterator[JobProblem]:
    for field, value in (("hca", config.hca), ("gidIndex", config.gid_index)):
        if value not in (None, []) and not config.rdma:
            yield JobProblem(field, f"`{field}` chooses among RDMA adapters, and the job uses none", "say `rdma: true`")


def _resource_problems(config: ContainerConfig) -> Iterator[JobProblem]:
    for name in config.resources:
        if name in ("cpu", "memory"):
            yield JobProblem("resources", f"{name} has a word of its own", f"write `{name}:`")


def volume_problems(config: ContainerConfig, platform: Platform) -> Iterator[JobProblem]:
    """Storage that the stack lacks or that several pods cannot mount; two volumes at one place."""
    taken: dict[str, str] = {"/dev/shm": "shared memory", "/code": "the code"}  # noqa: S108 - a path of containers
    for name, (path, volume) in config.mounted().items():
        field = {"data": "dataset"}.get(name, name if name == "output" else "volumes")
        if path in taken:
            yield JobProblem(field, f"{path} is the place of {taken[path]} already", "say another with `mount:`")
        taken[path] = f"volume {name}"
        if volume.storage:
            pods = 1 if volume.ephemeral else config.pods
            yield from _storage_problems(field, volume, pods, platform.storage.get(volume.storage), platform)


def _dataset_problems(config: PodFields, platform: Platform) -> Iterator[JobProblem]:
    """Datasets that the team does not have, and volumes in their place."""
    team = owned(config.owner, platform.teams)
    for name in config.datasets:
        if team is None and config.team:
            continue  # told by its name
        if team is None:
            yield JobProblem("datasets", f"{name} is to be read, and datasets are a team's", "say `team:`")
        elif name not in team.datasets:
            hint = nearest(name, team.datasets) or f"add it under `datasets:` of team {team.name}"
            yield JobProblem("datasets", f"team {team.name} has no dataset '{name}'", hint)
        if config.datasets.count(name) > 1:
            yield JobProblem("datasets", f"{name} is named twice", "name it once")
    for path, _ in config.mounted().values():
        if config.datasets and (path == DATASETS_FOLDER or path.startswith(f"{DATASETS_FOLDER}/")):
            yield JobProblem("volumes", f"{path} is the place of datasets", "say another with `mount:`")


def _storage_problems(
    field: str, volume: Volume, pods: int, storage: AnyStorage | None, platform: Platform
) -> Iterator[JobProblem]:
    if storage is None:
        text = f"storage '{volume.storage}' is not in the stack"
        hint = nearest(volume.storage or "", names_of(platform.storage)) or "add one under storage:"
        yield JobProblem(field, text, hint)
    elif pods > 1 and SHARED not in storage.modes:
        text = f"storage '{volume.storage}' cannot be mounted by several pods, and the job has {pods}"
        yield JobProblem(field, text, f"use one with {SHARED}")


def _folder_problems(config: PodFields) -> Iterator[JobProblem]:
    """Folders that must outlive the pod and do not lie on a volume."""
    places = config.mounted()
    for field, folder in (("checkpoints", config.checkpoints), ("tensorboard", config.tensorboard)):
        if folder is None:
            continue
        found = [(path, volume) for path, volume in places.values() if folder == path or folder.startswith(f"{path}/")]
        if not found:
            text = f"{folder} lies on no volume of the job: it would go with the pod"
            hint = f"choose a folder below {', '.join(path for path, _ in places.values())}" if places else ""
            yield JobProblem(field, text, hint or "give the job a `dataset:` or `output:` volume")
        elif field == "checkpoints" and found[0][1].read_only:
            yield JobProblem(field, f"{folder} lies on a volume that the job may only read", "leave `readOnly` out")
        elif not found[0][1].lasting:
            text = f"{folder} lies on a volume that goes with the pod, or that no program can write to"
            yield JobProblem(field, text, "choose a folder on a claim")
        elif field == "tensorboard" and not found[0][1].claimed:
            text = f"TensorBoard reads from claims alone, and {folder} lies on none"
            yield JobProblem(field, text, "choose a folder on a volume with `claim:` or `storage:`")
