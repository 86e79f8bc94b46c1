"""TensorFlow with parameter servers and without an operator: one indexed Job, each of whose pods is a worker with a
server beside it.

A Job has one pod template, so that servers as pods of their own would take GPUs too. Here a server is a sidecar, which
the kubelet ends with its worker. The coordinator, which needs no GPU either, runs beside the first worker, and the job
has succeeded when it has: neither workers nor servers of ParameterServerStrategy ever end by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Annotated

import orjson
from pydantic import Field

from platform_def.apis.core.batch_v1 import JOB
from platform_def.apis.core.core_v1 import SERVICE, Container
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.model import Quantity
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.environment import from_field
from platform_def.constructs.resource import Resource
from platform_def.crds.quantity import amount
from platform_def.jobs.demand import Demand
from platform_def.jobs.kubeflow.operated import by_grpc
from platform_def.jobs.plain.batch import SIBLINGS, gang, job_spec
from platform_def.jobs.pod import Role, Size, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig

OLDEST = Kubernetes("1.31")
"""From here on a Job's success policy is on by default; sidecars are from 1.29 on."""
WORKER_PORT, SERVER_PORT, COORDINATOR_PORT = 2222, 2223, 2224
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
LAUNCH = """\
[ "$TASK_INDEX" = 0 ] || exec "$@"
coordinator=
trap 'begun=${coordinator:-$!}; if [ "$begun" ]; then kill "$begun"; else exit 143; fi' TERM
CUDA_VISIBLE_DEVICES=-1 TF_CONFIG="$COORDINATOR_CONFIG" "$@" &
coordinator=$!
{ "$@"; sleep 1; kill "$coordinator"; } &
wait "$coordinator"
code=$?
while kill -0 "$coordinator" 2>/dev/null; do wait "$coordinator"; code=$?; done
trap '' TERM
kill 0
exit "$code"
"""
"""In the first pod the program runs twice, and ends as its coordinator does; SIGTERM is for the one that saves, which
`$!` names before its number is noted. A worker that ends there by itself takes the coordinator along, so that the pod
is made again: a second later, for a shell loses a signal that meets what it has just forked."""


class TensorFlowPsConfig(TrainingConfig):
    """Parameters of a TensorFlow job with parameter servers, without an operator."""

    command: Annotated[list[str], Field(min_length=1)]
    """The training program, the same in coordinator, workers and servers, which TF_CONFIG tells apart:
    `[python, /app/train.py]`."""
    workers: Annotated[int, Field(ge=1, le=256)] = 2
    """Pods; each is a worker, with a parameter server beside it."""
    server_cpu: Quantity = "2"
    """Cores of each server, beside those of its worker."""
    server_memory: Quantity = "8Gi"
    """Memory of each server, beside that of its worker: its part of the model, and of the optimizer's state."""

    def demand(self, platform: Platform) -> Demand | None:
        """What all its pods ask for, servers included."""
        found = super().demand(platform)
        if found is None:
            return None
        return replace(
            found,
            cpu=str(_sum(found.cpu, self.server_cpu)),
            memory=str(_sum(found.memory, self.server_memory)),
        )

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and what Kubernetes or TensorFlow do not know."""
        yield from super().problems(platform)
        if platform.kubernetes < OLDEST:
            text = f"its end needs a Job's success policy, of Kubernetes {OLDEST} or newer, not {platform.kubernetes}"
            yield JobProblem("template", text, "use `tensorflow`, whose operator ends the servers")
        if self.rdma:
            yield by_grpc()
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        if pool:
            yield from self._node_problems(pool, platform)

    def _node_problems(self, pool: NodePool, platform: Platform) -> Iterator[JobProblem]:
        """Worker and server together must fit on a node, each of which does."""
        own = self.share(platform)
        cpu, memory = self.cpu or own.cpu, self.memory or own.memory
        if pool.cores and _sum(cpu, self.server_cpu) > pool.cores:
            text = f"{self.server_cpu} cores and the worker's {cpu} are more than the {pool.cores}"
            yield JobProblem("serverCpu", f"{text} of a node of pool {pool.name}", "lower `cpu:`")
        if pool.memory_gib and _sum(memory, self.server_memory) > pool.memory_gib * 1024**3:
            text = f"{self.server_memory} and the worker's {memory} are more than the {pool.memory_gib} GiB"
            yield JobProblem("serverMemory", f"{text} of a node of pool {pool.name}", "lower `memory:`")


class TensorFlowPs(TemplateJob[TensorFlowPsConfig]):
    """An indexed Job of workers with their servers, and the headless Service by which they find each other."""

    def build(self) -> None:
        """Claims, names, and the job."""
        make_claims(self)
        config = self.config
        Resource(
            self,
            SERVICE,
            self.unique_name,
            # Names must lead somewhere before anybody is ready: all wait for each other.
            spec={
                "clusterIP": "None",
                "publishNotReadyAddresses": True,
                "selector": {SIBLINGS: self.unique_name},
                "ports": [
                    {"name": name, "port": port, "protocol": "TCP"}
                    for name, port in (
                        ("worker", WORKER_PORT),
                        ("server", SERVER_PORT),
                        ("coordinator", COORDINATOR_PORT),
                    )
                ],
            },
        )
        env = {"TF_CONFIG": self._task("worker"), "COORDINATOR_CONFIG": self._task("chief")}
        role = Role(
            container="tensorflow",
            command=["sh", "-c", LAUNCH, "launch", *config.command],
            args=config.args,
            env=env,
            restart="Never",
        )
        template = pod_template(self, role, siblings=SIBLINGS)
        pod = template["spec"]
        pod["subdomain"] = self.unique_name
        (worker,) = pod["containers"]
        worker["env"] = [{"name": "TASK_INDEX", "valueFrom": from_field(INDEX)}, *worker["env"]]
        pod["initContainers"] = [*pod.get("initContainers", []), self._server()]
        spec = job_spec(
            template, deadline_hours=config.deadline_hours, lifetime=config.lifetime, retries=config.retries
        )
        spec |= {
            "completionMode": "Indexed",
            "completions": config.workers,
            "parallelism": config.workers,
            "successPolicy": {"rules": [{"succeededIndexes": "0"}]},
        }
        Resource(self, JOB, self.unique_name, spec=spec, annotations=gang(self, config.workers))
        make_tensorboard(self)

    def _server(self) -> Container:
        """The sidecar; where its pod has nvidia's runtime, it would see cards that are its worker's."""
        config = self.config
        role = Role(
            container="server",
            command=config.command,
            args=config.args,
            trains=False,
            fabric=False,
            size=Size(config.server_cpu, config.server_memory),
            env={"TF_CONFIG": self._task("ps"), "NVIDIA_VISIBLE_DEVICES": "void"},
        )
        (server,) = pod_template(self, role)["spec"]["containers"]
        server["restartPolicy"] = "Always"
        server["env"] = [{"name": "TASK_INDEX", "valueFrom": from_field(INDEX)}, *server["env"]]
        server["volumeMounts"] = [each for each in server["volumeMounts"] if each["name"] != "shared-memory"]
        return server

    def _task(self, kind: str) -> str:
        """TF_CONFIG of a role, in which the kubelet writes the number of the pod."""
        ports = {"chief": COORDINATOR_PORT, "worker": WORKER_PORT, "ps": SERVER_PORT}
        counts = {"chief": 1, "worker": self.config.workers, "ps": self.config.workers}
        cluster = {role: self._addresses(port, counts[role]) for role, port in ports.items()}
        found = orjson.dumps({"cluster": cluster, "task": {"type": kind, "index": "INDEX"}}).decode()
        return found.replace('"INDEX"', "$(TASK_INDEX)")

    def _addresses(self, port: int, count: int) -> Sequence[str]:
        name = self.unique_name
        return [f"{name}-{number}.{name}.{self.namespace}.svc:{port}" for number in range(count)]


def _sum(first: str, second: str) -> Decimal:
    return (amount(first) or Decimal(0)) + (amount(second) or Decimal(0))
