"""The pod of a served model, in the words of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from platform_def.apis.core.core_v1 import Container, PodSpec, VolumeMount
from platform_def.apis.core.core_v1 import Volume as PodVolume
from platform_def.config.kubernetes import Kubernetes
from platform_def.jobs.fabric import FabricChoice
from platform_def.jobs.parameters import Variable
from platform_def.jobs.placement import Placement, place
from platform_def.jobs.pods.companions import companions
from platform_def.jobs.pods.nodes import direct, finish, identify, kept_away
from platform_def.jobs.pods.variables import sources, variable
from platform_def.jobs.pods.volumes import mounts, volumes
from platform_def.jobs.queueing import PodQueue, pod_queue
from platform_def.jobs.shares import half
from platform_def.serving.template import ServedModel, ServiceConfig

S = TypeVar("S", bound=ServiceConfig)
SHARED = "shared-memory"
"""The volume at /dev/shm."""
LEAVES_SECONDS = 10
"""For so long a pod that must go answers as before, while gateways and nodes learn that they must ask another."""
SLEEPS = Kubernetes("1.30")
"""The oldest whose kubelet waits by itself: `preStop.sleep` needs no program in the image."""


@dataclass(frozen=True, kw_only=True)
class ServingContainer:
    """What a template says of the container that serves."""

    name: str
    image: str = ""
    command: Sequence[str] = ()
    args: Sequence[str] = ()
    env: Mapping[str, str | Variable] = field(default_factory=dict)
    """Variables of the template; the stack's own come after, and win."""
    mounts: Sequence[VolumeMount] = ()
    volumes: Sequence[PodVolume] = ()
    account: str | None = None
    """Account that opens the model, where the stack names none."""


def placement_of(model: ServedModel[S]) -> Placement:
    """Where its pods run."""
    config = model.config
    return place(
        config.pool_name(model.platform),
        gpus=config.gpus,
        rdma=config.rdma,
        platform=model.platform,
        profile=config.mig_profile,
        choice=FabricChoice(config.interface, tuple(config.hca), config.gid_index),
    )


def pod_of(model: ServedModel[S], server: ServingContainer) -> PodSpec:
    """The pod with the container that serves."""
    config, placement = model.config, placement_of(model)
    memory = config.size(model.platform)[1]
    pod = placement.pod(_container(model, server), shared_memory=config.shared_memory or half(memory))
    if not (config.gpus or config.shared_memory):
        _without_shared_memory(pod)
    pod["volumes"] = [*pod.get("volumes", []), *volumes(model), *server.volumes]
    own = [variable(name, value) for name, value in config.env.items()]
    if before := list(companions(model, own, mounts(config))):
        pod["initContainers"] = before
    identify(pod, config, token=False)
    if server.account and not config.service_account:
        pod["serviceAccountName"] = server.account
    direct(pod, config)
    if affinity := kept_away(pod.get("affinity", {}), config, placement.pool):
        pod["affinity"] = affinity
    finish(model, pod)
    if not pod["volumes"]:
        del pod["volumes"]
    return pod


def leave_late(model: ServedModel[S], container: Container) -> None:
    """Let a container go on answering for a while when its pod must go, of the time that the pod has for that.

    Servers take no more connections from SIGTERM on, and what still asks them then gets an error.
    """
    seconds = min(LEAVES_SECONDS, model.config.grace_period_seconds // 2)
    if seconds and model.platform.kubernetes >= SLEEPS:
        container["lifecycle"] = {"preStop": {"sleep": {"seconds": seconds}}}


def queue_of(model: ServedModel[S]) -> PodQueue:
    """How its pods wait in the queue of their team, where the scheduler that they ask for keeps it."""
    found, placement = pod_queue(model.config, model.platform), placement_of(model)
    return found if placement.gpus and placement.scheduler == found.scheduler else PodQueue()


def annotations_of(model: ServedModel[S]) -> dict[str, str]:
    """Annotations of its pods: what the pool's fabric and their queue need, and the stack's own."""
    return {**placement_of(model).annotations, **queue_of(model).annotations, **model.config.annotations}


def _without_shared_memory(pod: PodSpec) -> None:
    """Only programs on several devices exchange data through it."""
    (container,) = pod["containers"]
    pod["volumes"] = [each for each in pod["volumes"] if each["name"] != SHARED]
    if rest := [each for each in container["volumeMounts"] if each["name"] != SHARED]:
        container["volumeMounts"] = rest
    else:
        del container["volumeMounts"]


def _container(model: ServedModel[S], server: ServingContainer) -> Container:
    config = model.config
    cpu, memory = config.size(model.platform)
    made: Container = {"name": server.name}
    if image := config.image or server.image:
        made["image"] = model.image(image)
    if command := config.command or server.command:
        made["command"] = [*command]
    if args := [*server.args, *config.args]:
        made["args"] = args
    if values := {**server.env, **config.env}:
        made["env"] = [variable(name, value) for name, value in values.items()]
    if config.env_from:
        made["envFrom"] = sources(config.env_from)
    made["resources"] = {
        "requests": {"cpu": cpu, "memory": memory, **config.resources},
        "limits": {"memory": memory, **config.resources},
    }
    if mounted := [*mounts(config), *server.mounts]:
        made["volumeMounts"] = mounted
    return made
