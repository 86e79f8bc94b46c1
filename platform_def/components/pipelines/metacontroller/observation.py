"""What Metacontroller exports, and the alerts and the dashboard over it."""

from __future__ import annotations

from platform_def.constructs import (
    Alert,
    Dashboard,
    MetricTable,
    controller_alerts,
    counter,
    gauge,
    graph,
    histogram,
    stat,
)

JOB = 'job="metacontroller"'
_LABELS = "url controller_name controller_type"
_HOOKS = ("sync", "finalize", "customize")


def _of(metric: str) -> str:
    return " ".join(f"metacontroller_{hook}_{metric}" for hook in _HOOKS)


METRICS = MetricTable(
    "pkg/metrics/http.go at v4.17.2, with the hooks of pkg/controller/common/common.go",
    counter(_of("requests_total"), f"{_LABELS} code method"),
    histogram(_of("request_duration_histogram_seconds"), f"{_LABELS} method"),
    histogram(f"{_of('dns_duration_histogram_seconds')} {_of('tls_duration_histogram_seconds')}", f"{_LABELS} event"),
    gauge(_of("in_flight_requests"), _LABELS),
)
# An unanswered request is counted nowhere, but its object is tried again: after 1000 seconds at the latest.
_RETRIES = (
    f'sum by (name) (increase(workqueue_retries_total{{{JOB}, name=~"(Composite|Decorator)Controller-.+"}}[30m]))'
)
ALERTS = (
    *controller_alerts("metacontroller"),
    Alert(
        "MetacontrollerHookFails",
        f"{_RETRIES} > 0",
        summary="What {{ $labels.name }} wants is not done: its hook does not answer, or a right is missing",
        action="Read the events of the controller's objects (reason SyncError) and the log of metacontroller. What is "
        "there already stays as it is.",
        lasting="1h",
        repeats="what fails is tried again after 1000 seconds at the latest",
    ),
)
BOARD = Dashboard(
    "Metacontroller",
    [
        stat("Objects tried again in an hour", f"sum(increase(workqueue_retries_total{{{JOB}}}[1h]))"),
        graph(
            "Answers of hooks",
            f"sum by (controller_name, code) (rate(metacontroller_sync_requests_total{{{JOB}}}[$__rate_interval]))",
            unit="ops",
        ),
        graph(
            "Time to answer, 95 of 100",
            "histogram_quantile(0.95, sum by (controller_name, le) (rate("
            f"metacontroller_sync_request_duration_histogram_seconds_bucket{{{JOB}}}[$__rate_interval])))",
            unit="s",
        ),
    ],
)
