"""Notebook, as the notebook controller of Kubeflow 1.11 serves it.

The CRD has the pod type that its operator was compiled against, kept as data; authors use today's type.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Required

from platform_def.apis.core import core_v1
from platform_def.crds.data import Kept
from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import Int32
from platform_def.crds.typed_dict import TypedDict

_POD = Kept(Path(__file__).with_name("notebook_v1.json"), "PodSpec", "1.25")


class NotebookTemplate(TypedDict, total=False):
    """The pod."""

    spec: Annotated[core_v1.PodSpec, _POD]
    """Its specification; the first container, which is called like the notebook, serves it on port 8888 if it names no
    other."""


class NotebookSpec(TypedDict, total=False):
    """A server for notebooks: one pod, reached at /notebook/<namespace>/<name>/."""

    template: NotebookTemplate
    """The pod."""


class NotebookStatus(TypedDict, total=False):
    """What the controller reports."""

    conditions: Required[list[core_v1.PodCondition]]
    containerState: Required[core_v1.ContainerState]
    readyReplicas: Required[Int32]


def _notebook(version: str, *, storage: bool = False) -> Api[NotebookSpec]:
    return Api(
        group="kubeflow.org",
        version=version,
        kind="Notebook",
        plural="notebooks",
        spec=NotebookSpec,
        status=NotebookStatus,
        core="1.25",
        status_subresource=True,
        storage=storage,
        makes=(Makes("Service"),),
        doc="A server for notebooks: one pod, reached at /notebook/<namespace>/<name>/.",
    )


NOTEBOOK = _notebook("v1", storage=True)
NOTEBOOK_V1ALPHA1 = _notebook("v1alpha1")
NOTEBOOK_V1BETA1 = _notebook("v1beta1")

CRDS = (Definition((NOTEBOOK, NOTEBOOK_V1ALPHA1, NOTEBOOK_V1BETA1)),)
