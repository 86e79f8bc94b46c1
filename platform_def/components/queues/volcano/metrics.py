"""What Volcano's scheduler says of jobs, and alerts over it."""

from __future__ import annotations

from platform_def.constructs import Alert, MetricTable, gauge, target_missing

EXPORTED = MetricTable(
    "pkg/scheduler/metrics/metrics.go of Volcano v1.15.1",
    gauge("volcano_unschedule_job_count"),
    gauge("volcano_unschedule_task_count", "job_id"),
)


def alerts(scheduler: str, controllers: str) -> tuple[Alert, ...]:
    """Alerts of the two programs that Prometheus reads by these Services."""
    return (
        target_missing(scheduler, name="VolcanoScheduler", severity="critical"),
        target_missing(controllers, name="VolcanoControllers"),
        # Only the scheduler that leads counts.
        Alert(
            "VolcanoGangsWaiting",
            "max(min_over_time(volcano_unschedule_job_count[1h])) > 0",
            summary="At no moment of the last hour could Volcano start all jobs that wait",
            action="List PodGroups that are Pending: a gang may ask for more than its queue or the nodes have.",
            severity="info",
            lasting="1h",
        ),
    )
