"""What KEDA's programs may do.

From the markers `+kubebuilder:rbac` of KEDA 2.21 and what each program calls. Upstream gives all three the rights of
the operator, which may read every object of the cluster and scale everything; here each has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, WRITE, allow

FOLLOW = "get list patch update watch"
CERTIFICATE, CONFIGURATION = "kedaorg-certs", "keda-admission"
METRICS_API = "v1beta1.external.metrics.k8s.io"
_SOURCES = "cloudeventsources clustercloudeventsources"
_CREDENTIALS = "clustertriggerauthentications triggerauthentications"
_SCALED = "scaledjobs scaledobjects"

OPERATOR: tuple[PolicyRule, ...] = (
    # Variables of what is scaled, and what triggers count: pods, and the addresses behind Services.
    allow("", "configmaps pods services", verbs=READ),
    allow("", "limitranges serviceaccounts", verbs="list watch"),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("apps", "deployments replicasets statefulsets", verbs=READ),
    allow("", "events", verbs="create patch"),
    allow("events.k8s.io", "events", verbs="create patch"),
    allow("autoscaling", "horizontalpodautoscalers", verbs=WRITE),
    allow("batch", "jobs", verbs=WRITE),
    allow("keda.sh", f"{_CREDENTIALS} {_SCALED}", verbs=FOLLOW),
    allow("keda.sh", " ".join(f"{each}/status" for each in f"{_CREDENTIALS} {_SCALED}".split()), verbs=FOLLOW),
    allow("keda.sh", " ".join(f"{each}/finalizers" for each in _SCALED.split()), verbs=FOLLOW),
    allow("eventing.keda.sh", _SOURCES, verbs=FOLLOW),
    allow("eventing.keda.sh", " ".join(f"{each}/status" for each in _SOURCES.split()), verbs=FOLLOW),
)
SECRETS = (allow("", "secrets", verbs=READ),)
"""Of triggers: everywhere, or in its own namespace."""
WEBHOOKS: tuple[PolicyRule, ...] = (
    # A workload that two scale, and CPU triggers without requests, are refused.
    allow("apps", "deployments statefulsets", verbs=READ),
    allow("autoscaling", "horizontalpodautoscalers", verbs=READ),
    allow("", "limitranges", verbs=READ),
    allow("keda.sh", "scaledobjects", verbs=READ),
)
# The name of a resource is that of a metric there, which the author of the ScaledObject chooses.
READERS = (allow("external.metrics.k8s.io", "*", verbs="get list"),)


def scaled(resources: Iterable[str]) -> list[PolicyRule]:
    """To read these workloads, and to say how many pods they have."""
    groups: dict[str, list[str]] = {}
    for each in resources:
        plural, _, group = each.partition(".")
        groups.setdefault(group, []).append(plural)
    return [
        rule
        for group, plurals in sorted(groups.items())
        for rule in (
            allow(group, " ".join(sorted(plurals)), verbs="get"),
            allow(group, " ".join(f"{each}/scale" for each in sorted(plurals)), verbs=FOLLOW),
        )
    ]


def rotation(*, external_metrics: bool) -> Sequence[PolicyRule]:
    """Of who makes its own certificate: the authority goes into webhooks and the API of measures."""
    group = "admissionregistration.k8s.io"
    rules = [
        allow(group, "validatingwebhookconfigurations", verbs="list watch"),
        allow(group, "validatingwebhookconfigurations", verbs="get patch update", names=CONFIGURATION),
    ]
    if external_metrics:
        rules += [
            allow("apiregistration.k8s.io", "apiservices", verbs="list watch"),
            allow("apiregistration.k8s.io", "apiservices", verbs="get patch update", names=METRICS_API),
        ]
    return rules


def own(*, rotates: bool) -> list[PolicyRule]:
    """In its own namespace: it watches the Secrets there, and writes the one with its certificate."""
    made = [
        allow("", "secrets", verbs="create"),
        allow("", "secrets", verbs="patch update", names=CERTIFICATE),
    ]
    return [*SECRETS, *(made if rotates else [])]
