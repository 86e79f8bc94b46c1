"""What the training operator says of jobs, and what is to be made of it."""

from __future__ import annotations

from platform_def.constructs import Alert, Dashboard, MetricTable, controller_alerts, counter, graph, increased

BY = "sum by (job_namespace, framework)"
EVENTS = ("created", "successful", "failed", "restarted", "deleted")

TEXTS = {
    "failed": "Jobs without a backoffLimit whose pods failed. The operator does not count those that it ends at their "
    "backoffLimit or deadline: kube-state-metrics does, in the dashboard of states.",
    "restarted": "Pods that the operator made again. Restarts by the kubelet are not counted.",
}

METRICS = MetricTable(
    "pkg/common/metrics.go of training-operator v1.9.4, as in 1.7.0",
    *(counter(f"training_operator_jobs_{each}_total", "job_namespace framework") for each in EVENTS),
)

ALERTS = (
    *controller_alerts("training-operator"),
    Alert(
        "TrainingJobsFail",
        f"{BY} ({increased('training_operator_jobs_failed_total', '1h')}) > 3",
        summary="Several {{ $labels.framework }} jobs failed in namespace {{ $labels.job_namespace }} within an hour",
        action="Read the conditions of these jobs and the logs of their pods.",
        severity="info",
        lasting="0s",
    ),
)

DASHBOARD = Dashboard(
    "Training: jobs",
    [
        graph(
            f"Jobs {each} in an hour",
            f"{BY} ({increased(f'training_operator_jobs_{each}_total', '1h')})",
            unit="none",
            text=TEXTS.get(each, ""),
        )
        for each in EVENTS
    ],
    tags=["training"],
    hours=24,
)
