"""What KAI's programs may do; the operator makes their accounts, by fixed names.

From the chart at v0.17.0, without what is off here (node scale adjuster, NUMA exporter, a Prometheus) and what nothing
asks for: the operator writes in its own namespace alone, and reads everywhere, as its caches do; everybody's Leases and
configurations of leader election are in that namespace.
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, WRITE, LeaderElection, allow

RUN_AI, KAI, LEASES = "scheduling.run.ai", "kai.scheduler", "coordination.k8s.io"
CONFIGURATIONS = "mutatingwebhookconfigurations validatingwebhookconfigurations"
HOOKS = (
    "kai-podgroup-validation-v2alpha2",
    "kai-queue-validation-v2",
    "mutating-kai-admission",
    "validating-kai-admission",
)
"""Webhook configurations that the operator makes, with the certificates that it makes for their servers."""

OPERATOR: tuple[PolicyRule, ...] = (
    allow("", "configmaps secrets serviceaccounts services", verbs=READ),
    allow("", "nodes", verbs=READ),
    allow("apps", "daemonsets deployments", verbs=READ),
    allow("policy", "poddisruptionbudgets", verbs=READ),
    # Of these it looks for what it may have made before, wherever the cluster serves them.
    allow("autoscaling.k8s.io", "verticalpodautoscalers", verbs=READ),
    allow("monitoring.coreos.com", "prometheuses servicemonitors", verbs=READ),
    allow("nvidia.com", "clusterpolicies", verbs=READ),
    allow("admissionregistration.k8s.io", CONFIGURATIONS, verbs=f"create {READ}"),
    allow("admissionregistration.k8s.io", CONFIGURATIONS, verbs="delete patch update", names=" ".join(HOOKS)),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ),
    # It takes conversion out of the queues' definition, where an earlier release left it.
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="update", names="queues.scheduling.run.ai"),
    allow(KAI, "configs schedulingshards", verbs=READ),
    allow(KAI, "configs/finalizers schedulingshards/finalizers", verbs="update"),
    allow(KAI, "configs/status schedulingshards/status", verbs="get patch update"),
    allow(RUN_AI, "queues", verbs=READ),
)
OPERATOR_HERE: tuple[PolicyRule, ...] = (
    allow("", "configmaps secrets serviceaccounts services", verbs="create delete patch update"),
    allow("", "pods", verbs=READ),
    allow("", "events", verbs="create patch"),
    allow("apps", "deployments", verbs="create delete patch update"),
    allow("discovery.k8s.io", "endpointslices", verbs=WRITE),
    allow("policy", "poddisruptionbudgets", verbs="create delete patch update"),
    allow(LEASES, "leases", verbs=READ),
)
"""In its own namespace."""
OPERATOR_RESERVATION = (allow("", "serviceaccounts", verbs="create delete patch update"),)
"""Where pods hold cards: their account."""

_LEADERS: Mapping[str, str] = {
    "admission": "ojptxr84.kai.scheduler",
    "binder": "2ad35f9c.kai.scheduler",
    "pod-grouper": "54dff599.kai.scheduler",
    "podgroup-controller": "o1x22tjj.kai.scheduler",
    "queue-controller": "ov3xj497.kai.scheduler",
}
"""Leases by account, compiled into each program but the scheduler."""


def election(account: str, scheduler: str) -> tuple[PolicyRule, ...]:
    """What a program needs in its own namespace to lead; the scheduler's Lease is called so."""
    return LeaderElection(lease=_LEADERS.get(account, scheduler)).rules()


_OWNERS: Mapping[str, str] = {
    "apps": "deployments replicasets statefulsets",
    "argoproj.io": "workflows",
    "batch": "cronjobs jobs",
    "jobset.x-k8s.io": "jobsets",
    "kubeflow.org": "jaxjobs mpijobs notebooks pytorchjobs scheduledworkflows tfjobs xgboostjobs",
    "leaderworkerset.x-k8s.io": "leaderworkersets",
    "machinelearning.seldon.io": "seldondeployments",
    "ray.io": "rayclusters rayjobs rayservices",
    "serving.knative.dev": "configurations revisions services",
    "trainer.kubeflow.org": "trainjobs",
}
"""Whose pods become a gang, or are in the queue that their owner names; every other pod stands for itself."""


def _grouper() -> tuple[PolicyRule, ...]:
    made = [allow(group, plurals, verbs=READ) for group, plurals in _OWNERS.items()]
    # A PodGroup names its owner as one that waits for its end.
    made += [
        allow(group, " ".join(f"{each}/finalizers" for each in plurals.split()), verbs="create patch update")
        for group, plurals in _OWNERS.items()
    ]
    return (
        allow("", "pods", verbs=f"{READ} patch update"),
        allow("", "pods/finalizers", verbs="create patch update"),
        allow("", "events", verbs="create patch update"),
        allow("", "configmaps namespaces", verbs=READ),
        allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
        allow(RUN_AI, "podgroups", verbs=f"create {READ} patch update"),
        *made,
    )


_STORAGE = allow("storage.k8s.io", "csidrivers csinodes csistoragecapacities storageclasses", verbs=READ)
OPERANDS: Mapping[str, tuple[PolicyRule, ...]] = {
    "admission": (allow("", "events", verbs="create patch update"),),
    "binder": (
        # ConfigMaps tell pods which part of a card is theirs; pods that it makes hold cards for others.
        allow("", "configmaps pods", verbs=WRITE),
        allow("", "events pods/binding pods/finalizers", verbs="create patch update"),
        allow("", "pods/status", verbs=f"create {READ} patch update"),
        allow("", "nodes persistentvolumes", verbs=READ),
        allow("", "persistentvolumeclaims", verbs=f"{READ} patch update"),
        allow("resource.k8s.io", "deviceclasses resourceslices", verbs=READ),
        allow("resource.k8s.io", "resourceclaims", verbs=WRITE),
        allow("resource.k8s.io", "resourceclaims/binding", verbs="patch update"),
        allow("resource.k8s.io", "resourceclaims/status", verbs=f"{READ} patch update"),
        allow(RUN_AI, "bindrequests", verbs=f"delete {READ} patch update"),
        allow(RUN_AI, "bindrequests/finalizers", verbs="patch update"),
        allow(RUN_AI, "bindrequests/status", verbs=f"{READ} patch update"),
        _STORAGE,
    ),
    "pod-grouper": _grouper(),
    "podgroup-controller": (
        allow("", "nodes pods pods/status", verbs=READ),
        allow("resource.k8s.io", "resourceclaims", verbs=READ),
        allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
        allow(RUN_AI, "podgroups", verbs=READ),
        allow(RUN_AI, "podgroups/status", verbs=f"{READ} patch update"),
    ),
    "queue-controller": (
        allow(RUN_AI, "podgroups", verbs=READ),
        allow(RUN_AI, "queues", verbs=f"{READ} patch update"),
        allow(RUN_AI, "queues/finalizers", verbs="update"),
        allow(RUN_AI, "queues/status", verbs="get patch update"),
    ),
    "scheduler": (
        allow("", "configmaps namespaces nodes persistentvolumeclaims persistentvolumes", verbs=READ),
        allow("", "events", verbs="create patch update"),
        allow("", "pods", verbs=f"delete {READ} patch update"),
        allow("", "pods/status", verbs=f"{READ} patch update"),
        allow("", "pods/finalizers", verbs="create delete get list patch update"),
        allow(KAI, "topologies", verbs=READ),
        allow("resource.k8s.io", "deviceclasses resourceclaims resourceslices", verbs=READ),
        allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
        allow(RUN_AI, "bindrequests podgroups/status", verbs=WRITE),
        allow(RUN_AI, "podgroups", verbs=f"{READ} patch update"),
        allow(RUN_AI, "queues", verbs=READ),
        _STORAGE,
        allow("topology.node.k8s.io", "noderesourcetopologies", verbs=READ),
    ),
}
"""By account; all of the cluster, for pods and jobs are in all namespaces."""
RESERVATION = (allow("", "pods", verbs=f"{READ} patch update"),)
"""Of the pods that hold cards: each writes on itself which card it has."""
ROLES = {
    "admission": "kai-admission",
    "binder": "kai-binder",
    "pod-grouper": "kai-podgrouper",
    "podgroup-controller": "kai-podgroup-controller",
    "queue-controller": "kai-queue-controller",
    "scheduler": "kai-scheduler",
}
"""Their ClusterRoles, called as upstream has them but for one that nothing tells as KAI's."""
EDITORS = (allow(RUN_AI, "podgroups", verbs=f"create delete {READ} patch update"),)
VIEWERS = (allow(RUN_AI, "podgroups queues", verbs=READ), allow(KAI, "topologies", verbs=READ))
