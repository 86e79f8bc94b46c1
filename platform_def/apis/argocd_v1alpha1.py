"""Argo CD 3.5: Application, ApplicationSet and AppProject."""
# ruff: noqa: D101, UP013

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import meta_v1
from platform_def.apis.model import Api, Column, Definition
from platform_def.apis.schema import AnyValue, Int64, IntOrString, MaxLength, MinLength, OpenObject, Pattern, Time


class Info(TypedDict, total=False):
    name: Required[str]
    value: Required[str]


class InitiatedBy(TypedDict, total=False):
    automated: bool
    username: str


class Backoff(TypedDict, total=False):
    duration: str
    """First pause (`5s`)."""
    factor: Int64
    """Each pause is this many times the last."""
    maxDuration: str
    """Longest pause (`3m`)."""


class Retry(TypedDict, total=False):
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
    code: bool
    name: Required[str]
    value: Required[str]


class Jsonnet(TypedDict, total=False):
    extVars: list[ExtVar]
    libs: list[str]
    tlas: list[ExtVar]


class Directory(TypedDict, total=False):
    exclude: str
    """Files left out, as a pattern."""
    include: str
    """Files taken, as a pattern."""
    jsonnet: Jsonnet
    recurse: bool
    """Folders below are read too."""


class FileParameter(TypedDict, total=False):
    name: str
    path: str


class Parameter(TypedDict, total=False):
    forceString: bool
    name: str
    value: str


class Helm(TypedDict, total=False):
    apiVersions: list[str]
    fileParameters: list[FileParameter]
    ignoreMissingValueFiles: bool
    kubeVersion: str
    namespace: str
    parameters: list[Parameter]
    passCredentials: bool
    releaseName: str
    skipCrds: bool
    skipSchemaValidation: bool
    skipTests: bool
    valueFiles: list[str]
    values: str
    valuesObject: OpenObject
    version: str


class Target(TypedDict, total=False):
    annotationSelector: str
    group: str
    kind: str
    labelSelector: str
    name: str
    namespace: str
    version: str


class Patch(TypedDict, total=False):
    options: dict[str, bool]
    patch: str
    path: str
    target: Target


class Replica(TypedDict, total=False):
    count: Required[IntOrString]
    name: Required[str]


class Kustomize(TypedDict, total=False):
    apiVersions: list[str]
    commonAnnotations: dict[str, str]
    commonAnnotationsEnvsubst: bool
    commonLabels: dict[str, str]
    components: list[str]
    forceCommonAnnotations: bool
    forceCommonLabels: bool
    ignoreMissingComponents: bool
    images: list[str]
    kubeVersion: str
    labelIncludeTemplates: bool
    labelWithoutSelector: bool
    namePrefix: str
    nameSuffix: str
    namespace: str
    patches: list[Patch]
    replicas: list[Replica]
    version: str


class PluginParameter(TypedDict, total=False):
    array: list[str]
    map: dict[str, str]
    name: str
    string: str


class Plugin(TypedDict, total=False):
    env: list[Info]
    name: str
    parameters: list[PluginParameter]


class Source(TypedDict, total=False):
    chart: str
    """Helm chart in a chart repository."""
    directory: Directory
    """A folder of plain manifests."""
    helm: Helm
    kustomize: Kustomize
    name: str
    path: str
    """Folder in the repository."""
    plugin: Plugin
    ref: str
    """Name under which other sources read values from here."""
    repoURL: Required[str]
    """Address of the repository."""
    tagPrefix: str
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
    name: str
    """Cluster by its name in Argo CD."""
    namespace: str
    """Namespace of objects that name none."""
    server: str
    """Cluster by the address of its API server."""


class IgnoreDifference(TypedDict, total=False):
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
    directory: Directory
    helm: Helm
    kustomize: Kustomize
    path: Required[str]
    plugin: Plugin
    repoURL: Required[str]
    targetRevision: Required[str]


class HydrateTo(TypedDict, total=False):
    targetBranch: Required[str]


class SyncSource(TypedDict, total=False):
    path: Required[Annotated[str, MinLength(1), Pattern("^.{2,}|[^./]$")]]
    repoURL: str
    targetBranch: Required[str]


class SourceHydrator(TypedDict, total=False):
    drySource: Required[DrySource]
    hydrateTo: HydrateTo
    syncSource: Required[SyncSource]


class Automated(TypedDict, total=False):
    allowEmpty: bool
    """Everything may be removed at once."""
    enabled: bool
    """False turns it off without losing the settings."""
    prune: bool
    """Objects that left the source are removed."""
    selfHeal: bool
    """Changes made in the cluster are undone."""


class ManagedNamespaceMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    labels: dict[str, str]


class SyncPolicy(TypedDict, total=False):
    automated: Automated
    """Syncs without being asked."""
    managedNamespaceMetadata: ManagedNamespaceMetadata
    """Labels and annotations of a namespace that the sync makes."""
    retry: Retry
    """What happens after a failed sync."""
    syncOptions: list[str]
    """Switches such as `ServerSideApply=true`."""


class ApplicationSpec(TypedDict, total=False):
    destination: Required[Destination]
    """Cluster and namespace that get the objects."""
    ignoreDifferences: list[IgnoreDifference]
    """Fields that others write, and that are no drift."""
    info: list[Info]
    """Links and notes for the web page."""
    project: Required[str]
    """AppProject that it belongs to."""
    revisionHistoryLimit: Int64
    """Former states that are kept."""
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


class ClusterDecisionResourceTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class ClusterDecisionResourceTemplate(TypedDict, total=False):
    metadata: Required[ClusterDecisionResourceTemplateMetadata]
    spec: Required[ApplicationSpec]


class ClusterDecisionResource(TypedDict, total=False):
    configMapRef: Required[str]
    labelSelector: meta_v1.LabelSelector
    name: str
    requeueAfterSeconds: Int64
    template: ClusterDecisionResourceTemplate
    values: dict[str, str]


class Clusters(TypedDict, total=False):
    flatList: bool
    selector: meta_v1.LabelSelector
    template: ClusterDecisionResourceTemplate
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
    template: ClusterDecisionResourceTemplate
    values: dict[str, str]


class List(TypedDict, total=False):
    elements: list[AnyValue]
    elementsYaml: str
    template: ClusterDecisionResourceTemplate


class ConfigMapRef(TypedDict, total=False):
    name: Required[str]


class Input(TypedDict, total=False):
    parameters: dict[str, AnyValue]


class GeneratorPlugin(TypedDict, total=False):
    configMapRef: Required[ConfigMapRef]
    input: Input
    requeueAfterSeconds: Int64
    template: ClusterDecisionResourceTemplate
    values: dict[str, str]


class TokenRef(TypedDict, total=False):
    key: Required[str]
    secretName: Required[str]


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
    configMapName: Required[str]
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
    api: str
    appSecretName: str
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
    template: ClusterDecisionResourceTemplate
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
    allBranches: bool
    api: str
    appSecretName: str
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
    template: ClusterDecisionResourceTemplate
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
        "plugin": "GeneratorPlugin",
        "pullRequest": "PullRequest",
        "scmProvider": "ScmProvider",
        "selector": "meta_v1.LabelSelector",
    },
    total=False,
)


class Matrix(TypedDict, total=False):
    generators: Required[list[MatrixGenerator]]
    template: ClusterDecisionResourceTemplate


class Merge(TypedDict, total=False):
    generators: Required[list[MatrixGenerator]]
    mergeKeys: Required[list[str]]
    template: ClusterDecisionResourceTemplate


Generator = TypedDict(
    "Generator",
    {
        "clusterDecisionResource": "ClusterDecisionResource",
        "clusters": "Clusters",
        "git": "Git",
        "list": "List",
        "matrix": "Matrix",
        "merge": "Merge",
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
    template: Required[ClusterDecisionResourceTemplate]
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
    group: Required[str]
    kind: Required[str]
    name: str


class DestinationServiceAccount(TypedDict, total=False):
    defaultServiceAccount: Required[str]
    namespace: str
    server: Required[str]


class NamespacedKind(TypedDict, total=False):
    group: Required[str]
    kind: Required[str]


class Ignore(TypedDict, total=False):
    group: str
    kind: str
    name: str


class OrphanedResources(TypedDict, total=False):
    ignore: list[Ignore]
    warn: bool


class JwtToken(TypedDict, total=False):
    exp: Int64
    iat: Required[Int64]
    id: str


class Role(TypedDict, total=False):
    description: str
    groups: list[str]
    jwtTokens: list[JwtToken]
    name: Required[str]
    policies: list[str]


class SignatureKey(TypedDict, total=False):
    keyID: Required[str]


class Gpg(TypedDict, total=False):
    keys: Required[list[str]]
    mode: Required[str]


class Repo(TypedDict, total=False):
    url: Required[str]


class Policy(TypedDict, total=False):
    gpg: Required[Gpg]
    repos: Required[list[Repo]]


class SourceIntegrityGit(TypedDict, total=False):
    policies: Required[list[Policy]]


class SourceIntegrity(TypedDict, total=False):
    git: Required[SourceIntegrityGit]


class SyncWindow(TypedDict, total=False):
    andOperator: bool
    applications: list[str]
    """Applications that it is for, as patterns."""
    clusters: list[str]
    """Clusters that it is for, as patterns."""
    description: str
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
    timeZone: str
    """Zone of the schedule."""


class AppProjectSpec(TypedDict, total=False):
    clusterResourceBlacklist: list[ClusterKind]
    """Cluster-scoped kinds that its Applications must not touch."""
    clusterResourceWhitelist: list[ClusterKind]
    """Cluster-scoped kinds that they may touch."""
    description: Annotated[str, MaxLength(255)]
    """What the project is for."""
    destinationServiceAccounts: list[DestinationServiceAccount]
    destinations: list[Destination]
    """Clusters and namespaces that they may write to."""
    namespaceResourceBlacklist: list[NamespacedKind]
    """Namespaced kinds that they must not touch."""
    namespaceResourceWhitelist: list[NamespacedKind]
    """Namespaced kinds that they may touch."""
    orphanedResources: OrphanedResources
    """Reports objects that no Application owns."""
    permitOnlyProjectScopedClusters: bool
    roles: list[Role]
    """Roles of people and robots in the project."""
    signatureKeys: list[SignatureKey]
    sourceIntegrity: SourceIntegrity
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
)

APPLICATION_SET = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="ApplicationSet",
    plural="applicationsets",
    spec=ApplicationSetSpec,
    status=ApplicationSetStatus,
    required=("spec", "metadata"),
    core="1.36",
    status_subresource=True,
)

APP_PROJECT = Api(
    group="argoproj.io",
    version="v1alpha1",
    kind="AppProject",
    plural="appprojects",
    spec=AppProjectSpec,
    status=AppProjectStatus,
    required=("spec", "metadata"),
)

CRDS = (
    Definition((APPLICATION,), short_names=("app", "apps")),
    Definition((APPLICATION_SET,), short_names=("appset", "appsets")),
    Definition((APP_PROJECT,), short_names=("appproj", "appprojs")),
)
