"""What Alertmanager says of itself, and its alerts."""

from __future__ import annotations

from platform_def.constructs import Alert, MetricTable, counter, gauge, histogram, target_missing

METRICS = MetricTable(
    "cmd/alertmanager, cluster, notify, silence and types of Alertmanager v0.34.0",
    gauge("alertmanager_config_last_reload_successful alertmanager_config_hash alertmanager_receivers"),
    gauge("alertmanager_cluster_members alertmanager_cluster_failed_peers alertmanager_cluster_health_score"),
    gauge("alertmanager_alerts alertmanager_silences", "state"),
    counter("alertmanager_alerts_received_total", "status version"),
    counter("alertmanager_alerts_invalid_total", "version"),
    counter("alertmanager_notifications_total", "integration"),
    counter("alertmanager_notifications_failed_total", "integration reason"),
    histogram("alertmanager_notification_latency_seconds", "integration"),
)

NAME = "alertmanager-main"
ALERTS = (
    target_missing(NAME, name="Alertmanager", severity="critical"),
    Alert(
        "AlertmanagerBadConfig",
        "max_over_time(alertmanager_config_last_reload_successful[5m]) == 0",
        summary="Alertmanager {{ $labels.pod }} could not load its configuration and works with an old one",
        action="Read its log and that of Prometheus operator.",
        severity="critical",
    ),
    Alert(
        "AlertmanagerCannotSend",
        "sum by (integration) (rate(alertmanager_notifications_failed_total[15m]))"
        " / sum by (integration) (rate(alertmanager_notifications_total[15m])) > 0.01",
        summary="Alertmanager cannot send messages by {{ $labels.integration }}",
        action="Read its log for what the other side answers: a wrong address or token, or no way out of the cluster.",
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "AlertmanagerMembersMissing",
        "max_over_time(alertmanager_cluster_members[5m])"
        " < on () group_left () count(max_over_time(alertmanager_cluster_members[5m]))",
        summary="Alertmanager {{ $labels.pod }} does not see all others, so people may get messages twice",
        action="Look at the network between its pods: they talk at port 9094, by TCP and UDP.",
        lasting="15m",
    ),
)
