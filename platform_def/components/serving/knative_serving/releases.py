"""Releases of Knative Serving with the release of net-istio beside each, and what they export."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from platform_def.constructs import (
    APACHE,
    MetricTable,
    Release,
    Upkeep,
    gauge,
    releases,
)

_SCOPE = "otel_scope_name otel_scope_schema_url otel_scope_version"
"""What the exporter of OpenTelemetry says of the part of the program that counts."""
_OF_REVISION = f"kn_service_name kn_configuration_name kn_revision_name k8s_namespace_name {_SCOPE}"
_OF_REQUESTS = f"kn_revision_name k8s_namespace_name {_SCOPE}"
"""The activator counts by revisions alone."""
REVISIONS = MetricTable(
    "pkg/autoscaler/scaling/metrics.go, pkg/reconciler/autoscaling/kpa/metrics.go and pkg/activator/handler/metrics.go "
    "at v1.23.0",
    gauge("kn_revision_pods_desired", _OF_REVISION),
    gauge("kn_revision_pods_requested", _OF_REVISION),
    gauge("kn_revision_pods_count", _OF_REVISION),
    gauge("kn_revision_pods_not_ready_count", _OF_REVISION),
    gauge("kn_revision_pods_pending_count", _OF_REVISION),
    gauge("kn_revision_pods_terminating_count", _OF_REVISION),
    gauge("kn_revision_panic_mode", _OF_REVISION),
    gauge("kn_revision_request_queued", _OF_REQUESTS),
    gauge("kn_revision_request_active", _OF_REQUESTS),
)


@dataclass(frozen=True, kw_only=True)
class KnativeRelease(Release):
    """What differs between releases, as data."""

    activator: str
    autoscaler: str
    webhook: str
    queue: str
    """Sidecar of every pod of a service."""
    istio_controller: str
    istio_webhook: str


def _image(name: str, version: str, *, of: str = "serving") -> str:
    return f"gcr.io/knative-releases/knative.dev/{of}/cmd/{name}:v{version}"


RELEASES = releases(
    KnativeRelease(
        "1.23.0",
        # Its programs refuse to start below 1.34 (vendor/knative.dev/pkg/version at v1.23.0).
        kubernetes="1.34-1.37",
        kubernetes_by="upstream",
        upkeep=Upkeep(date(2027, 2, 2)),  # RELEASE-SCHEDULE.md of knative/community
        image=_image("controller", "1.23.0"),
        activator=_image("activator", "1.23.0"),
        autoscaler=_image("autoscaler", "1.23.0"),
        webhook=_image("webhook", "1.23.0"),
        queue=_image("queue", "1.23.0"),
        istio_controller=_image("controller", "1.22.0", of="net-istio"),
        istio_webhook=_image("webhook", "1.22.0", of="net-istio"),
        exports=(REVISIONS,),
    ),
    license=APACHE,
)
