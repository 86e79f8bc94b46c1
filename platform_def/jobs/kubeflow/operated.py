"""What jobs of Kubeflow's training operators have in common: roles of so many pods, and when the job gives up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from platform_def.apis.core.core_v1 import PodTemplateSpec
from platform_def.apis.kubeflow.training_v1 import ReplicaSpec, RunPolicy
from platform_def.config.platform import Platform
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.queueing import scheduling_policy
from platform_def.jobs.training import TrainingConfig

Restart = Literal["OnFailure", "Never", "ExitCode", "Always"]


def run_by(component: str, platform: Platform) -> bool:
    """Whether a stack has a component, under whatever name, or its cluster does: kinds may have several operators."""
    return bool(platform.instances(component)) or platform.component(component) is not None


def replica(count: int, template: PodTemplateSpec, *, restart: Restart) -> ReplicaSpec:
    """One role of a job.

    `ExitCode` starts a new pod where a signal ended the old one (exit codes from 128 on), such as an eviction, and
    fails the job where the program did.
    """
    return {"replicas": count, "restartPolicy": restart, "template": template}


def tried_again(config: TrainingConfig) -> Restart:
    """How pods end that may start again in their place: with no tries left the kubelet must not start them once more.

    The operator gives up when restarts are more than the limit, which with a limit of 0 is after the first.
    """
    return "OnFailure" if config.retries else "Never"


def unretried(config: TrainingConfig, why: str) -> Iterator[JobProblem]:
    """A job whose pods cannot join again once they are lost, and that sets a number of retries."""
    if "retries" in config.model_fields_set and config.retries:
        yield JobProblem("retries", f"{why}: the job is not tried again", "leave it out; `rerun:` starts it again")


def by_grpc(whose: str = "TensorFlow's") -> JobProblem:
    """Parameter servers that would hold adapters which they never use."""
    return JobProblem("rdma", f"{whose} servers exchange over TCP, which knows no RDMA", "leave it out")


def without_sidecars(config: TrainingConfig, operator: str) -> Iterator[JobProblem]:
    """Operators that do not know the restart policy of init containers, and would wait for the end of a sidecar."""
    if config.sidecars:
        text = f"{operator} drops what makes a container a sidecar, and its pods would wait for its end"
        yield JobProblem("sidecars", text, "start it in the program's container")


def run_policy(config: TrainingConfig, platform: Platform, *, least: int = 0) -> RunPolicy:
    """Deadline, tries, and what is left of the pods; never a TTL, after which an engine would run the job again.

    The operator adds up restarts of all pods and gives up when they reach the limit (PastBackoffLimit); pods of one job
    fall together, so each try counts as many as there are pods. `least` is the number of pods that a job of variable
    size starts with.
    """
    policy: RunPolicy = {
        "activeDeadlineSeconds": config.deadline_hours * 3600,
        "backoffLimit": config.retries * config.pods + 1 if config.retries else 0,
        "cleanPodPolicy": config.clean_pods,
    }
    if config.lifetime is not None:
        policy["ttlSecondsAfterFinished"] = config.lifetime
    if scheduling := scheduling_policy(config, platform, least=least):
        policy["schedulingPolicy"] = scheduling
    return policy
