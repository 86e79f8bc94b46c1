"""What Volcano's scheduler says of jobs and queues, alerts over it, and a dashboard."""

from __future__ import annotations

from platform_def.constructs import (
    Alert,
    Choice,
    Dashboard,
    MetricTable,
    Query,
    gauge,
    graph,
    histogram,
    row,
    stat,
    target_missing,
)

AMOUNTS = ("allocated", "request", "deserved", "capacity")
"""What a queue has, asks for, is entitled to, and may have at the most."""

EXPORTED = MetricTable(
    "pkg/scheduler/metrics/{metrics,queue}.go of Volcano v1.15.1",
    gauge("volcano_unschedule_job_count"),
    gauge("volcano_unschedule_task_count", "job_id"),
    histogram("volcano_e2e_scheduling_latency_milliseconds"),
    *(gauge(f"volcano_queue_{each}_milli_cpu volcano_queue_{each}_memory_bytes", "queue_name") for each in AMOUNTS),
    *(gauge(f"volcano_queue_{each}_scalar_resources", "queue_name resource") for each in AMOUNTS),
)
_CHOSEN = 'queue_name=~"$queue_name"'


def _queue(amount: str) -> str:
    """Cards of queues, which Volcano counts in thousandths; only the scheduler that leads counts."""
    metric = f'volcano_queue_{amount}_scalar_resources{{{_CHOSEN}, resource=~".*gpu.*"}}'
    return f"max by (queue_name, resource) ({metric}) / 1000"


BOARD = Dashboard(
    "Queues: Volcano",
    [
        row("Jobs"),
        stat("Jobs that wait", "max(volcano_unschedule_job_count)", unit="none"),
        graph("Jobs that wait", Query("max(volcano_unschedule_job_count)", "jobs"), unit="none"),
        graph(
            "Rounds",
            Query("sum(rate(volcano_e2e_scheduling_latency_milliseconds_count[$__rate_interval]))", "rounds"),
            unit="ops",
        ),
        graph(
            "Time of 95 of 100 rounds",
            Query(
                "histogram_quantile(0.95, sum by (le) "
                "(rate(volcano_e2e_scheduling_latency_milliseconds_bucket[$__rate_interval])))",
                "rounds",
            ),
            unit="ms",
        ),
        row("Queues"),
        *(
            graph(title, Query(_queue(amount), "{{queue_name}} {{resource}}"), unit="none")
            for title, amount in (
                ("Cards in use", "allocated"),
                ("Cards asked for, with those of jobs that wait", "request"),
                ("Cards that a queue is entitled to", "deserved"),
            )
        ),
        graph(
            "CPUs in use",
            Query(f"max by (queue_name) (volcano_queue_allocated_milli_cpu{{{_CHOSEN}}}) / 1000", "{{queue_name}}"),
            unit="none",
        ),
        graph(
            "Memory in use",
            Query(f"max by (queue_name) (volcano_queue_allocated_memory_bytes{{{_CHOSEN}}})", "{{queue_name}}"),
            unit="bytes",
        ),
    ],
    choices=[Choice("queue_name", "volcano_queue_allocated_milli_cpu", "Queue")],
    tags=["queues"],
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
