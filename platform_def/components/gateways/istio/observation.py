"""What istiod says of its mesh: a table of its metrics, alerts, and a dashboard."""

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
    increased,
    stat,
    target_missing,
)
from platform_def.constructs.observation.alerts import camel

METRICS = MetricTable(
    "pilot/pkg/xds, pkg/xds, pkg/kube/inject, pkg/webhooks/validation/server and security/pkg/server/ca of Istio 1.31",
    gauge("pilot_services"),
    gauge("pilot_xds", "version"),
    counter("pilot_xds_pushes pilot_push_triggers", "type"),
    counter("pilot_total_xds_rejects", "type"),
    counter("pilot_total_xds_internal_errors", late=True),
    histogram("pilot_proxy_convergence_time pilot_proxy_queue_time"),
    histogram("pilot_xds_push_time", "type"),
    counter(
        "sidecar_injection_requests_total sidecar_injection_success_total sidecar_injection_failure_total", late=True
    ),
    counter("galley_validation_failed", "group version resource reason"),
    counter("galley_validation_passed", "group version resource"),
    counter("citadel_server_csr_count citadel_server_success_cert_issuance_count"),
    gauge("citadel_server_root_cert_expiry_timestamp"),
)
_CONVERGENCE = "histogram_quantile(0.99, sum by (job, le) (rate(pilot_proxy_convergence_time_bucket{}[{}])))"
_BY_TYPE = "sum by (type) (rate({}[$__rate_interval]))"
DAYS = 30


def alerts(service: str) -> tuple[Alert, ...]:
    """Alerts of the istiod that Prometheus reads by this Service; their names begin with the Service's."""
    job, name = f'{{job="{service}"}}', camel(service)
    return (
        target_missing(service, severity="critical"),
        Alert(
            f"{name}ConfigurationRejected",
            f"sum by (type) ({increased(f'pilot_total_xds_rejects{job}', '30m')}) > 0",
            summary="Proxies refuse what istiod sends them (type {{ $labels.type }}), and work with what they had",
            action="Read the log of istiod: it names proxy and reason. An EnvoyFilter or a route is usually wrong.",
            lasting="5m",
        ),
        Alert(
            f"{name}CannotSend",
            f"sum by (job) ({increased(f'pilot_total_xds_internal_errors{job}', '30m')}) > 0",
            summary="istiod fails to make or send configuration for proxies",
            action="Read its log.",
            lasting="5m",
        ),
        Alert(
            f"{name}Slow",
            f"{_CONVERGENCE.format(job, '10m')} > 30",
            summary="Proxies wait for more than 30 seconds until a change reaches them",
            action="Give istiod more CPU or a second pod, or have it follow fewer namespaces (`discoverySelectors`).",
            lasting="15m",
        ),
        Alert(
            f"{name}InjectionFails",
            f"sum by (job) ({increased(f'sidecar_injection_failure_total{job}', '30m')}) > 0",
            summary="Pods get no proxy, because istiod fails to make it",
            action="Read the log of istiod: it names the pod and what is wrong with its annotations.",
            lasting="5m",
        ),
        # A mesh whose authority ends has no connections with mutual TLS any more.
        Alert(
            f"{name}AuthorityEnds",
            f"min by (job) (citadel_server_root_cert_expiry_timestamp{job}) - time() < {DAYS} * 86400",
            summary=f"The authority that signs the identities of the mesh ends within {DAYS} days",
            action="Give istiod a new one as Istio's guide to its authority says, while the old one is still trusted.",
            severity="critical",
            lasting="1h",
        ),
    )


BOARD = Dashboard(
    "Mesh: istiod",
    [
        stat("Proxies", "sum(pilot_xds)"),
        stat("Services", "max(pilot_services)"),
        stat("Proxies that refuse", f"sum({increased('pilot_total_xds_rejects', '1h')}) or vector(0)"),
        stat("Objects refused in an hour", f"sum({increased('galley_validation_failed', '1h')}) or vector(0)"),
        graph("Proxies by version", Query("sum by (version) (pilot_xds)", "{{version}}"), unit="none"),
        graph(
            "Time until 99 of 100 changes reach proxies",
            Query(_CONVERGENCE.format("", "$__rate_interval"), "{{job}}"),
            unit="s",
        ),
        graph(
            "Configuration sent",
            Query("sum by (type) (rate(pilot_xds_pushes[$__rate_interval]))", "{{type}}"),
            unit="ops",
        ),
        graph(
            "Why it is sent",
            Query("sum by (type) (rate(pilot_push_triggers[$__rate_interval]))", "{{type}}"),
            unit="ops",
        ),
        graph(
            "Pods that got a proxy, and that did not",
            [
                Query("sum(rate(sidecar_injection_success_total[$__rate_interval]))", "with a proxy"),
                Query("sum(rate(sidecar_injection_failure_total[$__rate_interval]))", "failed"),
            ],
            unit="ops",
        ),
        graph(
            "Identities asked for, and signed",
            [
                Query("sum(rate(citadel_server_csr_count[$__rate_interval]))", "asked for"),
                Query("sum(rate(citadel_server_success_cert_issuance_count[$__rate_interval]))", "signed"),
            ],
            unit="ops",
        ),
    ],
    tags=["gateways"],
)
