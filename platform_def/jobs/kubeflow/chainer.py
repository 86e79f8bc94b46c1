"""Chainer and ChainerMN, as a ChainerJob of the Chainer operator: legacy, for jobs that must go on running.

A job of one pod runs its program; with several, mpiexec in the master starts it in all by `kubectl exec`, by the
operator's own script and list of hosts (chainer-operator at d8b821e, pkg/controllers/backends).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import PodTemplateSpec
from platform_def.apis.kubeflow.chainer_v1alpha1 import CHAINER_JOB, ChainerJobSpec, MasterSpec
from platform_def.config.model import Name
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import without_sidecars
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.pods.security import level_of
from platform_def.jobs.queueing import pool_of
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig

SIBLINGS = "chainerjob.kubeflow.org/name"
"""Label that the operator gives all pods of a job."""
SET = "more"
WAIT = ["sh", "-c", "trap exit TERM; while :; do sleep 1 & wait; done"]
"""What a worker does until mpiexec starts something in it."""


class ChainerConfig(TrainingConfig):
    """Parameters of a Chainer job."""

    stays = "ChainerJob"
    needs = ("ChainerJob.kubeflow.org",)

    name: Annotated[Name, Field(max_length=28)]
    """Name of the job; a hash of what is written here for it is added. Its StatefulSet has a longer one, and labels of
    its pods hold that."""
    command: Annotated[list[str], Field(min_length=1)]
    """The training program, without mpiexec: `[python3, /app/train.py]`."""
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    """Pods that train, the master included; each has a process for each of its GPUs."""
    mpi_args: list[str] = Field(default_factory=list)
    """Further arguments of mpiexec, with several workers: `[--mca, mpi_cuda_support, "0"]`."""

    @property
    def slots(self) -> int:
        """Processes of each pod."""
        return max(self.gpus_per_worker, 1)

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and what the operator decides itself."""
        yield from super().problems(platform)
        if self.service_account:
            text = "the operator makes an account for each job, and gives it to all of its pods"
            yield JobProblem("serviceAccount", text, "leave it out")
        yield from without_sidecars(self, "chainer-operator")
        yield from self._several_problems(platform)
        if self.mpi_args and self.workers == 1:
            yield JobProblem("mpiArgs", "a job of one pod runs without mpiexec", "leave them out, or say `workers:`")

    def _several_problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the operator's scripts and containers for several pods cannot do (pkg/controllers/backends/mpi)."""
        pool = pool_of(self, platform)
        if self.rdma and self.workers == 1:
            yield JobProblem("rdma", "Chainer in one pod exchanges nothing with others", "leave it out")
        elif self.rdma and pool and pool.rdma.in_host_network:
            text = "the operator's script knows the master by the name of its host, which is the node's there"
            yield JobProblem("rdma", text, "leave it out: gradients go over the cluster's network")
        if self.workers > 1 and level_of(self, platform) == "restricted":
            text = "the operator's own containers say no user, which Pod Security level 'restricted' refuses"
            yield JobProblem("team", text, "use one pod, or a team at level `baseline`")


class Chainer(TemplateJob[ChainerConfig]):
    """A ChainerJob: a master, and with several workers a set of the others."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        config = self.config
        spec: ChainerJobSpec = {"master": self._master()}
        if config.workers > 1:
            spec["backend"] = "mpi"
            spec["master"]["mpiConfig"] = {"slots": config.slots}
            spec["workerSets"] = {
                SET: {
                    "replicas": config.workers - 1,
                    "mpiConfig": {"slots": config.slots},
                    "template": self._worker(),
                }
            }
        Resource(self, CHAINER_JOB, self.unique_name, spec=spec)
        make_tensorboard(self)

    def _master(self) -> MasterSpec:
        """The pod that decides how the job ends; the operator makes a Job of it, and removes the workers after it."""
        config, command = self.config, list(self.config.command)
        if config.workers > 1:
            processes = ["-n", str(config.workers * config.slots)]
            command = ["mpiexec", *processes, "--allow-run-as-root", *config.mpi_args, *command]
        return {
            "activeDeadlineSeconds": config.deadline_hours * 3600,
            "backoffLimit": config.retries,
            "template": self._pod(Role(container="chainer", command=command, args=config.args, restart="Never")),
        }

    def _worker(self) -> PodTemplateSpec:
        """A pod of a StatefulSet, which takes no deadline."""
        made = self._pod(Role(container="chainer", command=WAIT))
        del made["spec"]["activeDeadlineSeconds"]
        return made

    def _pod(self, role: Role) -> PodTemplateSpec:
        made = pod_template(self, role, siblings=SIBLINGS)
        if self.config.workers > 1:
            # mpiexec starts further pods from pods that it has started, all by the account of the job.
            made["spec"].pop("automountServiceAccountToken", None)
        return made
