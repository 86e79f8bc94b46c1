"""The pod of a training job: one builder for all templates, which say only what differs between roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

from platform_def.apis.core.core_v1 import (
    Affinity,
    Container,
    EnvVar,
    PodAffinityTerm,
    PodTemplateSpec,
    Volume,
    VolumeMount,
)
from platform_def.jobs.code import AUTHORITY, CODE, CODE_FOLDER, code_container
from platform_def.jobs.fabric import FabricChoice
from platform_def.jobs.parameters import DATASETS_FOLDER, Variable
from platform_def.jobs.placement import Placement, place
from platform_def.jobs.pods.companions import companions
from platform_def.jobs.pods.nodes import direct, finish, identify, kept_away
from platform_def.jobs.pods.outside import authorities, way_out
from platform_def.jobs.pods.variables import sources, variable
from platform_def.jobs.pods.volumes import claim_of as claim_of
from platform_def.jobs.pods.volumes import make_claims as make_claims
from platform_def.jobs.pods.volumes import make_tensorboard as make_tensorboard
from platform_def.jobs.pods.volumes import mounts, volumes
from platform_def.jobs.queueing import PodQueue, owners_gang, pod_queue
from platform_def.jobs.shares import half
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import PodConfig

P = TypeVar("P", bound=PodConfig)

INJECT = "sidecar.istio.io/inject"
"""Istio's sidecar would keep a finished pod running, and a starting one from reaching the others. Newer releases go by
the label, older ones by the annotation."""
JOB_NAME = "training.kubeflow.org/job-name"
"""Label that the training operator gives all pods of a job."""


class Sized(Protocol):
    """What a pod asks for."""

    @property
    def cpu(self) -> str:
        """Cores."""

    @property
    def memory(self) -> str:
        """Memory."""


@dataclass(frozen=True)
class Size:
    """Cores and memory of a role that has no GPUs."""

    cpu: str
    memory: str


@dataclass(frozen=True, kw_only=True)
class Role:
    """What differs between the pods of one job."""

    container: str
    """Name of the container, which operators look for."""
    command: Sequence[str] = ()
    args: Sequence[str] = ()
    trains: bool = True
    """Whether it gets the GPUs; others only coordinate."""
    fabric: bool = True
    """Whether it uses the RDMA fabric where the job does."""
    driver: bool = False
    """Without GPUs: whether its program is linked with the driver's libraries all the same."""
    size: Size | None = None
    """By default the share of the node that its GPUs are."""
    image: str | None = None
    """By default the job's."""
    env: Mapping[str, str | Variable] = field(default_factory=dict)
    """Variables that the template sets; the job's own come after, and win."""
    ports: Mapping[str, int] = field(default_factory=dict)
    mounts: Sequence[VolumeMount] = ()
    volumes: Sequence[Volume] = ()
    token: bool = False
    """Whether its program calls the API server, under an account that an operator gives it."""
    restart: str | None = None
    """Restart policy of the pod, where no operator sets it."""
    follows: bool = False
    """Whether its pod comes when the others run, and so is none of those that start together."""


def pod_template(job: TemplateJob[P], role: Role, *, siblings: str = JOB_NAME) -> PodTemplateSpec:
    """The pod of a role; `siblings` is the label by which all pods of the job know each other."""
    config = job.config
    placement = _placement(job, role)
    size = role.size or _sized(job)
    container = _container(job, role, size)
    pod = placement.pod(container, shared_memory=_shared(job, role, size))
    pod["volumes"] = [*pod.get("volumes", []), *volumes(job), *role.volumes]
    if config.code:
        pod["volumes"].append({"name": CODE, "emptyDir": {}})
        if config.code.git and (bundle := authorities(config, job.platform)):
            pod["volumes"].append({"name": AUTHORITY, "configMap": {"name": bundle}})
    if before := _before(job):
        pod["initContainers"] = before
    for each in config.readings(job.platform):
        pod["volumes"] += each.volumes()
    if not pod["volumes"]:
        del pod["volumes"]
    identify(pod, config, token=role.token)
    # The training operator looks at a job's deadline only when something happens to the job: its pods' own, which the
    # kubelet keeps, is what happens (releases 1.7 and 1.9, whose work queue is a FakeWorkQueue).
    pod["activeDeadlineSeconds"] = config.deadline_hours * 3600
    direct(pod, config)
    affinity = _affinity(job, pod.get("affinity", {}), siblings)
    if affinity:
        pod["affinity"] = affinity
    if role.restart:
        pod["restartPolicy"] = role.restart
    finish(job, pod)
    queue, gang = pod_queue(config, job.platform), owners_gang(placement.pool, job.platform)
    if gang and role.follows:
        queue, gang = PodQueue(), None
    if scheduler := queue.scheduler or (gang.scheduler if gang else ""):
        pod["schedulerName"] = scheduler  # of all pods, with GPUs or without: their gang has one scheduler
    annotations = {INJECT: "false", **placement.annotations, **queue.annotations, **config.annotations}
    labels = {**job.labels(), **queue.labels, **(gang.labels if gang else {}), INJECT: "false"}
    return {"metadata": {"annotations": annotations, "labels": labels}, "spec": pod}


def _before(job: TemplateJob[P]) -> list[Container]:
    """Init containers: what brings code and data, and what the job says itself."""
    config = job.config
    found = []
    if config.code:
        trusts = bool(authorities(config, job.platform))
        found.append(code_container(config.code, job.image, way_out(config, job.platform), trusts=trusts))
    found += [container for each in config.readings(job.platform) for container in each.init_containers(job.image)]
    own = [variable(name, value) for name, value in config.env.items()]
    return [*found, *companions(job, own, mounts(config))]


def _placement(job: TemplateJob[P], role: Role) -> Placement:
    config = job.config
    return place(
        config.pool_name(job.platform),
        gpus=config.gpus_per_worker if role.trains else 0,
        rdma=config.rdma and role.fabric,
        platform=job.platform,
        profile=config.mig_profile,
        choice=FabricChoice(config.interface, tuple(config.hca), config.gid_index),
        driver=role.driver,
    )


def _sized(job: TemplateJob[P]) -> Size:
    config = job.config
    own = config.share(job.platform)
    return Size(config.cpu or own.cpu, config.memory or own.memory)


def _shared(job: TemplateJob[P], role: Role, size: Sized) -> str:
    config = job.config
    return half(size.memory) if role.size else config.shared_memory or half(size.memory)


def _container(job: TemplateJob[P], role: Role, size: Sized) -> Container:
    config = job.config
    container: Container = {"name": role.container}
    if image := role.image or config.image:
        container["image"] = job.image(image)
    if role.command:
        container["command"] = list(role.command)
    if role.args:
        container["args"] = list(role.args)
    if folder := config.working_dir or (CODE_FOLDER if config.code else None):
        container["workingDir"] = folder
    if variables := _variables(job, role):
        container["env"] = variables
    if config.env_from:
        container["envFrom"] = sources(config.env_from)
    if role.ports:
        container["ports"] = [{"name": name, "containerPort": number} for name, number in role.ports.items()]
    further = config.resources if role.trains else {}
    container["resources"] = {
        "requests": {"cpu": size.cpu, "memory": size.memory, **further},
        "limits": {"memory": size.memory, **further},
    }
    mounted = [*mounts(config), *role.mounts]
    for each in config.readings(job.platform):
        mounted += each.mounts(f"{DATASETS_FOLDER}/{each.name}")
    if config.code:
        mounted.append({"name": CODE, "mountPath": CODE_FOLDER})
    if mounted:
        container["volumeMounts"] = mounted
    return container


def _variables(job: TemplateJob[P], role: Role) -> list[EnvVar]:
    config = job.config
    values: dict[str, str | Variable] = dict(role.env)
    if index := job.platform.package_indexes.get("pip"):
        values["PIP_INDEX_URL"] = index
    if config.checkpoints:
        values["CHECKPOINT_DIR"] = config.checkpoints
    if config.output:
        values["OUTPUT_DIR"] = config.mounted()["output"][0]
    return [variable(name, value) for name, value in (values | dict(config.env)).items()]


def _affinity(job: TemplateJob[P], given: Affinity, siblings: str) -> Affinity:
    """Beside the model that the pool's nodes must name: nodes to keep away from, and pods to be near or far from."""
    config = job.config
    name = config.pool_name(job.platform)
    pool = job.platform.pool(name) if name else None
    made: dict[str, Any] = dict(kept_away(given, config, pool))
    if config.arrangement:
        term: PodAffinityTerm = {
            "labelSelector": {"matchLabels": {siblings: job.unique_name}},
            "topologyKey": "kubernetes.io/hostname",
        }
        kind = "podAffinity" if config.arrangement == "pack" else "podAntiAffinity"
        made[kind] = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}
    return cast(Affinity, made)
