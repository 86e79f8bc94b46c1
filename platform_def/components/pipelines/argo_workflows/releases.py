"""Releases of Argo Workflows, and the metrics of its controller."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from platform_def.constructs import (
    APACHE,
    HONORED_TARGET,
    MetricTable,
    Release,
    Support,
    Upkeep,
    Vulnerability,
    counter,
    gauge,
    histogram,
    releases,
)


def metrics(version: str, state: str) -> MetricTable:
    """What the controller counts, at the version that it was read in; how the state of workflows is called there."""
    return MetricTable(
        f"util/telemetry/metrics_list.go at v{version}, with the prefix argo_workflows_",
        gauge("argo_workflows_gauge", state),
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
    state: str = ""
    """The label of how many workflows there are that says their state."""


def _release(version: str, kubernetes: str, upkeep: Upkeep, *, tag: str = "", kept: str = "") -> ArgoRelease:
    number = tag or version
    state, read = ("status", number) if number.startswith("3.") else ("phase", "4.0.5")
    return ArgoRelease(
        version,
        kubernetes=kubernetes,
        upkeep=upkeep,
        kept=kept,
        image=f"quay.io/argoproj/workflow-controller:v{number}",
        server=f"quay.io/argoproj/argocli:v{number}",
        executor=f"quay.io/argoproj/argoexec:v{number}",
        images={"server": f"quay.io/argoproj/argocli:v{number}"},
        runtime_images=(f"quay.io/argoproj/argoexec:v{number}",),
        state=state,
        exports=(metrics(read, state),),
    )


# Upstream maintains the two newest minor lines (docs/releases.md); 3.7 ended when 4.1 had come. Its advisories:
# github.com/argoproj/argo-workflows/security/advisories.
_LINE_4_0 = Upkeep(
    Support.CURRENT,
    (
        Vulnerability("CVE-2026-28229", "people without access to templates read them", "4.0.2"),
        Vulnerability("CVE-2026-31892", "workflows change what a template that they must use allows", "4.0.2"),
        Vulnerability("CVE-2026-40886", "annotations of a pod crash the controller", "4.0.5"),
        Vulnerability("CVE-2026-42183", "logins with delegated roles crash the server", "4.0.5"),
        Vulnerability("CVE-2026-42294", "unauthenticated webhooks use up the memory of the server", "4.0.5"),
        Vulnerability("CVE-2026-42295", "credentials of the artifact repository are exposed", "4.0.5"),
        Vulnerability("CVE-2026-42296", "workflows change what a template that they must use allows", "4.0.5"),
        Vulnerability("CVE-2026-42297", "people without permission change limits of synchronization", "4.0.5"),
        Vulnerability("CVE-2026-54526", "workflows change what a template that they must use allows", "4.0.6"),
    ),
)
_LINE_3_7 = Upkeep(date(2026, 8, 14))
_KEPT = "4.0 is not for Kubernetes 1.29 and 1.30"
RELEASES = releases(
    _release("4.0.10", "1.31-1.37", _LINE_4_0),
    _release("4.0.10-full", "1.31-1.37", _LINE_4_0, tag="4.0.10"),
    _release("3.7.18", "1.29-1.37", _LINE_3_7, kept=_KEPT),
    _release("3.7.18-full", "1.29-1.37", _LINE_3_7, tag="3.7.18", kept=_KEPT),
    license=APACHE,
)
"""`-full` has the whole schema of every kind in its CRDs, a megabyte each; upstream's minimal ones leave specs open."""
