"""Kubeflow Pipelines 2.16 (kubeflow.org): what its API server makes for recurring runs, and viewers."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import MapType, OpenObject


class ScheduledWorkflow(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    status: Required[Annotated[OpenObject, MapType("atomic")]]


class Viewer(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]


SCHEDULED_WORKFLOW = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="ScheduledWorkflow",
    plural="scheduledworkflows",
    spec=dict[str, object],
    top=ScheduledWorkflow,
)

VIEWER = Api(
    group="kubeflow.org", version="v1beta1", kind="Viewer", plural="viewers", spec=dict[str, object], top=Viewer
)

CRDS = (Definition((SCHEDULED_WORKFLOW,), short_names=("swf",)), Definition((VIEWER,), short_names=("vi",)))
