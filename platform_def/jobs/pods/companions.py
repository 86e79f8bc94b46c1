"""Containers beside the program of a job: those that run before it, and those that run as long as it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from platform_def.apis.core.core_v1 import Container, EnvVar, VolumeMount
from platform_def.jobs.fields import ContainerConfig
from platform_def.jobs.parameters import Companion
from platform_def.jobs.pods.variables import sources, variable
from platform_def.jobs.template import Placed

P = TypeVar("P", bound=ContainerConfig)


def companions(job: Placed[P], variables: list[EnvVar], mounts: list[VolumeMount]) -> Iterator[Container]:
    """Init containers of a pod; a sidecar is one that is never over, and the kubelet ends it after the program."""
    for each in job.config.sidecars:
        yield {**_container(job, each, variables, mounts), "restartPolicy": "Always"}
    for each in job.config.init_containers:
        yield _container(job, each, variables, mounts)


def _container(job: Placed[P], said: Companion, variables: list[EnvVar], mounts: list[VolumeMount]) -> Container:
    made: Container = {"name": said.name, "image": job.image(said.image or job.config.image or "")}
    if said.command:
        made["command"] = said.command
    if said.args:
        made["args"] = said.args
    own = [variable(name, value) for name, value in said.env.items()]
    if env := [*(each for each in variables if each["name"] not in said.env), *own]:
        made["env"] = env
    if job.config.env_from:
        made["envFrom"] = sources(job.config.env_from)
    made["resources"] = {
        "requests": {"cpu": said.cpu, "memory": said.memory},
        "limits": {"memory": said.memory},
    }
    if mounts:
        made["volumeMounts"] = mounts
    return made
