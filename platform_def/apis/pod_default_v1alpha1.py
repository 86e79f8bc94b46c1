"""PodDefault, as Kubeflow 1.10's admission webhook serves it: what it adds to pods with a label.

The CRD, from data, has the pod of its operator's day; whoever writes one uses today's type.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.model import Api, DataSchema, Definition
from platform_def.apis.schema import Ref


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
    env: list[core_v1.EnvVar]
    """Environment that containers get."""
    envFrom: list[core_v1.EnvFromSource]
    """Environment that containers get from whole Secrets and ConfigMaps."""
    imagePullSecrets: list[core_v1.LocalObjectReference]
    """Secrets to pull images with."""
    initContainers: list[core_v1.Container]
    """Containers that run first."""
    labels: dict[str, str]
    """Labels that pods get."""
    selector: Required[meta_v1.LabelSelector]
    """Labels of the pods that get it."""
    serviceAccountName: Annotated[str, Ref("ServiceAccount")]
    """Service account that pods get."""
    sidecars: list[core_v1.Container]
    """Further containers."""
    tolerations: list[core_v1.Toleration]
    """Tolerations that pods get."""
    volumeMounts: list[core_v1.VolumeMount]
    """Where containers mount the volumes."""
    volumes: list[core_v1.Volume]
    """Volumes that pods get."""


_DATA = Path(__file__).with_name("pod_default_v1alpha1.json")

POD_DEFAULT = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="PodDefault",
    plural="poddefaults",
    spec=PodDefaultSpec,
    data=DataSchema(_DATA, "poddefaults/v1alpha1"),
    core="1.25",
)

CRDS = (Definition((POD_DEFAULT,)),)
