"""Argo Workflows 4.0 with the specs of workflows spelled out."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.argo_workflows.v1alpha1 import names_in_workflow
from platform_def.crds.health import StateHealth
from platform_def.crds.model import Api, Column, DataSchema, Definition
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("full_4_0.json")

CLUSTER_WORKFLOW_TEMPLATE = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="ClusterWorkflowTemplate",
    plural="clusterworkflowtemplates",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clusterworkflowtemplates/v1alpha1"),
    core="1.33",
)

CRON_WORKFLOW = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="CronWorkflow",
    plural="cronworkflows",
    spec=dict[str, object],
    data=DataSchema(_DATA, "cronworkflows/v1alpha1"),
    core="1.33",
    references=names_in_workflow("spec.workflowSpec"),
)

WORKFLOW_ARTIFACT_GC_TASK = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowArtifactGCTask",
    plural="workflowartifactgctasks",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workflowartifactgctasks/v1alpha1"),
    core="1.33",
    status_subresource=True,
)

WORKFLOW_EVENT_BINDING = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowEventBinding",
    plural="workfloweventbindings",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workfloweventbindings/v1alpha1"),
    core="1.33",
    references={"spec.submit.workflowTemplateRef.name": Ref("WorkflowTemplate", group="argoproj.io", optional=True)},
)

WORKFLOW = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="Workflow",
    plural="workflows",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workflows/v1alpha1"),
    core="1.33",
    columns=(
        Column("Status", ".status.phase"),
        Column("Age", ".status.startedAt", type="date", format="date-time"),
        Column("Message", ".status.message"),
    ),
    references=names_in_workflow("spec"),
    health=StateHealth("status.phase", ready=("Succeeded",), failed=("Failed", "Error")),
)

WORKFLOW_TASK_RESULT = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTaskResult",
    plural="workflowtaskresults",
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "workflowtaskresults/v1alpha1"),
    core="1.33",
)

WORKFLOW_TASK_SET = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTaskSet",
    plural="workflowtasksets",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workflowtasksets/v1alpha1"),
    core="1.33",
    status_subresource=True,
)

WORKFLOW_TEMPLATE = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTemplate",
    plural="workflowtemplates",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workflowtemplates/v1alpha1"),
    core="1.33",
    references=names_in_workflow("spec"),
)

CRDS = (
    Definition((CLUSTER_WORKFLOW_TEMPLATE,), short_names=("clusterwftmpl", "cwft")),
    Definition((CRON_WORKFLOW,), short_names=("cwf", "cronwf")),
    Definition((WORKFLOW_ARTIFACT_GC_TASK,), short_names=("wfat",)),
    Definition((WORKFLOW_EVENT_BINDING,), short_names=("wfeb",)),
    Definition((WORKFLOW,), short_names=("wf",)),
    Definition((WORKFLOW_TASK_RESULT,)),
    Definition((WORKFLOW_TASK_SET,), short_names=("wfts",)),
    Definition((WORKFLOW_TEMPLATE,), short_names=("wftmpl",)),
)
