"""The release of the Spark operator, what it exports, its alerts and its dashboard."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    Alert,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    Support,
    Upkeep,
    controller_alerts,
    counter,
    gauge,
    graph,
    histogram,
    releases,
    stat,
    target_missing,
)
from platform_def.constructs.observation.tables import summary

CONTROLLER, WEBHOOK = "spark-operator-controller", "spark-operator-webhook"
METRICS = MetricTable(
    "pkg/common/metrics.go and internal/metrics of spark-operator v2.5.2, with --metrics-labels=app_type",
    counter(
        "spark_application_count spark_application_submit_count spark_application_failed_submission_count "
        "spark_application_success_count spark_application_failure_count",
        "app_type",
    ),
    gauge("spark_application_running_count spark_executor_running_count", "app_type"),
    counter("spark_executor_success_count spark_executor_failure_count", "app_type"),
    summary(
        "spark_application_success_execution_time_seconds spark_application_failure_execution_time_seconds "
        "spark_application_submit_latency_seconds spark_application_start_latency_seconds",
        "app_type",
    ),
    histogram(
        "spark_application_submit_latency_seconds_histogram spark_application_start_latency_seconds_histogram",
        "app_type",
    ),
)
# Compiled with client-go 0.35; what it calls is there since Kubernetes 1.25.
RELEASES = releases(
    Release(
        "2.5.2",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        image="ghcr.io/kubeflow/spark-operator/controller:2.5.2",
        exports=(CONTROLLER_RUNTIME, METRICS),
    ),
    license=APACHE,
)
FACTS = ImageFacts(user=185, read_only=True, source="Dockerfile at v2.5.2: USER 185:185; the chart's own context")

RULES = (
    *controller_alerts(CONTROLLER),
    target_missing(WEBHOOK),
    Alert(
        "SparkSubmissionsFail",
        "sum(rate(spark_application_failed_submission_count[30m])) / "
        "sum(rate(spark_application_submit_count[30m])) > 0.5",
        summary="More than half of the Spark programs cannot be submitted",
        action="Read the log of spark-operator-controller, and the status of a failed SparkApplication.",
        lasting="15m",
    ),
)
BOARD = Dashboard(
    "Spark operator",
    [
        stat("Programs that run", "sum(spark_application_running_count)"),
        stat("Executors that run", "sum(spark_executor_running_count)"),
        graph(
            "Programs that ended",
            [
                "sum(rate(spark_application_success_count[$__rate_interval]))",
                "sum(rate(spark_application_failure_count[$__rate_interval]))",
            ],
            unit="ops",
        ),
        graph(
            "Time to submit 95 of 100",
            "histogram_quantile(0.95, sum by (le) "
            "(rate(spark_application_submit_latency_seconds_histogram_bucket[$__rate_interval])))",
            unit="s",
        ),
        graph(
            "Time until 95 of 100 run",
            "histogram_quantile(0.95, sum by (le) "
            "(rate(spark_application_start_latency_seconds_histogram_bucket[$__rate_interval])))",
            unit="s",
        ),
    ],
)
