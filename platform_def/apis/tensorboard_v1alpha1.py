"""Tensorboard, as the controller of Kubeflow 1.10 serves it."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Required, TypedDict

from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import Int32, Time


class TensorboardSpec(TypedDict, total=False):
    logspath: Required[str]
    """Where the logs are, pvc://claim/folder or the address of an object store."""


class Condition(TypedDict, total=False):
    deploymentState: Required[str]
    lastProbeTime: Time


class TensorboardStatus(TypedDict, total=False):
    conditions: Required[list[Condition]]
    readyReplicas: Required[Int32]


TENSORBOARD = Api(
    group="tensorboard.kubeflow.org",
    version="v1alpha1",
    kind="Tensorboard",
    plural="tensorboards",
    spec=TensorboardSpec,
    status=TensorboardStatus,
    status_subresource=True,
)

CRDS = (Definition((TENSORBOARD,)),)
