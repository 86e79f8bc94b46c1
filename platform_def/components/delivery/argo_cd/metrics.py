"""What Argo CD's controller says of Applications, with labels that its monitor honours, and alerts over it."""

from __future__ import annotations

from platform_def.constructs import (
    HONORED_TARGET,
    Alert,
    Dashboard,
    MetricTable,
    Query,
    counter,
    gauge,
    graph,
    increased,
    stat,
    table,
    target_missing,
)

_APPLICATION = "namespace name project"
EXPORTED = MetricTable(
    "controller/metrics/metrics.go of Argo CD v3.4.13, v3.5.7 and v3.6.1, what all have",
    gauge(
        "argocd_app_info",
        f"{_APPLICATION} autosync_enabled repo dest_server dest_namespace sync_status health_status operation",
    ),
    counter("argocd_app_sync_total", f"{_APPLICATION} dest_server phase dry_run"),
    target=HONORED_TARGET,
)
_FAILED = increased('argocd_app_sync_total{phase=~"Error|Failed"}', "30m")
_WHICH = "Application {{ $labels.name }}"


def alerts(controller: str) -> tuple[Alert, ...]:
    """Alerts of the controller that Prometheus reads by this Service."""
    return (
        target_missing(controller, name="ArgoCd"),
        Alert(
            "ArgoCdSyncFails",
            f"sum by (namespace, name) ({_FAILED}) > 0",
            summary=f"A sync of {_WHICH} failed",
            action="Look at its last operation: `kubectl -n argocd describe application`, or its page.",
            lasting="5m",
        ),
        Alert(
            "ArgoCdOutOfSync",
            'max by (namespace, name) (argocd_app_info{autosync_enabled="true", sync_status!="Synced"}) > 0',
            summary=f"{_WHICH} syncs by itself, and the cluster has not been what its repository says for half an hour",
            action="Look at what differs: a failed sync, a field that something else writes, a webhook that refuses.",
            lasting="30m",
        ),
        Alert(
            "ArgoCdUnhealthy",
            'max by (namespace, name) (argocd_app_info{health_status=~"Degraded|Missing"}) > 0',
            summary=f"{_WHICH} has objects that do not work",
            action="Its page shows which; later waves wait for them.",
            lasting="30m",
        ),
    )


_WHERE = "count by ({}) (argocd_app_info)"
BOARD = Dashboard(
    "Delivery: Argo CD",
    [
        stat("Applications", "count(argocd_app_info)", unit="none"),
        stat("Not synced", 'count(argocd_app_info{sync_status!="Synced"}) or vector(0)', unit="none"),
        stat("Not healthy", 'count(argocd_app_info{health_status!="Healthy"}) or vector(0)', unit="none"),
        graph("By sync", Query(_WHERE.format("sync_status"), "{{sync_status}}"), unit="none"),
        graph("By health", Query(_WHERE.format("health_status"), "{{health_status}}"), unit="none"),
        graph(
            "Syncs in an hour",
            Query(f"sum by (phase) ({increased('argocd_app_sync_total', '1h')})", "{{phase}}"),
            unit="none",
        ),
        table(
            "Applications that are not as they should be",
            'max by (name, sync_status, health_status) (argocd_app_info{sync_status!="Synced"}'
            ' or argocd_app_info{health_status!="Healthy"})',
            columns={"name": "Application", "sync_status": "Sync", "health_status": "Health"},
        ),
    ],
    tags=["delivery"],
    hours=24,
)
