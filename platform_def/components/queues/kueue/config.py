"""What a stack may choose about Kueue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.queues.kueue.frameworks import FrameworkName
from platform_def.components.queues.kueue.releases import RELEASES
from platform_def.config.model import MisfitError, Model, Name, Quantity, conflict
from platform_def.config.pools import NodePool
from platform_def.constructs import CertificateChoice

LONGEST_WAIT_SECONDS = 7 * 24 * 3600
Seconds = Annotated[int, Field(ge=0, le=LONGEST_WAIT_SECONDS)]
Weight = Annotated[int, Field(ge=0, le=1000)]


class PodsReady(Model):
    """What becomes of a job whose pods do not all run after it was let in."""

    timeout_seconds: Annotated[int, Field(ge=1, le=LONGEST_WAIT_SECONDS)] = 1800
    """After this time it goes back into the queue; Kueue's default."""
    recovery_timeout_seconds: Seconds | None = None
    """The same, once all pods ran and one of them is to be replaced; 0: without limit, absent: as long as above."""
    block_admission: bool = False
    """Let nothing in until the pods of all that was let in run: big jobs never hold part of what they need."""
    requeues: Annotated[int, Field(ge=0, le=1000)] | None = None
    """How often it comes back before it is set aside; absent: without end."""
    backoff_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """Wait before it is tried again, doubled each time; Kueue's default."""


class Preemption(Model):
    """Whom jobs may push out."""

    reclaim: Literal["Never", "LowerPriority", "Any"] = "Any"
    """Jobs of other queues that have borrowed what is this queue's own. `Any`: an owner always gets it back."""
    within: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "LowerPriority"
    """Jobs of the same queue."""
    borrow: Literal["Never", "LowerPriority"] = "Never"
    """Jobs of other queues, in order to borrow."""

    @conflict
    def _reclaims(self) -> Iterator[ValueError]:
        if self.reclaim == "Never" and self.borrow != "Never":
            yield MisfitError("who never reclaims cannot push out others to borrow: Kueue refuses it", "borrow")


class Priority(Model):
    """A priority that jobs name."""

    name: Name
    """Name of its WorkloadPriorityClass, and of a PriorityClass where pods are to have it too."""
    value: Annotated[int, Field(ge=-2_147_483_648, le=1_000_000_000)]
    """The greater comes first, and may push out the smaller."""
    description: Annotated[str, Field(max_length=2048)] = ""
    """What it is for."""
    pods: bool = False
    """Also make a PriorityClass, by which the scheduler places and pushes out pods; pods name it themselves."""


class Transformation(Model):
    """How amounts of a resource are counted as others: seven `nvidia.com/mig-1g.10gb` as 70 units of GPU memory."""

    input: Annotated[str, Field(min_length=1, max_length=316)]
    """Resource that pods ask for."""
    outputs: dict[str, Quantity] = Field(default_factory=dict)
    """What one of it counts as; with `Replace` and none, the resource is not counted."""
    strategy: Literal["Retain", "Replace"] = "Retain"
    """Whether the resource itself counts too."""


class MultiKueue(Model):
    """Other clusters that jobs of all queues are sent to."""

    workers: Annotated[dict[Name, Name], Field(min_length=1, max_length=20)]
    """Secrets in Kueue's namespace with a kubeconfig (key `kubeconfig`), by the name of the cluster."""
    dispatcher: Literal["all-at-once", "incremental"] = "all-at-once"
    """Whether all clusters are asked at once, or some first; the first one that has room gets the job."""
    lost_minutes: Annotated[int, Field(ge=0, le=7 * 24 * 60)] = 15
    """How long a job stays with a cluster that cannot be reached; Kueue's default."""


class KueueConfig(CertificateChoice):
    """What a stack may choose about Kueue."""

    releases = RELEASES

    namespace: Name = "kueue-system"
    """Namespace of the controller, upstream's."""
    integrations: list[FrameworkName] = Field(default_factory=list)
    """Kinds that wait in queues. By default plain Jobs and the job kinds that the stack serves; `pod`, `deployment` and
    `statefulset` hold everything that runs in the teams' namespaces, so they are on only where they are named."""
    manage_jobs_without_queue_name: bool | None = None
    """Jobs that name no queue wait too, in the queue of their namespace; else they would start past all quotas. By
    default they do, unless a node pool has a `scheduler` of its own: jobs there name no queue of Kueue's."""
    namespaces: list[Name] = Field(default_factory=list)
    """Namespaces whose jobs Kueue looks at beside those of teams with a `queue`: for queues that you write yourself."""
    cohort: Name = "teams"
    """Cohort of all teams' queues: it owns what no team's quota has, and lends it."""
    preemption: Preemption = Preemption.of_defaults()
    """Whom jobs may push out."""
    strict_order: bool = False
    """The oldest job of a queue holds back those behind it; otherwise smaller ones that fit pass it."""
    priorities: list[Priority] = Field(default_factory=list)
    """Priorities that jobs name with `priority:`, or by the label `kueue.x-k8s.io/priority-class`."""
    pods_ready: PodsReady = PodsReady.of_defaults()
    """What becomes of a job whose pods do not all run."""
    fair_sharing: bool = False
    """Share what is borrowed evenly between queues, and push out who has more than a fair share."""
    weights: dict[Name, Weight] = Field(default_factory=dict)
    """Weights of queues where `fairSharing` divides: a queue with 2 gets twice what one with 1, the default, gets; one
    with 0 only what no other queue wants."""
    usage_half_life_hours: Annotated[int, Field(ge=1, le=24 * 365)] | None = None
    """Let those of one queue go first who used least lately: time after which a use counts half."""
    transformations: list[Transformation] = Field(default_factory=list)
    """Resources that count as others."""
    keep_finished_hours: Annotated[int, Field(ge=0, le=24 * 365)] | None = None
    """Remove what Kueue knows of a job so long after its end; absent: with the job."""
    multi_kueue: MultiKueue | None = None
    """Other clusters that jobs are sent to."""
    worker_account: Name | None = None
    """On a cluster that takes jobs of another's Kueue: ServiceAccount by which that one sends them. Its token goes into
    the kubeconfig that the other's `multiKueue` names."""
    visibility: bool = True
    """Serve the API by which people see their place in a queue; the API server depends on it for discovery."""
    queue_metrics: bool = True
    """Metrics of each queue's quota and use."""
    feature_gates: dict[Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=80)], bool] = Field(
        default_factory=dict
    )
    """Feature gates of Kueue's own, by name."""

    def takes_unnamed(self, pools: Iterable[NodePool]) -> bool:
        """Whether jobs that name no queue wait too."""
        said = self.manage_jobs_without_queue_name
        return said if said is not None else all(pool.scheduler is None for pool in pools)

    @conflict
    def _shares(self) -> Iterator[ValueError]:
        if self.weights and not self.fair_sharing:
            yield MisfitError(
                "weights count where what is borrowed is shared alone: say `fairSharing: true`", "weights"
            )

    @conflict
    def _distinct(self) -> Iterator[ValueError]:
        names = [each.name for each in self.priorities]
        for index, name in enumerate(names):
            if name in names[:index]:
                yield MisfitError(f"two priorities are called '{name}'", "priorities", index, "name")
        inputs = [each.input for each in self.transformations]
        for index, name in enumerate(inputs):
            if name in inputs[:index]:
                yield MisfitError(f"{name} is counted as others twice", "transformations", index, "input")
