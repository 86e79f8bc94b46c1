"""MPI jobs of the MPI operator: mpirun reaches the workers over SSH, and their processes know what mpirun hands them.

What an image says of SSH is not relied on: port, keys and checks of hosts stand on the command lines of both ends, for
which a job's own port and the operator's keys are enough. `sshd` runs as root, or as the user of all pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import EnvVar, PodSecurityContext, PodTemplateSpec
from platform_def.apis.kubeflow.mpi_v2beta1 import MpiReplicaSpec, RunPolicy, SchedulingPolicy
from platform_def.config.model import MisfitError, Model, conflict
from platform_def.config.platform import Platform
from platform_def.constructs.probes import tcp_probe
from platform_def.jobs.kubeflow.mpirun import HOSTS, served, started
from platform_def.jobs.kubeflow.operated import run_by
from platform_def.jobs.parameters import AbsolutePath, Variable
from platform_def.jobs.pods.security import level_of
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.queueing import scheduling_policy
from platform_def.jobs.training import TrainingConfig

OPERATOR = "mpi-operator"
ROOT_HOME = "/root"
WAIT = f"""\
for host in $(cut -d " " -f 1 {HOSTS}); do
  until getent hosts "$host" > /dev/null; do sleep 1; done
done
"""
"""Names of workers lead somewhere once their sshd listens. The operator waits for that too, but not with a job that was
suspended, as each one is that Kueue queues: its launcher starts at once when the job does."""
OWN = ("OMPI_", "NVIDIA_")
"""Beginnings of variables that mpirun hands over by itself, or that speak to the container's runtime."""
ALWAYS = ("PATH", "LD_LIBRARY_PATH")
"""Of the image, which a session of SSH does not have."""


class Ssh(Model):
    """How the launcher reaches the workers, where the MPI operator runs the job."""

    user: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    """User that all pods run as; the image must know it by name. 0, the default, is root."""
    home: AbsolutePath = ROOT_HOME
    """Its home folder: the keys are in `.ssh` below it."""
    port: Annotated[int, Field(ge=1, le=65535)] = 2222
    """Port of the workers' sshd, which the node has already at 22 where pods use its network."""

    @conflict
    def _fits(self) -> Iterator[ValueError]:
        if self.user and self.home == ROOT_HOME:
            yield MisfitError(f"user {self.user} cannot read keys below {ROOT_HOME}, write its own folder", "home")
        if not self.user and self.home != ROOT_HOME:
            yield MisfitError(f"root's keys lie below {ROOT_HOME}: leave this out, or say which user", "home")
        if self.user and self.port < 1024:
            yield MisfitError(f"user {self.user} cannot listen below 1024", "port")

    @property
    def keys(self) -> str:
        """Folder with the job's keys."""
        return f"{self.home}/.ssh"

    def server(self) -> list[str]:
        """What a worker runs; root's sshd keeps what its image says of PAM and sessions."""
        said = {
            "HostKey": f"{self.keys}/id_rsa",
            "AuthorizedKeysFile": f"{self.keys}/authorized_keys",
            "StrictModes": "no",  # the folder of a Secret may be written by all
            "PidFile": "none",
        }
        own = ["-f", "/dev/null"] if self.user else []
        options = [word for key, value in said.items() for word in ("-o", f"{key}={value}")]
        return served(["/usr/sbin/sshd", "-De", *own, "-p", str(self.port), *options], leaves=143)

    def client(self) -> str:
        """Arguments of ssh: keys of hosts are those of the job, generated for each job."""
        said = {
            "ConnectionAttempts": "10",
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": "/dev/null",
            "LogLevel": "ERROR",
        }
        return " ".join(["-p", str(self.port), *(f"-o {key}={value}" for key, value in said.items())])

    def launch(self) -> list[str]:
        """What runs mpirun once the workers can be reached, and asks them for what it says; a node that is lost is not
        waited for as long as TCP would."""
        return started(f"ssh -o ConnectTimeout=10 {self.client()}", WAIT)


def over_ssh(platform: Platform) -> bool:
    """Whether the MPI operator runs MPIJobs here, as v2beta1; else the training operator does, as v1."""
    return run_by(OPERATOR, platform)


def reached(ssh: Ssh, names: Sequence[str]) -> list[str]:
    """Arguments by which mpirun reaches workers, and hands variables over by name."""
    handed = [word for name in dict.fromkeys([*ALWAYS, *names]) for word in ("-x", name)]
    return ["--mca", "plm_rsh_args", ssh.client(), *handed]


def handed_over(worker: PodTemplateSpec) -> list[EnvVar]:
    """Variables of a worker that its processes must get from mpirun."""
    (container,) = worker["spec"]["containers"]
    return [each for each in container.get("env", []) if not each["name"].startswith(OWN)]


def listening(worker: PodTemplateSpec, ssh: Ssh) -> PodTemplateSpec:
    """A worker whose sshd has been seen to listen before the pod counts as ready."""
    (container,) = worker["spec"]["containers"]
    container["startupProbe"] = tcp_probe(ssh.port, period=2, failures=150)
    return worker


def under(template: PodTemplateSpec, ssh: Ssh) -> PodTemplateSpec:
    """A pod as the job's user."""
    if ssh.user:
        said: PodSecurityContext = {"runAsUser": ssh.user, "runAsNonRoot": True}
        template["spec"]["securityContext"] = {**template["spec"].get("securityContext", {}), **said}
    return template


def replica(count: int, template: PodTemplateSpec, *, restart: str) -> MpiReplicaSpec:
    """One role of a job."""
    return {"replicas": count, "restartPolicy": restart, "template": template}


def run_policy(config: TrainingConfig, platform: Platform) -> RunPolicy:
    """Deadline, tries, and what is left of the workers; tries are the launcher's, since its end is that of the job.

    A gang scheduler must not wait for the launcher, which the operator counts in: it comes when the workers are ready.
    """
    gang = cast(SchedulingPolicy, {**scheduling_policy(config, platform), "minAvailable": config.workers})
    policy: RunPolicy = {
        "activeDeadlineSeconds": config.deadline_hours * 3600,
        "backoffLimit": config.retries,
        "cleanPodPolicy": config.clean_pods,
        "schedulingPolicy": gang,
    }
    if config.lifetime is not None:
        policy["ttlSecondsAfterFinished"] = config.lifetime
    return policy


def ssh_problems(config: TrainingConfig, ssh: Ssh | None, platform: Platform) -> Iterator[JobProblem]:
    """What only one of the two operators can do."""
    restricted = level_of(config, platform) == "restricted"
    if not over_ssh(platform):
        if ssh is not None:
            text = "the training operator's launcher reaches workers without SSH"
            yield JobProblem("ssh", text, "leave it out, or serve MPIJob by `mpi-operator: {}`")
        if config.service_account:
            text = "the launcher reaches workers with the account that the operator makes for it"
            yield JobProblem("serviceAccount", text, "leave it out")
        if restricted:
            text = (
                f"Pod Security level 'restricted' of team {config.team} refuses what the operator adds to the launcher"
            )
            yield JobProblem("team", text, "serve MPIJob by `mpi-operator: {}`, or give the team `baseline`")
        return
    if restricted and not (ssh and ssh.user):
        text = f"sshd runs as root, which Pod Security level 'restricted' of team {config.team} refuses"
        yield JobProblem("ssh", text, "say as whom it runs: `ssh: {user: 1000, home: /home/mpiuser}`")
    for name, value in config.env.items():
        if isinstance(value, Variable) and (value.field or value.resource):
            text = f"{name} is each pod's own, and the processes of all workers get the launcher's"
            yield JobProblem("env", text, "have the program find it out, or serve MPIJob by the training operator")
