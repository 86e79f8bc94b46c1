"""MPIJob as mpi-operator 0.6 serves it; the training operator has v1 under the same CRD name: one or the other."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.health import Health
from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import Default, Int32, Int64, ListMap, Quantity, Ref, Time


class MpiReplicaSpec(TypedDict, total=False):
    replicas: Int32
    """Pods of this role."""
    restartPolicy: str
    """Always, OnFailure, Never or ExitCode."""
    template: core_v1.PodTemplateSpec
    """The pod."""


class SchedulingPolicy(TypedDict, total=False):
    minAvailable: Int32
    minResources: dict[str, Quantity]
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    queue: str
    scheduleTimeoutSeconds: Int32


class RunPolicy(TypedDict, total=False):
    activeDeadlineSeconds: Int64
    """Seconds after which a running job is stopped and counts as failed."""
    backoffLimit: Int32
    """Times that failing pods are tried again before the job fails."""
    cleanPodPolicy: str
    """Which pods are removed when the job is over, None, Running or All."""
    managedBy: str
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling."""
    suspend: Annotated[bool, Default(False)]
    """True holds the job back; Kueue does so."""
    ttlSecondsAfterFinished: Int32
    """Seconds after its end when the job itself is removed."""


class MPIJobSpec(TypedDict, total=False):
    launcherCreationPolicy: Annotated[str, Default("AtStartup")]
    """AtStartup, or WaitForWorkersReady."""
    mpiImplementation: Annotated[Literal["OpenMPI", "Intel", "MPICH"], Default("OpenMPI")]
    """OpenMPI, Intel or MPICH."""
    mpiReplicaSpecs: Required[dict[str, MpiReplicaSpec]]
    """Roles, Launcher (one pod) and Worker."""
    runLauncherAsWorker: Annotated[bool, Default(False)]
    """The launcher computes too."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""
    slotsPerWorker: Annotated[Int32, Default(1)]
    """MPI slots of each worker."""
    sshAuthMountPath: Annotated[str, Default("/root/.ssh")]
    """Where the SSH keys are mounted."""


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[Literal["True", "False", "Unknown"]]
    type: Required[str]


class ReplicaStatus(TypedDict, total=False):
    active: Int32
    failed: Int32
    labelSelector: meta_v1.LabelSelector
    selector: str
    succeeded: Int32


class MPIJobStatus(TypedDict, total=False):
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
    core="1.31",
    embedded_metadata=True,
    status_subresource=True,
    health=Health(ready=("Succeeded",), failed=("Failed",), suspended=("Suspended",)),
)

CRDS = (Definition((MPI_JOB,)),)
