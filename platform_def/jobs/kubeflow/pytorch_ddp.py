"""PyTorch DDP: data-parallel training with torchrun or another launcher on one or more nodes, as a PyTorchJob.

Without `elastic` the job has as many pods as it says, and all of them restart when one is lost. With it torchrun
goes on with those that are left, and takes in new ones: they meet at worker 0 by c10d.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.autoscaling_v2 import MetricSpec, MetricTarget
from platform_def.apis.kubeflow import training_v1 as kubeflow_v1
from platform_def.config.model import Model, Quantity, conflict
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.launchers import Launcher, Processes, launched, launcher_problems
from platform_def.jobs.kubeflow.operated import replica, run_policy, tried_again
from platform_def.jobs.parameters import Variable
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.queueing import as_one, pool_of, queue_of
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.torchrun import patience
from platform_def.jobs.training import TrainingConfig

MEETING = """\
[ "$REPLICA_INDEX" = 0 ] && host=1 || host=0
export PET_RDZV_CONF="${PET_RDZV_CONF:-is_host=$host}"
exec "$@"
"""
"""In the network of its node a pod has the node's name, by which torchrun looks whether it is the one that all meet at,
and which it hands out as its address (c10d_rendezvous_backend.py of torch 2.x)."""
INDEX = "metadata.labels['training.kubeflow.org/replica-index']"


class ElasticScaling(Model):
    """What an autoscaler goes by, which the operator makes for the job."""

    cpu: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Use of the cores that pods ask for, in percent, which they have on average; the cluster has a metrics server."""
    metric: Annotated[str, Field(pattern=r"^[A-Za-z_:][A-Za-z0-9_:]*$", max_length=200)] | None = None
    """Or a metric of the pods, such as `DCGM_FI_DEV_GPU_UTIL`; the cluster has a server of custom metrics."""
    average: Quantity | None = None
    """What that metric is to be on average."""

    @conflict
    def _one_measure(self) -> Iterator[ValueError]:
        if (self.cpu is None) == (self.metric is None) or (self.metric is None) != (self.average is None):
            yield ValueError("write either `cpu:`, or `metric:` and `average:`")

    def spec(self) -> MetricSpec:
        """As autoscalers have it."""
        if self.cpu is not None:
            target: MetricTarget = {"type": "Utilization", "averageUtilization": self.cpu}
            return {"type": "Resource", "resource": {"name": "cpu", "target": target}}
        mean: MetricTarget = {"type": "AverageValue", "averageValue": self.average or ""}
        return {"type": "Pods", "pods": {"metric": {"name": self.metric or ""}, "target": mean}}


class Elastic(Model):
    """Bounds between which the number of pods may change while the job runs.

    An autoscaler changes it where `scaling` says by what, else a person: `kubectl scale pytorchjob/NAME --replicas=3`.
    """

    least: Annotated[int, Field(ge=1, le=4096)]
    """Fewest pods that training goes on with."""
    most: Annotated[int, Field(ge=1, le=4096)]
    """Most pods that it takes in."""
    restarts: Annotated[int, Field(ge=0, le=1000)] = 10
    """How often torchrun starts the processes again; each change of the number of pods is one."""
    scaling: ElasticScaling | None = None
    """Changes the number of pods by a measure; without it the number changes by hand alone."""
    etcd: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*:\d{1,5}$", max_length=260)] | None = None
    """Address of an etcd that pods meet at, such as `etcd.team-vision:2379`; by default they meet at worker 0, whose
    loss ends the job's round."""


class PyTorchDdpConfig(TrainingConfig):
    """Parameters of a PyTorch job."""

    needs = ("PyTorchJob.kubeflow.org",)

    command: list[str] = Field(default_factory=list)
    """What the launcher starts in each process, such as `[train.py, --epochs, "90"]`, after words of its own, such as
    `[--config_file, /etc/accelerate/config.yaml, train.py]`. With `launcher: none` what each pod runs, by default the
    image's entrypoint."""
    launcher: Launcher = "torchrun"
    """What starts the processes of a pod: `torchrun`, `accelerate launch`, `deepspeed` (of a release that knows
    `--no_ssh`), or `none`: the program itself, such as `[python3, train.py]`, or a script with a launcher in it."""
    processes: Annotated[int, Field(ge=1, le=256)] | Literal["auto"] | None = None
    """Processes of each pod; by default one for each GPU, and one with `launcher: none`, for which WORLD_SIZE counts
    pods times these. `auto` has torchrun count the cards that it sees."""
    elastic: Elastic | None = None
    """Lets the number of pods change while the job runs: the script must start from its last checkpoint."""

    @property
    def processes_a_pod(self) -> Processes:
        """Processes of each pod."""
        return self.processes or (1 if self.launcher == "none" else max(self.gpus_per_worker, 1))

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool or the team cannot give, and bounds that do not hold the number of workers."""
        yield from super().problems(platform)
        yield from launcher_problems(self.launcher, self.command, self.processes, elastic=self.elastic is not None)
        if self.elastic and self.elastic.scaling and queue_of(self.owner, self.pool_name(platform), platform):
            text = "a queue knows no quota for workers that come while the job runs"
            yield JobProblem("elastic", text, "leave `scaling` out, or run the job in a team without a queue")
        if self.elastic and not self.elastic.least <= self.workers <= self.elastic.most:
            text = f"{self.workers} workers are not between {self.elastic.least} and {self.elastic.most}"
            yield JobProblem("elastic", text, "change `workers:` or the bounds")
        if self.elastic and not self.checkpoints:
            text = "processes restart whenever a pod comes or goes, and would begin from nothing"
            yield JobProblem("elastic", text, "say where they keep checkpoints: `checkpoints: /data/checkpoints`")


class PyTorchDdp(TemplateJob[PyTorchDdpConfig]):
    """A PyTorchJob: one master and any number of workers, all alike; elastic ones have workers alone."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        Resource(self, kubeflow_v1.PYTORCH_JOB, self.unique_name, spec=self.spec())
        make_tensorboard(self)

    def role(self) -> Role:
        """What every pod runs."""
        config = self.config
        command, args = launched(
            config.launcher,
            config.command,
            pods=config.workers,
            processes=config.processes_a_pod,
            gpus=config.gpus_per_worker,
        )
        env: dict[str, str | Variable] = {} if config.launcher == "deepspeed" else {**patience(config)}
        pool = pool_of(config, self.platform)
        if config.elastic and config.rdma and pool and pool.rdma.in_host_network:
            env |= {"PET_LOCAL_ADDR": Variable(field="status.podIP"), "REPLICA_INDEX": Variable(field=INDEX)}
            if config.elastic.etcd is None and command:
                command = ["sh", "-c", MEETING, "meet", *command]
        return Role(container="pytorch", command=command, args=[*args, *config.args], env=env)

    def spec(self) -> kubeflow_v1.PyTorchJobSpec:
        """The job's specification."""
        config = self.config
        template = pod_template(self, self.role())
        near = template["metadata"]["annotations"]
        near |= as_one(near, lone=1, others=self.config.workers - 1)
        spec: kubeflow_v1.PyTorchJobSpec = {
            "nprocPerNode": str(config.processes_a_pod),
            "pytorchReplicaSpecs": {},
            "runPolicy": run_policy(config, self.platform, least=config.elastic.least if config.elastic else 0),
        }
        replicas = spec["pytorchReplicaSpecs"]
        if config.elastic:
            replicas["Worker"] = replica(config.workers, template, restart="OnFailure")
            spec["elasticPolicy"] = self.elastic(config.elastic)
            return spec
        replicas["Master"] = replica(1, template, restart=tried_again(config))
        if config.workers > 1:
            replicas["Worker"] = replica(config.workers - 1, template, restart=tried_again(config))
        return spec

    def elastic(self, said: Elastic) -> kubeflow_v1.ElasticPolicy:
        """Bounds, where pods meet, and what an autoscaler goes by."""
        policy: kubeflow_v1.ElasticPolicy = {
            "minReplicas": said.least,
            "maxReplicas": said.most,
            "maxRestarts": said.restarts,
            "rdzvBackend": "etcd-v2" if said.etcd else "c10d",
        }
        if said.etcd:
            host, _, port = said.etcd.rpartition(":")
            policy |= {"rdzvHost": host, "rdzvPort": int(port), "rdzvId": self.unique_name}
        if said.scaling:
            policy["metrics"] = [said.scaling.spec()]
        return policy
