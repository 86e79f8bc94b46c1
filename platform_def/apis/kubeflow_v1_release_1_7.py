"""Kubeflow training jobs as training-operator 1.7 serves them, the last release that runs MXJob.

The kinds that 1.9 has too are authored through `kubeflow_v1`; here they differ only in what their CRDs hold.
"""

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.kubeflow_v1 import STATE, ElasticPolicy, PaddleElasticPolicy, ReplicaSpec, training_job
from platform_def.apis.model import AGE, Definition
from platform_def.apis.schema import Default, Int32, Int64, Quantity, Ref


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling: all pods start together or none does."""

    minAvailable: Int32
    """Pods that must fit at once; all of the job's if left out."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: str
    """Queue of the gang scheduler."""
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
    runPolicy: RunPolicy
    successPolicy: str
    tfReplicaSpecs: Required[dict[str, ReplicaSpec]]


class PyTorchJobSpec(TypedDict, total=False):
    """A PyTorch job."""

    elasticPolicy: ElasticPolicy
    nprocPerNode: str
    pytorchReplicaSpecs: Required[dict[str, ReplicaSpec]]
    runPolicy: RunPolicy


class MPIJobSpec(TypedDict, total=False):
    """An MPI job."""

    cleanPodPolicy: str
    mainContainer: str
    mpiReplicaSpecs: Required[dict[str, ReplicaSpec]]
    runPolicy: RunPolicy
    slotsPerWorker: Int32


class XGBoostJobSpec(TypedDict, total=False):
    """An XGBoost job."""

    runPolicy: RunPolicy
    xgbReplicaSpecs: Required[dict[str, ReplicaSpec]]


class PaddleJobSpec(TypedDict, total=False):
    """A PaddlePaddle job."""

    elasticPolicy: PaddleElasticPolicy
    paddleReplicaSpecs: Required[dict[str, ReplicaSpec]]
    runPolicy: RunPolicy


MX_JOB = training_job("MXJob", MXJobSpec, core="1.27")
TF_JOB = training_job("TFJob", TFJobSpec, core="1.27")
PYTORCH_JOB = training_job("PyTorchJob", PyTorchJobSpec, core="1.27", workers="pytorchReplicaSpecs")
MPI_JOB = training_job("MPIJob", MPIJobSpec, core="1.27", columns=(AGE, STATE))
XGBOOST_JOB = training_job("XGBoostJob", XGBoostJobSpec, core="1.27")
PADDLE_JOB = training_job("PaddleJob", PaddleJobSpec, core="1.27", workers="paddleReplicaSpecs")

JOBS = tuple(Definition((job,)) for job in (TF_JOB, PYTORCH_JOB, MX_JOB, MPI_JOB, XGBOOST_JOB, PADDLE_JOB))
