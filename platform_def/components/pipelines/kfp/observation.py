"""What Kubeflow Pipelines' metrics say: alerts and a dashboard."""

from __future__ import annotations

from platform_def.constructs import (
    Alert,
    Dashboard,
    MetricTable,
    Query,
    counter,
    gauge,
    graph,
    histogram,
    stat,
    target_missing,
)

METRICS = MetricTable(
    "backend/src/apiserver/{server,resource} and backend/src/crd/controller/scheduledworkflow/controller.go at 2.17.0",
    gauge("resource_manager_workflow_runs_success", "profile workflow"),
    gauge("resource_manager_workflow_runs_failed", "profile workflow"),
    histogram("resource_manager_recurring_run_report_gap"),
    counter("run_server_create_requests"),
    gauge("run_server_run_count"),
    gauge("pipeline_server_pipeline_count"),
    gauge("job_server_job_count"),
    gauge("scheduled_workflow_queue_size"),
    counter("scheduled_workflow_throughput_total"),
)
SERVER, SCHEDULER = "ml-pipeline", "ml-pipeline-scheduledworkflow"
# Each run has a series of its own, which begins when it has ended: `delta` of it is nothing.
_ENDED = "resource_manager_workflow_runs_failed"
_NEW = f'({_ENDED} - {_ENDED} offset 1h or {_ENDED}) and on (job) up{{job="{SERVER}"}} offset 1h'
ALERTS = (
    target_missing(SERVER, name="PipelinesServer"),
    target_missing(SCHEDULER, name="PipelinesScheduler"),
    Alert(
        "RecurringRunsWait",
        "scheduled_workflow_queue_size > 100",
        summary="More than 100 recurring runs wait for the scheduled workflow controller",
        action="Read the log of ml-pipeline-scheduledworkflow; it may be held up by the API server.",
        lasting="15m",
    ),
    Alert(
        "PipelineRunsFail",
        f"sum by (profile) ({_NEW}) > 20",
        summary="More than 20 runs of {{ $labels.profile }} failed in an hour",
        action="Open the runs of that namespace, and look at the first step that failed.",
    ),
)
BOARD = Dashboard(
    "Kubeflow Pipelines",
    [
        stat("Runs since the server started", "sum(run_server_run_count)"),
        stat("Pipelines since then", "sum(pipeline_server_pipeline_count)"),
        stat("Recurring runs since then", "sum(job_server_job_count)"),
        graph("Runs that succeeded", Query("sum by (profile) (resource_manager_workflow_runs_success)", "{{profile}}")),
        graph("Runs that failed", Query("sum by (profile) (resource_manager_workflow_runs_failed)", "{{profile}}")),
        graph("Runs started", Query("sum(rate(run_server_create_requests[5m]))", "runs")),
        graph("Recurring runs that wait", Query("sum(scheduled_workflow_queue_size)", "waiting")),
    ],
)
