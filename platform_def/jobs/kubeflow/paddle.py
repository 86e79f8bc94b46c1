"""PaddlePaddle: collective training, or training with parameter servers, as a PaddleJob.

`paddle.distributed.launch` reads PADDLE_MASTER, PADDLE_NNODES and, with servers, PADDLE_SERVER_NUM and
PADDLE_TRAINER_NUM, which the operator sets; masters of the job are its servers.
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

LAUNCH = ["python", "-m", "paddle.distributed.launch"]


class PaddleConfig(TrainingConfig):
    """Parameters of a PaddlePaddle job."""

    needs = ("PaddleJob.kubeflow.org",)

    command: Annotated[list[str], Field(min_length=1)]
    """What `paddle.distributed.launch` starts: the script, and flags of the launcher before it."""
    strategy: Literal["collective", "parameter-server"] = "collective"
    """`collective`: workers exchange gradients among themselves; `parameter-server`: servers hold the model."""
    servers: Annotated[int, Field(ge=1, le=512)] = 1
    """Parameter servers, where the strategy has some."""
    server_cpu: Quantity = "4"
    """Cores of each server."""
    server_memory: Quantity = "16Gi"
    """Memory of each server."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.workers + (self.servers if self.strategy == "parameter-server" else 0)

    def others(self) -> Sequence[tuple[int, str, str]]:
        """Servers."""
        count = self.servers if self.strategy == "parameter-server" else 0
        return [(count, self.server_cpu, self.server_memory)]

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and words that do not go together."""
        yield from super().problems(platform)
        if "servers" in self.model_fields_set and self.strategy == "collective":
            yield JobProblem("servers", "collective training has no servers", "write `strategy: parameter-server`")
        if self.rdma and self.strategy == "parameter-server":
            yield by_grpc("Paddle's")


class Paddle(TemplateJob[PaddleConfig]):
    """A PaddleJob: workers, and servers as its masters."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        spec: kubeflow_v1.PaddleJobSpec = {
            "paddleReplicaSpecs": self.replicas(),
            "runPolicy": run_policy(self.config, self.platform),
        }
        Resource(self, kubeflow_v1.PADDLE_JOB, self.unique_name, spec=spec)
        make_tensorboard(self)

    def replicas(self) -> dict[str, kubeflow_v1.ReplicaSpec]:
        """The roles."""
        config = self.config
        args = [*config.command, *config.args]
        worker = pod_template(self, Role(container="paddle", command=LAUNCH, args=args))
        made: dict[str, kubeflow_v1.ReplicaSpec] = {}
        if config.strategy == "parameter-server":
            size = Size(config.server_cpu, config.server_memory)
            server = Role(container="paddle", command=LAUNCH, args=args, trains=False, driver=True, size=size)
            made["Master"] = replica(config.servers, pod_template(self, server), restart=tried_again(config))
        made["Worker"] = replica(config.workers, worker, restart=tried_again(config))
        return made
