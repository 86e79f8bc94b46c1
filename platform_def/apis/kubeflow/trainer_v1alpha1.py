"""Kubeflow Trainer 2.3 (trainer.kubeflow.org): TrainJob, and the runtimes that a TrainJob names."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.jobset.v1alpha2 import CheckedJobSetSpec
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import (
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
    MinItems,
    MinLength,
    MinProperties,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict

Env = Annotated[list[core_v1.EnvVar], MaxItems(128), ListMap("name")]
Args = Annotated[list[Annotated[str, MaxLength(1048576)]], MaxItems(128), ListType("atomic")]


class Dataset(TypedDict, total=False):
    """Something to fetch before the training starts."""

    env: Env
    """Environment of the container that fetches."""
    secretRef: core_v1.LocalObjectReference
    """Secret whose data become its environment, such as the credentials of the store."""
    storageUri: Annotated[
        str,
        MaxLength(2048),
        Cel(
            "self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')",
            "a storageUri is empty, or a URI: <scheme>://...",
        ),
    ]
    """Where from, such as hf://… or s3://…."""


class Initializer(TypedDict, total=False):
    """What is fetched before the training starts, by steps that the runtime has for it."""

    dataset: Dataset
    """The data to fetch."""
    model: Dataset
    """The model to fetch."""


class TemplateMetadata(TypedDict, total=False):
    """Labels and annotations of what is made."""

    annotations: dict[str, str]
    """Annotations to add."""
    finalizers: list[str]
    """Not used."""
    labels: dict[str, str]
    """Labels to add."""
    name: str
    """Not used: names follow from the job's."""
    namespace: str
    """Not used: it is the job's."""


class ContainerPatch(TypedDict, total=False):
    """Changes to one container of a pod."""

    env: Env
    """Environment to add or to replace; not of the trainer and the initializers, which have fields of their own."""
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    """The container, as the runtime calls it."""
    securityContext: core_v1.SecurityContext
    """User and rights of the container."""
    volumeMounts: Annotated[list[core_v1.VolumeMount], MaxItems(128), ListMap("name")]
    """Where the container mounts volumes."""


class PodPatchSpec(TypedDict, total=False):
    """Changes to the pods of one group of Jobs; what is left out stays as the runtime says."""

    affinity: core_v1.Affinity
    """Which nodes and which other pods they are near to or far from."""
    containers: Annotated[
        list[ContainerPatch], MaxItems(64), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    """Changes to containers, by their names."""
    imagePullSecrets: Annotated[
        list[core_v1.LocalObjectReference],
        MaxItems(64),
        ListMap("name"),
        Cel("self == oldSelf", "stays as it was created"),
    ]
    """Secrets to pull images with."""
    initContainers: Annotated[
        list[ContainerPatch], MaxItems(64), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    """Changes to containers that run first, by their names."""
    nodeSelector: dict[str, str]
    """Labels of nodes that the pods run on."""
    schedulingGates: Annotated[list[core_v1.PodSchedulingGate], MaxItems(16), ListMap("name")]
    """Gates that hold the pods back."""
    securityContext: Annotated[core_v1.PodSecurityContext, Cel("self == oldSelf", "stays as it was created")]
    """User, group and rights of the pods."""
    serviceAccountName: Annotated[
        str, MaxLength(253), Cel("self == oldSelf", "stays as it was created"), Ref("ServiceAccount")
    ]
    """Service account of the pods."""
    terminationGracePeriodSeconds: Annotated[Int64, Minimum(0), Cel("self == oldSelf", "stays as it was created")]
    """Seconds between SIGTERM, when a pod must go, and its end."""
    tolerations: Annotated[list[core_v1.Toleration], MaxItems(128), ListType("atomic")]
    """Taints of nodes that the pods put up with."""
    volumes: Annotated[
        list[core_v1.Volume], MaxItems(128), ListMap("name"), Cel("self == oldSelf", "stays as it was created")
    ]
    """Volumes to add to the pods."""


class PodPatch(TypedDict, total=False):
    """Changes to pods."""

    metadata: TemplateMetadata
    """Labels and annotations of the pods."""
    spec: PodPatchSpec
    """Changes to the pods themselves."""


class JobPatchSpec(TypedDict, total=False):
    """Changes to what is in a Job."""

    template: PodPatch
    """Changes to its pods."""


class JobPatch(TypedDict, total=False):
    """Changes to Jobs."""

    metadata: TemplateMetadata
    """Labels and annotations of the Jobs."""
    spec: JobPatchSpec
    """Changes to what is in them."""


class ReplicatedJobPatch(TypedDict, total=False):
    """Changes to one group of Jobs."""

    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    """The group, as the runtime calls it: node, launcher, dataset-initializer …."""
    template: JobPatch
    """Changes to its Jobs."""


class JobSetPatchSpec(TypedDict, total=False):
    """Changes to what is in a JobSet."""

    replicatedJobs: Annotated[list[ReplicatedJobPatch], MaxItems(100), ListMap("name")]
    """Changes to groups of Jobs, by their names."""


class JobSetPatch(TypedDict, total=False):
    """Changes to the JobSet that a job becomes."""

    metadata: TemplateMetadata
    """Labels and annotations of the JobSet."""
    spec: JobSetPatchSpec
    """Changes to what is in it."""


class RuntimeSpecPatch(TypedDict, total=False):
    """Changes to a runtime."""

    template: JobSetPatch
    """Changes to the JobSet that the job becomes."""


class RuntimePatch(TypedDict, total=False):
    """Changes to the runtime for one job, by one author."""

    manager: Required[Annotated[str, MaxLength(253), MinLength(1), Cel("self == oldSelf", "stays as it was created")]]
    """Who makes the changes, as a domain and a path (kueue.x-k8s.io/manager)."""
    time: Time
    """When they were last written; the API server says it."""
    trainingRuntimeSpec: RuntimeSpecPatch
    """The changes."""


class RuntimeRef(TypedDict, total=False):
    """The runtime that a job runs with."""

    apiGroup: Annotated[str, Default("trainer.kubeflow.org"), MaxLength(253)]
    """Group of the runtime's kind."""
    kind: Annotated[str, Default("ClusterTrainingRuntime"), MaxLength(253)]
    """ClusterTrainingRuntime, or TrainingRuntime for one in the job's namespace."""
    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Ref("ClusterTrainingRuntime", group="trainer.kubeflow.org", kind_field="kind", group_field="apiGroup"),
        ]
    ]
    """Name of the runtime."""


class Trainer(TypedDict, total=False):
    """What runs on the training nodes, over what the runtime says."""

    args: Args
    """Arguments of the command; the runtime's if left out."""
    command: Args
    """What the container runs; the runtime's if left out."""
    env: Env
    """Environment of the training, added to the runtime's."""
    image: Annotated[str, MaxLength(500)]
    """Image of the training; the runtime's if left out."""
    numNodes: Int32
    """Number of training nodes (pods); the runtime's if left out."""
    numProcPerNode: Int32
    """Processes on each node; the runtime's if left out, or one for each GPU with torch."""
    resourcesPerNode: core_v1.ResourceRequirements
    """Resources of each node; the runtime's if left out."""


class TrainJobSpec(TypedDict, total=False):
    """A training that runs as a runtime says."""

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
    """Controller in charge of the job: the trainer's own if left out, or Kueue's MultiKueue."""
    runtimePatches: Annotated[list[RuntimePatch], MaxItems(16), ListMap("manager")]
    """Changes to the runtime for this job alone, one entry for each author of changes."""
    runtimeRef: Required[Annotated[RuntimeRef, Cel("self == oldSelf", "stays as it was created")]]
    """The runtime that the job runs with."""
    suspend: Annotated[bool, Default(False)]
    """True: no pods run; Kueue sets it to hold a job back until there is room."""
    trainer: Annotated[Trainer, Cel("self == oldSelf", "stays as it was created")]
    """What runs on the training nodes, over what the runtime says."""


class JobsStatus(TypedDict, total=False):
    """Pods of one group of Jobs."""

    active: Required[Annotated[Int32, Minimum(0)]]
    failed: Required[Annotated[Int32, Minimum(0)]]
    name: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    ready: Required[Annotated[Int32, Minimum(0)]]
    succeeded: Required[Annotated[Int32, Minimum(0)]]
    suspended: Required[Annotated[Int32, Minimum(0)]]


class Metric(TypedDict, total=False):
    """A figure of the training."""

    name: Required[Annotated[str, MaxLength(64), MinLength(1)]]
    value: Required[Annotated[str, MaxLength(64), MinLength(1)]]


class TrainerStatus(TypedDict, total=False):
    """How far the training is."""

    estimatedRemainingSeconds: Annotated[Int32, Minimum(0)]
    lastUpdatedTime: Time
    metrics: Annotated[list[Metric], MaxItems(256), ListType("atomic")]
    progressPercentage: Annotated[Int32, Maximum(100), Minimum(0)]


class TrainJobStatus(TypedDict, total=False):
    """What the controller reports."""

    conditions: Annotated[list[meta_v1.Condition], MaxItems(8), ListMap("type")]
    jobsStatus: Annotated[list[JobsStatus], MaxItems(100), ListMap("name")]
    trainerStatus: Annotated[TrainerStatus, Cel("has(self.lastUpdatedTime)", "needs lastUpdatedTime")]


class TrainJob(TypedDict, total=False):
    """A job with its status."""

    spec: TrainJobSpec
    status: Annotated[TrainJobStatus, MinProperties(1)]


class Flux(TypedDict, total=False):
    """A Flux cluster inside the job."""

    numProcPerNode: Annotated[Int32, Default(1), Cel("self >= 1", "at least 1")]
    """Processes on each node."""


class Mpi(TypedDict, total=False):
    """Training with MPI: a launcher reaches the nodes over SSH."""

    mpiImplementation: Annotated[Literal["OpenMPI", ""], Default("OpenMPI")]
    """MPI in the image; OpenMPI is the only one."""
    numProcPerNode: Annotated[Int32, Default(1)]
    """MPI processes on each node."""
    runLauncherAsNode: Annotated[bool, Default(False)]
    """True: the launcher trains, too."""
    sshAuthMountPath: Annotated[str, Default("/root/.ssh"), MaxLength(4096)]
    """Folder where pods find the SSH keys."""


class EnvInjectionTarget(TypedDict, total=False):
    """Containers of one group of Jobs."""

    containerNames: Required[
        Annotated[
            list[Annotated[str, MaxLength(63)]],
            MinItems(1),
            MaxItems(8),
            ListType("set"),
            Cel("!self.exists(c, c == 'node')", "the container node always has the variables"),
        ]
    ]
    """The containers; init containers too."""
    jobName: Required[Annotated[str, MaxLength(253), MinLength(1)]]
    """The group, as the runtime calls it."""


class EnvInjection(TypedDict, total=False):
    """Containers that get the variables of a framework, beside the one that trains."""

    targets: Annotated[list[EnvInjectionTarget], MaxItems(16), ListMap("jobName")]
    """Containers by group of Jobs."""


class Torch(TypedDict, total=False):
    """Training with torchrun, which is given the nodes in the variables PET_…."""

    envInjection: EnvInjection
    """Other containers that get these variables, such as one that tests the network first."""


class MlPolicy(TypedDict, total=False):
    """How many nodes a training has, and how its framework is told of them; at most one framework."""

    flux: Flux
    """Flux."""
    jax: EmptyObject
    """JAX; without settings."""
    mpi: Mpi
    """MPI, DeepSpeed or MLX."""
    numNodes: Int32
    """Number of training nodes (pods), where the job does not say it; 1 if left out."""
    torch: Torch
    """PyTorch with torchrun."""
    xgboost: EmptyObject
    """XGBoost; without settings."""


class Coscheduling(TypedDict, total=False):
    """Gang scheduling by the coscheduling plug-in of kube-scheduler."""

    scheduleTimeoutSeconds: Annotated[Int32, Default(60)]
    """Seconds that the gang may wait for its place."""


class NetworkTopology(TypedDict, total=False):
    """How far apart in the network the pods of a gang may be."""

    highestTierAllowed: Annotated[int, Default(1)]
    """Highest tier of HyperNodes that the gang may span; 1 is the narrowest."""
    mode: Annotated[Literal["hard", "soft"], Default("hard")]
    """hard: pods wait for such a place; soft: it is preferred."""


class Volcano(TypedDict, total=False):
    """Gang scheduling by Volcano; the queue is named by an annotation of the JobSet."""

    networkTopology: NetworkTopology
    """How far apart in the network the pods may be."""


class PodGroupPolicy(TypedDict, total=False):
    """Gang scheduling: all pods start together or none does; one scheduler of the two."""

    coscheduling: Coscheduling
    """By kube-scheduler's coscheduling plug-in."""
    volcano: Volcano
    """By Volcano."""


class JobSetTemplate(TypedDict, total=False):
    """The JobSet that a job becomes."""

    metadata: TemplateMetadata
    """Labels and annotations of the JobSet."""
    spec: CheckedJobSetSpec
    """Its groups of Jobs; the container called node in the group called node is what the job's trainer changes."""


class RuntimeSpec(TypedDict, total=False):
    """A way to train, which jobs name: its nodes, its framework and its pods."""

    mlPolicy: Annotated[
        MlPolicy,
        Cel(
            "[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)]"
            ".filter(x, x).size() <= 1",
            "one kind of machine-learning policy at most",
        ),
    ]
    """How many nodes there are, and how the framework is told of them."""
    podGroupPolicy: PodGroupPolicy
    """Gang scheduling; none if left out."""
    template: Annotated[JobSetTemplate, MinProperties(1)]
    """The JobSet that a job becomes."""


class Runtime(TypedDict, total=False):
    """A runtime, in a namespace or for the whole cluster."""

    spec: Annotated[RuntimeSpec, MinProperties(1)]


_PULL_SECRETS = (
    "spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec"
    ".imagePullSecrets[].name"
)

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
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("State", ".status.conditions[-1:].type"), AGE),
    health=HealthConditions(ready=("Complete",), failed=("Failed",), suspended=("Suspended",)),
    references={
        "spec.initializer.dataset.secretRef.name": Ref("Secret"),
        "spec.initializer.model.secretRef.name": Ref("Secret"),
        _PULL_SECRETS: Ref("Secret", weak=True),
    },
    makes=(Makes("JobSet", group="jobset.x-k8s.io"), Makes("Service")),
    doc="A training that runs as a runtime says; the JobSet that it becomes has its name.",
    suspended_by="spec.suspend",
)

TRAINING_RUNTIME = Api(
    group="trainer.kubeflow.org",
    version="v1alpha1",
    kind="TrainingRuntime",
    plural="trainingruntimes",
    spec=RuntimeSpec,
    top=Runtime,
    core="1.36",
    embedded_metadata=True,
    doc="A way to train that jobs of the same namespace name.",
)

CLUSTER_TRAINING_RUNTIME = Api(
    group="trainer.kubeflow.org",
    version="v1alpha1",
    kind="ClusterTrainingRuntime",
    plural="clustertrainingruntimes",
    namespaced=False,
    spec=RuntimeSpec,
    top=Runtime,
    core="1.36",
    embedded_metadata=True,
    doc="A way to train that jobs of every namespace name.",
)

CRDS = (Definition((TRAIN_JOB,)), Definition((TRAINING_RUNTIME,)), Definition((CLUSTER_TRAINING_RUNTIME,)))
