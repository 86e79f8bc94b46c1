"""Argo Workflows 3.7 as its own installation has it: the specs of workflows are open."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import EmptyObject, Int32, Int64, MapType, OpenObject


class ClusterWorkflowTemplate(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]


class CronWorkflow(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    status: Annotated[OpenObject, MapType("atomic")]


class Artifactory(TypedDict, total=False):
    passwordSecret: core_v1.SecretKeySelector
    url: Required[str]
    usernameSecret: core_v1.SecretKeySelector


class Azure(TypedDict, total=False):
    accountKeySecret: core_v1.SecretKeySelector
    blob: Required[str]
    container: Required[str]
    endpoint: Required[str]
    useSDKCreds: bool


class Gcs(TypedDict, total=False):
    bucket: str
    key: Required[str]
    serviceAccountKeySecret: core_v1.ConfigMapKeySelector


class Git(TypedDict, total=False):
    branch: str
    depth: Int64
    disableSubmodules: bool
    fetch: list[str]
    insecureIgnoreHostKey: bool
    insecureSkipTLS: bool
    passwordSecret: core_v1.SecretKeySelector
    repo: Required[str]
    revision: str
    singleBranch: bool
    sshPrivateKeySecret: core_v1.SecretKeySelector
    usernameSecret: core_v1.SecretKeySelector


class Hdfs(TypedDict, total=False):
    addresses: list[str]
    dataTransferProtection: str
    force: bool
    hdfsUser: str
    krbCCacheSecret: core_v1.SecretKeySelector
    krbConfigConfigMap: core_v1.ConfigMapKeySelector
    krbKeytabSecret: core_v1.SecretKeySelector
    krbRealm: str
    krbServicePrincipalName: str
    krbUsername: str
    path: Required[str]


class BasicAuth(TypedDict, total=False):
    passwordSecret: core_v1.SecretKeySelector
    usernameSecret: core_v1.SecretKeySelector


class ClientCert(TypedDict, total=False):
    clientCertSecret: core_v1.SecretKeySelector
    clientKeySecret: core_v1.SecretKeySelector


class EndpointParam(TypedDict, total=False):
    key: Required[str]
    value: str


class Oauth2(TypedDict, total=False):
    clientIDSecret: core_v1.SecretKeySelector
    clientSecretSecret: core_v1.ConfigMapKeySelector
    endpointParams: list[EndpointParam]
    scopes: list[str]
    tokenURLSecret: core_v1.SecretKeySelector


class Auth(TypedDict, total=False):
    basicAuth: BasicAuth
    clientCert: ClientCert
    oauth2: Oauth2


class Http(TypedDict, total=False):
    auth: Auth
    headers: list[core_v1.HTTPHeader]
    url: Required[str]


class LifecycleRule(TypedDict, total=False):
    markDeletionAfterDays: Int32
    markInfrequentAccessAfterDays: Int32


class Oss(TypedDict, total=False):
    accessKeySecret: core_v1.SecretKeySelector
    bucket: str
    createBucketIfNotPresent: bool
    endpoint: str
    key: Required[str]
    lifecycleRule: LifecycleRule
    secretKeySecret: core_v1.SecretKeySelector
    securityToken: str
    useSDKCreds: bool


class Raw(TypedDict, total=False):
    data: Required[str]


class CreateBucketIfNotPresent(TypedDict, total=False):
    objectLocking: bool


class EncryptionOptions(TypedDict, total=False):
    enableEncryption: bool
    kmsEncryptionContext: str
    kmsKeyId: str
    serverSideCustomerKeySecret: core_v1.SecretKeySelector


class S3(TypedDict, total=False):
    accessKeySecret: core_v1.SecretKeySelector
    bucket: str
    caSecret: core_v1.ConfigMapKeySelector
    createBucketIfNotPresent: CreateBucketIfNotPresent
    encryptionOptions: EncryptionOptions
    endpoint: str
    insecure: bool
    key: str
    region: str
    roleARN: str
    secretKeySecret: core_v1.SecretKeySelector
    sessionTokenSecret: core_v1.ConfigMapKeySelector
    useSDKCreds: bool


class ArchiveLocation(TypedDict, total=False):
    archiveLogs: bool
    artifactory: Artifactory
    azure: Azure
    gcs: Gcs
    git: Git
    hdfs: Hdfs
    http: Http
    oss: Oss
    raw: Raw
    s3: S3


class Tar(TypedDict, total=False):
    compressionLevel: Int32


class Archive(TypedDict, total=False):
    none: EmptyObject
    tar: Tar
    zip: EmptyObject


class PodMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class ArtifactGC(TypedDict, total=False):
    podMetadata: PodMetadata
    serviceAccountName: str
    strategy: Literal["", "OnWorkflowCompletion", "OnWorkflowDeletion", "Never"]


Artifact = TypedDict(
    "Artifact",
    {
        "archive": "Archive",
        "archiveLogs": "bool",
        "artifactGC": "ArtifactGC",
        "artifactory": "Artifactory",
        "azure": "Azure",
        "deleted": "bool",
        "from": "str",
        "fromExpression": "str",
        "gcs": "Gcs",
        "git": "Git",
        "globalName": "str",
        "hdfs": "Hdfs",
        "http": "Http",
        "mode": "Int32",
        "name": "Required[str]",
        "optional": "bool",
        "oss": "Oss",
        "path": "str",
        "raw": "Raw",
        "recurseMode": "bool",
        "s3": "S3",
        "subPath": "str",
    },
    total=False,
)


class ArtifactsByNode(TypedDict, total=False):
    archiveLocation: ArchiveLocation
    artifacts: dict[str, Artifact]


class WorkflowArtifactGCTaskSpec(TypedDict, total=False):
    artifactsByNode: dict[str, ArtifactsByNode]


class ArtifactResult(TypedDict, total=False):
    error: str
    name: Required[str]
    success: bool


class ArtifactResultsByNode(TypedDict, total=False):
    artifactResults: dict[str, ArtifactResult]


class WorkflowArtifactGCTaskStatus(TypedDict, total=False):
    artifactResultsByNode: dict[str, ArtifactResultsByNode]


class Event(TypedDict, total=False):
    selector: Required[str]


class ValueFrom(TypedDict, total=False):
    configMapKeyRef: core_v1.ConfigMapKeySelector
    default: str
    event: str
    expression: str
    jqFilter: str
    jsonPath: str
    parameter: str
    path: str
    supplied: EmptyObject


class Parameter(TypedDict, total=False):
    default: str
    description: str
    enum: list[str]
    globalName: str
    name: Required[str]
    value: str
    valueFrom: ValueFrom


class Arguments(TypedDict, total=False):
    artifacts: list[Artifact]
    parameters: list[Parameter]


class SubmitMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    generateName: str
    labels: dict[str, str]
    name: str
    namespace: str


class WorkflowTemplateRef(TypedDict, total=False):
    clusterScope: bool
    name: str


class Submit(TypedDict, total=False):
    arguments: Arguments
    metadata: SubmitMetadata
    workflowTemplateRef: Required[WorkflowTemplateRef]


class WorkflowEventBindingSpec(TypedDict, total=False):
    event: Required[Event]
    submit: Submit


class Workflow(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    status: Annotated[OpenObject, MapType("atomic")]


class WorkflowTaskResultOutputs(TypedDict, total=False):
    artifacts: list[Artifact]
    exitCode: str
    parameters: list[Parameter]
    result: str


class WorkflowTaskResult(TypedDict, total=False):
    message: str
    outputs: WorkflowTaskResultOutputs
    phase: str
    progress: str


class WorkflowTaskSet(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]
    status: Annotated[OpenObject, MapType("atomic")]


class WorkflowTemplate(TypedDict, total=False):
    spec: Required[Annotated[OpenObject, MapType("atomic")]]


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

WORKFLOW_ARTIFACT_GC_TASK = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowArtifactGCTask",
    plural="workflowartifactgctasks",
    spec=WorkflowArtifactGCTaskSpec,
    status=WorkflowArtifactGCTaskStatus,
    required=("spec", "metadata"),
    core="1.37",
    status_subresource=True,
)

WORKFLOW_EVENT_BINDING = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowEventBinding",
    plural="workfloweventbindings",
    spec=WorkflowEventBindingSpec,
    required=("spec", "metadata"),
    core="1.37",
)

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

WORKFLOW_TASK_RESULT = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTaskResult",
    plural="workflowtaskresults",
    spec=WorkflowTaskResult,
    top_level=True,
    required=("metadata",),
    core="1.37",
)

WORKFLOW_TASK_SET = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="WorkflowTaskSet",
    plural="workflowtasksets",
    spec=dict[str, object],
    top=WorkflowTaskSet,
    required=("metadata",),
    status_subresource=True,
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
