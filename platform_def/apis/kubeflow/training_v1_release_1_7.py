"""Kubeflow training jobs as training-operator 1.7 serves them, the last release that runs MXJob.

The kinds that 1.9 has too are authored through `kubeflow_v1`; here they differ only in what their CRDs hold.
"""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.kubeflow import training_v1 as newer
from platform_def.apis.kubeflow.training_v1 import (
    STATE,
    ElasticPolicy,
    PaddleElasticPolicy,
    ReplicaSpec,
    training_job,
)
from platform_def.crds.model import AGE, Definition
from platform_def.crds.schema import Default, Int32, Int64, Quantity, Ref
from platform_def.crds.typed_dict import TypedDict


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling: all pods start together or none does."""

    minAvailable: Int32
    """Pods that must fit at once; all of the job's if left out."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: Annotated[str, Ref("Queue", group="scheduling.volcano.sh")]
    """Queue of the gang scheduler; Volcano's default queue if left out."""
    scheduleTimeoutSeconds: Int32
    """Seconds that the gang may wait for its place."""


class RunPolicy(TypedDict, total=False):
    """When a job gives up, and what is left of it."""

    activeDeadlineSeconds: Int64
    """Seconds after which a running job is stopped and counts as failed."""
    backoffLimit: Int32
    """Times that failing pods are tried again before the job fails."""
    cleanPodPolicy: str
    """Which pods are removed when the job is over: None, Running or All."""
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling, where the operator runs with a gang scheduler."""
    suspend: Annotated[bool, Default(False)]
    """True: no pods run; Kueue sets it to hold a job back until there is room."""
    ttlSecondsAfterFinished: Int32
    """Seconds after its end when the job itself is removed; never if left out."""


class MXJobSpec(TypedDict, total=False):
    """An MXNet job."""

    jobMode: Required[str]
    """MXTrain: scheduler, servers and workers train; MXTune: a tuner's tracker, servers and clients."""
    mxReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Scheduler, Server and Worker, or TunerTracker, TunerServer and Tuner; the container is called mxnet."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""


class TFJobSpec(TypedDict, total=False):
    """A TensorFlow job."""

    enableDynamicWorker: bool
    """Workers may be added and taken away while the job runs."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""
    successPolicy: str
    """Empty: the job succeeds with its chief (or worker 0); AllWorkers: when every worker has."""
    tfReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Chief or Master, PS, Worker, Evaluator."""


class PyTorchJobSpec(TypedDict, total=False):
    """A PyTorch job."""

    elasticPolicy: ElasticPolicy
    """Lets the number of workers change while the job runs."""
    nprocPerNode: str
    """Processes per pod: auto, cpu, gpu or a number."""
    pytorchReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Master (at most one pod) and Worker."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""


class MPIJobSpec(TypedDict, total=False):
    """An MPI job (v1: the launcher reaches workers through kubectl exec)."""

    cleanPodPolicy: str
    """Which pods are removed when the job is over; runPolicy's goes first."""
    mainContainer: str
    """Container that runs the MPI program, where there are several."""
    mpiReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Launcher (one pod) and Worker."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""
    slotsPerWorker: Int32
    """MPI slots of each worker; 1 if left out."""


class XGBoostJobSpec(TypedDict, total=False):
    """An XGBoost job."""

    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""
    xgbReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Master (one pod) and Worker."""


class PaddleJobSpec(TypedDict, total=False):
    """A PaddlePaddle job."""

    elasticPolicy: PaddleElasticPolicy
    """Lets the number of workers change while the job runs."""
    paddleReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Master and Worker."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""


MX_JOB = training_job(
    "MXJob",
    MXJobSpec,
    core="1.27",
    doc="A training with MXNet: a scheduler, servers and workers, or a search for faster kernels.",
)
TF_JOB = training_job("TFJob", TFJobSpec, core="1.27", doc=newer.TF_JOB.doc)
PYTORCH_JOB = training_job(
    "PyTorchJob", PyTorchJobSpec, core="1.27", doc=newer.PYTORCH_JOB.doc, workers="pytorchReplicaSpecs"
)
MPI_JOB = training_job("MPIJob", MPIJobSpec, core="1.27", doc=newer.MPI_JOB.doc, columns=(AGE, STATE))
XGBOOST_JOB = training_job("XGBoostJob", XGBoostJobSpec, core="1.27", doc=newer.XGBOOST_JOB.doc)
PADDLE_JOB = training_job(
    "PaddleJob", PaddleJobSpec, core="1.27", doc=newer.PADDLE_JOB.doc, workers="paddleReplicaSpecs"
)

JOBS = tuple(Definition((job,)) for job in (TF_JOB, PYTORCH_JOB, MX_JOB, MPI_JOB, XGBOOST_JOB, PADDLE_JOB))
