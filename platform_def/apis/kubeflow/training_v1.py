"""Kubeflow training jobs as training-operator 1.9 serves them."""

from __future__ import annotations

from typing import Annotated, Required, TypeVar

from platform_def.apis.core import autoscaling_v2, core_v1, meta_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Scale
from platform_def.crds.schema import Cel, Default, Int32, Int64, Quantity, Ref, Time
from platform_def.crds.typed_dict import TypedDict

STATE = Column("State", ".status.conditions[-1:].type")
S = TypeVar("S")
CORE = "1.36"
"""Of the Kubernetes that 1.9.4 is compiled against."""


class ReplicaSpec(TypedDict, total=False):
    """One role of a job: how many pods, and what runs in them."""

    replicas: Int32
    """Pods of this role; 1 if left out."""
    restartPolicy: str
    """Always, OnFailure, Never or ExitCode (exit codes from 128 on are tried again, lower ones fail the job)."""
    template: core_v1.PodTemplateSpec
    """The pod; one container is called tensorflow, pytorch, mpi, xgboost, paddle or jax, as the kind of job asks."""


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling: all pods start together or none does."""

    minAvailable: Int32
    """Pods that must fit at once; all of the job's if left out."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: Annotated[
        str, Cel("self == oldSelf", "the queue of a job stays what it is"), Ref("Queue", group="scheduling.volcano.sh")
    ]
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
    managedBy: str
    """Controller in charge of the job: the training operator's if left out, or Kueue's MultiKueue."""
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling, where the operator runs with a gang scheduler."""
    suspend: Annotated[bool, Default(False)]
    """True: no pods run; Kueue sets it to hold a job back until there is room."""
    ttlSecondsAfterFinished: Int32
    """Seconds after its end when the job itself is removed; never if left out."""


class JobCondition(TypedDict, total=False):
    """A fact that the operator found."""

    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class ReplicaStatus(TypedDict, total=False):
    """Pods of one role."""

    active: Int32
    failed: Int32
    labelSelector: meta_v1.LabelSelector
    selector: str
    succeeded: Int32


class JobStatus(TypedDict, total=False):
    """What the operator reports."""

    completionTime: Time
    conditions: list[JobCondition]
    lastReconcileTime: Time
    replicaStatuses: dict[str, ReplicaStatus]
    startTime: Time


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


class RdzvConf(TypedDict, total=False):
    """A setting of torchrun's rendezvous."""

    key: str
    """Name of the setting."""
    value: str
    """Its value."""


class ElasticPolicy(TypedDict, total=False):
    """How a PyTorchJob grows and shrinks, and how its workers find each other (torchrun)."""

    maxReplicas: Int32
    """Most workers the job grows to."""
    maxRestarts: Int32
    """Times that torchrun restarts the worker group."""
    metrics: list[autoscaling_v2.MetricSpec]
    """What the autoscaler goes by; without any the job is not scaled on its own."""
    minReplicas: Int32
    """Fewest workers the job keeps running with."""
    nProcPerNode: Int32
    """Processes per pod; superseded by the job's own nprocPerNode."""
    rdzvBackend: str
    """Rendezvous backend: c10d, etcd or etcd-v2."""
    rdzvConf: list[RdzvConf]
    """Further settings of the rendezvous."""
    rdzvHost: str
    """Host of the rendezvous; worker 0 if left out."""
    rdzvId: str
    """Name of the rendezvous."""
    rdzvPort: Int32
    """Port of the rendezvous."""
    standalone: bool
    """All processes run in one pod, which is its own rendezvous."""


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


class PaddleElasticPolicy(TypedDict, total=False):
    """How a PaddleJob grows and shrinks."""

    maxReplicas: Int32
    """Most workers the job grows to."""
    maxRestarts: Int32
    """Times that the worker group is restarted."""
    metrics: list[autoscaling_v2.MetricSpec]
    """What the autoscaler goes by."""
    minReplicas: Int32
    """Fewest workers the job keeps running with."""


class PaddleJobSpec(TypedDict, total=False):
    """A PaddlePaddle job."""

    elasticPolicy: PaddleElasticPolicy
    """Lets the number of workers change while the job runs."""
    paddleReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Master and Worker."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""


class JAXJobSpec(TypedDict, total=False):
    """A JAX job."""

    jaxReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """The one role: Worker."""
    runPolicy: RunPolicy
    """When the job gives up, and what is left of it."""


def training_job(
    kind: str, spec: type[S], *, core: str, doc: str, workers: str = "", columns: tuple[Column, ...] = (STATE, AGE)
) -> Api[S]:
    """A kind of training job; `workers` is the field of its roles where the number of workers can be scaled."""
    pods = ".status.replicaStatuses.Worker"
    scale = Scale(spec=f".spec.{workers}.Worker.replicas", status=f"{pods}.active", selector=f"{pods}.selector")
    return Api(
        group="kubeflow.org",
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        spec=spec,
        status=JobStatus,
        core=core,
        embedded_metadata=True,
        status_subresource=True,
        scale=scale if workers else None,
        columns=columns,
        health=HealthConditions(ready=("Succeeded",), failed=("Failed",), suspended=("Suspended",)),
        doc=doc,
        suspended_by="spec.runPolicy.suspend",
    )


_TF = "A training with TensorFlow: chief, workers and parameter servers, which find each other by TF_CONFIG."
_PYTORCH = "A training with PyTorch: a master and workers, which find each other by torchrun's environment."
_MPI = "A training with MPI: a launcher that reaches its workers through kubectl exec."
_XGBOOST = "A training with XGBoost: a master and workers, which find each other by the environment."
_PADDLE = "A training with PaddlePaddle: workers, which find each other by the environment."
_JAX = "A training with JAX: workers, which find each other by the environment."

TF_JOB = training_job("TFJob", TFJobSpec, core=CORE, doc=_TF)
PYTORCH_JOB = training_job("PyTorchJob", PyTorchJobSpec, core=CORE, doc=_PYTORCH, workers="pytorchReplicaSpecs")
MPI_JOB = training_job("MPIJob", MPIJobSpec, core=CORE, doc=_MPI, columns=(AGE, STATE))
XGBOOST_JOB = training_job("XGBoostJob", XGBoostJobSpec, core=CORE, doc=_XGBOOST)
PADDLE_JOB = training_job("PaddleJob", PaddleJobSpec, core=CORE, doc=_PADDLE, workers="paddleReplicaSpecs")
JAX_JOB = training_job("JAXJob", JAXJobSpec, core=CORE, doc=_JAX, workers="jaxReplicaSpecs")

JOBS = tuple(Definition((job,)) for job in (TF_JOB, PYTORCH_JOB, MPI_JOB, XGBOOST_JOB, PADDLE_JOB, JAX_JOB))
