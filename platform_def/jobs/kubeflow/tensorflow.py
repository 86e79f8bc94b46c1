"""TensorFlow: training with all-reduce or with parameter servers, as a TFJob.

The operator tells each process by TF_CONFIG who the others are and which of them it is; MultiWorkerMirroredStrategy and
ParameterServerStrategy read it themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.kubeflow import training_v1 as kubeflow_v1
from platform_def.config.model import Quantity
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import by_grpc, replica, run_policy, tried_again
from platform_def.jobs.pod import Role, Size, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig


class TensorFlowConfig(TrainingConfig):
    """Parameters of a TensorFlow job."""

    needs = ("TFJob.kubeflow.org",)

    command: list[str] = Field(default_factory=list)
    """The training program, the same in all roles: `[python, /code/train.py]`; by default the image's entrypoint, with
    `args`."""
    strategy: Literal["all-reduce", "parameter-server"] = "all-reduce"
    """`all-reduce`: workers alone, of which the first saves (MultiWorkerMirroredStrategy); `parameter-server`: a chief
    that coordinates, servers that hold the model, workers (ParameterServerStrategy)."""
    servers: Annotated[int, Field(ge=1, le=512)] | None = None
    """Parameter servers; by default one for two workers."""
    server_cpu: Quantity = "4"
    """Cores of the chief and of each server."""
    server_memory: Quantity = "16Gi"
    """Memory of the chief and of each server."""
    evaluator: bool = False
    """A further pod that evaluates checkpoints, with as many GPUs as a worker."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.workers + self.evaluator + (1 + self.server_count if self.strategy == "parameter-server" else 0)

    @property
    def server_count(self) -> int:
        """Parameter servers."""
        return self.servers or max(self.workers // 2, 1)

    @property
    def trainers(self) -> int:
        """Workers and evaluator."""
        return self.workers + self.evaluator

    def others(self) -> Sequence[tuple[int, str, str]]:
        """Chief and servers."""
        count = 1 + self.server_count if self.strategy == "parameter-server" else 0
        return [(count, self.server_cpu, self.server_memory)]

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and words that do not go together."""
        yield from super().problems(platform)
        if self.servers and self.strategy == "all-reduce":
            yield JobProblem("servers", "all-reduce has no servers", "write `strategy: parameter-server`")
        if self.rdma and self.strategy == "parameter-server":
            yield by_grpc()
        if self.evaluator and not self.checkpoints:
            text = "an evaluator reads checkpoints, and nothing says where they are"
            yield JobProblem("evaluator", text, "say it with `checkpoints:`, a folder on a volume")


class TensorFlow(TemplateJob[TensorFlowConfig]):
    """A TFJob: workers, and with parameter servers a chief and servers; an evaluator as a choice."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        spec: kubeflow_v1.TFJobSpec = {
            "runPolicy": run_policy(self.config, self.platform),
            "tfReplicaSpecs": self.replicas(),
        }
        Resource(self, kubeflow_v1.TF_JOB, self.unique_name, spec=spec)
        make_tensorboard(self)

    def replicas(self) -> dict[str, kubeflow_v1.ReplicaSpec]:
        """The roles. A pod that ends badly starts again and goes on from the last checkpoint."""
        config = self.config
        trains = pod_template(self, Role(container="tensorflow", command=config.command, args=config.args))
        made: dict[str, kubeflow_v1.ReplicaSpec] = {}
        if config.strategy == "parameter-server":
            size = Size(config.server_cpu, config.server_memory)
            role = Role(container="tensorflow", command=config.command, args=config.args, trains=False, size=size)
            serves = pod_template(self, role)
            made["Chief"] = replica(1, serves, restart=tried_again(config))
            made["PS"] = replica(config.server_count, serves, restart=tried_again(config))
        made["Worker"] = replica(config.workers, trains, restart=tried_again(config))
        if config.evaluator:
            made["Evaluator"] = replica(1, trains, restart=tried_again(config))
        return made
