"""PaddleJob as paddle-operator 0.3 serves it (batch.paddlepaddle.org).

The CRD has the pod type that its operator was compiled against, kept as data; authors use today's type.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Required

from platform_def.apis.core import core_v1
from platform_def.crds.data import Kept
from platform_def.crds.health import StateHealth
from platform_def.crds.model import AGE, Api, Column, Definition
from platform_def.crds.schema import Int32, Quantity, Ref
from platform_def.crds.typed_dict import TypedDict


def _kept(name: str) -> Kept:
    return Kept(Path(__file__).with_name("v1.json"), name, "1.25")


class ResourceSpec(TypedDict, total=False):
    """One role of a job."""

    limits: int
    """Most pods of the role, of an elastic job."""
    replicas: Required[int]
    """Pods of the role."""
    requests: int
    """Fewest pods of the role, of an elastic job."""
    template: Annotated[core_v1.PodTemplateSpec, _kept("PodTemplateSpec")]
    """The pod."""


class SchedulingPolicy(TypedDict, total=False):
    """Gang scheduling with Volcano."""

    minAvailable: Int32
    """Pods that must fit at once."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod starts."""
    priorityClass: Annotated[str, Ref("PriorityClass", group="scheduling.k8s.io")]
    """PriorityClass of the gang."""
    queue: Annotated[str, Ref("Queue", group="scheduling.volcano.sh")]
    """Queue of the gang scheduler."""


class PaddleJobSpec(TypedDict, total=False):
    """A PaddlePaddle job: parameter servers and workers, or workers alone."""

    cleanPodPolicy: str
    """Which pods are removed when the job is over: Always, Never, OnFailure or OnCompletion."""
    elastic: int
    """Above 0: the number of workers may change while the job runs."""
    heter: ResourceSpec
    """Workers of another kind, such as ones without GPUs."""
    intranet: str
    """How pods reach each other: PodIP, Service or Host."""
    ps: ResourceSpec
    """Parameter servers."""
    schedulingPolicy: SchedulingPolicy
    """Gang scheduling with Volcano."""
    withGloo: int
    """Whether Gloo is started: 0 not, 1 for workers, 2 for servers."""
    worker: ResourceSpec
    """Workers."""


class PaddleJob(TypedDict, total=False):
    """A job and what the operator reports of it."""

    spec: PaddleJobSpec
    status: Annotated[dict[str, object], _kept("status")]


PADDLE_JOB = Api(
    group="batch.paddlepaddle.org",
    version="v1",
    kind="PaddleJob",
    plural="paddlejobs",
    spec=PaddleJobSpec,
    top=PaddleJob,
    core="1.25",
    status_subresource=True,
    doc="A PaddlePaddle job: parameter servers and workers, or workers alone.",
    columns=(Column("Status", ".status.phase"), Column("Mode", ".status.mode"), AGE),
    health=StateHealth("status.phase", ready=("Completed",), failed=("Failed", "Aborted")),
)

CRDS = (Definition((PADDLE_JOB,), short_names=("pdj",)),)
