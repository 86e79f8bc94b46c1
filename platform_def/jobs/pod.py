"""The pod of a training job: one builder for all templates, which say only what differs between roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

from platform_def.apis.core.core_v1 import (
    PERSISTENT_VOLUME_CLAIM,
    Affinity,
    Container,
    EnvVar,
    NodeSelectorRequirement,
    PodAffinityTerm,
    PodSpec,
    PodTemplateSpec,
    Volume,
    VolumeMount,
)
from platform_def.apis.kubeflow.tensorboard_v1alpha1 import TENSORBOARD
from platform_def.constructs.environment import from_amount, from_config, from_field, from_secret
from platform_def.constructs.resource import Resource
from platform_def.jobs.code import CODE, CODE_FOLDER, code_container
from platform_def.jobs.fabric import Choice
from platform_def.jobs.parameters import DATASETS_FOLDER, Variable
from platform_def.jobs.parameters import Volume as JobVolume
from platform_def.jobs.placement import Placement, place
from platform_def.jobs.queueing import PodQueue, owners_gang, pod_queue
from platform_def.jobs.shares import half
from platform_def.jobs.template import Job
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


def pod_template(job: Job[P], role: Role, *, siblings: str = JOB_NAME) -> PodTemplateSpec:
    """The pod of a role; `siblings` is the label by which all pods of the job know each other."""
    config = job.config
    placement = _placement(job, role)
    size = role.size or _sized(job)
    container = _container(job, role, size)
    pod = placement.pod(container, shared_memory=_shared(job, role, size))
    pod["volumes"] = [*pod.get("volumes", []), *_volumes(job), *role.volumes]
    readings = config.readings(job.platform)
    before = [container for each in readings for container in each.init_containers(job.image)]
    if config.code:
        before.insert(0, code_container(config.code, job.image))
        pod["volumes"].append({"name": CODE, "emptyDir": {}})
    if before:
        pod["initContainers"] = before
    for each in readings:
        pod["volumes"] += each.volumes()
    if not pod["volumes"]:
        del pod["volumes"]
    _identify(pod, config, token=role.token)
    affinity = _affinity(job, pod.get("affinity", {}), siblings)
    if affinity:
        pod["affinity"] = affinity
    if role.restart:
        pod["restartPolicy"] = role.restart
    queue, gang = pod_queue(config, job.platform), owners_gang(placement.pool, job.platform)
    if gang and role.follows:
        queue, gang = PodQueue(), None
    if scheduler := queue.scheduler or (gang.scheduler if gang else ""):
        pod["schedulerName"] = scheduler  # of all pods, with GPUs or without: their gang has one scheduler
    annotations = {INJECT: "false", **placement.annotations, **queue.annotations, **config.annotations}
    labels = {**job.labels(), **queue.labels, **(gang.labels if gang else {}), INJECT: "false"}
    return {"metadata": {"annotations": annotations, "labels": labels}, "spec": pod}


def make_claims(job: Job[P]) -> None:
    """The claims of volumes that the job makes. Their names have no hash: data outlives the job."""
    for name, (_, volume) in job.config.mounted().items():
        if not volume.storage:
            continue
        storage = job.platform.storage.get(volume.storage)
        Resource(
            job,
            PERSISTENT_VOLUME_CLAIM,
            claim_of(job, name, volume),
            spec={
                "accessModes": [_mode(job, storage.modes if storage else ())],
                "storageClassName": (storage.class_name if storage and storage.class_name else volume.storage),
                "resources": {"requests": {"storage": volume.size}},
            },
        )


def make_tensorboard(job: Job[P]) -> None:
    """A TensorBoard on the folder with logs, where the job has one."""
    folder = job.config.tensorboard
    if folder is None:
        return
    found = (
        (name, path, volume)
        for name, (path, volume) in job.config.mounted().items()
        if folder == path or folder.startswith(f"{path}/")
    )
    name, path, volume = next(found)
    below = "/".join(part for part in (volume.path, folder.removeprefix(path).strip("/")) if part)
    Resource(job, TENSORBOARD, job.config.name, spec={"logspath": f"pvc://{claim_of(job, name, volume)}/{below}"})


def claim_of(job: Job[P], name: str, volume: JobVolume) -> str:
    """Name of a volume's claim."""
    return volume.claim or f"{job.config.name}-{name}"


def _mode(job: Job[P], modes: Sequence[str]) -> str:
    shared = "ReadWriteMany"
    return shared if shared in modes or job.config.pods > 1 else "ReadWriteOnce"


def _placement(job: Job[P], role: Role) -> Placement:
    config = job.config
    return place(
        config.pool_name(job.platform),
        gpus=config.gpus_per_worker if role.trains else 0,
        rdma=config.rdma and role.fabric,
        platform=job.platform,
        profile=config.mig_profile,
        choice=Choice(config.interface, tuple(config.hca), config.gid_index),
        driver=role.driver,
    )


def _sized(job: Job[P]) -> Size:
    config = job.config
    own = config.share(job.platform)
    return Size(config.cpu or own.cpu, config.memory or own.memory)


def _shared(job: Job[P], role: Role, size: Sized) -> str:
    config = job.config
    return half(size.memory) if role.size else config.shared_memory or half(size.memory)


def _container(job: Job[P], role: Role, size: Sized) -> Container:
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
    if role.ports:
        container["ports"] = [{"name": name, "containerPort": number} for name, number in role.ports.items()]
    container["resources"] = {
        "requests": {"cpu": size.cpu, "memory": size.memory},
        "limits": {"memory": size.memory},
    }
    mounts = [*_mounts(config), *role.mounts]
    for each in config.readings(job.platform):
        mounts += each.mounts(f"{DATASETS_FOLDER}/{each.name}")
    if config.code:
        mounts.append({"name": CODE, "mountPath": CODE_FOLDER})
    if mounts:
        container["volumeMounts"] = mounts
    return container


def _variables(job: Job[P], role: Role) -> list[EnvVar]:
    config = job.config
    values: dict[str, str | Variable] = dict(role.env)
    if index := job.platform.package_indexes.get("pip"):
        values["PIP_INDEX_URL"] = index
    if config.checkpoints:
        values["CHECKPOINT_DIR"] = config.checkpoints
    if config.output:
        values["OUTPUT_DIR"] = config.mounted()["output"][0]
    return [_variable(name, value) for name, value in (values | dict(config.env)).items()]


def _variable(name: str, value: str | Variable) -> EnvVar:
    if isinstance(value, str):
        return {"name": name, "value": value}
    if value.secret:
        return {"name": name, "valueFrom": from_secret(value.secret, value.key or "")}
    if value.config_map:
        return {"name": name, "valueFrom": from_config(value.config_map, value.key or "")}
    if value.field:
        return {"name": name, "valueFrom": from_field(value.field)}
    return {"name": name, "valueFrom": from_amount(value.resource or "")}


def _mounts(config: PodConfig) -> list[VolumeMount]:
    made = []
    for name, (path, volume) in config.mounted().items():
        mount: VolumeMount = {"name": name, "mountPath": path}
        if volume.path:
            mount["subPath"] = volume.path
        if volume.read_only:
            mount["readOnly"] = True
        made.append(mount)
    return made


def _volumes(job: Job[P]) -> list[Volume]:
    return [
        {"name": name, "persistentVolumeClaim": {"claimName": claim_of(job, name, volume)}}
        for name, (_, volume) in job.config.mounted().items()
    ]


def _identify(pod: PodSpec, config: PodConfig, *, token: bool) -> None:
    """Account, secrets, priority, deadline, and how long it has to write a checkpoint."""
    pod["terminationGracePeriodSeconds"] = config.grace_period_seconds
    # The training operator looks at a job's deadline only when something happens to the job: its pods' own, which the
    # kubelet keeps, is what happens (releases 1.7 and 1.9, whose work queue is a FakeWorkQueue).
    pod["activeDeadlineSeconds"] = config.deadline_hours * 3600
    if config.service_account:
        pod["serviceAccountName"] = config.service_account
    elif not token:
        pod["automountServiceAccountToken"] = False
    if config.pull_secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in config.pull_secrets]
    if config.priority_class:
        pod["priorityClassName"] = config.priority_class


def _affinity(job: Job[P], given: Affinity, siblings: str) -> Affinity:
    """Beside the model that the pool's nodes must name: nodes to keep away from, and pods to be near or far from."""
    config = job.config
    name = config.pool_name(job.platform)
    pool = job.platform.pool(name) if name else None
    avoided = {**(pool.avoid if pool else {}), **config.avoid}
    made: dict[str, Any] = dict(given)
    if avoided:
        away: list[NodeSelectorRequirement] = [
            {"key": key, "operator": "NotIn", "values": [value]} for key, value in sorted(avoided.items())
        ]
        required = made.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
        terms = required.get("nodeSelectorTerms", [{"matchExpressions": []}])
        joined = [{"matchExpressions": [*term["matchExpressions"], *away]} for term in terms]
        made["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": joined}}
    if config.arrangement:
        term: PodAffinityTerm = {
            "labelSelector": {"matchLabels": {siblings: job.unique_name}},
            "topologyKey": "kubernetes.io/hostname",
        }
        kind = "podAffinity" if config.arrangement == "pack" else "podAntiAffinity"
        made[kind] = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}
    return cast(Affinity, made)
