"""MPIJob as mpi-operator 0.8 serves it; the training operator has v1 under the same CRD name: one or the other."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import Default, Int32, Int64, ListMap, Quantity, Ref, Time
from platform_def.crds.typed_dict import TypedDict


class MpiReplicaSpec(TypedDict, total=False):
    """One role of a job: how many pods, and what runs in them."""

    replicas: Int32
    """Pods of this role; if left out one launcher, and no workers."""
    restartPolicy: str
    """Never or OnFailure; Never if left out."""
    template: core_v1.PodTemplateSpec
    """The pod; a worker keeps an SSH server running."""


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling: all pods start together or none does."""

    minAvailable: Int32
    """Pods that must fit at once; launcher and all workers if left out."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang; that of the launcher's or else the workers' pods if left out."""
    queue: Annotated[str, Ref("Queue", group="scheduling.volcano.sh")]
    """Queue of the gang scheduler; Volcano's default queue if left out."""
    scheduleTimeoutSeconds: Int32
    """Seconds that the gang may wait for its place (coscheduling plug-in only)."""


class RunPolicy(TypedDict, total=False):
    """When a job gives up, and what is left of it."""

    activeDeadlineSeconds: Int64
    """Seconds after which a running job is stopped and counts as failed; no limit if left out."""
    backoffLimit: Int32
    """Times that a failing launcher is tried again before the job fails."""
    cleanPodPolicy: str
    """Which workers are removed when the job is over: None, Running or All; None if left out."""
    managedBy: str
    """Controller in charge of the job: the MPI operator if left out, or Kueue's MultiKueue."""
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling, where the operator runs with a gang scheduler."""
    suspend: Annotated[bool, Default(False)]
    """True: no pods run; Kueue sets it to hold a job back until there is room."""
    ttlSecondsAfterFinished: Int32
    """Seconds after its end when the job itself is removed; never if left out."""


class MPIJobSpec(TypedDict, total=False):
    """An MPI job: the launcher reaches its workers over SSH, with keys that the operator makes."""

    launcherCreationPolicy: Annotated[str, Default("AtStartup")]
    """AtStartup makes the launcher at once; WaitForWorkersReady when all workers are ready."""
    mpiImplementation: Annotated[Literal["OpenMPI", "Intel", "MPICH"], Default("OpenMPI")]
    """MPI in the image: OpenMPI, Intel or MPICH; it decides on host file and environment."""
    mpiReplicaSpecs: Required[dict[str, MpiReplicaSpec]]
    """Roles: Launcher (one pod) and Worker."""
    runLauncherAsWorker: Annotated[bool, Default(False)]
    """True: the launcher computes too and stands first in the host file."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""
    slotsPerWorker: Annotated[Int32, Default(1)]
    """MPI processes of each worker, as its host file says."""
    sshAuthMountPath: Annotated[str, Default("/root/.ssh")]
    """Folder where pods find the SSH keys; choose another where the container is not root."""


class Condition(TypedDict, total=False):
    """A fact that the operator found."""

    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[Literal["True", "False", "Unknown"]]
    type: Required[str]


class ReplicaStatus(TypedDict, total=False):
    """Pods of one role."""

    active: Int32
    failed: Int32
    labelSelector: meta_v1.LabelSelector
    selector: str
    succeeded: Int32


class MPIJobStatus(TypedDict, total=False):
    """What the operator reports."""

    completionTime: Time
    conditions: Annotated[list[Condition], ListMap("type")]
    lastReconcileTime: Time
    replicaStatuses: dict[str, ReplicaStatus]
    startTime: Time


MPI_JOB = Api(
    group="kubeflow.org",
    version="v2beta1",
    kind="MPIJob",
    plural="mpijobs",
    spec=MPIJobSpec,
    status=MPIJobStatus,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    health=HealthConditions(ready=("Succeeded",), failed=("Failed",), suspended=("Suspended",)),
    makes=(Makes("Service"),),
    doc="An MPI job: a launcher that reaches its workers over SSH.",
    suspended_by="spec.runPolicy.suspend",
)

CRDS = (Definition((MPI_JOB,)),)
