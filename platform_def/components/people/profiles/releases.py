"""Releases of the profile controller and access management, what they export, and the alerts over it."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    controller_alerts,
    counter,
    graph,
    increased,
    releases,
    stat,
)


@dataclass(frozen=True, kw_only=True)
class ProfilesRelease(Release):
    """The controller's image is `image`."""

    access_management: str


NAME = "profiles-deployment"
_IMAGES = "ghcr.io/kubeflow/dashboard"
METRICS = MetricTable(
    "components/profile-controller/controllers/monitoring.go at v2.0.0",
    counter("request_kf", "component kind"),
    counter("request_kf_failure", "component kind severity"),
    counter("service_heartbeat", "component severity"),
)
RELEASES = releases(
    ProfilesRelease(
        "2.0.0",
        image=f"{_IMAGES}/profile-controller:v2.0.0",
        access_management=f"{_IMAGES}/access-management:v2.0.0",
        kubernetes="1.29-1.37",
        exports=(CONTROLLER_RUNTIME, METRICS),
    ),
    license=APACHE,
)
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfiles at v2.0.0: distroless, one static program")
_FAILURES = increased(f'request_kf_failure{{job="{NAME}"}}', "1h")
_FAILED = increased(f'request_kf_failure{{job="{NAME}"}}', "30m")
_REFUSED = f"sum by (kind) ({_FAILED}) > 0"
RULES = (
    *controller_alerts(NAME),
    Alert(
        "ProfilesFail",
        _REFUSED,
        summary="Profiles are not carried out: {{ $labels.kind }}",
        action="Read the log of the controller: a namespace of another owner, or a right that it does not have.",
        lasting="5m",
    ),
)
BOARD = Dashboard(
    "Profiles",
    [
        stat("Failures in an hour", f"sum({_FAILURES}) or vector(0)"),
        graph(
            "What the controller did", f'sum by (kind) (rate(request_kf{{job="{NAME}"}}[$__rate_interval]))', unit="ops"
        ),
    ],
)
