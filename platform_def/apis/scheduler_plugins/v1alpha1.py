"""Scheduler plugins 0.34 (scheduling.x-k8s.io): gangs of pods, and quotas that lend what is idle."""

from __future__ import annotations

from typing import Annotated

from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.schema import Int32, Minimum, Quantity, Time
from platform_def.crds.typed_dict import TypedDict

_APPROVED = "https://github.com/kubernetes-sigs/scheduler-plugins/pull/"


class ElasticQuotaSpec(TypedDict, total=False):
    """What a namespace owns, and the most that its pods use together."""

    max: dict[str, Quantity]
    """Most that the namespace's pods use together."""
    min: dict[str, Quantity]
    """What the namespace owns; others may use it while it is idle."""


class ElasticQuotaStatus(TypedDict, total=False):
    """What the controller counts."""

    used: dict[str, Quantity]


class PodGroupSpec(TypedDict, total=False):
    """A gang of pods: those with the label `scheduling.x-k8s.io/pod-group` and its name."""

    minMember: Annotated[Int32, Minimum(1)]
    """Pods that must fit at once."""
    minResources: dict[str, Quantity]
    """Resources that must be free before the first pod is placed."""
    scheduleTimeoutSeconds: Int32
    """Seconds that placed pods wait for the rest before they give their nodes back."""


class PodGroupStatus(TypedDict, total=False):
    """What the controller reports."""

    failed: Int32
    occupiedBy: str
    phase: str
    running: Int32
    scheduleStartTime: Time
    succeeded: Int32


ELASTIC_QUOTA = Api(
    group="scheduling.x-k8s.io",
    version="v1alpha1",
    kind="ElasticQuota",
    plural="elasticquotas",
    spec=ElasticQuotaSpec,
    status=ElasticQuotaStatus,
    doc="What a namespace owns and may use, for the scheduler plugins.",
    status_subresource=True,
    columns=(
        Column("Used", ".status.used"),
        Column("Max", ".spec.max"),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
)

POD_GROUP = Api(
    group="scheduling.x-k8s.io",
    version="v1alpha1",
    kind="PodGroup",
    plural="podgroups",
    spec=PodGroupSpec,
    status=PodGroupStatus,
    doc="A gang of pods: all have a node together or none does.",
    status_subresource=True,
    columns=(
        Column("Phase", ".status.phase"),
        Column("MinMember", ".spec.minMember", type="integer"),
        Column("Running", ".status.running", type="integer"),
        Column("Succeeded", ".status.succeeded", type="integer"),
        Column("Failed", ".status.failed", type="integer"),
        Column("Age", ".metadata.creationTimestamp", type="date"),
    ),
)

DEFINITIONS = (
    Definition(
        (ELASTIC_QUOTA,), short_names=("eq", "eqs"), annotations={"api-approved.kubernetes.io": f"{_APPROVED}52"}
    ),
    Definition((POD_GROUP,), short_names=("pg", "pgs"), annotations={"api-approved.kubernetes.io": f"{_APPROVED}50"}),
)
