"""XGBoostJob as xgboost-operator 0.2 serves it (xgboostjob.kubeflow.org), before the training operator took it over.

Upstream's CRD is of apiextensions v1beta1: it keeps unknown fields, and its pod template is Kubernetes 1.16's, with
quantities and ports that are no structural schema. Here the template is today's, its labels and annotations included.
"""

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Int32, Int64, Time
from platform_def.crds.typed_dict import TypedDict


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling."""

    minAvailable: Int32
    """Pods that must fit at once."""


class ReplicaSpec(TypedDict, total=False):
    """One role of a job."""

    replicas: Int32
    """Pods of this role."""
    restartPolicy: str
    """Always, OnFailure, Never or ExitCode."""
    template: core_v1.PodTemplateSpec
    """The pod; its container is called xgboostjob."""


class XGBoostJobSpec(TypedDict, total=False):
    """An XGBoost job; its run policy stands beside the roles."""

    activeDeadlineSeconds: Int64
    """Seconds after which a running job is stopped and counts as failed."""
    backoffLimit: Int32
    """Times that failing pods are tried again before the job fails."""
    cleanPodPolicy: str
    """Which pods are removed when the job is over: None, Running or All."""
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling, where the operator runs with it."""
    ttlSecondsAfterFinished: Int32
    """Seconds after its end when the job itself is removed."""
    xgbReplicaSpecs: Required[dict[str, ReplicaSpec]]
    """Roles: Master (one pod) and Worker."""


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
    succeeded: Int32


class XGBoostJobStatus(TypedDict, total=False):
    """What the operator reports."""

    completionTime: Time
    conditions: Required[list[JobCondition]]
    lastReconcileTime: Time
    replicaStatuses: Required[dict[str, ReplicaStatus]]
    startTime: Time


XGBOOST_JOB = Api(
    group="xgboostjob.kubeflow.org",
    version="v1",
    kind="XGBoostJob",
    plural="xgboostjobs",
    spec=XGBoostJobSpec,
    status=XGBoostJobStatus,
    core="1.31",
    embedded_metadata=True,
    health=HealthConditions(ready=("Succeeded",), failed=("Failed",)),
    doc="A training with XGBoost: a master and workers, which find each other by the environment.",
)

CRDS = (Definition((XGBOOST_JOB,)),)
