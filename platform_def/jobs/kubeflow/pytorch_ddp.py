"""PyTorch DDP: data-parallel training with torchrun on one or more nodes, as a PyTorchJob.

Without `elastic` the job has as many pods as it says, and all of them start anew when one is lost. With it torchrun
goes on with those that are left, and takes in new ones: they meet at worker 0 by c10d.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.kubeflow import training_v1 as kubeflow_v1
from platform_def.config.model import Model
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import replica, run_policy, tried_again
from platform_def.jobs.parameters import Variable
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.queueing import as_one, pool_of
from platform_def.jobs.template import Job, JobProblem
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


class Elastic(Model):
    """Bounds between which the number of pods may change while the job runs."""

    least: Annotated[int, Field(ge=1, le=4096)]
    """Fewest pods that training goes on with."""
    most: Annotated[int, Field(ge=1, le=4096)]
    """Most pods that it takes in."""
    restarts: Annotated[int, Field(ge=0, le=1000)] = 10
    """How often torchrun starts the processes anew; each change of the number of pods is one."""


class PyTorchDdpConfig(TrainingConfig):
    """Parameters of a PyTorch job."""

    needs = ("PyTorchJob.kubeflow.org",)

    command: Annotated[list[str], Field(min_length=1)]
    """What torchrun starts in each process, such as `[train.py, --epochs, "90"]`; as many a pod as it has GPUs."""
    elastic: Elastic | None = None
    """Lets the number of pods change while the job runs: the script must start from its last checkpoint."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool or the team cannot give, and bounds that do not hold the number of workers."""
        yield from super().problems(platform)
        if self.elastic and not self.elastic.least <= self.workers <= self.elastic.most:
            text = f"{self.workers} workers are not between {self.elastic.least} and {self.elastic.most}"
            yield JobProblem("elastic", text, "change `workers:` or the bounds")
        if self.elastic and not self.checkpoints:
            text = "processes start anew whenever a pod comes or goes, and would begin from nothing"
            yield JobProblem("elastic", text, "say where they keep checkpoints: `checkpoints: /data/checkpoints`")


class PyTorchDdp(Job[PyTorchDdpConfig]):
    """A PyTorchJob: one master and any number of workers, all alike; elastic ones have workers alone."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        Resource(self, kubeflow_v1.PYTORCH_JOB, self.unique_name, spec=self.spec())
        make_tensorboard(self)

    def role(self) -> Role:
        """What every pod runs."""
        config = self.config
        command, env = ["torchrun"], patience(config)
        args = [*config.command, *config.args]
        pool = pool_of(config, self.platform)
        if not (config.elastic and config.rdma and pool and pool.rdma.in_host_network):
            return Role(container="pytorch", command=command, args=args, env=env)
        here = {"PET_LOCAL_ADDR": Variable(field="status.podIP"), "REPLICA_INDEX": Variable(field=INDEX)}
        meeting = ["sh", "-c", MEETING, "meet", *command]
        return Role(container="pytorch", command=meeting, args=args, env={**env, **here})

    def spec(self) -> kubeflow_v1.PyTorchJobSpec:
        """The job's specification."""
        config = self.config
        template = pod_template(self, self.role())
        near = template["metadata"]["annotations"]
        near |= as_one(near, lone=1, others=self.config.workers - 1)
        spec: kubeflow_v1.PyTorchJobSpec = {
            "nprocPerNode": str(max(config.gpus_per_worker, 1)),
            "pytorchReplicaSpecs": {},
            "runPolicy": run_policy(config, self.platform, least=config.elastic.least if config.elastic else 0),
        }
        replicas = spec["pytorchReplicaSpecs"]
        if config.elastic:
            replicas["Worker"] = replica(config.workers, template, restart="OnFailure")
            spec["elasticPolicy"] = {
                "minReplicas": config.elastic.least,
                "maxReplicas": config.elastic.most,
                "maxRestarts": config.elastic.restarts,
                "rdzvBackend": "c10d",
            }
            return spec
        replicas["Master"] = replica(1, template, restart=tried_again(config))
        if config.workers > 1:
            replicas["Worker"] = replica(config.workers - 1, template, restart=tried_again(config))
        return spec
