"""What Grafana says of itself, and its alerts."""

from __future__ import annotations

from platform_def.constructs import Alert, MetricTable, histogram, target_missing

METRICS = MetricTable(
    "the recording rule for Grafana of kube-prometheus 4d719f1d",
    histogram("grafana_http_request_duration_seconds", "handler method status_code"),
)
ALL = "rate(grafana_http_request_duration_seconds_count[10m])"
FAILED = 'rate(grafana_http_request_duration_seconds_count{status_code=~"5.."}[10m])'

ALERTS = (
    target_missing("grafana"),
    Alert(
        "GrafanaRequestsFail",
        f"sum by (handler) ({FAILED}) / sum by (handler) ({ALL}) > 0.5",
        summary="Grafana fails at more than half of the requests for {{ $labels.handler }}",
        action="Read its log: its database or a data source does not answer.",
        lasting="15m",
    ),
)
