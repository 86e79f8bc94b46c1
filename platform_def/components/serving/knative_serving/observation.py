"""Alerts and a dashboard over Knative's revisions and its programs."""

from __future__ import annotations

from platform_def.constructs import Alert, Choice, Dashboard, graph, target_missing

_CHOSEN = 'k8s_namespace_name=~"$k8s_namespace_name", kn_service_name=~"$kn_service_name"'
_BY = "k8s_namespace_name, kn_service_name"
# The activator knows revisions, whose names begin with that of their service.
_OF_CHOSEN = 'k8s_namespace_name=~"$k8s_namespace_name", kn_revision_name=~"$kn_service_name-.*"'
_BY_REVISION = "k8s_namespace_name, kn_revision_name"
RULES = (
    target_missing("activator-service", name="KnativeActivator"),
    target_missing("autoscaler", name="KnativeAutoscaler"),
    Alert(
        "KnativePodsMissing",
        f"sum by ({_BY}) (kn_revision_pods_desired) - sum by ({_BY}) (kn_revision_pods_count) > 0",
        summary="{{ $labels.kn_service_name }} in {{ $labels.k8s_namespace_name }} has fewer pods than its load needs",
        action="Look for pending pods of the service: a quota, no free GPU, or an image that cannot be pulled.",
        lasting="15m",
    ),
)
BOARD = Dashboard(
    "Knative services",
    [
        graph("Pods wanted", f"sum by ({_BY}) (kn_revision_pods_desired{{{_CHOSEN}}})"),
        graph("Pods there", f"sum by ({_BY}) (kn_revision_pods_count{{{_CHOSEN}}})"),
        graph("Requests waiting for a pod", f"sum by ({_BY_REVISION}) (kn_revision_request_queued{{{_OF_CHOSEN}}})"),
        graph("Requests at the activator", f"sum by ({_BY_REVISION}) (kn_revision_request_active{{{_OF_CHOSEN}}})"),
    ],
    choices=[
        Choice("k8s_namespace_name", "kn_revision_pods_desired", "Team"),
        Choice("kn_service_name", "kn_revision_pods_desired", "Service"),
    ],
)
