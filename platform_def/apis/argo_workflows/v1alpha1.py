"""Argo Workflows 3.7 as its own installation has it: the specs of workflows are open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Required

from platform_def.crds.health import StateHealth
from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.schema import MapType, OpenObject, Ref
from platform_def.crds.typed_dict import TypedDict


class Workflow(TypedDict, total=False):
    """A run of steps, each of them a pod."""

    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    """Templates, the one that is the entrypoint, and arguments."""
    status: Annotated[OpenObject, MapType("atomic")]


class WorkflowTemplate(TypedDict, total=False):
    """A workflow, or parts of one, for others to use by name."""

    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    """As of a Workflow; everything may be left out."""


class CronWorkflow(TypedDict, total=False):
    """A workflow that runs by the clock."""

    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    """Schedules in cron's notation, and the workflow in workflowSpec."""
    status: Annotated[OpenObject, MapType("atomic")]


_STORES: Mapping[str, tuple[str, ...]] = {
    "artifactory": ("usernameSecret", "passwordSecret"),
    "azure": ("accountKeySecret",),
    "gcs": ("serviceAccountKeySecret",),
    "git": ("usernameSecret", "passwordSecret", "sshPrivateKeySecret"),
    "hdfs": ("krbCCacheSecret", "krbKeytabSecret"),
    "oss": ("accessKeySecret", "secretKeySecret"),
    "s3": ("accessKeySecret", "secretKeySecret", "caSecret", "sessionTokenSecret"),
}
"""Fields of artifact stores that hold a key of a Secret."""
_ARTIFACTS = ("inputs.artifacts[]", "outputs.artifacts[]", "archiveLocation")
_ARGUMENTS = ("steps[][].arguments", "dag.tasks[].arguments")
# It may be a ClusterWorkflowTemplate as well: clusterScope says so, which is no kind.
_TEMPLATE = Ref("WorkflowTemplate", group="argoproj.io", optional=True)
_ACCOUNT = Ref("ServiceAccount")
_PRIORITY = Ref("PriorityClass", group="scheduling.k8s.io")

_WAITING: Mapping[str, Ref | str] = {
    "synchronization.semaphore.configMapKeyRef": "ConfigMapKeySelector",
    "synchronization.semaphores[].configMapKeyRef": "ConfigMapKeySelector",
}


def names_in_workflow(spec: str) -> dict[str, Ref | str]:
    """Fields below the path `spec` of a workflow's specification that name other objects."""
    names: dict[str, Ref | str] = {
        "serviceAccountName": _ACCOUNT,
        "executor.serviceAccountName": _ACCOUNT,
        "artifactGC.serviceAccountName": _ACCOUNT,
        "podPriorityClassName": _PRIORITY,
        "imagePullSecrets[].name": Ref("Secret", weak=True),
        "volumes[]": "Volume",
        "volumeClaimTemplates[]": "PersistentVolumeClaim",
        # Looked for in the controller's namespace as well.
        "artifactRepositoryRef.configMap": Ref("ConfigMap", key="key", optional=True),
        "workflowTemplateRef.name": _TEMPLATE,
        **_WAITING,
        **_arguments("arguments"),
        **_template("templates[]"),
        **_template("templateDefaults"),
    }
    return {f"{spec}.{path}": what for path, what in names.items()}


def _template(at: str) -> dict[str, Ref | str]:
    names: dict[str, Ref | str] = {
        "serviceAccountName": _ACCOUNT,
        "executor.serviceAccountName": _ACCOUNT,
        "priorityClassName": _PRIORITY,
        "container": "Container",
        "script": "Container",
        "containerSet.containers[]": "Container",
        "initContainers[]": "Container",
        "sidecars[]": "Container",
        "volumes[]": "Volume",
        "steps[][].templateRef.name": _TEMPLATE,
        "dag.tasks[].templateRef.name": _TEMPLATE,
        "inputs.parameters[].valueFrom.configMapKeyRef": "ConfigMapKeySelector",
        # The controller makes the cache where it is missing.
        "memoize.cache.configMap.name": Ref("ConfigMap", optional=True),
        **_WAITING,
    }
    names |= {path: what for place in _ARTIFACTS for path, what in _stores(place).items()}
    names |= {path: what for place in _ARGUMENTS for path, what in _arguments(place).items()}
    return {f"{at}.{path}": what for path, what in names.items()}


def _arguments(at: str) -> dict[str, Ref | str]:
    return {f"{at}.parameters[].valueFrom.configMapKeyRef": "ConfigMapKeySelector", **_stores(f"{at}.artifacts[]")}


def _stores(at: str) -> dict[str, Ref | str]:
    names: dict[str, Ref | str] = {f"{at}.hdfs.krbConfigConfigMap": "ConfigMapKeySelector"}
    return names | {f"{at}.{store}.{field}": "SecretKeySelector" for store in _STORES for field in _STORES[store]}


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
    references=names_in_workflow("spec"),
    doc="A run of steps, each of them a pod.",
    health=StateHealth("status.phase", ready=("Succeeded",), failed=("Failed", "Error")),
)

WORKFLOW_TEMPLATE = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTemplate",
    plural="workflowtemplates",
    spec=dict[str, object],
    top=WorkflowTemplate,
    required=("metadata",),
    references=names_in_workflow("spec"),
    doc="A workflow, or parts of one, for others of its namespace to use by name.",
)

CLUSTER_WORKFLOW_TEMPLATE = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="ClusterWorkflowTemplate",
    plural="clusterworkflowtemplates",
    namespaced=False,
    spec=dict[str, object],
    top=WorkflowTemplate,
    required=("metadata",),
    doc="A workflow, or parts of one, for others of every namespace to use by name.",
)

CRON_WORKFLOW = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="CronWorkflow",
    plural="cronworkflows",
    spec=dict[str, object],
    top=CronWorkflow,
    required=("metadata",),
    references=names_in_workflow("spec.workflowSpec"),
    doc="A workflow that runs by the clock.",
)

CRDS = (
    Definition((WORKFLOW,), short_names=("wf",)),
    Definition((WORKFLOW_TEMPLATE,), short_names=("wftmpl",)),
    Definition((CLUSTER_WORKFLOW_TEMPLATE,), short_names=("clusterwftmpl", "cwft")),
    Definition((CRON_WORKFLOW,), short_names=("cwf", "cronwf")),
)
