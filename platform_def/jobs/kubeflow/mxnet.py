"""MXNet with parameter servers: what all its jobs have in common, and the plain one for scripts of any kind.

Facts of MXNet 1.9.1 (kvstore.cc, gradient_compression.cc), of ps-lite as it pins it (van.cc, postoffice.cc)
and of training-operator 1.7 (controller.v1/mxnet), which sets the variables of ps-lite that say who is who.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeVar, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import PodTemplateSpec
from platform_def.apis.kubeflow import mxnet_v1
from platform_def.apis.kubeflow import training_v1_release_1_7 as kubeflow
from platform_def.config.model import Image, Quantity
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, layer
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import replica, run_by, run_policy, unretried, without_sidecars
from platform_def.jobs.placement import brings_driver
from platform_def.jobs.pod import Role, Size, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig

BEFORE = "mxnet-operator"
SCHEDULER = Size("500m", "1Gi")
LEARNED = ["python", "-c", "import mxnet"]
"""Scheduler and servers: importing MXNet makes a process take the role that DMLC_ROLE says, until training ends."""


class ParameterServerConfig(TrainingConfig):
    """Parameters of a job with scheduler, servers and workers."""

    workers: Annotated[int, Field(ge=1, le=512)] = 2
    """Pods that train."""
    servers: Annotated[int, Field(ge=1, le=512)] | None = None
    """Pods that add up gradients; by default as many as workers, which spreads the traffic evenly."""
    server_image: Image | None = None
    """Image of scheduler and servers; by default the job's. A CPU build of MXNet needs no driver's libraries."""
    server_cpu: Quantity = "4"
    """Cores of each server."""
    server_memory: Quantity = "16Gi"
    """Memory of each server: its part of the model, and of the optimizer's state."""

    @property
    def distributed(self) -> bool:
        """Whether there are servers."""
        return True

    @property
    def pods(self) -> int:
        """Pods that share volumes and fabric."""
        return self.workers + (self.servers or self.workers) + 1 if self.distributed else self.workers

    def others(self) -> Sequence[tuple[int, str, str]]:
        """Scheduler and servers."""
        if not self.distributed:
            return []
        servers = (self.servers or self.workers, self.server_cpu, self.server_memory)
        return [(1, SCHEDULER.cpu, SCHEDULER.memory), servers]

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What parameter servers need beside what every job does."""
        yield from super().problems(platform)
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        if not self.distributed:
            return
        yield from unretried(self, "ps-lite takes no worker or server in again that was lost")
        before = run_by(BEFORE, platform)
        yield from without_sidecars(self, BEFORE if before else "training-operator 1.7")
        if before and self.arrangement:
            text = "mxnet-operator labels pods otherwise, so that they would not find each other"
            yield JobProblem("arrangement", text, "leave it out")
        if self.gpus_per_worker and self.server_image is None and not brings_driver(pool, platform):
            layered = f": {layer(pool)} gives it to pods with GPUs alone" if pool and layer(pool) else ""
            text = f"scheduler and servers run a CUDA build of MXNet, which does not load without a driver{layered}"
            yield JobProblem("serverImage", text, "give them a CPU build with `serverImage:`")
        if pool:
            yield from self._network_problems(pool)

    def _network_problems(self, pool: NodePool) -> Iterator[JobProblem]:
        if self.rdma and pool.rdma.kind != "none" and not pool.rdma.in_host_network:
            # ps-lite meets at the scheduler's address, which the operator gives as one of the cluster's network.
            text = f"ps-lite connects over the fabric by address, and pods on pool {pool.name} have none there that"
            hint = f"let its pods share the adapters: `rdma: {{kind: {pool.rdma.kind}, hostNetwork: true}}`"
            yield JobProblem("rdma", f"{text} the scheduler's name leads to", hint)

    def variables(self, platform: Platform) -> dict[str, str]:
        """Variables that all roles must agree on."""
        found = {"MXNET_CUDNN_AUTOTUNE_DEFAULT": "0"}
        if self.distributed and self.rdma:
            found["DMLC_PS_VAN_TYPE"] = "ibverbs"
        if self.distributed and (interface := self.meeting(platform)):
            found["DMLC_INTERFACE"] = interface
        return found


S = TypeVar("S", bound=ParameterServerConfig)


def make_mx_job(job: TemplateJob[S], worker: Role) -> None:
    """An MXJob with these workers, of the training operator or of the one before it.

    A pod that is lost ends the job: ps-lite does not take a worker or server in again that comes back.
    """
    config = job.config
    policy = run_policy(config, job.platform)
    spec: kubeflow.MXJobSpec = {
        "jobMode": "MXTrain",
        "mxReplicaSpecs": {
            "Scheduler": replica(1, _server(job, SCHEDULER), restart="Never"),
            "Server": replica(
                config.servers or config.workers,
                _server(job, Size(config.server_cpu, config.server_memory)),
                restart="Never",
            ),
            "Worker": replica(config.workers, pod_template(job, worker), restart="Never"),
        },
        "runPolicy": policy,
    }
    if run_by(BEFORE, job.platform):
        # It has the run policy beside the roles, and would drop one below `runPolicy` without a word.
        beside = {"jobMode": spec["jobMode"], "mxReplicaSpecs": spec["mxReplicaSpecs"], **policy}
        Resource(job, mxnet_v1.MX_JOB, job.unique_name, spec=cast("mxnet_v1.MXJobSpec", beside))
    else:
        Resource(job, kubeflow.MX_JOB, job.unique_name, spec=spec)


def _server(job: TemplateJob[S], size: Size) -> PodTemplateSpec:
    """The pod of the scheduler or a server."""
    config = job.config
    role = Role(
        container="mxnet",
        command=LEARNED,
        trains=False,
        driver=bool(config.gpus_per_worker) and config.server_image is None,
        size=size,
        image=config.server_image,
        env=config.variables(job.platform),
    )
    return pod_template(job, role)


class MxNetConfig(ParameterServerConfig):
    """Parameters of a job on MXNet."""

    needs = ("MXJob.kubeflow.org",)

    command: list[str] = Field(default_factory=list)
    """The training program, which makes its kvstore itself: `dist_sync`, `dist_device_sync` or `dist_async`;
    by default the image's entrypoint, with `args`."""


class MxNet(TemplateJob[MxNetConfig]):
    """An MXJob: a scheduler, servers that add up gradients, and workers that compute them."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        config = self.config
        role = Role(container="mxnet", command=config.command, args=config.args, env=config.variables(self.platform))
        make_mx_job(self, role)
        make_tensorboard(self)
