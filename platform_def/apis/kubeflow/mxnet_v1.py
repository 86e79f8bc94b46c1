"""MXJob as mxnet-operator 1.1 serves it; the training operator 1.7 serves another schema under the same CRD name.

Upstream's CRD is of apiextensions v1beta1: it keeps unknown fields, bounds the replicas of known roles, and its nodes
have no type. In v1 that is the same where every level says that it keeps unknown fields: without it the API server
would drop the pod templates.
"""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.core import core_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Int32, Int64, Quantity, Ref, Schema, Shape
from platform_def.crds.typed_dict import TypedDict


class ReplicaSpec(TypedDict, total=False):
    """One role of a job."""

    replicas: Int32
    """Pods of this role."""
    restartPolicy: str
    """Always, OnFailure, Never or ExitCode."""
    template: Required[core_v1.PodTemplateSpec]
    """The pod; its container is called mxnet."""


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling."""

    minAvailable: Int32
    """Pods that must fit at once."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: Annotated[str, Ref("Queue", group="scheduling.volcano.sh")]
    """Queue of the gang scheduler."""


class MXJobSpec(TypedDict, total=False):
    """An MXNet job; its run policy stands beside the roles."""

    activeDeadlineSeconds: Int64
    """Seconds after which a running job is stopped and counts as failed."""
    backoffLimit: Int32
    """Times that failing pods are tried again before the job fails."""
    cleanPodPolicy: str
    """Which pods are removed when the job is over: None, Running or All."""
    jobMode: Required[str]
    """MXTrain (roles Scheduler, Server, Worker) or MXTune (roles TunerTracker, TunerServer, Tuner)."""
    mxReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles of the job."""
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling, where the operator runs with it."""
    ttlSecondsAfterFinished: Int32
    """Seconds after its end when the job itself is removed."""


def _open(**properties: Schema) -> Schema:
    return {"properties": properties, "x-kubernetes-preserve-unknown-fields": True}


def _role(**bounds: int) -> Schema:
    return _open(replicas={"type": "integer", **bounds})


_ROLES = _open(
    Scheduler=_role(minimum=1, maximum=1),
    Server=_role(minimum=1),
    Worker=_role(minimum=1),
    TunerTracker=_role(minimum=1, maximum=1),
    TunerServer=_role(minimum=1),
    Tuner=_role(minimum=1, maximum=1),
)
_WHOLE: Schema = {"type": "object", **_open(spec=_open(mxReplicaSpecs=_ROLES))}

MX_JOB = Api(
    group="kubeflow.org",
    version="v1",
    kind="MXJob",
    plural="mxjobs",
    spec=MXJobSpec,
    rules=(Shape(_WHOLE),),
    core="1.31",
    status_subresource=True,
    health=HealthConditions(ready=("Succeeded",), failed=("Failed",)),
    doc="A training with MXNet: a scheduler, servers and workers, or a search for faster kernels.",
)

CRDS = (Definition((MX_JOB,)),)
