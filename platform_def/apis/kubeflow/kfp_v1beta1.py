"""Kubeflow Pipelines 2.17 (kubeflow.org): what its API server makes for recurring runs, and viewers."""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import MapType, OpenObject, Ref
from platform_def.crds.typed_dict import TypedDict


class ScheduledWorkflow(TypedDict, total=False):
    """A recurring run; the API server makes it and knows it by its UID, so it can't come from Git."""

    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    """Schedule, pipeline and arguments."""
    status: Required[Annotated[OpenObject, MapType("atomic")]]


class Viewer(TypedDict, total=False):
    """A TensorBoard server for an output of a run."""

    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    """Kind of viewer, its pod and what it shows."""


SCHEDULED_WORKFLOW = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="ScheduledWorkflow",
    plural="scheduledworkflows",
    spec=dict[str, object],
    top=ScheduledWorkflow,
    references={"spec.serviceAccount": Ref("ServiceAccount")},
)

VIEWER = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Viewer",
    plural="viewers",
    spec=dict[str, object],
    top=Viewer,
    references={"spec.podTemplateSpec": "PodTemplateSpec"},
)

CRDS = (Definition((SCHEDULED_WORKFLOW,), short_names=("swf",)), Definition((VIEWER,), short_names=("vi",)))
