"""Notebook, as the notebook controller of Kubeflow 1.10 serves it.

The CRD, from data, has the pod of its operator's day; whoever writes one uses today's type.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, DataSchema, Definition


class NotebookTemplate(TypedDict, total=False):
    """The pod."""

    spec: core_v1.PodSpec
    """Its specification; the container that is called like the notebook serves it."""


class NotebookSpec(TypedDict, total=False):
    """A server for notebooks."""

    template: NotebookTemplate
    """The pod."""


_DATA = Path(__file__).with_name("notebook_v1.json")

NOTEBOOK = Api(
    group="kubeflow.org",
    version="v1",
    kind="Notebook",
    plural="notebooks",
    spec=NotebookSpec,
    data=DataSchema(_DATA, "notebooks/v1"),
    core="1.25",
    status_subresource=True,
)

NOTEBOOK_V1ALPHA1 = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="Notebook",
    plural="notebooks",
    spec=NotebookSpec,
    data=DataSchema(_DATA, "notebooks/v1alpha1"),
    core="1.25",
    status_subresource=True,
    storage=False,
)

NOTEBOOK_V1BETA1 = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Notebook",
    plural="notebooks",
    spec=NotebookSpec,
    data=DataSchema(_DATA, "notebooks/v1beta1"),
    core="1.25",
    status_subresource=True,
    storage=False,
)

CRDS = (Definition((NOTEBOOK, NOTEBOOK_V1ALPHA1, NOTEBOOK_V1BETA1)),)
