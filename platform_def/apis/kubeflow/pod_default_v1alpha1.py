"""PodDefault, as Kubeflow's webhook 2.0 serves it: what it adds to pods with a label.

The CRD has the core types that its operator was compiled against, kept as data; authors use today's type.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.data import Kept
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import EmptyObject, Ref
from platform_def.crds.typed_dict import TypedDict


def _kept(name: str) -> Kept:
    return Kept(Path(__file__).with_name("pod_default_v1alpha1.json"), name, "1.25")


class PodDefaultSpec(TypedDict, total=False):
    """What pods with certain labels get."""

    annotations: dict[str, str]
    """Annotations that pods get."""
    args: list[str]
    """Arguments, where a container has none."""
    automountServiceAccountToken: bool
    """Whether pods get the token of their service account."""
    command: list[str]
    """Command, where a container has none."""
    desc: str
    """What people see when they choose it."""
    env: list[Annotated[core_v1.EnvVar, _kept("EnvVar")]]
    """Environment that containers get."""
    envFrom: list[Annotated[core_v1.EnvFromSource, _kept("EnvFromSource")]]
    """Environment that containers get from whole Secrets and ConfigMaps."""
    imagePullSecrets: list[Annotated[core_v1.LocalObjectReference, _kept("LocalObjectReference")]]
    """Secrets to pull images with."""
    initContainers: list[Annotated[core_v1.Container, _kept("Container")]]
    """Containers that run first."""
    labels: dict[str, str]
    """Labels that pods get."""
    selector: Required[Annotated[meta_v1.LabelSelector, _kept("LabelSelector")]]
    """Labels of the pods that get it."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount", weak=True)]
    """Service account that pods get."""
    sidecars: list[Annotated[core_v1.Container, _kept("Container")]]
    """Further containers."""
    tolerations: list[core_v1.Toleration]
    """Tolerations that pods get."""
    volumeMounts: list[core_v1.VolumeMount]
    """Where containers mount the volumes."""
    volumes: list[Annotated[core_v1.Volume, _kept("Volume")]]
    """Volumes that pods get."""


class PodDefault(TypedDict, total=False):
    """What pods with certain labels get."""

    spec: PodDefaultSpec
    status: EmptyObject


POD_DEFAULT = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="PodDefault",
    plural="poddefaults",
    spec=PodDefaultSpec,
    top=PodDefault,
    core="1.25",
    status_subresource=True,
    references={"spec.imagePullSecrets[].name": Ref("Secret", weak=True)},
    doc="What pods with certain labels get when they are made: environment, volumes, tolerations ….",
)

CRDS = (Definition((POD_DEFAULT,)),)
