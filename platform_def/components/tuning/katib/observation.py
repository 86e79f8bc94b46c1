"""What Katib's controller counts, alerts over it, and a dashboard."""

from __future__ import annotations

from platform_def.constructs import (
    HONORED_TARGET,
    Alert,
    Dashboard,
    MetricTable,
    Query,
    controller_alerts,
    counter,
    gauge,
    graph,
    increased,
    stat,
)

EVENTS = ("created", "succeeded", "failed", "deleted")
METRICS = MetricTable(
    "pkg/controller.v1beta1/{experiment,trial}/util/prometheus_metrics.go at v0.19.0",
    *(counter(f"katib_experiment_{each}_total katib_trial_{each}_total", "namespace") for each in EVENTS),
    gauge("katib_experiments_current katib_trials_current", "namespace status"),
    target=HONORED_TARGET,
)
_FAILED = f"sum by (namespace) ({increased('katib_trial_failed_total', '1h')})"
_BEGUN = f"sum by (namespace) ({increased('katib_trial_created_total', '1h')})"


def alerts(service: str) -> tuple[Alert, ...]:
    """Alerts of the controller that Prometheus reads by this Service."""
    return (
        *controller_alerts(service, name="Katib"),
        Alert(
            "KatibTrialsFail",
            f"{_FAILED} > 5 and {_FAILED} / {_BEGUN} > 0.5",
            summary="More than half of the trials in {{ $labels.namespace }} failed within the last hour",
            action="Read the conditions of these trials, and the logs of their pods.",
            severity="info",
            lasting="5m",
        ),
    )


BOARD = Dashboard(
    "Searches: Katib",
    [
        stat("Experiments that run", 'sum(katib_experiments_current{status="Running"})'),
        stat("Trials that run", 'sum(katib_trials_current{status="Running"})'),
        graph(
            "Trials by namespace and state",
            Query("sum by (namespace, status) (katib_trials_current)", "{{namespace}} {{status}}"),
            unit="none",
        ),
        *(
            graph(
                f"Trials {each} in an hour",
                f"sum by (namespace) ({increased(f'katib_trial_{each}_total', '1h')})",
                unit="none",
            )
            for each in ("created", "succeeded", "failed")
        ),
    ],
    tags=["training"],
    hours=24,
)
