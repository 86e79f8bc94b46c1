"""Argo Workflows 3.7 as its own installation has it: the specs of workflows are open."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import MapType, OpenObject


class Workflow(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    status: Annotated[OpenObject, MapType("atomic")]


class WorkflowTemplate(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]


class ClusterWorkflowTemplate(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]


class CronWorkflow(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    status: Annotated[OpenObject, MapType("atomic")]


WORKFLOW = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="Workflow",
    plural="workflows",
    spec=dict[str, object],
    top=Workflow,
    required=("metadata",),
    columns=(
        Column("Status", ".status.phase"),
        Column("Age", ".status.startedAt", type="date", format="date-time"),
        Column("Message", ".status.message"),
    ),
)

WORKFLOW_TEMPLATE = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTemplate",
    plural="workflowtemplates",
    spec=dict[str, object],
    top=WorkflowTemplate,
    required=("metadata",),
)

CLUSTER_WORKFLOW_TEMPLATE = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="ClusterWorkflowTemplate",
    plural="clusterworkflowtemplates",
    namespaced=False,
    spec=dict[str, object],
    top=ClusterWorkflowTemplate,
    required=("metadata",),
)

CRON_WORKFLOW = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="CronWorkflow",
    plural="cronworkflows",
    spec=dict[str, object],
    top=CronWorkflow,
    required=("metadata",),
)

CRDS = (
    Definition((WORKFLOW,), short_names=("wf",)),
    Definition((WORKFLOW_TEMPLATE,), short_names=("wftmpl",)),
    Definition((CLUSTER_WORKFLOW_TEMPLATE,), short_names=("clusterwftmpl", "cwft")),
    Definition((CRON_WORKFLOW,), short_names=("cwf", "cronwf")),
)
