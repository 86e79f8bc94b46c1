"""MPI: programs that mpirun starts, as an MPIJob of whichever operator the stack has.

A launcher without GPUs runs mpirun. The MPI operator (v2beta1) has it reach the workers over SSH. The training operator
(v1) has it reach them by `kubectl exec` (kubexec.sh and hostfile are its) under an account that the operator makes;
processes have the variables of their worker's pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from platform_def.apis.kubeflow import mpi_v2beta1
from platform_def.apis.kubeflow import training_v1 as kubeflow_v1
from platform_def.config.model import Quantity
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow import mpi_over_ssh, operated
from platform_def.jobs.kubeflow.mpi_over_ssh import (
    Ssh,
    handed_over,
    listening,
    over_ssh,
    reached,
    ssh_problems,
    under,
)
from platform_def.jobs.kubeflow.mpirun import HOSTS, served, started
from platform_def.jobs.parameters import AbsolutePath
from platform_def.jobs.pod import Role, Size, make_claims, make_tensorboard, pod_template
from platform_def.jobs.queueing import pool_of, queue_labels
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig

KUBEXEC = "/etc/mpi/kubexec.sh"
"""Script of the training operator that runs a command in a worker."""
SLEEP = ["sleep", str(365 * 24 * 3600)]
"""What a worker does that is reached by exec; not every image's sleep knows other words than seconds."""
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Open MPI refuses root, which most images of frameworks run as, unless both variables are set."""


class MpiConfig(TrainingConfig):
    """Parameters of an MPI job."""

    needs = ("MPIJob.kubeflow.org",)
    coordinator = "the launcher"

    command: Annotated[list[str], Field(min_length=1)]
    """What mpirun starts in each process, such as `[python, /code/train.py]`."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 2
    """Pods that processes run in: one process for each GPU, or one a pod without."""
    mpirun: AbsolutePath | Literal["mpirun"] = "mpirun"
    """Program that starts the processes; a path where the image has it elsewhere: `/opt/amazon/openmpi/bin/mpirun`."""
    mpi_args: list[str] = Field(default_factory=lambda: ["--bind-to", "none", "--map-by", "slot"])
    """Arguments of mpirun; the number of processes is put before them, hosts come from the operator."""
    ssh: Ssh | None = None
    """How workers are reached, where the MPI operator runs the job; by default as root at port 2222."""
    launcher_cpu: Quantity = "1"
    """Cores of the launcher."""
    launcher_memory: Quantity = "2Gi"
    """Memory of the launcher."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes, the launcher included."""
        return self.workers + 1

    @property
    def fabric_pods(self) -> int:
        """The launcher needs no fabric."""
        return self.workers

    def others(self) -> Sequence[tuple[int, str, str]]:
        """The launcher."""
        return [(1, self.launcher_cpu, self.launcher_memory)]

    @property
    def slots(self) -> int:
        """Processes of each worker."""
        return max(self.gpus_per_worker, 1)

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and what the operator in charge cannot do."""
        yield from super().problems(platform)
        yield from ssh_problems(self, self.ssh, platform)
        if not over_ssh(platform) and queue_labels(self, platform):
            text = "Kueue knows the MPI operator's MPIJobs alone: the training operator's would start past the quota"
            hint = "serve MPIJob by `mpi-operator: {}`, or give the job to a team without a `queue`"
            yield JobProblem("team", text, hint)


M = TypeVar("M", bound=MpiConfig)

APART = {"apart": 9999}
"""By any number: nothing listens there."""


class MpiJob(TemplateJob[M]):
    """An MPIJob, of one version or the other."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        if over_ssh(self.platform):
            Resource(self, mpi_v2beta1.MPI_JOB, self.unique_name, spec=self.over_ssh())
        else:
            Resource(self, kubeflow_v1.MPI_JOB, self.unique_name, spec=self.by_exec())
        make_tensorboard(self)

    def by_exec(self) -> kubeflow_v1.MPIJobSpec:
        """The job of the training operator, whose workers sleep."""
        words = [self.config.mpirun, *self.program(["--mca", "plm_rsh_agent", KUBEXEC])]
        launcher = self.launcher(started(KUBEXEC), words, token=True)
        # The operator fails a job for a worker that ended with another code, and makes a new one otherwise (1.9.4).
        command = served(SLEEP, leaves=0)
        worker = Role(container="mpi", command=command, env=self.variables(), ports=self.apart())
        again = operated.tried_again(self.config)
        return {
            "slotsPerWorker": self.config.slots,
            "mpiReplicaSpecs": {
                "Launcher": operated.replica(1, pod_template(self, launcher), restart=again),
                "Worker": operated.replica(self.config.workers, pod_template(self, worker), restart="OnFailure"),
            },
            "runPolicy": operated.run_policy(self.config, self.platform),
        }

    def over_ssh(self) -> mpi_v2beta1.MPIJobSpec:
        """The job of the MPI operator, whose workers run sshd; each try has a launcher of its own, whose logs stay."""
        config, ssh = self.config, self.config.ssh or Ssh()
        variables = self.variables()
        sshd = Role(container="mpi", command=ssh.server(), env=variables, ports={"ssh": ssh.port})
        worker = listening(pod_template(self, sshd), ssh)
        handed = handed_over(worker)
        words = [config.mpirun, *self.program(reached(ssh, [each["name"] for each in handed]))]
        launcher = pod_template(self, self.launcher(ssh.launch(), words))
        (container,) = launcher["spec"]["containers"]
        known = {each["name"] for each in container.get("env", [])}
        container["env"] = [*container.get("env", []), *(each for each in handed if each["name"] not in known)]
        return {
            "slotsPerWorker": config.slots,
            "sshAuthMountPath": ssh.keys,
            "launcherCreationPolicy": "WaitForWorkersReady",
            "mpiReplicaSpecs": {
                "Launcher": mpi_over_ssh.replica(1, under(launcher, ssh), restart="Never"),
                "Worker": mpi_over_ssh.replica(config.workers, under(worker, ssh), restart="OnFailure"),
            },
            "runPolicy": mpi_over_ssh.run_policy(config, self.platform),
        }

    def apart(self) -> Mapping[str, int]:
        """A port that two workers cannot both have in the network of their node, where each needs a node of its own.

        Other operators see to that by a port that they give pods.
        """
        pool = pool_of(self.config, self.platform)
        return APART if self.config.rdma and pool and pool.rdma.in_host_network else {}

    def launcher(self, command: Sequence[str], arguments: Sequence[str], *, token: bool = False) -> Role:
        """The pod that runs mpirun."""
        config = self.config
        return Role(
            container="mpi",
            command=command,
            args=arguments,
            trains=False,
            fabric=False,
            token=token,
            size=Size(config.launcher_cpu, config.launcher_memory),
            env=self.variables(),
        )

    def program(self, reached: Sequence[str]) -> list[str]:
        """Arguments of mpirun, with those by which it reaches the workers.

        Operators say hosts and ways in variables too, which Open MPI 5 no longer reads.
        """
        config = self.config
        processes = ["-np", str(config.workers * config.slots), "--hostfile", HOSTS]
        return [*processes, *reached, *config.mpi_args, *config.command, *config.args]

    def variables(self) -> Mapping[str, str]:
        """What Open MPI goes by in all pods."""
        config = self.config
        root = {} if config.ssh and config.ssh.user else ROOT
        interface = config.meeting(self.platform)
        return {**root, **({"OMPI_MCA_btl_tcp_if_include": interface} if interface else {})}


class Mpi(MpiJob[MpiConfig]):
    """An MPIJob: a launcher that runs mpirun, and workers that wait for it."""
