"""What Kueue says of queues, and what is to be made of it: the table of its metrics, alerts, a dashboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from platform_def.constructs import (
    HONORED_TARGET,
    Alert,
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
)
from platform_def.constructs.observation.panels import Panel

QUEUE, LOCAL, BOUGHT = "cluster_queue", "name namespace", "cohort cluster_queue flavor resource"

METRICS = MetricTable(
    "pkg/metrics/metrics.go of Kueue v0.19.2",
    counter("kueue_admission_attempts_total", "result"),
    histogram("kueue_admission_attempt_duration_seconds", "result"),
    gauge("kueue_pending_workloads", f"{QUEUE} status"),
    gauge("kueue_reserving_active_workloads kueue_admitted_active_workloads kueue_finished_workloads", QUEUE),
    gauge("kueue_cluster_queue_status", f"{QUEUE} status"),
    counter("kueue_quota_reserved_workloads_total kueue_admitted_workloads_total", f"{QUEUE} priority_class"),
    counter("kueue_finished_workloads_total", f"{QUEUE} priority_class"),
    histogram("kueue_quota_reserved_wait_time_seconds kueue_admission_wait_time_seconds", f"{QUEUE} priority_class"),
    histogram("kueue_admitted_until_ready_wait_time_seconds", f"{QUEUE} priority_class"),
    counter("kueue_evicted_workloads_total", f"{QUEUE} reason underlying_cause priority_class"),
    counter("kueue_preempted_workloads_total", "preempting_cluster_queue reason"),
    gauge("kueue_local_queue_pending_workloads", f"{LOCAL} status"),
    gauge("kueue_local_queue_admitted_active_workloads", LOCAL),
    gauge("kueue_local_queue_resource_usage kueue_local_queue_resource_reservation", f"{LOCAL} flavor resource"),
    labels="replica_role",
    target=HONORED_TARGET,
)
QUEUE_METRICS = MetricTable(
    "pkg/metrics/metrics.go of Kueue v0.19.2, with enableClusterQueueResources",
    gauge("kueue_cluster_queue_resource_usage kueue_cluster_queue_resource_reservation", BOUGHT),
    gauge("kueue_cluster_queue_nominal_quota kueue_cluster_queue_borrowing_limit", BOUGHT),
    gauge("kueue_cluster_queue_lending_limit", BOUGHT),
    gauge("kueue_cluster_queue_resource_pending", "cluster_queue resource"),
    labels="replica_role",
    target=HONORED_TARGET,
)
"""Only where each queue's quota and use are measured."""
COHORT_METRICS = MetricTable(
    "pkg/metrics/metrics.go of Kueue v0.19.2, which reports cohorts with or without enableClusterQueueResources",
    gauge("kueue_cohort_subtree_quota kueue_cohort_subtree_resource_reservations", "cohort flavor resource"),
    labels="replica_role",
    target=HONORED_TARGET,
)
"""What the queues of a cohort have together."""

PUT_BACK = increased('kueue_evicted_workloads_total{reason="PodsReadyTimeout"}', "1h")
IN_QUEUE = "the queue {{ $labels.cluster_queue }}"
BY_RESOURCE = "sum by (cluster_queue, resource)"
USAGE = f"{BY_RESOURCE} (kueue_cluster_queue_resource_usage)"
QUOTA = f"{BY_RESOURCE} (kueue_cluster_queue_nominal_quota)"


def alerts(service: str, *, quotas: bool, shares: Sequence[str] = ()) -> Iterator[Alert]:
    """Alerts of Kueue behind this Service; those of quotas where these are measured, those of cohorts where teams share
    one with their members."""
    yield from controller_alerts(service, name="Kueue")
    yield Alert(
        "KueueQueueInactive",
        'max by (cluster_queue) (kueue_cluster_queue_status{status="active"}) == 0',
        summary=f"Nothing starts from {IN_QUEUE}, which is not active",
        action="Read the conditions of the ClusterQueue: a flavor or an admission check that it names is missing.",
    )
    yield Alert(
        "KueueJobsWaiting",
        'min by (cluster_queue) (min_over_time(kueue_pending_workloads{status="active"}[1h])) > 0'
        f" unless on (cluster_queue) sum by (cluster_queue) ({increased('kueue_admitted_workloads_total', '6h')}) > 0",
        summary=f"Jobs wait in {IN_QUEUE}, and none has started for six hours",
        action="Read the events of the oldest Workload: it may ask for more than the queue can ever have.",
        lasting="1h",
    )
    yield Alert(
        "KueuePodsNotReady",
        f"sum by (cluster_queue) ({PUT_BACK}) > 0",
        summary=f"Jobs of {IN_QUEUE} were put back, because not all of their pods came up",
        action="Read the events of their pods: an image, a volume or a node is missing.",
        lasting="0s",
    )
    if quotas:
        yield Alert(
            "KueueQuotaNearlyGone",
            f"{USAGE} / ({QUOTA} > 0) > 0.9",
            summary=f"{{{{ $value | humanizePercentage }}}} of the {{{{ $labels.resource }}}} of {IN_QUEUE} is used",
            action="New jobs will wait, or borrow. Give the team a larger quota, or end what is not needed.",
            severity="info",
            lasting="30m",
        )
    if shares:
        picked = f'{{cohort=~"{"|".join(shares)}"}}'
        used, owned = (
            f"sum by (cohort, resource) (kueue_cohort_subtree_{name}{picked})"
            for name in ("resource_reservations", "quota")
        )
        yield Alert(
            "KueueShareNearlyGone",
            f"{used} / ({owned} > 0) > 0.9",
            summary="{{ $value | humanizePercentage }} of the {{ $labels.resource }} of {{ $labels.cohort }} is used",
            action="New jobs of the team and its members will wait, or borrow. Give the team a larger quota.",
            severity="info",
            lasting="30m",
        )


def dashboards(*, quotas: bool) -> Iterator[Dashboard]:
    """The queues of all teams."""
    choice = Choice("cluster_queue", "kueue_pending_workloads", "Queue")
    yield Dashboard("Queues: Kueue", [*_jobs(), *(_quotas() if quotas else ())], choices=[choice], tags=["queues"])


def _jobs() -> Iterator[Panel]:
    picked = '{cluster_queue=~"$cluster_queue"}'
    yield row("Jobs")
    yield stat("Waiting", f"sum(kueue_pending_workloads{picked})", unit="none")
    yield stat("Running", f"sum(kueue_admitted_active_workloads{picked})", unit="none")
    yield graph("Waiting by queue", f"sum by (cluster_queue, status) (kueue_pending_workloads{picked})", unit="none")
    yield graph("Running by queue", f"sum by (cluster_queue) (kueue_admitted_active_workloads{picked})", unit="none")
    rate = f"rate(kueue_admission_wait_time_seconds_bucket{picked}[$__rate_interval])"
    waits = f"sum by (le, cluster_queue) ({rate})"
    yield graph(
        "Time from creation to start",
        [
            Query(f"histogram_quantile(0.5, {waits})", "{{cluster_queue}} half"),
            Query(f"histogram_quantile(0.95, {waits})", "{{cluster_queue}} 95%"),
        ],
        unit="s",
    )
    evicted = increased(f"kueue_evicted_workloads_total{picked}", "1h")
    yield graph("Put back in the last hour", f"sum by (cluster_queue, reason) ({evicted})", unit="none")


def _quotas() -> Iterator[Panel]:
    picked = '{cluster_queue=~"$cluster_queue", resource=~".*gpu.*|.*mig.*"}'
    yield row("Quotas")
    used = f"{BY_RESOURCE} (kueue_cluster_queue_resource_usage{picked})"
    quota = f"{BY_RESOURCE} (kueue_cluster_queue_nominal_quota{picked})"
    yield graph("GPUs in use", used, unit="none")
    yield table(
        "Quota and use",
        [USAGE, QUOTA],
        columns={"cluster_queue": "Queue", "resource": "Resource", "Value #A": "Used", "Value #B": "Quota"},
    )
    yield graph("Share of the GPU quota", f"{used} / ({quota} > 0)", unit="percentunit")
