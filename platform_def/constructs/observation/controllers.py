"""What every controller made with controller-runtime exports, and the alerts that all of them need."""

from __future__ import annotations

from platform_def.constructs.observation.alerts import Alert, camel, target_missing
from platform_def.constructs.observation.tables import MetricTable, counter, gauge, histogram

CONTROLLER_RUNTIME = MetricTable(
    "pkg/internal/controller/metrics, pkg/metrics and pkg/webhook/internal/metrics of controller-runtime 0.14 to 0.25",
    counter("controller_runtime_reconcile_total", "controller result"),
    counter("controller_runtime_reconcile_errors_total", "controller"),
    histogram("controller_runtime_reconcile_time_seconds", "controller"),
    gauge("controller_runtime_max_concurrent_reconciles controller_runtime_active_workers", "controller"),
    histogram("controller_runtime_webhook_latency_seconds", "webhook"),
    counter("controller_runtime_webhook_requests_total", "webhook code"),
    gauge("controller_runtime_webhook_requests_in_flight", "webhook"),
    gauge("workqueue_depth workqueue_unfinished_work_seconds workqueue_longest_running_processor_seconds", "name"),
    counter("workqueue_adds_total workqueue_retries_total", "name", late=False),
    histogram("workqueue_queue_duration_seconds workqueue_work_duration_seconds", "name"),
    gauge("leader_election_master_status", "name"),
)
"""Metrics that all of these releases have: `Release(exports=(CONTROLLER_RUNTIME, …))`.

What they ask of the API server is not one of them: a controller that has Kubernetes' own library of metrics too, such
as Kueue, counts it there and serves none of it.
"""


def controller_alerts(service: str, *, name: str = "") -> tuple[Alert, ...]:
    """Alerts of a controller that Prometheus reads by this Service: it is missing, fails, or is stuck.

    Their names begin with `name`, by default the Service's in CamelCase.
    """
    job, name = f'job="{service}"', name or camel(service)
    errors = f"sum by (controller) (rate(controller_runtime_reconcile_errors_total{{{job}}}[10m]))"
    total = f"sum by (controller) (rate(controller_runtime_reconcile_total{{{job}}}[10m]))"
    return (
        target_missing(service, name=name),
        Alert(
            f"{name}ReconcileErrors",
            f"{errors} / {total} > 0.5",
            summary=f"More than half of what the controller {{{{ $labels.controller }}}} of {service} does fails",
            action="Read its log: the same objects are tried again and again, and are not served.",
            lasting="15m",
        ),
        Alert(
            f"{name}ReconcileStuck",
            f"max by (name) (workqueue_longest_running_processor_seconds{{{job}}}) > 600",
            summary=f"{service} has worked on one object of the queue {{{{ $labels.name }}}} for more than ten minutes",
            action="Look at its log and at the API server; restart the pod if neither says why.",
            lasting="5m",
        ),
    )
