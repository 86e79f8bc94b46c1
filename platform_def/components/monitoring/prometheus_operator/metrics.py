"""What Prometheus operator says of itself, and its alerts."""

from __future__ import annotations

from platform_def.constructs import Alert, MetricTable, counter, gauge, target_missing

FAILED = ("list_operations", "watch_operations")

METRICS = MetricTable(
    "pkg/operator, pkg/prometheus and pkg/kubelet of prometheus-operator v0.93.0",
    *(
        counter(f"prometheus_operator_{each}_total prometheus_operator_{each}_failed_total", "controller")
        for each in FAILED
    ),
    counter("prometheus_operator_reconcile_operations_total prometheus_operator_reconcile_errors_total", "controller"),
    counter(
        "prometheus_operator_status_update_operations_total prometheus_operator_status_update_errors_total",
        "controller",
    ),
    counter("prometheus_operator_node_address_lookup_errors_total"),
    gauge("prometheus_operator_ready", "controller"),
    gauge("prometheus_operator_syncs", "controller status"),
    gauge("prometheus_operator_managed_resources", "controller resource state"),
)

ALERTS = (
    target_missing("prometheus-operator", name="PrometheusOperator"),
    Alert(
        "PrometheusOperatorRejectedResources",
        'max by (controller, resource) (prometheus_operator_managed_resources{state="rejected"}) > 0',
        summary="Prometheus operator refuses some {{ $labels.resource }}, so these have no effect",
        action="Read the operator's log and the events of these objects, which say what is wrong.",
        lasting="5m",
    ),
    Alert(
        "PrometheusOperatorSyncFailed",
        'max by (controller) (max_over_time(prometheus_operator_syncs{status="failed"}[5m])) > 0',
        summary="The controller {{ $labels.controller }} of Prometheus operator cannot bring a server up to date",
        action="Read the operator's log: a server runs with an outdated configuration.",
    ),
    Alert(
        "PrometheusOperatorNotReady",
        "min by (controller) (max_over_time(prometheus_operator_ready[5m])) == 0",
        summary="The controller {{ $labels.controller }} of Prometheus operator is not ready",
        action="Read the operator's log: it cannot list what it watches, mostly for missing rights.",
        lasting="5m",
    ),
)
