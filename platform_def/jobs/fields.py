"""What stack files say of containers and pods, in jobs and in served models: one word for one thing in all of them.

What a stack file leaves out follows from the pool: processors and memory by the share of a node that its GPUs are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from platform_def.config.model import Image, LabelKey, Labels, Name, Quantity, Subdomain
from platform_def.config.platform import Platform
from platform_def.config.pools import Taint
from platform_def.config.rdma import Adapter, GidIndex, InterfaceName
from platform_def.config.teams import owned
from platform_def.constructs.dataset import Reading
from platform_def.crds.quantity import amount
from platform_def.jobs.demand import Demand
from platform_def.jobs.parameters import (
    GIT_IMAGE,
    AbsolutePath,
    Arrangement,
    Code,
    Companion,
    PullPolicy,
    Variable,
    VariableName,
    VariableSource,
    Volume,
)
from platform_def.jobs.shares import Share, half, share
from platform_def.jobs.template import JobConfig, PlacedConfig


class ContainerConfig(PlacedConfig):
    """What containers of jobs and of served models have in common, in the same words."""

    coordinator: ClassVar[str] = ""
    """Pod without the fabric that pods on it connect to, as problems call it."""
    exchanges_nothing: ClassVar[str] = ""
    """Why its pods have nothing to send each other over a fabric, of a template with such pods."""

    image: Image | None = None
    """Its image."""
    command: list[str] = Field(default_factory=list)
    """Its program; by default the image's own."""
    args: list[str] = Field(default_factory=list)
    """Arguments of the program."""
    env: dict[VariableName, str | Variable] = Field(default_factory=dict)
    """Variables: text, or where it stands: `{secret: hub, key: token}`, `{field: spec.nodeName}`."""
    env_from: list[VariableSource] = Field(default_factory=list)
    """Secrets and ConfigMaps whose keys all become variables; those of `env` win."""
    cpu: Quantity | None = None
    """Cores that each pod asks for; by default the share of the node's that its GPUs are."""
    memory: Quantity | None = None
    """Memory of each pod, request and limit; by default the share of the node's that its GPUs are."""
    shared_memory: Quantity | None = None
    """Size of /dev/shm, through which data loaders and NCCL exchange; it counts as memory, of which it is half by
    default. On pools with MPS it is the daemon's, and this has no effect."""
    resources: dict[LabelKey, Quantity] = Field(default_factory=dict)
    """Further resources of each pod with GPUs, requested and limited alike: `{vpc.amazonaws.com/efa: 32,
    hugepages-2Mi: 5Gi, ephemeral-storage: 200Gi}`."""
    rdma: bool = False
    """Exchange data between pods over the pool's RDMA fabric."""
    interface: InterfaceName | None = None
    """Network interface that the processes meet at, such as `ens1f0np0`; by default that of the pool's `rdma`, else
    what the library chooses."""
    hca: list[Adapter] = Field(default_factory=list)
    """RDMA adapters to use, such as `[mlx5_0, mlx5_1]`; by default those of the pool's `rdma`, else all that the pod
    sees."""
    gid_index: GidIndex | None = None
    """GID of RoCE ports to use, by default that of the pool's `rdma`. NCCL finds it from 2.21 on; older ones need the
    index of RoCE v2 by address, often 3."""
    volumes: dict[Name, Volume] = Field(default_factory=dict)
    """Further volumes by name, each at `/` and its name."""
    init_containers: list[Companion] = Field(default_factory=list)
    """Containers of each pod that run before the program, one after the other."""
    sidecars: list[Companion] = Field(default_factory=list)
    """Containers of each pod that start before the program, run beside it and are ended after it."""
    pull_secrets: list[Subdomain] = Field(default_factory=list)
    """Secrets of the namespace with which images are pulled."""
    pull_policy: PullPolicy | None = None
    """When images are pulled; by default always for the tag `latest`, and else where the node lacks them."""
    user: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """User that the containers run as; by default the image's. Pod Security level `restricted` refuses root."""
    group: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Group that the containers run as; by default the image's."""
    fs_group: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Group that volumes are made writable for, where their driver honours it."""
    service_account: Subdomain | None = None
    """Account of the pods; by default the namespace's own, without a token."""
    avoid: Labels = Field(default_factory=dict)
    """Labels of nodes to keep away from, beside those that the pool says."""
    selector: Labels = Field(default_factory=dict)
    """Labels of nodes to run on, beside those that the pool says."""
    tolerations: list[Taint] = Field(default_factory=list)
    """Taints of nodes that its pods tolerate, in addition to those of the pool: `gpu=train:NoSchedule`."""
    grace_period_seconds: Annotated[int, Field(ge=1, le=3600)] = 120
    """Time between SIGTERM, when a pod must go, and the end."""

    @property
    def git_image(self) -> str:
        """The image of ours that runs before the program, where one does."""
        return GIT_IMAGE

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return 1

    @property
    def fabric_pods(self) -> int:
        """Pods that use the fabric, where there are any."""
        return self.pods

    def mounted(self) -> dict[str, tuple[str, Volume]]:
        """Path in the container and volume, by the volume's name."""
        return {name: (volume.mount or f"/{name}", volume) for name, volume in self.volumes.items()}


class PodFields(ContainerConfig, JobConfig):
    """What a pod of a job runs, and what it gets there; what is impossible of it is known above."""

    image: Image
    """Image with framework and training code."""
    command: list[str] = Field(default_factory=list)
    """The training program; a template puts its launcher before it. By default the image's own."""
    args: list[str] = Field(default_factory=list)
    """Arguments of the training program."""
    working_dir: AbsolutePath | None = None
    """Working folder; by default the image's, or /code where the job brings code."""
    gpus_per_worker: Annotated[int, Field(ge=0, le=16)] = 1
    """GPUs of each pod that trains; 0 trains on the processor."""
    rdma: bool = False
    """Exchange gradients over the pool's RDMA fabric."""
    dataset: Volume | None = None
    """The volume with the data, at /data."""
    datasets: list[Name] = Field(default_factory=list)
    """Datasets of the team, each read at `/datasets/` and its name: from the copy on the node's disk, where the dataset
    has `localCopy` and the pool a `localDisk`."""
    output: Volume | None = None
    """The volume for models and logs, at /output; OUTPUT_DIR says where."""
    checkpoints: AbsolutePath | None = None
    """Folder on one of the volumes where the program keeps its checkpoints and looks for them when it starts; it is
    its value in CHECKPOINT_DIR."""
    code: Code | None = None
    """Training code that the image does not have."""
    arrangement: Arrangement | None = None
    """`pack` puts the pods on as few nodes as possible, `spread` on as many; by default the scheduler's choice."""
    grace_period_seconds: Annotated[int, Field(ge=1, le=3600)] = 120
    """Time between SIGTERM, when a pod must go, and the end: a checkpoint must be written by then."""
    tensorboard: AbsolutePath | None = None
    """Folder on one of the volumes with logs, for which a TensorBoard is started."""

    @property
    def git_image(self) -> str:
        """The image of ours that runs before the program, where one does."""
        return self.code.git_image if self.code else GIT_IMAGE

    def mounted(self) -> dict[str, tuple[str, Volume]]:
        """Path in the container and volume, by the volume's name."""
        named = {"data": self.dataset, "output": self.output}
        volumes = {name: volume for name, volume in named.items() if volume} | self.volumes
        return {name: (volume.mount or f"/{name}", volume) for name, volume in volumes.items()}

    def meeting(self, platform: Platform) -> str | None:
        """The interface that processes meet at, where the job or its pool's fabric says one."""
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        return self.interface or (pool.rdma.interface if pool and self.rdma else None)

    def readings(self, platform: Platform) -> list[Reading]:
        """What pods need to read the datasets; jobs change none."""
        team = owned(self.owner, platform.teams)
        known = team.datasets if team else {}
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        return [
            Reading(each, known[each].model_copy(update={"read_only": True}), pool, volume=f"dataset-{each}")
            for each in dict.fromkeys(self.datasets)
            if each in known
        ]

    def share(self, platform: Platform) -> Share:
        """What a pod gets by default."""
        name = self.pool_name(platform)
        return share(platform.pool(name) if name else None, self.gpus_per_worker, self.mig_profile or "")

    def derived(self, platform: Platform) -> Mapping[str, tuple[object, str]]:
        """Processors and memory, where the stack file says none."""
        own = self.share(platform)
        shared = own.shared_memory if self.memory is None else half(self.memory)
        values: dict[str, tuple[object, str]] = {
            "cpu": (own.cpu, own.why),
            "memory": (own.memory, own.why),
            "sharedMemory": (shared, "half of the memory"),
        }
        found = self.pool_name(platform)
        if found and not self.pool:
            values["pool"] = (found, "the one with such GPUs")
        return values

    @property
    def trainers(self) -> int:
        """Pods with GPUs, where the job has some."""
        return 1

    def others(self) -> Sequence[tuple[int, str, str]]:
        """Pods beside those that train: how many, with which cores and memory each."""
        return ()

    def demand(self, platform: Platform) -> Demand | None:
        """What all its pods ask for; cores and memory are the mean of a pod, since some only coordinate."""
        own = self.share(platform)
        roles = [(self.trainers, self.cpu or own.cpu, self.memory or own.memory), *self.others()]
        pods = sum(count for count, _, _ in roles)
        cores = sum(count * (amount(cpu) or 0) for count, cpu, _ in roles)
        memory = sum(count * (amount(size) or 0) for count, _, size in roles)
        return Demand(
            self.pool_name(platform),
            self.trainers,
            self.gpus_per_worker,
            "gpusPerWorker",
            self.rdma,
            self.owner,
            self.mig_profile,
            fabric_pods=self.fabric_pods,
            all_pods=pods,
            cpu=f"{math.floor(cores * 1000 / pods)}m",
            memory=str(math.floor(memory / pods)),
        )
