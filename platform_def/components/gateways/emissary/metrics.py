"""What the Envoy of a gateway counts: a table of its metrics, alerts, and a dashboard."""

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
from platform_def.constructs.observation.alerts import camel

DOOR, BEHIND, CLASS = "envoy_http_conn_manager_prefix", "envoy_cluster_name", "envoy_response_code_class"
ENVOY = MetricTable(
    "source/common/http/conn_manager_config.h and envoy/upstream/upstream.h of Envoy, as /stats/prometheus names them",
    counter("envoy_http_downstream_rq_xx", f"{DOOR} {CLASS}"),
    counter("envoy_http_downstream_rq_total envoy_http_downstream_cx_total", DOOR),
    gauge("envoy_http_downstream_cx_active envoy_http_downstream_rq_active", DOOR),
    histogram("envoy_http_downstream_rq_time", DOOR),
    counter("envoy_cluster_upstream_rq_xx", f"{BEHIND} {CLASS}"),
    counter("envoy_cluster_upstream_cx_connect_fail envoy_cluster_upstream_rq_timeout", BEHIND),
    histogram("envoy_cluster_upstream_rq_time", BEHIND),
    gauge("envoy_cluster_membership_healthy envoy_cluster_membership_total", BEHIND),
)
_ANSWERS = "sum by (job) (rate(envoy_http_downstream_rq_xx{{{}}}[10m]))"


def alerts(service: str, *, gateway: str) -> tuple[Alert, ...]:
    """Alerts of a gateway whose Envoy Prometheus reads by this Service; their names begin with the gateway's."""
    job, name = f'job="{service}"', camel(gateway)
    failed = _ANSWERS.format(f'{job}, {CLASS}="5"')
    return (
        target_missing(service, name=name, severity="critical"),
        Alert(
            f"{name}Fails",
            f"{failed} / {_ANSWERS.format(job)} > 0.05",
            summary="More than one request in twenty at the gateway is answered with an error",
            action="Look which Service fails in the dashboard of the gateway, and whether its pods are ready.",
            lasting="10m",
        ),
        Alert(
            f"{name}CannotConnect",
            f"sum by ({BEHIND}) (rate(envoy_cluster_upstream_cx_connect_fail{{{job}}}[10m])) > 0.1",
            summary=f"The gateway cannot connect to {{{{ $labels.{BEHIND} }}}}",
            action="Look whether the Service has ready pods, and whether a network policy lets the gateway reach them.",
            lasting="10m",
        ),
    )


def _rate(metric: str, label: str, *, of: str = "") -> Query:
    """How often something happens in a second, by a label."""
    return Query(f"sum by ({label}) (rate({metric}{{{of}}}[$__rate_interval]))", f"{{{{{label}}}}}")


def _slow(metric: str, label: str) -> Query:
    """The time that 95 of 100 requests take, by a label."""
    rate = f"sum by ({label}, le) (rate({metric}_bucket[$__rate_interval]))"
    return Query(f"histogram_quantile(0.95, {rate})", f"{{{{{label}}}}}")


BOARD = Dashboard(
    "Gateway: Envoy",
    [
        stat("Connections", "sum(envoy_http_downstream_cx_active)", unit="none"),
        stat("Requests", "sum(rate(envoy_http_downstream_rq_total[$__rate_interval]))", unit="reqps"),
        graph("Answers by class of their code", _rate("envoy_http_downstream_rq_xx", CLASS), unit="reqps"),
        graph("Time of 95 of 100 requests", _slow("envoy_http_downstream_rq_time", DOOR), unit="ms"),
        graph("Errors by Service", _rate("envoy_cluster_upstream_rq_xx", BEHIND, of=f'{CLASS}="5"'), unit="reqps"),
        graph("Time of 95 of 100 requests by Service", _slow("envoy_cluster_upstream_rq_time", BEHIND), unit="ms"),
        graph("Connections that failed", _rate("envoy_cluster_upstream_cx_connect_fail", BEHIND), unit="ops"),
    ],
    tags=["gateways"],
)
