"""Argo CD 3.6: Application, ApplicationSet and AppProject."""
# ruff: noqa: D101, UP013

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.schema import (
    AnyValue,
    Bare,
    Int64,
    IntOrString,
    MaxLength,
    MinLength,
    OpenObject,
    Pattern,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict


class Info(TypedDict, total=False):
    """A note for the web page."""

    name: Required[str]
    """Its name."""
    value: Required[str]
    """Its text or link."""


class InitiatedBy(TypedDict, total=False):
    automated: bool
    username: str


class Backoff(TypedDict, total=False):
    """Pauses between tries."""

    duration: str
    """First pause (`5s`)."""
    factor: Int64
    """Each pause is this many times the last."""
    maxDuration: str
    """Longest pause (`3m`)."""


class Retry(TypedDict, total=False):
    """Further tries after a failed sync."""

    backoff: Backoff
    """Pauses between tries."""
    limit: Int64
    """Tries; negative for no end."""
    refresh: bool
    """A new commit ends the tries of the old one."""


class Resource(TypedDict, total=False):
    group: str
    kind: Required[str]
    name: Required[str]
    namespace: str


class ExtVar(TypedDict, total=False):
    """A variable of jsonnet."""

    code: bool
    """The value is jsonnet, not text."""
    name: Required[str]
    """Its name."""
    value: Required[str]
    """Its value."""


class Jsonnet(TypedDict, total=False):
    """How jsonnet files are evaluated."""

    extVars: list[ExtVar]
    """External variables."""
    libs: list[str]
    """Folders with libraries."""
    tlas: list[ExtVar]
    """Top-level arguments."""


class Directory(TypedDict, total=False):
    """A folder of plain manifests."""

    disableExtensionFilter: bool
    """Files of any ending count, not only .yaml, .yml, .json and .jsonnet."""
    exclude: str
    """Files left out, as a pattern."""
    include: str
    """Files taken, as a pattern."""
    jsonnet: Jsonnet
    """How jsonnet files are evaluated."""
    recurse: bool
    """Folders below are read too."""


class FileParameter(TypedDict, total=False):
    """A value that is a file's content."""

    name: str
    """Its name."""
    path: str
    """The file."""


class Parameter(TypedDict, total=False):
    """A value of the chart."""

    forceString: bool
    """It is text, even if it looks like a number."""
    name: str
    """Its name, with dots."""
    value: str
    """The value."""


class Helm(TypedDict, total=False):
    """How a chart is rendered."""

    apiVersions: list[str]
    """API versions that the chart sees; the cluster's if left out."""
    fileParameters: list[FileParameter]
    """Values that are files' contents."""
    ignoreMissingValueFiles: bool
    """Value files that are missing are no error."""
    kubeVersion: str
    """Kubernetes version that it sees; the cluster's if left out."""
    namespace: str
    """Namespace that it sees; the destination's if left out."""
    parameters: list[Parameter]
    """Single values, before all others."""
    passCredentials: bool
    """The repository's login goes to other hosts too."""
    releaseName: str
    """Name of the release; the Application's if left out."""
    skipCrds: bool
    """Leaves its CRDs out."""
    skipSchemaValidation: bool
    """Values are not checked against the chart's schema."""
    skipTests: bool
    """Leaves its tests out."""
    valueFiles: list[str]
    """Value files; `$ref/…` takes them from another source."""
    values: str
    """Values as YAML text."""
    valuesObject: OpenObject
    """Values as an object; goes before `values`."""
    version: str
    """Version of Helm; 3."""


class Target(TypedDict, total=False):
    """Objects that a patch is for, by all that is set."""

    annotationSelector: str
    """By annotation."""
    group: str
    """By API group."""
    kind: str
    """By kind."""
    labelSelector: str
    """By label."""
    name: str
    """By name, as a regular expression."""
    namespace: str
    """By namespace, as a regular expression."""
    version: str
    """By API version."""


class Patch(TypedDict, total=False):
    """A patch of kustomize."""

    options: dict[str, bool]
    """Whether it may change name or kind."""
    patch: str
    """The patch itself."""
    path: str
    """The patch as a file."""
    target: Target
    """Objects that it is for; what it names itself if left out."""


class Replica(TypedDict, total=False):
    """Replicas of a workload."""

    count: Required[IntOrString]
    """How many."""
    name: Required[str]
    """Name of the workload."""


class Kustomize(TypedDict, total=False):
    """Settings of kustomize in addition to its file."""

    apiVersions: list[str]
    """API versions that charts in it see."""
    commonAnnotations: dict[str, str]
    """Annotations for every object."""
    commonAnnotationsEnvsubst: bool
    """Variables such as $ARGOCD_APP_NAME work in them."""
    commonLabels: dict[str, str]
    """Labels for every object."""
    components: list[str]
    """Components added."""
    forceCommonAnnotations: bool
    """They go before those that are there."""
    forceCommonLabels: bool
    """They go before those that are there."""
    ignoreMissingComponents: bool
    """Components that are missing are no error."""
    images: list[str]
    """Images replaced, as `name=new:tag`."""
    kubeVersion: str
    """Kubernetes version that charts in it see."""
    labelIncludeTemplates: bool
    """Labels go onto pods too."""
    labelWithoutSelector: bool
    """Labels stay out of selectors."""
    namePrefix: str
    """Put before every name."""
    nameSuffix: str
    """Put behind every name."""
    namespace: str
    """Namespace for every object."""
    patches: list[Patch]
    """Patches added."""
    replicas: list[Replica]
    """Replicas of workloads."""
    version: str
    """Version of kustomize, of those that Argo CD was given."""


class PluginParameter(TypedDict, total=False):
    """A parameter of the plug-in, of one sort."""

    array: list[str]
    """As a list."""
    map: dict[str, str]
    """As a map."""
    name: str
    """Its name."""
    string: str
    """As text."""


class Plugin(TypedDict, total=False):
    """A plug-in that renders manifests."""

    env: list[Info]
    """Environment variables."""
    name: str
    """Its name; found by what it says of itself if left out."""
    parameters: list[PluginParameter]
    """Parameters."""


class Source(TypedDict, total=False):
    """Where manifests come from."""

    chart: str
    """Helm chart in a chart repository."""
    directory: Directory
    """A folder of plain manifests."""
    helm: Helm
    """How a chart is rendered."""
    kustomize: Kustomize
    """Settings of kustomize in addition to its file."""
    name: str
    """Name of the source, among several."""
    path: str
    """Folder in the repository."""
    plugin: Plugin
    """A plug-in that renders manifests."""
    ref: str
    """Name under which other sources read values from here."""
    repoURL: Required[str]
    """Address of the repository."""
    tagPrefix: str
    """Tags that count for a version range begin so."""
    targetRevision: str
    """Branch, tag, commit or chart version."""


class Apply(TypedDict, total=False):
    force: bool


class SyncStrategy(TypedDict, total=False):
    apply: Apply
    hook: Apply


class Sync(TypedDict, total=False):
    autoHealAttemptsCount: Int64
    dryRun: bool
    manifests: list[str]
    prune: bool
    resources: list[Resource]
    revision: str
    revisions: list[str]
    source: Source
    sources: list[Source]
    syncOptions: list[str]
    syncStrategy: SyncStrategy


class ApplicationOperation(TypedDict, total=False):
    info: list[Info]
    initiatedBy: InitiatedBy
    retry: Retry
    sync: Sync


class Destination(TypedDict, total=False):
    """A cluster and a namespace in it."""

    name: str
    """Cluster by its name in Argo CD."""
    namespace: str
    """Namespace of objects that name none."""
    server: str
    """Cluster by the address of its API server."""


class IgnoreDifference(TypedDict, total=False):
    """Fields that are no drift."""

    group: str
    """API group."""
    jqPathExpressions: list[str]
    """Fields, as jq paths."""
    jsonPointers: list[str]
    """Fields, as JSON pointers."""
    kind: Required[str]
    """Kind."""
    managedFieldsManagers: list[str]
    """Fields that these managers own."""
    name: str
    """Name; all if left out."""
    namespace: str
    """Namespace; all if left out."""


class DrySource(TypedDict, total=False):
    """Where the unrendered manifests are."""

    directory: Directory
    """A folder of plain manifests."""
    helm: Helm
    """How a chart is rendered."""
    kustomize: Kustomize
    """Settings of kustomize in addition to its file."""
    path: Required[str]
    """Folder in the repository."""
    plugin: Plugin
    """A plug-in that renders manifests."""
    repoURL: Required[str]
    """Address of the repository."""
    targetRevision: Required[str]
    """Branch, tag or commit."""


class HydrateTo(TypedDict, total=False):
    """Where rendered manifests wait for approval."""

    targetBranch: Required[str]
    """Branch."""


class SyncSource(TypedDict, total=False):
    """Where rendered manifests are synced from."""

    path: Required[Annotated[str, MinLength(1), Pattern("^.{2,}|[^./]$")]]
    """Folder in the branch."""
    repoURL: str
    """Address of the repository; the unrendered one's if left out."""
    targetBranch: Required[str]
    """Branch."""


class SourceHydrator(TypedDict, total=False):
    """Manifests are rendered into a branch first."""

    drySource: Required[DrySource]
    """Where the unrendered manifests are."""
    hydrateTo: HydrateTo
    """Branch for approval; the synced one if left out."""
    syncSource: Required[SyncSource]
    """Where they are synced from."""


class Automated(TypedDict, total=False):
    """Syncs without being asked."""

    allowEmpty: bool
    """Everything may be removed at once."""
    enabled: bool
    """False turns it off without losing the settings."""
    prune: bool
    """Objects that left the source are removed."""
    selfHeal: bool
    """Changes made in the cluster are undone."""


class ManagedNamespaceMetadata(TypedDict, total=False):
    """Labels and annotations of a namespace that the sync makes."""

    annotations: dict[str, str]
    """Annotations."""
    labels: dict[str, str]
    """Labels."""


class SyncPolicy(TypedDict, total=False):
    """When and how the cluster is brought in line."""

    automated: Automated
    """Syncs without being asked."""
    managedNamespaceMetadata: ManagedNamespaceMetadata
    """Labels and annotations of a namespace that the sync makes."""
    retry: Retry
    """What happens after a failed sync."""
    syncOptions: list[str]
    """Switches such as `ServerSideApply=true`."""


class ApplicationSpec(TypedDict, total=False):
    """Manifests from Git, and the cluster that gets them."""

    destination: Required[Destination]
    """Cluster and namespace that get the objects."""
    ignoreDifferences: list[IgnoreDifference]
    """Fields that others write, and that are no drift."""
    info: list[Info]
    """Links and notes for the web page."""
    project: Required[Annotated[str, Ref("AppProject", group="argoproj.io", optional=True, weak=True)]]
    """AppProject that it belongs to."""
    revisionHistoryLimit: Int64
    """Previous states that are kept; 10 if left out."""
    source: Source
    """Where the objects come from."""
    sourceHydrator: SourceHydrator
    """Manifests are rendered into a branch first."""
    sources: list[Source]
    """Several places, instead of `source`."""
    syncPolicy: SyncPolicy
    """When and how the cluster is brought in line."""


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    message: Required[str]
    type: Required[str]


class ApplicationHealth(TypedDict, total=False):
    lastTransitionTime: Time
    message: str
    status: str


class History(TypedDict, total=False):
    deployStartedAt: Time
    deployedAt: Required[Time]
    id: Required[Int64]
    initiatedBy: InitiatedBy
    revision: str
    revisions: list[str]
    source: Source
    sources: list[Source]


class SyncResultResource(TypedDict, total=False):
    group: Required[str]
    hookPhase: str
    hookType: str
    images: list[str]
    kind: Required[str]
    message: str
    name: Required[str]
    namespace: Required[str]
    status: str
    syncPhase: str
    version: Required[str]


class SyncResult(TypedDict, total=False):
    managedNamespaceMetadata: ManagedNamespaceMetadata
    resources: list[SyncResultResource]
    revision: Required[str]
    revisions: list[str]
    source: Source
    sources: list[Source]


class OperationState(TypedDict, total=False):
    finishedAt: Time
    message: str
    operation: Required[ApplicationOperation]
    phase: Required[str]
    retryCount: Int64
    startedAt: Required[Time]
    syncResult: SyncResult


class ApplicationStatusResource(TypedDict, total=False):
    group: str
    health: ApplicationHealth
    hook: bool
    kind: str
    name: str
    namespace: str
    requiresDeletionConfirmation: bool
    requiresPruning: bool
    status: str
    syncWave: Int64
    version: str


class CurrentOperation(TypedDict, total=False):
    drySHA: str
    finishedAt: Time
    hydratedSHA: str
    message: Required[str]
    phase: Required[Literal["Hydrating", "Failed", "Hydrated"]]
    sourceHydrator: SourceHydrator
    startedAt: Time


class LastSuccessfulOperation(TypedDict, total=False):
    drySHA: str
    hydratedSHA: str
    sourceHydrator: SourceHydrator


class ApplicationStatusSourceHydrator(TypedDict, total=False):
    currentOperation: CurrentOperation
    lastComparedDryRevision: str
    lastSuccessfulOperation: LastSuccessfulOperation


class Summary(TypedDict, total=False):
    externalURLs: list[str]
    images: list[str]
    isAppOfApps: bool


class ComparedTo(TypedDict, total=False):
    destination: Required[Destination]
    ignoreDifferences: list[IgnoreDifference]
    source: Source
    sources: list[Source]


class ApplicationStatusSync(TypedDict, total=False):
    comparedTo: ComparedTo
    revision: str
    revisions: list[str]
    status: Required[str]


class ApplicationStatus(TypedDict, total=False):
    conditions: list[Condition]
    controllerNamespace: str
    health: ApplicationHealth
    history: list[History]
    observedAt: Time
    operationState: OperationState
    reconciledAt: Time
    resourceHealthSource: str
    resources: list[ApplicationStatusResource]
    sourceHydrator: ApplicationStatusSourceHydrator
    sourceType: str
    sourceTypes: list[str]
    summary: Summary
    sync: ApplicationStatusSync


class Application(TypedDict, total=False):
    operation: ApplicationOperation
    spec: Required[ApplicationSpec]
    status: ApplicationStatus


class TemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class Template(TypedDict, total=False):
    """An Application; `{{…}}` stands for what generators give."""

    metadata: Required[TemplateMetadata]
    spec: Required[ApplicationSpec]


class GeneratorTemplate(TypedDict, total=False):
    """What a generator changes in the template; described there."""

    metadata: Required[TemplateMetadata]
    spec: Required[Annotated[ApplicationSpec, Bare()]]


class ClusterDecisionResource(TypedDict, total=False):
    """Clusters that another controller picks."""

    configMapRef: Required[Annotated[str, Ref("ConfigMap")]]
    labelSelector: meta_v1.LabelSelector
    name: str
    requeueAfterSeconds: Int64
    template: GeneratorTemplate
    values: dict[str, str]


class Clusters(TypedDict, total=False):
    flatList: bool
    selector: meta_v1.LabelSelector
    template: GeneratorTemplate
    values: dict[str, str]


class GitDirectory(TypedDict, total=False):
    exclude: bool
    path: Required[str]


class Git(TypedDict, total=False):
    directories: list[GitDirectory]
    files: list[GitDirectory]
    pathParamPrefix: str
    repoURL: Required[str]
    requeueAfterSeconds: Int64
    revision: Required[str]
    template: GeneratorTemplate
    values: dict[str, str]


class Oci(TypedDict, total=False):
    """Folders or files of an artifact in a registry."""

    directories: list[GitDirectory]
    files: list[GitDirectory]
    pathParamPrefix: str
    repoURL: Required[str]
    requeueAfterSeconds: Int64
    revision: Required[str]
    template: GeneratorTemplate
    values: dict[str, str]


class List(TypedDict, total=False):
    elements: list[AnyValue]
    elementsYaml: str
    template: GeneratorTemplate


class ConfigMapRef(TypedDict, total=False):
    """ConfigMap with address and token of the plug-in."""

    name: Required[Annotated[str, Ref("ConfigMap")]]


class Input(TypedDict, total=False):
    parameters: dict[str, AnyValue]


class GeneratorPlugin(TypedDict, total=False):
    configMapRef: Required[ConfigMapRef]
    input: Input
    requeueAfterSeconds: Int64
    template: GeneratorTemplate
    values: dict[str, str]


class TokenRef(TypedDict, total=False):
    """A key of a Secret."""

    key: Required[str]
    secretName: Required[Annotated[str, Ref("Secret", key="key")]]


class Azuredevops(TypedDict, total=False):
    api: str
    labels: list[str]
    organization: Required[str]
    project: Required[str]
    repo: Required[str]
    tokenRef: TokenRef


class BasicAuth(TypedDict, total=False):
    passwordRef: Required[TokenRef]
    username: Required[str]


class BearerToken(TypedDict, total=False):
    tokenRef: Required[TokenRef]


class Bitbucket(TypedDict, total=False):
    api: str
    basicAuth: BasicAuth
    bearerToken: BearerToken
    owner: Required[str]
    repo: Required[str]


class CaRef(TypedDict, total=False):
    """A key of a ConfigMap with authorities."""

    configMapName: Required[Annotated[str, Ref("ConfigMap", key="key")]]
    key: Required[str]


class BitbucketServer(TypedDict, total=False):
    api: Required[str]
    basicAuth: BasicAuth
    bearerToken: BearerToken
    caRef: CaRef
    insecure: bool
    project: Required[str]
    repo: Required[str]


class Filter(TypedDict, total=False):
    branchMatch: str
    targetBranchMatch: str
    titleMatch: str


class Gitea(TypedDict, total=False):
    api: Required[str]
    insecure: bool
    labels: list[str]
    owner: Required[str]
    repo: Required[str]
    tokenRef: TokenRef


class Github(TypedDict, total=False):
    """Pull requests of GitHub."""

    api: str
    appSecretName: Annotated[str, Ref("Secret")]
    labels: list[str]
    owner: Required[str]
    repo: Required[str]
    tokenRef: TokenRef


class Gitlab(TypedDict, total=False):
    api: str
    caRef: CaRef
    insecure: bool
    labels: list[str]
    project: Required[str]
    pullRequestState: str
    tokenRef: TokenRef


class PullRequest(TypedDict, total=False):
    azuredevops: Azuredevops
    bitbucket: Bitbucket
    bitbucketServer: BitbucketServer
    continueOnRepoNotFoundError: bool
    filters: list[Filter]
    gitea: Gitea
    github: Github
    gitlab: Gitlab
    requeueAfterSeconds: Int64
    template: GeneratorTemplate
    values: dict[str, str]


class TagFilter(TypedDict, total=False):
    key: Required[str]
    value: str


class AwsCodeCommit(TypedDict, total=False):
    allBranches: bool
    region: str
    role: str
    tagFilters: list[TagFilter]


class AzureDevOps(TypedDict, total=False):
    accessTokenRef: Required[TokenRef]
    allBranches: bool
    api: str
    organization: Required[str]
    teamProject: Required[str]


class ScmProviderBitbucket(TypedDict, total=False):
    allBranches: bool
    appPasswordRef: Required[TokenRef]
    owner: Required[str]
    user: Required[str]


class ScmProviderBitbucketServer(TypedDict, total=False):
    allBranches: bool
    api: Required[str]
    basicAuth: BasicAuth
    bearerToken: BearerToken
    caRef: CaRef
    insecure: bool
    project: Required[str]


class ScmProviderFilter(TypedDict, total=False):
    branchMatch: str
    labelMatch: str
    pathsDoNotExist: list[str]
    pathsExist: list[str]
    repositoryMatch: str


class ScmProviderGitea(TypedDict, total=False):
    allBranches: bool
    api: Required[str]
    excludeArchivedRepos: bool
    insecure: bool
    owner: Required[str]
    tokenRef: TokenRef


class ScmProviderGithub(TypedDict, total=False):
    """Repositories of GitHub."""

    allBranches: bool
    api: str
    appSecretName: Annotated[str, Ref("Secret")]
    excludeArchivedRepos: bool
    organization: Required[str]
    tokenRef: TokenRef


class ScmProviderGitlab(TypedDict, total=False):
    allBranches: bool
    api: str
    caRef: CaRef
    group: Required[str]
    includeArchivedRepos: bool
    includeSharedProjects: bool
    includeSubgroups: bool
    insecure: bool
    tokenRef: TokenRef
    topic: str


class ScmProvider(TypedDict, total=False):
    awsCodeCommit: AwsCodeCommit
    azureDevOps: AzureDevOps
    bitbucket: ScmProviderBitbucket
    bitbucketServer: ScmProviderBitbucketServer
    cloneProtocol: str
    filters: list[ScmProviderFilter]
    gitea: ScmProviderGitea
    github: ScmProviderGithub
    gitlab: ScmProviderGitlab
    requeueAfterSeconds: Int64
    template: GeneratorTemplate
    values: dict[str, str]


MatrixGenerator = TypedDict(
    "MatrixGenerator",
    {
        "clusterDecisionResource": "ClusterDecisionResource",
        "clusters": "Clusters",
        "git": "Git",
        "list": "List",
        "matrix": "AnyValue",
        "merge": "AnyValue",
        "oci": "Oci",
        "plugin": "GeneratorPlugin",
        "pullRequest": "PullRequest",
        "scmProvider": "ScmProvider",
        "selector": "meta_v1.LabelSelector",
    },
    total=False,
)


class Matrix(TypedDict, total=False):
    generators: Required[list[MatrixGenerator]]
    template: GeneratorTemplate


class Merge(TypedDict, total=False):
    generators: Required[list[MatrixGenerator]]
    mergeKeys: Required[list[str]]
    template: GeneratorTemplate


Generator = TypedDict(
    "Generator",
    {
        "clusterDecisionResource": "ClusterDecisionResource",
        "clusters": "Clusters",
        "git": "Git",
        "list": "List",
        "matrix": "Matrix",
        "merge": "Merge",
        "oci": "Oci",
        "plugin": "GeneratorPlugin",
        "pullRequest": "PullRequest",
        "scmProvider": "ScmProvider",
        "selector": "meta_v1.LabelSelector",
    },
    total=False,
)


class IgnoreApplicationDifference(TypedDict, total=False):
    jqPathExpressions: list[str]
    jsonPointers: list[str]
    name: str


class PreservedFields(TypedDict, total=False):
    annotations: list[str]
    labels: list[str]


class MatchExpression(TypedDict, total=False):
    key: str
    operator: str
    values: list[str]


class Step(TypedDict, total=False):
    matchExpressions: list[MatchExpression]
    maxUpdate: IntOrString


class RollingSync(TypedDict, total=False):
    steps: list[Step]


class Strategy(TypedDict, total=False):
    deletionOrder: str
    rollingSync: RollingSync
    type: str


class ApplicationSetSyncPolicy(TypedDict, total=False):
    applicationsSync: Literal["create-only", "create-update", "create-delete", "sync"]
    preserveResourcesOnDeletion: bool


class ApplicationSetSpec(TypedDict, total=False):
    applyNestedSelectors: bool
    generators: Required[list[Generator]]
    goTemplate: bool
    goTemplateOptions: list[str]
    ignoreApplicationDifferences: list[IgnoreApplicationDifference]
    preservedFields: PreservedFields
    strategy: Strategy
    syncPolicy: ApplicationSetSyncPolicy
    template: Required[Template]
    templatePatch: str


class ApplicationSetStatusApplicationStatus(TypedDict, total=False):
    application: Required[str]
    lastTransitionTime: Time
    message: Required[str]
    status: Required[str]
    step: Required[str]
    targetRevisions: Required[list[str]]


class ApplicationSetStatusCondition(TypedDict, total=False):
    lastTransitionTime: Time
    message: Required[str]
    reason: Required[str]
    status: Required[str]
    type: Required[str]


class ApplicationSetStatus(TypedDict, total=False):
    applicationStatus: list[ApplicationSetStatusApplicationStatus]
    conditions: list[ApplicationSetStatusCondition]
    health: ApplicationHealth
    resources: list[ApplicationStatusResource]
    resourcesCount: Int64


class ClusterKind(TypedDict, total=False):
    """A cluster-scoped kind."""

    group: Required[str]
    """API group; '*' for any."""
    kind: Required[str]
    """Kind; '*' for any."""
    name: str
    """Name, as a pattern; all if left out."""


class DestinationServiceAccount(TypedDict, total=False):
    """ServiceAccount that applies in a destination."""

    defaultServiceAccount: Required[str]
    """ServiceAccount, as `name` or `namespace:name`."""
    namespace: str
    """Namespace of the destination, as a pattern."""
    server: Required[str]
    """Cluster of the destination, as a pattern."""


class NamespacedKind(TypedDict, total=False):
    """A namespaced kind."""

    group: Required[str]
    """API group; '*' for any."""
    kind: Required[str]
    """Kind; '*' for any."""


class Ignore(TypedDict, total=False):
    """Objects that may have no owner."""

    group: str
    """API group."""
    kind: str
    """Kind."""
    name: str
    """Name, as a pattern."""


class OrphanedResources(TypedDict, total=False):
    """Objects in the destinations that no Application owns."""

    ignore: list[Ignore]
    """Objects that are left out."""
    warn: bool
    """Applications get a warning for them."""


class JwtToken(TypedDict, total=False):
    exp: Int64
    iat: Required[Int64]
    id: str


class Role(TypedDict, total=False):
    """A role of people and robots in the project."""

    description: str
    """What it is for."""
    groups: list[str]
    """Groups of the identity provider that have it."""
    jwtTokens: list[JwtToken]
    """Tokens issued for it; Argo CD writes them."""
    name: Required[str]
    """Its name."""
    policies: list[str]
    """Its rights, as lines of Casbin."""


class SignatureKey(TypedDict, total=False):
    """A key that commits may be signed with."""

    keyID: Required[str]
    """Its id, in hexadecimal."""


class Gpg(TypedDict, total=False):
    """Commits must be signed."""

    keys: Required[list[str]]
    """Keys that count."""
    mode: Required[str]
    """How much must be signed: none, head or strict."""


class Repo(TypedDict, total=False):
    """Repositories that a policy is for."""

    url: Required[str]
    """Address, as a pattern."""


class Policy(TypedDict, total=False):
    """What some repositories must keep to."""

    gpg: Required[Gpg]
    """Commits must be signed."""
    repos: Required[list[Repo]]
    """Repositories that it is for."""


class SourceIntegrityGit(TypedDict, total=False):
    """Rules for Git."""

    policies: Required[list[Policy]]
    """Policies, by repository."""


class SourceIntegrity(TypedDict, total=False):
    """What sources must keep to."""

    git: Required[SourceIntegrityGit]
    """Rules for Git."""


class SyncWindow(TypedDict, total=False):
    """A time in which syncs are allowed or held back."""

    andOperator: bool
    """All of applications, namespaces and clusters must fit, not just one."""
    applications: list[str]
    """Applications that it is for, as patterns."""
    clusters: list[str]
    """Clusters that it is for, as patterns."""
    description: str
    """What the window is for."""
    duration: str
    """How long it lasts (`1h`)."""
    kind: str
    """allow or deny."""
    manualSync: bool
    """A person may sync all the same."""
    namespaces: list[str]
    """Namespaces that it is for, as patterns."""
    schedule: str
    """When it begins, in cron form."""
    syncOverrun: bool
    """A sync that has begun may go on behind the window's end."""
    timeZone: str
    """Zone of the schedule."""


class AppProjectSpec(TypedDict, total=False):
    """What some Applications may do: sources, destinations, kinds."""

    clusterResourceBlacklist: list[ClusterKind]
    """Cluster-scoped kinds that its Applications must not touch."""
    clusterResourceWhitelist: list[ClusterKind]
    """Cluster-scoped kinds that they may touch."""
    description: Annotated[str, MaxLength(255)]
    """What the project is for."""
    destinationServiceAccounts: list[DestinationServiceAccount]
    """ServiceAccounts that apply, by destination."""
    destinations: list[Destination]
    """Clusters and namespaces that they may write to."""
    namespaceResourceBlacklist: list[NamespacedKind]
    """Namespaced kinds that they must not touch."""
    namespaceResourceWhitelist: list[NamespacedKind]
    """Namespaced kinds that they may touch."""
    orphanedResources: OrphanedResources
    """Reports objects that no Application owns."""
    permitOnlyProjectScopedClusters: bool
    """Only clusters that belong to the project."""
    roles: list[Role]
    """Roles of people and robots in the project."""
    signatureKeys: list[SignatureKey]
    """Keys that commits must be signed with."""
    sourceIntegrity: SourceIntegrity
    """What sources must keep to."""
    sourceNamespaces: list[str]
    """Namespaces that may hold its Applications."""
    sourceRepos: list[str]
    """Repositories that its Applications may use."""
    syncWindows: list[SyncWindow]
    """When syncs are allowed or held back."""


class JwtTokensByRole(TypedDict, total=False):
    items: list[JwtToken]


class AppProjectStatus(TypedDict, total=False):
    jwtTokensByRole: dict[str, JwtTokensByRole]


APPLICATION = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="Application",
    plural="applications",
    spec=ApplicationSpec,
    top=Application,
    required=("metadata",),
    columns=(
        Column("Sync Status", ".status.sync.status"),
        Column("Health Status", ".status.health.status"),
        Column("Revision", ".status.sync.revision", priority=10),
        Column("Project", ".spec.project", priority=10),
    ),
    doc="Manifests from Git, and the cluster that gets them.",
)

APPLICATION_SET = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="ApplicationSet",
    plural="applicationsets",
    spec=ApplicationSetSpec,
    status=ApplicationSetStatus,
    required=("spec", "metadata"),
    core="1.37",
    status_subresource=True,
    doc="Applications made by generators from one template.",
)

APP_PROJECT = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="AppProject",
    plural="appprojects",
    spec=AppProjectSpec,
    status=AppProjectStatus,
    required=("spec", "metadata"),
    doc="What some Applications may do: sources, destinations, kinds.",
)

CRDS = (
    Definition((APPLICATION,), short_names=("app", "apps")),
    Definition((APPLICATION_SET,), short_names=("appset", "appsets")),
    Definition((APP_PROJECT,), short_names=("appproj", "appprojs")),
)
