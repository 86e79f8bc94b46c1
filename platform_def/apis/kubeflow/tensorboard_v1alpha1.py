"""Tensorboard, as the controller of Kubeflow 1.11 serves it."""

from __future__ import annotations

from typing import Required

from platform_def.crds.health import StateHealth
from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import Int32, Time
from platform_def.crds.typed_dict import TypedDict


class TensorboardSpec(TypedDict, total=False):
    """A TensorBoard server on one folder of logs."""

    logspath: Required[str]
    """Where the logs are: pvc://<claim>/<folder>, or the address of an object store (gs://…, s3://…)."""


class Condition(TypedDict, total=False):
    """A fact that the controller found."""

    deploymentState: Required[str]
    lastProbeTime: Time


class TensorboardStatus(TypedDict, total=False):
    """What the controller reports."""

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
    makes=(Makes("Service"),),
    doc="A TensorBoard server on one folder of logs.",
    health=StateHealth("status.readyReplicas", ready=(1,)),
)

CRDS = (Definition((TENSORBOARD,)),)
