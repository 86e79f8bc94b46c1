"""ChainerJob as the last chainer-operator serves it.

Upstream's CRD is an apiextensions v1beta1 one without a schema; in v1 that is an object whose unknown fields are kept.
"""

from __future__ import annotations

from typing import Literal, Required

from platform_def.apis.core import core_v1
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Int32, Int64, Shape
from platform_def.crds.typed_dict import TypedDict


class MPIConfig(TypedDict, total=False):
    """Settings of MPI."""

    slots: Int32
    """MPI slots of each pod."""


class MasterSpec(TypedDict, total=False):
    """The pod that starts the job."""

    activeDeadlineSeconds: Int64
    """Seconds after which the job is stopped and counts as failed."""
    backoffLimit: Int32
    """Times that the master is tried again before the job fails."""
    mpiConfig: MPIConfig
    """Settings of MPI."""
    template: Required[core_v1.PodTemplateSpec]
    """The pod; its container is called chainer."""


class WorkerSetSpec(TypedDict, total=False):
    """A group of equal workers."""

    mpiConfig: MPIConfig
    """Settings of MPI."""
    replicas: Required[Int32]
    """Pods of the group."""
    template: Required[core_v1.PodTemplateSpec]
    """The pod; its container is called chainer."""


class ChainerJobSpec(TypedDict, total=False):
    """A Chainer job; without worker sets it runs in the master alone."""

    backend: Literal["mpi"]
    """How master and workers reach each other."""
    master: Required[MasterSpec]
    """The pod that starts the job."""
    workerSets: dict[str, WorkerSetSpec]
    """Groups of workers by name."""


CHAINER_JOB = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="ChainerJob",
    plural="chainerjobs",
    spec=ChainerJobSpec,
    rules=(Shape({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),),
    core="1.31",
    doc="A training with Chainer: a master and sets of workers, which find each other by MPI.",
)

CRDS = (Definition((CHAINER_JOB,), short_names=("chj", "chjs", "chjob", "chjobs"), categories=("all",)),)
