"""KEDA 2.21 (keda.sh): what runs, and how much of it, by the length of queues and other measures."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import autoscaling_v2, batch_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Cel, Default, Int32, Minimum, MinItems, MinLength, Ref, Time
from platform_def.crds.typed_dict import TypedDict


class SecretKeyRef(TypedDict, total=False):
    key: Required[str]
    name: Required[str]


class ValueFrom(TypedDict, total=False):
    secretKeyRef: Required[SecretKeyRef]


class AccessKey(TypedDict, total=False):
    valueFrom: Required[ValueFrom]


class Credentials(TypedDict, total=False):
    accessKey: Required[AccessKey]
    accessSecretKey: Required[AccessKey]
    accessToken: AccessKey


class PodIdentity(TypedDict, total=False):
    externalID: str
    identityAuthorityHost: str
    identityId: str
    identityOwner: Literal["keda", "workload"]
    identityTenantId: str
    provider: Required[Literal["azure-workload", "gcp", "aws", "aws-eks", "none"]]
    roleArn: str


class Secret(TypedDict, total=False):
    name: Required[str]
    parameter: Required[str]
    secretKey: str
    versionId: str
    versionStage: str


class AwsSecretManager(TypedDict, total=False):
    credentials: Credentials
    podIdentity: PodIdentity
    region: str
    secrets: Required[Annotated[list[Secret], MinItems(1)]]


class Cloud(TypedDict, total=False):
    activeDirectoryEndpoint: str
    keyVaultResourceURL: str
    type: Required[str]


class AzureKeyVaultCredentials(TypedDict, total=False):
    clientId: Required[str]
    clientSecret: Required[AccessKey]
    tenantId: Required[str]


class AzureKeyVaultSecret(TypedDict, total=False):
    name: Required[str]
    parameter: Required[str]
    version: str


class AzureKeyVault(TypedDict, total=False):
    cloud: Cloud
    credentials: AzureKeyVaultCredentials
    podIdentity: PodIdentity
    secrets: Required[Annotated[list[AzureKeyVaultSecret], MinItems(1)]]
    vaultUri: Required[str]


class AzureServicePrincipal(TypedDict, total=False):
    activeDirectoryEndpoint: str
    clientCertificate: AccessKey
    clientCertificatePassword: AccessKey
    clientId: Required[str]
    clientSecret: AccessKey
    cloud: str
    tenantId: Required[str]


class BoundServiceAccountToken(TypedDict, total=False):
    parameter: Required[str]
    serviceAccountName: Required[str]


class ConfigMapTargetRef(TypedDict, total=False):
    """A parameter of the scaler that stands in a Secret or a ConfigMap."""

    key: Required[str]
    """Its key there."""
    name: Required[str]
    """The Secret or ConfigMap."""
    parameter: Required[str]
    """Parameter of the scaler, such as password."""


class Env(TypedDict, total=False):
    """A parameter of the scaler that is a variable of the workload."""

    containerName: str
    name: Required[str]
    parameter: Required[str]


class GcpSecretManagerCredentials(TypedDict, total=False):
    clientSecret: Required[AccessKey]


class GcpSecretManagerSecret(TypedDict, total=False):
    id: Required[str]
    parameter: Required[str]
    version: str


class GcpSecretManager(TypedDict, total=False):
    credentials: GcpSecretManagerCredentials
    podIdentity: PodIdentity
    secrets: Required[Annotated[list[GcpSecretManagerSecret], MinItems(1)]]


class Credential(TypedDict, total=False):
    serviceAccount: str
    serviceAccountName: str
    token: str


class PkiData(TypedDict, total=False):
    altNames: str
    commonName: str
    format: str
    ipSans: str
    otherSans: str
    ttl: str
    uriSans: str


class HashiCorpVaultSecret(TypedDict, total=False):
    key: Required[str]
    parameter: Required[str]
    path: Required[str]
    pkiData: PkiData
    type: Literal["", "secretV2", "secret", "pki"]


class HashiCorpVault(TypedDict, total=False):
    address: Required[str]
    authentication: Required[Literal["token", "kubernetes"]]
    credential: Credential
    mount: str
    namespace: str
    role: str
    secrets: Required[Annotated[list[HashiCorpVaultSecret], MinItems(1)]]


class Oauth2(TypedDict, total=False):
    clientId: Required[str]
    clientSecret: AccessKey
    scopes: list[str]
    tokenUrl: Required[str]
    tokenUrlParams: dict[str, str]
    type: Required[Annotated[Literal["clientCredentials"], Default("clientCredentials")]]


class ClusterTriggerAuthenticationSpec(TypedDict, total=False):
    """Where the parameters of a scaler come from that are no text of the trigger."""

    awsSecretManager: AwsSecretManager
    """Secrets of AWS."""
    azureKeyVault: AzureKeyVault
    """Secrets of Azure."""
    azureServicePrincipal: AzureServicePrincipal
    """A principal of Azure."""
    boundServiceAccountToken: list[BoundServiceAccountToken]
    """Tokens of a ServiceAccount."""
    configMapTargetRef: list[ConfigMapTargetRef]
    """Keys of ConfigMaps."""
    env: list[Env]
    """Variables of the workload."""
    filePath: str
    """A file of the operator's."""
    gcpSecretManager: GcpSecretManager
    """Secrets of Google Cloud."""
    hashiCorpVault: HashiCorpVault
    """Secrets in Vault."""
    oauth2: Oauth2
    """A token of an OAuth 2 server."""
    podIdentity: PodIdentity
    """The identity that a cloud gives to pods."""
    secretTargetRef: list[ConfigMapTargetRef]
    """Keys of Secrets."""


class ClusterTriggerAuthenticationStatus(TypedDict, total=False):
    scaledjobs: str
    scaledobjects: str


class Rollout(TypedDict, total=False):
    """What becomes of Jobs that run when the ScaledJob changes."""

    propagationPolicy: Literal["foreground", "background"]
    """How they are deleted."""
    strategy: Literal["gradual", "immediate"]
    """immediate deletes them, which is the default; gradual lets them end."""


class ScalingStrategy(TypedDict, total=False):
    """How many Jobs are made for what was measured."""

    customScalingQueueLengthDeduction: Int32
    """With custom: taken from the measure."""
    customScalingRunningJobPercentage: str
    """With custom: share of running Jobs that is taken from it."""
    multipleScalersCalculation: Literal["min", "avg", "sum", "max"]
    """How several triggers count together: the greatest if left out."""
    pendingPodConditions: list[str]
    """Conditions of a pod that must hold for its Job not to count as waiting."""
    strategy: Literal["default", "custom", "accurate", "eager"]
    """default takes those that run from the measure; accurate those that wait, for measures that leave out what is being worked on; eager fills up to the most."""


class AuthenticationRef(TypedDict, total=False):
    """Which credentials a trigger shows."""

    kind: Literal["TriggerAuthentication", "ClusterTriggerAuthentication"]
    """TriggerAuthentication of the same namespace, unless it says ClusterTriggerAuthentication."""
    name: Required[Annotated[str, Ref("TriggerAuthentication", group="keda.sh", kind_field="kind")]]
    """Its name."""


class Trigger(TypedDict, total=False):
    """What is measured."""

    authenticationRef: AuthenticationRef
    """Credentials for what is asked."""
    metadata: Required[dict[str, str]]
    """Settings of the scaler, by the names of its documentation; text throughout."""
    name: str
    """A name of its own, for formulas and metrics."""
    type: Required[Annotated[str, MinLength(1)]]
    """Scaler: rabbitmq, kafka, prometheus, cron and many more."""
    useCachedMetrics: bool
    """Answer the autoscaler with what was measured last."""


class MeasuredTrigger(TypedDict, total=False):
    """What is measured, and how the autoscaler counts it."""

    authenticationRef: AuthenticationRef
    """Credentials for what is asked."""
    metadata: Required[dict[str, str]]
    """Settings of the scaler, by the names of its documentation; text throughout."""
    metricType: str
    """AverageValue (a pod), Value or Utilization."""
    name: str
    """A name of its own, for formulas and metrics."""
    type: Required[Annotated[str, MinLength(1)]]
    """Scaler: rabbitmq, kafka, prometheus, cron and many more."""
    useCachedMetrics: bool
    """Answer the autoscaler with what was measured last."""


class ScaledJobSpec(TypedDict, total=False):
    """Jobs that are made as long as there is work for them."""

    envSourceContainerName: str
    """Container whose variables triggers may name; the first if left out."""
    failedJobsHistoryLimit: Annotated[Int32, Minimum(0)]
    """Jobs that are kept after they failed; 100 if left out."""
    jobTargetRef: Required[batch_v1.JobSpec]
    """The Job; its template as in a Job of Kubernetes."""
    maxReplicaCount: Annotated[Int32, Minimum(1)]
    """Most Jobs at once; 100 if left out."""
    minReplicaCount: Annotated[Int32, Minimum(0)]
    """Jobs that are there without work."""
    pollingInterval: Annotated[Int32, Minimum(1)]
    """Seconds between two measurements; 30 if left out."""
    rollout: Rollout
    """What becomes of Jobs that run when this changes."""
    rolloutStrategy: Literal["gradual", "immediate"]
    """Older form of `rollout`."""
    scalingStrategy: ScalingStrategy
    """How many Jobs are made."""
    successfulJobsHistoryLimit: Annotated[Int32, Minimum(0)]
    """Jobs that are kept after they ended well; 100 if left out."""
    triggers: Required[Annotated[list[Trigger], MinItems(1)]]
    """What is measured."""


class Condition(TypedDict, total=False):
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class TriggersActivity(TypedDict, total=False):
    isActive: bool


class ScaledJobStatus(TypedDict, total=False):
    Paused: str
    authenticationsTypes: str
    conditions: list[Condition]
    externalMetricNames: list[str]
    lastActiveTime: Time
    triggersActivity: dict[str, TriggersActivity]
    triggersTypes: str


class HorizontalPodAutoscalerConfig(TypedDict, total=False):
    behavior: autoscaling_v2.HorizontalPodAutoscalerBehavior
    name: str


class ScalingModifiers(TypedDict, total=False):
    activationTarget: str
    formula: str
    metricType: Literal["AverageValue", "Value"]
    target: str


class Advanced(TypedDict, total=False):
    horizontalPodAutoscalerConfig: HorizontalPodAutoscalerConfig
    restoreToOriginalReplicaCount: bool
    scalingModifiers: ScalingModifiers


class Fallback(TypedDict, total=False):
    """How many pods there are while nothing can be measured."""

    behavior: Annotated[
        Literal["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower", "scalingModifiers"],
        Default("static"),
    ]
    failureThreshold: Required[Annotated[Int32, Minimum(0)]]
    replicas: Required[Annotated[Int32, Minimum(0)]]


class ScaleTargetRef(TypedDict, total=False):
    """What is scaled."""

    apiVersion: str
    """apps/v1 if left out."""
    envSourceContainerName: str
    """Container whose variables triggers may name."""
    kind: str
    """Deployment if left out; anything with the subresource scale."""
    name: Required[
        Annotated[
            str, MinLength(1), Ref("Deployment", group="apps", kind_field="kind", group_field="apiVersion", weak=True)
        ]
    ]
    """Its name."""


class ScaledObjectSpec(TypedDict, total=False):
    """How many pods of a workload there are."""

    advanced: Advanced
    """The autoscaler that is made, and formulas over several triggers."""
    cooldownPeriod: Annotated[Int32, Minimum(0)]
    """Seconds without work before the last pod goes; 300 if left out."""
    fallback: Fallback
    """While nothing can be measured."""
    idleReplicaCount: Annotated[Int32, Minimum(0)]
    """Pods while no trigger is active; 0 is all that it may say."""
    initialCooldownPeriod: Annotated[Int32, Minimum(0)]
    """Seconds after it was made before that is done for the first time."""
    maxReplicaCount: Annotated[Int32, Minimum(1)]
    """Most pods; 100 if left out."""
    minReplicaCount: Annotated[Int32, Minimum(0)]
    """Fewest pods; 0 if left out."""
    pollingInterval: Annotated[Int32, Minimum(1)]
    """Seconds between two measurements; 30 if left out."""
    scaleTargetRef: Required[ScaleTargetRef]
    """The workload; no other HorizontalPodAutoscaler may scale it."""
    triggers: Required[Annotated[list[MeasuredTrigger], MinItems(1)]]
    """What is measured."""


class Measured(TypedDict, total=False):
    numberOfFailures: Int32
    status: str


class ScaleTargetGVKR(TypedDict, total=False):
    group: Required[str]
    kind: Required[str]
    resource: Required[str]
    version: Required[str]


class ScaledObjectStatus(TypedDict, total=False):
    authenticationsTypes: str
    compositeScalerName: str
    conditions: list[Condition]
    externalMetricNames: list[str]
    health: dict[str, Measured]
    hpaName: str
    lastActiveTime: Time
    originalReplicaCount: Int32
    pausedReplicaCount: Int32
    resourceMetricNames: list[str]
    scaleTargetGVKR: ScaleTargetGVKR
    scaleTargetKind: str
    triggersActivity: dict[str, TriggersActivity]
    triggersTypes: str


class ScaledObject(TypedDict, total=False):
    spec: Required[
        Annotated[
            ScaledObjectSpec,
            Cel(
                "!has(self.minReplicaCount) || self.minReplicaCount <= (has(self.maxReplicaCount) ? self.maxReplicaCount : 100)",
                "minReplicaCount must be less than or equal to maxReplicaCount",
            ),
        ]
    ]
    status: ScaledObjectStatus


CLUSTER_TRIGGER_AUTHENTICATION = Api(
    group="keda.sh",
    version="v1alpha1",
    kind="ClusterTriggerAuthentication",
    plural="clustertriggerauthentications",
    namespaced=False,
    spec=ClusterTriggerAuthenticationSpec,
    status=ClusterTriggerAuthenticationStatus,
    required=("spec",),
    status_subresource=True,
    columns=(
        Column("PodIdentity", ".spec.podIdentity.provider"),
        Column("Secret", ".spec.secretTargetRef[*].name"),
        Column("Env", ".spec.env[*].name"),
        Column("FilePath", ".spec.filePath"),
        Column("VaultAddress", ".spec.hashiCorpVault.address"),
        Column("ScaledObjects", ".status.scaledobjects", priority=1),
        Column("ScaledJobs", ".status.scaledjobs", priority=1),
    ),
    doc="Credentials for triggers of all namespaces; their Secrets lie in KEDA's own.",
)

SCALED_JOB = Api(
    group="keda.sh",
    version="v1alpha1",
    kind="ScaledJob",
    plural="scaledjobs",
    spec=ScaledJobSpec,
    status=ScaledJobStatus,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Min", ".spec.minReplicaCount", type="integer"),
        Column("Max", ".spec.maxReplicaCount", type="integer"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Active", '.status.conditions[?(@.type=="Active")].status'),
        Column("Paused", '.status.conditions[?(@.type=="Paused")].status'),
        Column("Triggers", ".status.triggersTypes"),
        Column("Authentications", ".status.authenticationsTypes"),
        AGE,
    ),
    doc="Jobs that are made as long as there is work for them: messages in a queue, mostly.",
    health=HealthConditions(ready=("Ready",), false_is_failed=("Ready",), suspended=("Paused",)),
)

SCALED_OBJECT = Api(
    group="keda.sh",
    version="v1alpha1",
    kind="ScaledObject",
    plural="scaledobjects",
    spec=ScaledObjectSpec,
    top=ScaledObject,
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("ScaleTargetKind", ".status.scaleTargetKind"),
        Column("ScaleTargetName", ".spec.scaleTargetRef.name"),
        Column("Min", ".spec.minReplicaCount", type="integer"),
        Column("Max", ".spec.maxReplicaCount", type="integer"),
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Active", '.status.conditions[?(@.type=="Active")].status'),
        Column("Fallback", '.status.conditions[?(@.type=="Fallback")].status'),
        Column("Paused", '.status.conditions[?(@.type=="Paused")].status'),
        Column("Triggers", ".status.triggersTypes"),
        Column("Authentications", ".status.authenticationsTypes"),
        AGE,
    ),
    doc="A workload whose number of pods follows what is measured.",
    health=HealthConditions(ready=("Ready",), false_is_failed=("Ready",), suspended=("Paused",)),
)

TRIGGER_AUTHENTICATION = Api(
    group="keda.sh",
    version="v1alpha1",
    kind="TriggerAuthentication",
    plural="triggerauthentications",
    spec=ClusterTriggerAuthenticationSpec,
    status=ClusterTriggerAuthenticationStatus,
    required=("spec",),
    status_subresource=True,
    columns=(
        Column("PodIdentity", ".spec.podIdentity.provider"),
        Column("Secret", ".spec.secretTargetRef[*].name"),
        Column("Env", ".spec.env[*].name"),
        Column("VaultAddress", ".spec.hashiCorpVault.address"),
        Column("ScaledObjects", ".status.scaledobjects", priority=1),
        Column("ScaledJobs", ".status.scaledjobs", priority=1),
    ),
    doc="Credentials for triggers of one namespace, from Secrets that lie there.",
    references={
        "spec.secretTargetRef[].name": Ref("Secret", key="key"),
        "spec.configMapTargetRef[].name": Ref("ConfigMap", key="key"),
    },
)

DEFINITIONS = (
    Definition((CLUSTER_TRIGGER_AUTHENTICATION,), short_names=("cta", "clustertriggerauth")),
    Definition((SCALED_JOB,), short_names=("sj",)),
    Definition((SCALED_OBJECT,), short_names=("so",)),
    Definition((TRIGGER_AUTHENTICATION,), short_names=("ta", "triggerauth")),
)
