"""Kubeflow Trainer 2.2 (trainer.kubeflow.org): TrainJob, and the runtimes that a TrainJob names."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import batch_v1, core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import (
    Cel,
    Default,
    EmptyObject,
    Int32,
    Int64,
    ListMap,
    ListType,
    Maximum,
    MaxItems,
    MaxLength,
    Minimum,
    MinLength,
    MinProperties,
    Ref,
    Time,
)

Env = Annotated[list[core_v1.EnvVar], MaxItems(128), ListMap("name")]
Args = Annotated[list[Annotated[str, MaxLength(65536)]], MaxItems(128), ListType("atomic")]


class Dataset(TypedDict, total=False):
    env: Env
    """Environment of the container that fetches."""
    secretRef: core_v1.LocalObjectReference
    """Secret with the credentials of the store."""
    storageUri: Annotated[str, MaxLength(2048)]
    """Where from, such as hf://… or s3://…."""


class Initializer(TypedDict, total=False):
    dataset: Dataset
    """The data to fetch."""
    model: Dataset
    """The model to fetch."""


class TrainingRuntimeTemplateMetadata(TypedDict, total=False):
    annotations: dict[str, str]
    finalizers: list[str]
    labels: dict[str, str]
    name: str
    namespace: str


class Container(TypedDict, total=False):
    env: Env
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    securityContext: core_v1.SecurityContext
    volumeMounts: Annotated[list[core_v1.VolumeMount], MaxItems(128), ListMap("name")]


class ReplicatedJobTemplateTemplateSpec(TypedDict, total=False):
    affinity: core_v1.Affinity
    containers: Annotated[
        list[Container], MaxItems(64), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    imagePullSecrets: Annotated[
        list[core_v1.LocalObjectReference],
        MaxItems(64),
        ListMap("name"),
        Cel("self == oldSelf", "stays as it was created"),
    ]
    initContainers: Annotated[
        list[Container], MaxItems(64), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    nodeSelector: dict[str, str]
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], MaxItems(16), ListMap("name")]
    securityContext: Annotated[core_v1.PodSecurityContext, Cel("self == oldSelf", "stays as it was created")]
    serviceAccountName: Annotated[str, MaxLength(253), Cel("self == oldSelf", "stays as it was created")]
    tolerations: Annotated[list[core_v1.Toleration], MaxItems(128), ListType("atomic")]
    volumes: Annotated[
        list[core_v1.Volume], MaxItems(128), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]


class ReplicatedJobTemplateTemplate(TypedDict, total=False):
    metadata: TrainingRuntimeTemplateMetadata
    spec: ReplicatedJobTemplateTemplateSpec


class ReplicatedJobTemplateSpec(TypedDict, total=False):
    template: ReplicatedJobTemplateTemplate


class ReplicatedJobTemplate(TypedDict, total=False):
    metadata: TrainingRuntimeTemplateMetadata
    spec: ReplicatedJobTemplateSpec


class ReplicatedJob(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    template: ReplicatedJobTemplate


class TrainingRuntimeTemplateSpec(TypedDict, total=False):
    replicatedJobs: Annotated[list[ReplicatedJob], MaxItems(100), ListMap("name")]


class TrainingRuntimeTemplate(TypedDict, total=False):
    metadata: TrainingRuntimeTemplateMetadata
    spec: TrainingRuntimeTemplateSpec


class TrainingRuntimeSpec(TypedDict, total=False):
    template: TrainingRuntimeTemplate


class RuntimePatch(TypedDict, total=False):
    manager: Required[Annotated[str, MaxLength(253), MinLength(1), Cel("self == oldSelf", "stays as it was created")]]
    time: Time
    trainingRuntimeSpec: TrainingRuntimeSpec


class RuntimeRef(TypedDict, total=False):
    apiGroup: Annotated[str, Default("trainer.kubeflow.org"), MaxLength(253)]
    kind: Annotated[str, Default("ClusterTrainingRuntime"), MaxLength(253)]
    """ClusterTrainingRuntime, or TrainingRuntime for one in the job's namespace."""
    name: Required[
        Annotated[str, MaxLength(253), MinLength(1), Ref("ClusterTrainingRuntime", group="trainer.kubeflow.org")]
    ]
    """Name of the runtime."""


class Trainer(TypedDict, total=False):
    args: Args
    """Arguments of the command."""
    command: Args
    """Its command."""
    env: Env
    """Environment of the training."""
    image: Annotated[str, MaxLength(500)]
    """Image of the training."""
    numNodes: Int32
    """Number of training nodes (pods)."""
    numProcPerNode: Int32
    """Processes on each node."""
    resourcesPerNode: core_v1.ResourceRequirements
    """Resources of each node."""


class TrainJobSpec(TypedDict, total=False):
    activeDeadlineSeconds: Annotated[Int64, Minimum(1), Cel("self == oldSelf", "stays as it was created")]
    """Seconds after which a running job is stopped and counts as failed."""
    initializer: Annotated[Initializer, Cel("self == oldSelf", "stays as it was created")]
    """Fetches the model and the data before the training starts."""
    managedBy: Annotated[
        str,
        Default("trainer.kubeflow.org/trainjob-controller"),
        MaxLength(253),
        Cel(
            "self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']",
            "the training controller or Kueue's MultiKueue",
        ),
        Cel("self == oldSelf", "stays as it was created"),
    ]
    """Controller in charge of the job, the trainer's own if left out, or Kueue's MultiKueue."""
    runtimePatches: Annotated[list[RuntimePatch], MaxItems(16), ListMap("manager")]
    """Changes to the runtime for this job alone, one entry for each author of changes."""
    runtimeRef: Required[Annotated[RuntimeRef, Cel("self == oldSelf", "stays as it was created")]]
    """The runtime that the job runs with."""
    suspend: Annotated[bool, Default(False)]
    """True holds the job back until it is set to false; Kueue does so."""
    trainer: Annotated[Trainer, Cel("self == oldSelf", "stays as it was created")]
    """What runs on the training nodes, over what the runtime says."""


class JobsStatus(TypedDict, total=False):
    active: Required[Annotated[Int32, Minimum(0)]]
    failed: Required[Annotated[Int32, Minimum(0)]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    ready: Required[Annotated[Int32, Minimum(0)]]
    succeeded: Required[Annotated[Int32, Minimum(0)]]
    suspended: Required[Annotated[Int32, Minimum(0)]]


class Metric(TypedDict, total=False):
    name: Required[Annotated[str, MaxLength(64), MinLength(1)]]
    value: Required[Annotated[str, MaxLength(64), MinLength(1)]]


class TrainerStatus(TypedDict, total=False):
    estimatedRemainingSeconds: Annotated[Int32, Minimum(0)]
    lastUpdatedTime: Time
    metrics: Annotated[list[Metric], MaxItems(256), ListType("atomic")]
    progressPercentage: Annotated[Int32, Maximum(100), Minimum(0)]


class TrainJobStatus(TypedDict, total=False):
    conditions: Annotated[list[meta_v1.Condition], MaxItems(8), ListMap("type")]
    jobsStatus: Annotated[list[JobsStatus], MaxItems(100), ListMap("name")]
    trainerStatus: Annotated[TrainerStatus, Cel("has(self.lastUpdatedTime)", "needs lastUpdatedTime")]


class TrainJob(TypedDict, total=False):
    spec: TrainJobSpec
    status: Annotated[TrainJobStatus, MinProperties(1)]


class Flux(TypedDict, total=False):
    numProcPerNode: Annotated[Int32, Default(1), Cel("self >= 1", "at least 1")]


class Mpi(TypedDict, total=False):
    mpiImplementation: Annotated[Literal["OpenMPI", ""], Default("OpenMPI")]
    numProcPerNode: Annotated[Int32, Default(1)]
    runLauncherAsNode: Annotated[bool, Default(False)]
    sshAuthMountPath: Annotated[str, Default("/root/.ssh"), MaxLength(4096)]


class MlPolicy(TypedDict, total=False):
    flux: Flux
    jax: EmptyObject
    mpi: Mpi
    numNodes: Int32
    torch: EmptyObject
    xgboost: EmptyObject


class Coscheduling(TypedDict, total=False):
    scheduleTimeoutSeconds: Annotated[Int32, Default(60)]


class NetworkTopology(TypedDict, total=False):
    highestTierAllowed: Annotated[int, Default(1)]
    mode: Annotated[Literal["hard", "soft"], Default("hard")]


class Volcano(TypedDict, total=False):
    networkTopology: NetworkTopology


class PodGroupPolicy(TypedDict, total=False):
    coscheduling: Coscheduling
    volcano: Volcano


class Coordinator(TypedDict, total=False):
    jobIndex: int
    podIndex: int
    replicatedJob: Required[str]


class Rule(TypedDict, total=False):
    action: Required[Literal["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"]]
    name: Required[str]
    onJobFailureMessagePatterns: list[str]
    onJobFailureReasons: list[str]
    targetReplicatedJobs: Annotated[list[str], ListType("atomic")]


class FailurePolicy(TypedDict, total=False):
    maxRestarts: Int32
    restartStrategy: Annotated[Literal["Recreate", "BlockingRecreate", "InPlaceRestart"], Default("Recreate")]
    rules: list[Rule]


class Network(TypedDict, total=False):
    enableDNSHostnames: bool
    publishNotReadyAddresses: bool
    subdomain: str


class DependsOn(TypedDict, total=False):
    name: Required[str]
    status: Required[Literal["Ready", "Complete"]]


class TrainingRuntimeTemplateReplicatedJob(TypedDict, total=False):
    dependsOn: Annotated[
        list[DependsOn], MaxItems(5), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    groupName: Annotated[str, Default("default")]
    name: Required[str]
    replicas: Annotated[Int32, Default(1)]
    template: Required[batch_v1.JobTemplateSpec]


class StartupPolicy(TypedDict, total=False):
    startupPolicyOrder: Required[Literal["AnyOrder", "InOrder"]]


class SuccessPolicy(TypedDict, total=False):
    operator: Required[Literal["All", "Any"]]
    targetReplicatedJobs: Annotated[list[str], ListType("atomic")]


class RetentionPolicy(TypedDict, total=False):
    whenDeleted: Annotated[Literal["Delete", "Retain"], Default("Delete")]


class VolumeClaimPolicy(TypedDict, total=False):
    retentionPolicy: RetentionPolicy
    templates: Annotated[list[core_v1.PersistentVolumeClaim], MaxItems(50), ListType("atomic")]


class TrainingRuntimeTemplateSpec2(TypedDict, total=False):
    coordinator: Coordinator
    failurePolicy: Annotated[FailurePolicy, Cel("self == oldSelf", "stays as it was created")]
    managedBy: str
    network: Annotated[Network, Cel("self == oldSelf", "stays as it was created")]
    replicatedJobs: Annotated[list[TrainingRuntimeTemplateReplicatedJob], ListMap("name")]
    startupPolicy: Annotated[StartupPolicy, Cel("self == oldSelf", "stays as it was created")]
    successPolicy: Annotated[SuccessPolicy, Cel("self == oldSelf", "stays as it was created")]
    suspend: bool
    ttlSecondsAfterFinished: Annotated[Int32, Minimum(0)]
    volumeClaimPolicies: Annotated[
        list[
            Annotated[
                VolumeClaimPolicy,
                Cel(
                    "self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
                    "templates of volumes have no namespace",
                ),
            ]
        ],
        MaxItems(50),
        ListType("atomic"),
        Cel("self == oldSelf", "stays as it was created"),
    ]


class TrainingRuntimeTemplate2(TypedDict, total=False):
    metadata: TrainingRuntimeTemplateMetadata
    spec: Annotated[
        TrainingRuntimeTemplateSpec2,
        Cel(
            "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && self.replicatedJobs.exists(x, has(x.dependsOn)))",
            "startupPolicy InOrder and dependsOn exclude each other",
        ),
    ]


class TrainingRuntimeSpec2(TypedDict, total=False):
    mlPolicy: Annotated[
        MlPolicy,
        Cel(
            "[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)].filter(x, x).size() <= 1",
            "one kind of machine-learning policy at most",
        ),
    ]
    podGroupPolicy: PodGroupPolicy
    template: Annotated[TrainingRuntimeTemplate2, MinProperties(1)]


class TrainingRuntime(TypedDict, total=False):
    spec: Annotated[TrainingRuntimeSpec2, MinProperties(1)]


class ClusterTrainingRuntime(TypedDict, total=False):
    spec: Annotated[TrainingRuntimeSpec2, MinProperties(1)]


TRAIN_JOB = Api(
    group="trainer.kubeflow.org",
    version="v1alpha1",
    kind="TrainJob",
    plural="trainjobs",
    spec=TrainJobSpec,
    top=TrainJob,
    rules=(
        Cel(
            "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
            "the name is no DNS label that begins with a letter",
        ),
        Cel("size(self.metadata.name) <= 63", "the name is longer than 63 characters"),
    ),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("State", ".status.conditions[-1:].type"), AGE),
    health=Health(ready=("Complete",), failed=("Failed",), suspended=("Suspended",)),
)

TRAINING_RUNTIME = Api(
    group="trainer.kubeflow.org",
    version="v1alpha1",
    kind="TrainingRuntime",
    plural="trainingruntimes",
    spec=TrainingRuntimeSpec2,
    top=TrainingRuntime,
    core="1.35",
    embedded_metadata=True,
)

CLUSTER_TRAINING_RUNTIME = Api(
    group="trainer.kubeflow.org",
    version="v1alpha1",
    kind="ClusterTrainingRuntime",
    plural="clustertrainingruntimes",
    namespaced=False,
    spec=TrainingRuntimeSpec2,
    top=ClusterTrainingRuntime,
    core="1.35",
    embedded_metadata=True,
)

CRDS = (Definition((TRAIN_JOB,)), Definition((TRAINING_RUNTIME,)), Definition((CLUSTER_TRAINING_RUNTIME,)))
