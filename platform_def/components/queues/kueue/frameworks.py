"""What Kueue can queue: one line a kind, with its webhooks and the rights that its controller needs.

From the markers `+kubebuilder:webhook` and `+kubebuilder:rbac` below `pkg/controller/jobs` of Kueue 0.19.2, and the
names that `apis/config/v1beta2` lists under `integrations.frameworks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.config.platform import Platform
from platform_def.constructs import READ, allow
from platform_def.jobs.kubeflow.operated import run_by

FrameworkName = Literal[
    "batch/job",
    "deployment",
    "jobset.x-k8s.io/jobset",
    "kubeflow.org/jaxjob",
    "kubeflow.org/mpijob",
    "kubeflow.org/paddlejob",
    "kubeflow.org/pytorchjob",
    "kubeflow.org/tfjob",
    "kubeflow.org/xgboostjob",
    "leaderworkerset.x-k8s.io/leaderworkerset",
    "pod",
    "ray.io/raycluster",
    "ray.io/rayjob",
    "ray.io/rayservice",
    "sparkoperator.k8s.io/sparkapplication",
    "statefulset",
    "trainer.kubeflow.org/trainjob",
    "workload.codeflare.dev/appwrapper",
]

OWN, OWN_KEPT = "delete get list patch update watch", "get list patch update watch"
STATUS, FINALIZERS = "get patch update", "get update"


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A kind that Kueue holds back until there is room for it."""

    name: FrameworkName
    group: str
    version: str
    kind: str
    verbs: str = OWN
    """Rights on the objects."""
    status: str = STATUS
    """Rights on their status; empty for none."""
    finalizers: str = FINALIZERS
    also: tuple[PolicyRule, ...] = ()
    """Further rights."""
    changed: bool = False
    """Whether the webhook completes objects on updates too."""
    sent: bool = True
    """Whether MultiKueue can send it to another cluster."""
    served_by: str = ""
    """Component that serves this version, where another serves the same kind in a version that Kueue does not know."""

    @property
    def plural(self) -> str:
        """The resource."""
        return f"{self.kind.lower()}s"

    @property
    def path(self) -> str:
        """The end of its webhooks' paths."""
        return f"{self.group.replace('.', '-')}-{self.version}-{self.kind.lower()}"

    @property
    def api_version(self) -> str:
        """`kubeflow.org/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def rules(self) -> Iterator[PolicyRule]:
        """Rights of the controller."""
        yield allow(self.group, self.plural, verbs=self.verbs)
        if self.status:
            yield allow(self.group, f"{self.plural}/status", verbs=self.status)
        if self.finalizers:
            yield allow(self.group, f"{self.plural}/finalizers", verbs=self.finalizers)
        yield from self.also


def _kubeflow(kind: str, verbs: str = OWN) -> Framework:
    name: FrameworkName = f"kubeflow.org/{kind.lower()}"  # type: ignore[assignment]
    return Framework(name=name, group="kubeflow.org", version="v1", kind=kind, verbs=verbs)


def _ray(kind: str, *also: PolicyRule) -> Framework:
    name: FrameworkName = f"ray.io/{kind.lower()}"  # type: ignore[assignment]
    return Framework(name=name, group="ray.io", version="v1", kind=kind, also=also)


CLUSTERS = allow("ray.io", "rayclusters", verbs=READ)
FRAMEWORKS: tuple[Framework, ...] = (
    Framework(name="batch/job", group="batch", version="v1", kind="Job", finalizers="get patch update"),
    _kubeflow("JAXJob", OWN_KEPT),
    Framework(
        name="kubeflow.org/mpijob",
        group="kubeflow.org",
        version="v2beta1",
        kind="MPIJob",
        served_by="mpi-operator",
    ),
    *(_kubeflow(kind) for kind in ("PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")),
    Framework(
        name="trainer.kubeflow.org/trainjob",
        group="trainer.kubeflow.org",
        version="v1alpha1",
        kind="TrainJob",
        verbs=OWN_KEPT,
        also=(allow("trainer.kubeflow.org", "clustertrainingruntimes trainingruntimes", verbs=READ),),
    ),
    Framework(
        name="jobset.x-k8s.io/jobset",
        group="jobset.x-k8s.io",
        version="v1alpha2",
        kind="JobSet",
    ),
    _ray("RayCluster"),
    _ray("RayJob", CLUSTERS),
    _ray("RayService", CLUSTERS),
    Framework(
        name="sparkoperator.k8s.io/sparkapplication",
        group="sparkoperator.k8s.io",
        version="v1beta2",
        kind="SparkApplication",
        status="",
        finalizers="",
        sent=False,
    ),
    Framework(
        name="workload.codeflare.dev/appwrapper",
        group="workload.codeflare.dev",
        version="v1beta2",
        kind="AppWrapper",
    ),
    Framework(
        name="leaderworkerset.x-k8s.io/leaderworkerset",
        group="leaderworkerset.x-k8s.io",
        version="v1",
        kind="LeaderWorkerSet",
        verbs=READ,
        finalizers="",
        changed=True,
    ),
    Framework(name="pod", group="", version="v1", kind="Pod", status="get patch"),
    Framework(
        name="deployment",
        group="apps",
        version="v1",
        kind="Deployment",
        verbs=READ,
        status="",
        finalizers="",
        also=(allow("apps", "replicasets", verbs=READ),),
        changed=True,
        sent=False,
    ),
    Framework(
        name="statefulset",
        group="apps",
        version="v1",
        kind="StatefulSet",
        verbs=READ,
        status="",
        finalizers="",
        changed=True,
    ),
)
"""In the order in which they are written."""

_HELD_BY_PODS = frozenset({"deployment", "statefulset", "leaderworkerset.x-k8s.io/leaderworkerset"})
"""Kinds that wait pod by pod, so that Kueue turns `pod` on with them."""
_ON_REQUEST = frozenset({"pod", "deployment", "statefulset"})
"""Kinds of Kubernetes' own that run everything, not only jobs."""


def queued(asked: Sequence[FrameworkName], platform: Platform) -> tuple[Framework, ...]:
    """What is queued: the kinds that are asked for, else plain Jobs and the job kinds that the stack serves."""
    names: set[str] = set(asked) or {each.name for each in FRAMEWORKS if _served(each, platform)}
    if names & _HELD_BY_PODS:
        names.add("pod")
    return tuple(each for each in FRAMEWORKS if each.name in names)


def _served(framework: Framework, platform: Platform) -> bool:
    if framework.name == "batch/job":
        return True
    if framework.name in _ON_REQUEST or not platform.serves(f"{framework.kind}.{framework.group}"):
        return False
    return not framework.served_by or run_by(framework.served_by, platform)
