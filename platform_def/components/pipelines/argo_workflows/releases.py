"""Releases of Argo Workflows, and the metrics of its controller."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.constructs import APACHE, HONORED_TARGET, MetricTable, Release, counter, gauge, histogram, releases

METRICS = MetricTable(
    "util/telemetry/metrics_list.go at v4.0.5, with the prefix argo_workflows_",
    gauge("argo_workflows_gauge", "phase"),
    gauge("argo_workflows_is_leader"),
    gauge("argo_workflows_pods_gauge", "phase"),
    gauge("argo_workflows_queue_depth_gauge", "queue_name"),
    counter("argo_workflows_error_count", "cause"),
    counter("argo_workflows_total_count", "phase namespace"),
    counter("argo_workflows_log_messages", "level"),
    histogram("argo_workflows_operation_duration_seconds"),
    target=HONORED_TARGET,
)


@dataclass(frozen=True, kw_only=True)
class ArgoRelease(Release):
    """What differs between releases, as data."""

    executor: str = ""
    """Image of the program that waits beside each step; the controller puts it into the pods of workflows."""
    server: str = ""
    """Image of the server."""


def _release(version: str, kubernetes: str, *, tag: str = "") -> ArgoRelease:
    number = tag or version
    return ArgoRelease(
        version,
        kubernetes=kubernetes,
        image=f"quay.io/argoproj/workflow-controller:v{number}",
        server=f"quay.io/argoproj/argocli:v{number}",
        executor=f"quay.io/argoproj/argoexec:v{number}",
        images={"server": f"quay.io/argoproj/argocli:v{number}"},
        runtime_images=(f"quay.io/argoproj/argoexec:v{number}",),
        exports=(METRICS,),
    )


RELEASES = releases(
    _release("4.0.10", "1.31-1.37"),
    _release("4.0.10-full", "1.31-1.37", tag="4.0.10"),
    _release("3.7.18", "1.29-1.37"),
    _release("3.7.18-full", "1.29-1.37", tag="3.7.18"),
    license=APACHE,
)
"""`-full` has the whole schema of every kind in its CRDs, a megabyte each; upstream's minimal ones leave specs open."""
