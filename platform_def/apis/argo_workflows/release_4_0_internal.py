"""Argo Workflows 4.0: what its controller and its pods tell each other, and events."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.model import Api, DataSchema, Definition
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("internal_4_0.json")

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
    doc="A workflow that starts when an event comes in over HTTP.",
)

CRDS = (
    Definition((WORKFLOW_TASK_SET,), short_names=("wfts",)),
    Definition((WORKFLOW_TASK_RESULT,)),
    Definition((WORKFLOW_ARTIFACT_GC_TASK,), short_names=("wfat",)),
    Definition((WORKFLOW_EVENT_BINDING,), short_names=("wfeb",)),
)
