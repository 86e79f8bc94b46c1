"""What KAI says of queues and gangs, alerts over it, and a dashboard.

The Services are the operator's. Those of the pod grouper and the PodGroup controller have no port for metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.constructs import (
    HONORED_TARGET,
    Alert,
    AnyComponent,
    Choice,
    Dashboard,
    MetricTable,
    Query,
    controller_alerts,
    counter,
    gauge,
    graph,
    histogram,
    increased,
    row,
    stat,
    table,
    target_missing,
)
from platform_def.constructs.observation.panels import Panel
from platform_def.constructs.service import monitor_made

QUEUE_CONTROLLER, BINDER = "queue-controller", "binder"
QUEUE = "queue_metadata_name"
"""The queue by its own name; the scheduler's `queue_name` is its display name, where it has one."""
_NAMES = f"queue_name {QUEUE} queue_display_name"

SCHEDULED = MetricTable(
    "pkg/scheduler/metrics/metrics.go of KAI v0.17.0",
    gauge("kai_e2e_scheduling_latency_milliseconds"),
    gauge("kai_open_session_latency_milliseconds kai_close_session_latency_milliseconds"),
    gauge("kai_plugin_scheduling_latency_milliseconds", "plugin OnSession"),
    gauge("kai_action_scheduling_latency_milliseconds", "action"),
    histogram("kai_task_scheduling_latency_milliseconds kai_task_bind_latency_milliseconds"),
    counter("kai_podgroups_scheduled_by_action kai_podgroups_acted_on_by_action", "action"),
    counter("kai_total_preemption_attempts"),
    gauge("kai_queue_fair_share_cpu_cores kai_queue_fair_share_memory_gb kai_queue_fair_share_gpu", _NAMES),
    counter("kai_pod_group_evicted_pods_total", "podgroup namespace uid nodepool action"),
    target=HONORED_TARGET,
)
QUEUES = MetricTable(
    "pkg/queuecontroller/metrics/metrics.go of KAI v0.17.0",
    gauge("kai_queue_info kai_queue_deserved_gpus kai_queue_quota_cpu_cores kai_queue_quota_memory_bytes", _NAMES),
    gauge("kai_queue_allocated_gpus kai_queue_allocated_cpu_cores kai_queue_allocated_memory_bytes", _NAMES),
)
PLACED = "kai_task_scheduling_latency_milliseconds_count"
"""Pods that have got a place. `kai_podgroups_scheduled_by_action` counts a job again in every round in which the room
that was found for it is not free yet, so it grows while nothing starts."""
SLOW_MILLISECONDS = 10_000


def monitor(component: AnyComponent, scheduler: str) -> None:
    """Read scheduler, queue controller and binder by the Services that the operator makes."""
    # Pods that were pushed out are counted by their own namespace.
    monitor_made(component, scheduler, "http-metrics", labels={"app": scheduler}, honor_labels=True)
    monitor_made(component, QUEUE_CONTROLLER, "metrics", labels={"app": QUEUE_CONTROLLER})
    monitor_made(component, BINDER, "http-metrics", labels={"app": BINDER})


def _queues(metric: str, picked: str = "") -> str:
    """A metric by queue; -1 stands for no bound."""
    return f"max by ({QUEUE}) ({metric}{picked} >= 0)"


def alerts(operator: str, scheduler: str) -> Iterator[Alert]:
    """Alerts of the programs, and of queues and gangs."""
    yield target_missing(scheduler, name="KaiScheduler", severity="critical")
    yield from controller_alerts(operator, name="KaiOperator")
    yield from controller_alerts(QUEUE_CONTROLLER, name="KaiQueueController")
    yield from controller_alerts(BINDER, name="KaiBinder")
    yield Alert(
        "KaiSchedulingSlow",
        f"max(min_over_time(kai_e2e_scheduling_latency_milliseconds[15m])) > {SLOW_MILLISECONDS}",
        summary="Every round of KAI's scheduler takes more than 10 seconds",
        action="See on its dashboard which step takes the time, and whether it is at its limit of processors.",
    )
    yield Alert(
        "KaiJobsWaiting",
        f"sum({increased('kai_podgroups_acted_on_by_action', '10m')}) > 0 unless sum(increase({PLACED}[6h])) > 0",
        summary="Jobs wait for KAI, and no pod has got a place for six hours",
        action="Read schedulingConditions of the oldest PodGroup: it may ask for more than queue or nodes have.",
        lasting="1h",
        repeats="the scheduler takes up each job that waits in every round",
    )
    yield Alert(
        "KaiQuotaNearlyGone",
        f"{_queues('kai_queue_allocated_gpus')} / ({_queues('kai_queue_deserved_gpus')} > 0) > 0.9",
        summary=f"{{{{ $value | humanizePercentage }}}} of the cards of the queue {{{{ $labels.{QUEUE} }}}} are used",
        action="New jobs will wait, or borrow. Give the team a larger quota, or end what is not needed.",
        severity="info",
        lasting="30m",
    )


def _gangs() -> Iterator[Panel]:
    window = "$__rate_interval"
    yield row("Jobs")
    yield stat("Pods placed in the last hour", f"sum(increase({PLACED}[1h]))", unit="none")
    yield graph("Pods placed", Query(f"sum(rate({PLACED}[{window}]))", "pods"), unit="ops")
    yield graph(
        "Tries to make room for jobs that wait",
        f"sum by (action) (rate(kai_podgroups_acted_on_by_action[{window}]))",
        unit="ops",
        text="Gangs for which there is no room as it is; those that no node could ever hold are not tried.",
    )
    sums, counts = (
        f"sum(rate(kai_task_scheduling_latency_milliseconds_{each}[{window}]))" for each in ("sum", "count")
    )
    yield graph("Mean time from a pod's creation to its place", Query(f"{sums} / {counts}", "pods"), unit="ms")
    evicted = increased("kai_pod_group_evicted_pods_total", "1h")
    yield graph("Pods pushed out in the last hour", f"sum by (namespace, action) ({evicted})", unit="none")
    yield graph(
        "Preemptions in the last hour",
        Query("sum(increase(kai_total_preemption_attempts[1h]))", "for a job of the same queue"),
        unit="none",
    )
    yield graph(
        "Time of a round",
        [
            Query("max(kai_e2e_scheduling_latency_milliseconds)", "all"),
            Query("max by (action) (kai_action_scheduling_latency_milliseconds)", "{{action}}"),
        ],
        unit="ms",
    )


def _quotas() -> Iterator[Panel]:
    picked, legend = f'{{{QUEUE}=~"${QUEUE}"}}', f"{{{{{QUEUE}}}}}"
    used, owned = (_queues(f"kai_queue_{each}_gpus", picked) for each in ("allocated", "deserved"))
    yield row("Queues")
    yield graph(
        "Cards in use", Query(used, legend), unit="none", text="Whole cards and parts of them: KAI counts no MIG here."
    )
    yield graph("Cards that a queue owns", Query(owned, legend), unit="none")
    yield graph(
        "Cards that a queue is entitled to now", Query(_queues("kai_queue_fair_share_gpu", picked), legend), unit="none"
    )
    yield graph("Share of the GPU quota", Query(f"{used} / ({owned} > 0)", legend), unit="percentunit")
    yield table(
        "Quota and use of cards", [used, owned], columns={QUEUE: "Queue", "Value #A": "Used", "Value #B": "Quota"}
    )
    yield graph("CPUs in use", Query(_queues("kai_queue_allocated_cpu_cores", picked), legend), unit="none")
    yield graph("Memory in use", Query(_queues("kai_queue_allocated_memory_bytes", picked), legend), unit="bytes")


BOARD = Dashboard(
    "Queues: KAI", [*_gangs(), *_quotas()], choices=[Choice(QUEUE, "kai_queue_info", "Queue")], tags=["queues"]
)
