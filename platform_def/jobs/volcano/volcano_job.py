"""A Job of Volcano's own: tasks of so many pods, which get nodes all at once or not at all.

Volcano's plug-ins tell each pod who the others are: by variables and files for any program, as torchrun or TensorFlow
ask for it for theirs (release 1.15.1, pkg/controllers/job).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.volcano.batch_v1alpha1 import JOB, JobSpec, Policy, Task
from platform_def.config.model import Quantity
from platform_def.config.platform import Platform
from platform_def.config.words.registered import gang_schedulers
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import by_grpc
from platform_def.jobs.pod import Role, Size, make_claims, make_tensorboard, pod_template
from platform_def.jobs.queueing import pod_queue, scheduler_of
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.torchrun import patience
from platform_def.jobs.training import TrainingConfig

SCHEDULER = gang_schedulers()["volcano"]
SIBLINGS = "volcano.sh/job-name"
"""Label that Volcano gives all pods of a job."""
NAMES = {"svc": ["--publish-not-ready-addresses=true"]}
"""A Service for the pods' names, which lead to pods that wait for each other; lists of hosts; a network policy that
lets only the job's own pods in."""
CHIEF = "chief"


class VolcanoJobConfig(TrainingConfig):
    """Parameters of a Job of Volcano's."""

    needs = ("Job.batch.volcano.sh",)

    command: Annotated[list[str], Field(min_length=1)]
    """The training program, the same in all pods; with PyTorch what torchrun starts: `[/app/train.py]`."""
    framework: Literal["none", "pytorch", "tensorflow"] = "none"
    """Whose variables the pods get: `pytorch` starts the program with torchrun, a process for each GPU; `tensorflow`
    has TF_CONFIG; with `none` each reads its number from VC_TASK_INDEX, and VC_WORKER_HOSTS has all names."""
    servers: Annotated[int, Field(ge=1, le=512)] | None = None
    """Parameter servers of TensorFlow, and a chief that coordinates; by default workers alone."""
    server_cpu: Quantity = "4"
    """Cores of the chief and of each server."""
    server_memory: Quantity = "16Gi"
    """Memory of the chief and of each server."""
    least: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Workers that must have nodes before any starts; by default all. The others come when there is room."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes."""
        return self.workers + (1 + self.servers if self.servers else 0)

    def others(self) -> Sequence[tuple[int, str, str]]:
        """Chief and servers."""
        return [(1 + self.servers, self.server_cpu, self.server_memory)] if self.servers else []

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, and words that do not go together."""
        yield from super().problems(platform)
        if self.servers and self.framework != "tensorflow":
            yield JobProblem("servers", "only TensorFlow has servers here", "write `framework: tensorflow`")
        if self.rdma and self.servers:
            yield by_grpc()
        if self.least and self.framework != "none":
            text = f"{self.framework} begins with all workers"
            yield JobProblem("least", text, "leave it out, or write `framework: none`")
        elif self.least and self.least > self.workers:
            yield JobProblem("least", f"the job has {self.workers} workers, not {self.least}", "lower it")
        if not self.name[0].isalpha():
            text = f"Volcano makes a Service of the job's name, and {self.name} does not begin with a letter"
            yield JobProblem("name", text, "begin it with a letter")
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        divides = scheduler_of(pool, platform) if pool else ""
        keeper = pod_queue(self, platform).scheduler
        if divides and divides != SCHEDULER and keeper in ("", divides):
            text = f"pods of pool {name} need the scheduler {divides}, and a Job of Volcano needs {SCHEDULER}"
            yield JobProblem("pool", text, "use another pool or template")


class VolcanoJob(TemplateJob[VolcanoJobConfig]):
    """A Job of Volcano's."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        config = self.config
        queue = pod_queue(config, self.platform).name
        spec: JobSpec = {
            "schedulerName": SCHEDULER,
            "minAvailable": config.pods - config.workers + (config.least or config.workers),
            # The job has failed at the restart with this number; 0 would be the default of 3.
            "maxRetry": config.retries + 1,
            "plugins": self.plugins(),
            "policies": [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}],
            "tasks": self.tasks(),
        }
        if config.lifetime is not None:
            spec["ttlSecondsAfterFinished"] = config.lifetime
        if queue:
            spec["queue"] = queue
        if config.priority_class:
            spec["priorityClassName"] = config.priority_class
        Resource(self, JOB, self.unique_name, spec=spec)
        make_tensorboard(self)

    def plugins(self) -> dict[str, list[str]]:
        """What tells the pods who they are."""
        if self.config.framework == "none":
            return {"env": [], **NAMES}
        return {self.config.framework: [], **NAMES}

    def tasks(self) -> list[Task]:
        """The roles, by the names that plug-ins look for."""
        config = self.config
        if config.framework == "pytorch":
            others = config.workers - 1
            return [self._task("master", 1), *([self._task("worker", others)] if others else [])]
        found = [self._task("worker", config.workers)]
        if config.servers:
            size = Size(config.server_cpu, config.server_memory)
            # Workers and servers never end by themselves.
            ends: Policy = {"event": "TaskCompleted", "action": "CompleteJob"}
            chief = self._task(CHIEF, 1, size=size)
            chief["policies"] = [ends]
            found += [chief, self._task("ps", config.servers, size=size)]
        if config.least:
            found[0]["minAvailable"] = config.least
        return found

    def _task(self, name: str, count: int, *, size: Size | None = None) -> Task:
        config = self.config
        role = Role(
            container=name,
            command=[*self._launcher(), *config.command],
            args=config.args,
            trains=size is None,
            size=size,
            env=patience(config) if config.framework == "pytorch" else {},
            restart="Never",
        )
        template = pod_template(self, role, siblings=SIBLINGS)
        template["spec"]["schedulerName"] = SCHEDULER
        return {"name": name, "replicas": count, "template": template}

    def _launcher(self) -> list[str]:
        """torchrun, with what the plug-in says in variables, which the kubelet writes into the command.

        Releases before 2.0 know its options with underscores alone; later ones take both.
        """
        config = self.config
        if config.framework != "pytorch":
            return []
        return [
            "torchrun",
            f"--nnodes={config.workers}",
            f"--nproc_per_node={max(config.gpus_per_worker, 1)}",
            "--node_rank=$(RANK)",
            "--master_addr=$(MASTER_ADDR)",
            "--master_port=$(MASTER_PORT)",
        ]
