"""Volumes of a job's pods: where each comes from, and the claims that the job makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from platform_def.apis.core.core_v1 import PERSISTENT_VOLUME_CLAIM, PersistentVolumeClaimSpec, Volume, VolumeMount
from platform_def.apis.kubeflow.tensorboard_v1alpha1 import TENSORBOARD
from platform_def.constructs.resource import Resource
from platform_def.jobs.fields import ContainerConfig, PodFields
from platform_def.jobs.parameters import Volume as JobVolume
from platform_def.jobs.template import Placed, TemplateJob

P = TypeVar("P", bound=ContainerConfig)
T = TypeVar("T", bound=PodFields)


def make_claims(job: Placed[P]) -> None:
    """The claims of volumes that the job makes. Their names have no hash: data outlives the job."""
    for name, (_, volume) in job.config.mounted().items():
        if volume.storage and volume.claimed:
            Resource(job, PERSISTENT_VOLUME_CLAIM, claim_of(job, name, volume), spec=_claim(job, volume))


def make_tensorboard(job: TemplateJob[T]) -> None:
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


def claim_of(job: Placed[P], name: str, volume: JobVolume) -> str:
    """Name of a volume's claim."""
    return volume.claim or f"{job.config.name}-{name}"


def mounts(config: ContainerConfig) -> list[VolumeMount]:
    """Where the volumes are mounted."""
    made = []
    for name, (path, volume) in config.mounted().items():
        mount: VolumeMount = {"name": name, "mountPath": path}
        if volume.path:
            mount["subPath"] = volume.path
        if volume.read_only or volume.secret or volume.config_map:
            mount["readOnly"] = True
        made.append(mount)
    return made


def volumes(job: Placed[P]) -> list[Volume]:
    """The volumes of a pod."""
    return [
        cast(Volume, {"name": name, **_source(job, name, each)}) for name, (_, each) in job.config.mounted().items()
    ]


def _source(job: Placed[P], name: str, volume: JobVolume) -> dict[str, object]:
    if volume.secret:
        return {"secret": {"secretName": volume.secret}}
    if volume.config_map:
        return {"configMap": {"name": volume.config_map}}
    if volume.scratch:
        return {"emptyDir": {"sizeLimit": volume.scratch}}
    if volume.host_path:
        return {"hostPath": {"path": volume.host_path, "type": "Directory"}}
    if volume.csi:
        said: dict[str, object] = {"driver": volume.csi.driver}
        if volume.csi.attributes:
            said["volumeAttributes"] = dict(volume.csi.attributes)
        if volume.csi.secret:
            said["nodePublishSecretRef"] = {"name": volume.csi.secret}
        return {"csi": said}
    if volume.ephemeral:
        return {"ephemeral": {"volumeClaimTemplate": {"spec": _claim(job, volume, pods=1)}}}
    return {"persistentVolumeClaim": {"claimName": claim_of(job, name, volume)}}


def _claim(job: Placed[P], volume: JobVolume, *, pods: int = 0) -> PersistentVolumeClaimSpec:
    storage = job.platform.storage.get(volume.storage or "")
    return {
        "accessModes": [_mode(storage.modes if storage else (), pods or job.config.pods)],
        "storageClassName": (storage.class_name if storage and storage.class_name else volume.storage or ""),
        "resources": {"requests": {"storage": volume.size}},
    }


def _mode(modes: Sequence[str], pods: int) -> str:
    shared = "ReadWriteMany"
    return shared if shared in modes or pods > 1 else "ReadWriteOnce"
