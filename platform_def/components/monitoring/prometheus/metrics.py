"""What Prometheus says of itself, and alerts about it and about targets of all kinds."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.constructs import (
    Alert,
    Dashboard,
    MetricTable,
    counter,
    gauge,
    graph,
    histogram,
    row,
    stat,
    target_missing,
)
from platform_def.constructs.observation.panels import Panel

REMOTE = "remote_name url"

METRICS = MetricTable(
    "cmd/prometheus, notifier, rules, scrape, storage/remote, tsdb and web of Prometheus v3.13.5",
    gauge("prometheus_config_last_reload_successful prometheus_config_last_reload_success_timestamp_seconds"),
    gauge("prometheus_tsdb_head_series prometheus_tsdb_head_chunks prometheus_tsdb_storage_blocks_bytes"),
    counter("prometheus_tsdb_head_samples_appended_total", "type"),
    counter("prometheus_tsdb_compactions_failed_total prometheus_tsdb_reloads_failures_total"),
    counter("prometheus_tsdb_wal_corruptions_total prometheus_tsdb_size_retentions_total"),
    gauge("prometheus_notifications_queue_length", "alertmanager"),
    gauge("prometheus_notifications_queue_capacity prometheus_notifications_alertmanagers_discovered"),
    counter("prometheus_notifications_sent_total prometheus_notifications_errors_total", "alertmanager"),
    counter("prometheus_notifications_dropped_total", "alertmanager"),
    counter("prometheus_rule_evaluation_failures_total prometheus_rule_evaluations_total", "rule_group", late=False),
    counter("prometheus_rule_group_iterations_missed_total", "rule_group"),
    gauge("prometheus_rule_group_last_duration_seconds prometheus_rule_group_interval_seconds", "rule_group"),
    counter("prometheus_target_scrapes_exceeded_sample_limit_total"),
    counter("prometheus_target_scrape_pool_exceeded_target_limit_total"),
    counter(
        "prometheus_remote_storage_samples_total prometheus_remote_storage_samples_failed_total", REMOTE, late=False
    ),
    counter("prometheus_remote_storage_samples_dropped_total", f"{REMOTE} reason"),
    gauge("prometheus_remote_storage_queue_highest_timestamp_seconds", REMOTE),
    gauge("prometheus_remote_storage_queue_highest_sent_timestamp_seconds", REMOTE),
    gauge("prometheus_remote_storage_shards_desired", REMOTE),
    histogram("prometheus_http_request_duration_seconds", "handler"),
    gauge("prometheus_build_info", "version revision branch goversion goos goarch tags"),
)


def alerts(service: str, *, agent: bool, remote: bool, router: bool) -> Iterator[Alert]:
    """Alerts of a server behind this Service; of an agent there are none, since nothing evaluates them."""
    if agent:
        return
    yield Alert(
        "Watchdog",
        "vector(1)",
        summary="Alerts work: this one always fires",
        action="Send it to a service that calls when it stops; then Prometheus or Alertmanager is down.",
        severity="info",
        lasting="0s",
        labels={"always": "true"},
    )
    yield target_missing(service, name="Prometheus", severity="critical")
    yield Alert(
        "TargetDown",
        "100 * (count by (job, namespace) (up == 0) / count by (job, namespace) (up)) > 10",
        summary="{{ printf `%.0f` $value }}% of the targets of {{ $labels.job }} in {{ $labels.namespace }} are down",
        action="Look at Prometheus' page of targets for the reason: a refused connection, a policy, a certificate.",
        lasting="15m",
    )
    yield from SELF
    if router:
        yield from NOTIFIED
    if remote:
        yield from FORWARDED


SELF = (
    Alert(
        "PrometheusBadConfig",
        "max_over_time(prometheus_config_last_reload_successful[5m]) == 0",
        summary="Prometheus {{ $labels.pod }} could not load its configuration and works with an old one",
        action="Read its log. Prometheus operator checks what it writes, so look at additional configuration first.",
        severity="critical",
    ),
    Alert(
        "PrometheusRulesFail",
        "sum by (pod, rule_group) (increase(prometheus_rule_evaluation_failures_total[5m])) > 0",
        summary="Prometheus cannot evaluate the rules of {{ $labels.rule_group }}",
        action="Read its log: a join finds several partners, or a query takes too long. These alerts do not fire.",
        severity="critical",
        lasting="15m",
        repeats="rules are evaluated every 30 seconds",
    ),
    Alert(
        "PrometheusTargetTooLarge",
        "increase(prometheus_target_scrapes_exceeded_sample_limit_total[5m]) > 0",
        summary="Prometheus drops targets that have more series than `seriesLimit` allows",
        action="Find them on its page of targets; drop labels there, or raise the limit.",
        lasting="15m",
        repeats="targets are read every 30 seconds",
    ),
    Alert(
        "PrometheusStorageFails",
        "increase(prometheus_tsdb_compactions_failed_total[3h]) > 0"
        " or increase(prometheus_tsdb_reloads_failures_total[3h]) > 0",
        summary="Prometheus {{ $labels.pod }} cannot compact or read its blocks",
        action="Read its log; its volume may be full or damaged. Lower `retention` or `retentionSize`.",
        lasting="1h",
    ),
)
NOTIFIED = (
    Alert(
        "PrometheusCannotNotify",
        "rate(prometheus_notifications_errors_total[5m]) / rate(prometheus_notifications_sent_total[5m]) > 0.01",
        summary="Prometheus {{ $labels.pod }} loses alerts on their way to {{ $labels.alertmanager }}",
        action="Look at the pods of Alertmanager and at the network between them.",
        lasting="15m",
    ),
    Alert(
        "PrometheusWithoutAlertmanager",
        "max_over_time(prometheus_notifications_alertmanagers_discovered[5m]) < 1",
        summary="Prometheus {{ $labels.pod }} knows no Alertmanager, so alerts reach no one",
        action="Look at the Service of Alertmanager and its pods.",
        severity="critical",
    ),
)
FORWARDED = (
    Alert(
        "PrometheusForwardFails",
        "sum by (pod, remote_name) (rate(prometheus_remote_storage_samples_failed_total[5m])) > 0",
        summary="Prometheus {{ $labels.pod }} loses series on their way to {{ $labels.remote_name }}",
        action="Read its log for what the other server answers: a wrong token, a limit, a certificate.",
        lasting="15m",
        repeats="samples are sent all the time",
    ),
    Alert(
        "PrometheusForwardBehind",
        "max by (pod, remote_name) (max_over_time(prometheus_remote_storage_queue_highest_timestamp_seconds[5m]))"
        " - on (pod, remote_name)"
        " max by (pod, remote_name) (max_over_time(prometheus_remote_storage_queue_highest_sent_timestamp_seconds[5m]))"
        " > 120",
        summary="Prometheus {{ $labels.pod }} is minutes behind with {{ $labels.remote_name }}",
        action="The other server or the network is too slow; send fewer metrics by `keep:`.",
        lasting="15m",
    ),
)


def dashboard() -> Dashboard:
    """Prometheus itself."""
    return Dashboard("Prometheus", [*_panels()], tags=["monitoring"])


def _panels() -> Iterator[Panel]:
    yield row("Targets")
    yield stat("Up", "sum(up)", unit="none")
    yield stat("Down", "count(up == 0) or vector(0)", unit="none", alarm=1)
    yield stat("Series", "sum(prometheus_tsdb_head_series)")
    yield graph("Targets down by job", "count by (job) (up) - sum by (job) (up)", unit="none")
    yield graph("Series of a target by job", "max by (job) (scrape_samples_scraped)")
    yield row("Server")
    yield graph(
        "Samples each second", "sum by (pod) (rate(prometheus_tsdb_head_samples_appended_total[$__rate_interval]))"
    )
    yield graph("Bytes of blocks", "sum by (pod) (prometheus_tsdb_storage_blocks_bytes)", unit="bytes")
    yield graph(
        "Seconds of rule groups",
        "topk(10, max by (rule_group) (prometheus_rule_group_last_duration_seconds))",
        unit="s",
    )
    yield graph(
        "Alerts sent each second", "sum by (alertmanager) (rate(prometheus_notifications_sent_total[$__rate_interval]))"
    )
