"""Ray: a program on a Ray cluster that is made for it, as a RayJob.

The program runs on the head and spreads its work over the workers by Ray's own means (Train, Tune, Data, actors). The
head has no GPUs and takes no tasks. A small pod hands the program in and has its output in its log.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import PodTemplateSpec
from platform_def.apis.ray import v1
from platform_def.capabilities import RayOperator
from platform_def.config.model import Model, Quantity
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.crds.quantity import amount
from platform_def.jobs.pod import Role, Size, make_claims, make_tensorboard, pod_template
from platform_def.jobs.queueing import queue_of, scheduling_policy
from platform_def.jobs.template import JobProblem, TemplateJob
from platform_def.jobs.training import TrainingConfig

NAME, PART_OF = "app.kubernetes.io/name", "app.kubernetes.io/part-of"
PORTS = {"gcs-server": 6379, "dashboard": 8265, "client": 10001}
HANDS_IN = Size("500m", "1Gi")
"""What the submitting pod asks for: upstream's own."""


REFUSED = ("scheduler-plugins", "kai-scheduler")
"""Gang schedulers for which the operator (1.7.0) permanently refuses a RayJob of this submission mode."""
HASH = len("-12345678")
LONGEST_NAME = 47 - HASH
"""The operator (1.7.0, ValidateRayJobMetadata) never starts a job with a longer name."""
VOLCANOS = "volcano.sh/queue-name", "ray.io/priority-class-name"
"""Labels by which a RayJob gives its gang a queue and a priority."""


class Bounds(Model):
    """Bounds between which Ray's autoscaler changes the number of workers, by the tasks that wait."""

    least: Annotated[int, Field(ge=0, le=4096)]
    """Fewest workers."""
    most: Annotated[int, Field(ge=1, le=4096)]
    """Most workers."""


class RayConfig(TrainingConfig):
    """Parameters of a Ray job."""

    stays = "RayJob"
    needs = ("RayJob.ray.io",)
    coordinator = "the head"

    command: Annotated[list[str], Field(min_length=1)]
    """The program, which runs on the head: `[python, /code/train.py]`."""
    workers: Annotated[int, Field(ge=1, le=4096)] = 1
    """Pods with GPUs, beside the head."""
    elastic: Bounds | None = None
    """Lets the autoscaler change the number of workers while the job runs."""
    head_cpu: Quantity = "2"
    """Cores of the head."""
    head_memory: Quantity = "8Gi"
    """Memory of the head: the program's own, and that of Ray's control store and dashboard."""
    ray_version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")] | None = None
    """Version of Ray in the image, such as 2.54.0; the autoscaler goes by it."""

    @property
    def pods(self) -> int:
        """Pods that share the volumes: head, workers, and the one that hands the program in."""
        return (self.elastic.most if self.elastic else self.workers) + 2

    @property
    def fabric_pods(self) -> int:
        """The head needs no fabric."""
        return self.workers

    def others(self) -> Sequence[tuple[int, str, str]]:
        """The head, and the pod that hands the program in."""
        return [(1, self.head_cpu, self.head_memory), (1, HANDS_IN.cpu, HANDS_IN.memory)]

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What the pool cannot give, bounds that do not hold, and what Kueue cannot hold back."""
        yield from super().problems(platform)
        if len(self.name) > LONGEST_NAME:
            text = f"the operator takes RayJobs of {LONGEST_NAME + HASH} characters at most, <name>-<hash>"
            yield JobProblem("name", text, f"use at most {LONGEST_NAME} characters")
        if not self.name[0].isalpha():
            text = f"the operator makes Services of the job's name, and {self.name} does not begin with a letter"
            yield JobProblem("name", text, "begin it with a letter")
        given = platform.maybe(RayOperator)
        if given and given.value.gang in REFUSED:
            text = f"with {given.value.gang} the operator refuses to run RayJobs"
            hint = f"write `gangScheduler: none` or `volcano` in components.{given.by}"
            yield JobProblem("template", text, hint)
        if self.elastic and not self.elastic.least <= self.workers <= self.elastic.most:
            text = f"{self.workers} workers are not between {self.elastic.least} and {self.elastic.most}"
            yield JobProblem("elastic", text, "change `workers:` or the bounds")
        if queue_of(self.owner, self.pool_name(platform), platform) is None:
            return
        if self.elastic:
            text = "a queue knows no quota for workers that come while the job runs"
            yield JobProblem("elastic", text, "leave it out, or run the job in a team without a queue")
        if self.clean_pods == "None":
            text = "a job that waits in a queue must give its Ray cluster back when it is over"
            yield JobProblem("cleanPods", text, "leave it out")


class RayJob(TemplateJob[RayConfig]):
    """A RayJob: its head, its workers, and a pod that hands the program in."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        Resource(self, v1.RAY_JOB, self.unique_name, spec=self.spec())
        make_tensorboard(self)

    def labels_of(self, kind: str) -> dict[str, str]:
        """With Volcano the gang's queue and priority, which the operator reads there alone."""
        found, given = super().labels_of(kind), self.platform.maybe(RayOperator)
        if kind != v1.RAY_JOB.full_name or given is None or given.value.gang != "volcano":
            return found
        policy = scheduling_policy(self.config, self.platform)
        said = zip(VOLCANOS, (policy.get("queue"), policy.get("priorityClass")), strict=True)
        return {**found, **{label: text for label, text in said if text}}

    def spec(self) -> v1.RayJobSpec:
        """The job's specification."""
        config = self.config
        spec: v1.RayJobSpec = {
            "entrypoint": shlex.join([*config.command, *config.args]),
            "submissionMode": "K8sJobMode",
            "submitterPodTemplate": self.pod(
                Role(
                    container="ray-job-submitter",
                    trains=False,
                    fabric=False,
                    size=HANDS_IN,
                    restart="Never",
                    follows=True,
                )
            ),
            "shutdownAfterJobFinishes": config.clean_pods != "None",
            "activeDeadlineSeconds": config.deadline_hours * 3600,
            "backoffLimit": config.retries,
            "rayClusterSpec": self.cluster(),
        }
        return spec

    def cluster(self) -> v1.RayClusterSpec:
        """Head and workers."""
        config = self.config
        bounds = config.elastic or Bounds(least=config.workers, most=config.workers)
        size = Size(config.head_cpu, config.head_memory)
        autoscaled = config.elastic is not None
        head = Role(
            container="ray-head", trains=False, fabric=False, size=size, ports=PORTS, token=autoscaled, restart="Never"
        )
        cluster: v1.RayClusterSpec = {
            "headGroupSpec": {
                "rayStartParams": {"dashboard-host": "0.0.0.0", "num-cpus": "0"},  # noqa: S104 - in the pod
                "template": self.pod(head),
            },
            "workerGroupSpecs": [
                {
                    "groupName": "workers",
                    "replicas": config.workers,
                    "minReplicas": bounds.least,
                    "maxReplicas": bounds.most,
                    "rayStartParams": self.offered(),
                    "template": self.pod(Role(container="ray-worker", restart="Never")),
                }
            ],
        }
        if autoscaled:
            cluster["enableInTreeAutoscaling"] = True
        if config.ray_version:
            cluster["rayVersion"] = config.ray_version
        return cluster

    def offered(self) -> dict[str, str]:
        """What a worker offers to Ray, which would not find it for GPUs under another name than whole ones."""
        config = self.config
        cores = amount(config.cpu or config.share(self.platform).cpu) or 1
        params = {"num-cpus": str(max(math.floor(cores), 1))}
        if config.gpus_per_worker:
            params["num-gpus"] = str(config.gpus_per_worker)
        return params

    def pod(self, role: Role) -> PodTemplateSpec:
        """A pod under the labels that the operator's Services select by, which are its own to set."""
        template = pod_template(self, role, siblings=PART_OF)
        labels = template["metadata"]["labels"]
        template["metadata"]["labels"] = {
            **{key: value for key, value in labels.items() if key != NAME},
            PART_OF: self.unique_name,
        }
        return template
