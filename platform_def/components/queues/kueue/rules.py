"""What Kueue's controller may do beside what the kinds need that it queues, and what people may do with queues.

From the markers `+kubebuilder:rbac` of Kueue 0.19.2 outside `pkg/controller/jobs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.components.queues.kueue.frameworks import Framework
from platform_def.constructs import READ, WRITE, allow

KUEUE = "kueue.x-k8s.io"
_FINISHED = "admissionchecks clusterqueues resourceflavors topologies"
CONTROLLER: tuple[PolicyRule, ...] = (
    # Pods of queued jobs: whether they run, and where topologies place them.
    allow("", "limitranges namespaces nodes", verbs=READ),
    allow("", "pods", verbs="delete get list patch update watch"),
    allow("", "pods/status", verbs="get patch"),
    allow("", "podtemplates", verbs="create delete get list update watch"),
    # Jobs and JobSets are looked at as parts of other kinds too.
    allow("events.k8s.io", "events", verbs="create patch update watch"),
    allow("node.k8s.io", "runtimeclasses", verbs=READ),
    allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
    allow("resource.k8s.io", "deviceclasses resourceclaims resourceclaimtemplates resourceslices", verbs=READ),
    allow("autoscaling.x-k8s.io", "provisioningrequests", verbs=WRITE),
    allow("autoscaling.x-k8s.io", "provisioningrequests/status", verbs="get"),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="list watch"),
    allow(
        "apiextensions.k8s.io", "customresourcedefinitions", verbs="get", names="clusterprofiles.multicluster.x-k8s.io"
    ),
    allow(KUEUE, _FINISHED, verbs="get list update watch"),
    allow(
        KUEUE,
        "cohorts localqueues multikueueclusters multikueueconfigs provisioningrequestconfigs workloadpriorityclasses",
        verbs=READ,
    ),
    allow(KUEUE, "workloads", verbs=WRITE),
    allow(KUEUE, " ".join(f"{name}/finalizers" for name in (*_FINISHED.split(), "workloads")), verbs="update"),
    allow(
        KUEUE,
        "admissionchecks/status clusterqueues/status cohorts/status localqueues/status multikueueclusters/status "
        "workloads/status",
        verbs="get patch update",
    ),
)
VISIBILITY: tuple[PolicyRule, ...] = (
    allow("flowcontrol.apiserver.k8s.io", "flowschemas prioritylevelconfigurations", verbs="list watch"),
    allow("flowcontrol.apiserver.k8s.io", "flowschemas/status", verbs="patch"),
)
"""Of its API server."""
SECRETS = (allow("", "secrets", verbs="get list update watch"),)
"""Its certificate and the kubeconfigs of other clusters."""
PROFILES = (allow("multicluster.x-k8s.io", "clusterprofiles", verbs=READ),)


def certificates(webhooks: str, converted: Iterable[str]) -> list[PolicyRule]:
    """Rights of who makes its own certificates: their authority goes into webhooks, named by a pattern, and CRDs."""
    group = "admissionregistration.k8s.io"
    kinds = {"mutating": "mutatingwebhookconfigurations", "validating": "validatingwebhookconfigurations"}
    return [
        allow(group, " ".join(kinds.values()), verbs="list watch"),
        *(allow(group, kinds[sort], verbs="get update", names=webhooks.format(sort)) for sort in kinds),
        allow(
            "apiextensions.k8s.io", "customresourcedefinitions", verbs="get update", names=" ".join(sorted(converted))
        ),
    ]


def remote(frameworks: Iterable[Framework]) -> list[PolicyRule]:
    """What another cluster's Kueue does here: it makes workloads and jobs, and follows them (MultiKueue)."""
    return [
        allow(KUEUE, "workloads", verbs=WRITE),
        allow(KUEUE, "workloads/status", verbs="get patch update"),
        *(rule for each in frameworks if each.sent for rule in _jobs(each)),
    ]


def users(frameworks: Sequence[Framework]) -> list[PolicyRule]:
    """People of a team: their jobs, and where these stand; pods and Deployments they may write already."""
    return [
        *(rule for each in frameworks if each.group not in ("", "apps") for rule in _jobs(each)),
        allow(KUEUE, "localqueues workloads", verbs=READ),
        allow(KUEUE, "localqueues/status workloads/status", verbs="get"),
        allow("visibility.kueue.x-k8s.io", "localqueues/pendingworkloads", verbs=READ),
    ]


def _jobs(framework: Framework) -> tuple[PolicyRule, ...]:
    return (
        allow(framework.group, framework.plural, verbs=WRITE),
        allow(framework.group, f"{framework.plural}/status", verbs="get"),
    )


ADMINS: tuple[PolicyRule, ...] = (
    allow(KUEUE, "clusterqueues cohorts localqueues resourceflavors topologies workloads", verbs=WRITE),
    allow(KUEUE, "clusterqueues/status localqueues/status workloads/status", verbs="get"),
    allow("visibility.kueue.x-k8s.io", "clusterqueues/pendingworkloads localqueues/pendingworkloads", verbs=READ),
)
"""Who runs the cluster's queues. Queues that come from Git are put back by the delivery engine."""
