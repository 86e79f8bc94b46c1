"""What proxies say of the mesh's traffic: a table of their metrics, the monitor that reads them, alerts, a dashboard.

A request between two proxies is counted by both. Panels and alerts take the word of who asks, `reporter="source"`:
every gateway is one, and it knows of requests that reached no pod.
"""

from __future__ import annotations

from typing import Any, cast

from platform_def.capabilities import Metrics
from platform_def.constructs import (
    Alert,
    AnyComponent,
    Choice,
    Dashboard,
    MetricTable,
    Query,
    Resource,
    counter,
    graph,
    histogram,
    increased,
    stat,
)
from platform_def.constructs.mesh import PROXY_METRICS
from platform_def.constructs.observation.tables import POD_TARGET

_ENDS = "workload workload_namespace principal app version canonical_service canonical_revision cluster"
_COMMON = " ".join(
    [
        "reporter request_protocol response_flags connection_security_policy",
        *(f"{end}_{each}" for end in ("source", "destination") for each in _ENDS.split()),
        *(f"destination_{each}" for each in ("service", "service_name", "service_namespace")),
    ]
)
_ANSWER = f"{_COMMON} response_code grpc_response_status"
PROXIES = MetricTable(
    "contrib/istio/filters/http/istio_stats/source/istio_stats.cc of Envoy, as Istio 1.31 sets it up",
    counter("istio_requests_total", _ANSWER),
    histogram("istio_request_duration_milliseconds", _ANSWER),
    counter("istio_tcp_connections_opened_total istio_tcp_sent_bytes_total istio_tcp_received_bytes_total", _COMMON),
    target=("container", "endpoint", *POD_TARGET),  # a PodMonitor adds no `service`
)
MONITOR = "istio-proxies"
FINE = r"0\.5|1|10|50|600000|1800000|3600000"
"""Bounds of Envoy's histogram, in milliseconds, that say little more than their neighbours: 7 of 20."""


def monitor_proxies(component: AnyComponent) -> None:
    """Read every proxy of the mesh: those of gateways, and those that istiod puts into pods, of any namespace."""
    if not component.monitored:
        return
    from platform_def.apis.prometheus_operator.v1 import POD_MONITOR  # large, and rarely needed

    endpoint = {
        # Prometheus finds ports of native sidecars too, which are init containers.
        "port": PROXY_METRICS[0],
        "path": "/stats/prometheus",
        "interval": "30s",
        # Whole series go, never labels: two series that differ in a principal alone would become one with two values.
        "metricRelabelings": [
            {"action": "keep", "sourceLabels": ["__name__"], "regex": "|".join(sorted(PROXIES.series))},
            {"action": "drop", "sourceLabels": ["le"], "regex": FINE},
        ],
    }
    spec = {
        "namespaceSelector": {"any": True},
        # Every pod with a proxy has it, by the injector's template or as gateways are written.
        "selector": {"matchExpressions": [{"key": "service.istio.io/canonical-name", "operator": "Exists"}]},
        "podMetricsEndpoints": [endpoint],
    }
    given = component.maybe(Metrics)
    labels = {**component.labels(MONITOR), **(given.value.labels if given else {})}
    Resource(component, POD_MONITOR, MONITOR, spec=cast(Any, spec), labels=labels)


SERVICE = "destination_service_name, destination_service_namespace"
_LOST = "(.*,)?(UH|UF|UO|NC|LH)(,.*)?"
"""Flags of Envoy's of a request that reached no pod of a Service, though there is a route to it."""
_ERRORS = ', response_code=~"5.."'
_ASKED = f'sum by ({SERVICE}) (rate(istio_requests_total{{{{reporter="source"{{}}}}}}[10m]))'
ALERTS = (
    Alert(
        "IstioServiceFails",
        f"{_ASKED.format(_ERRORS)} / {_ASKED.format('')} > 0.05",
        summary="More than one request in twenty to {{ $labels.destination_service_name }} in "
        "{{ $labels.destination_service_namespace }} is answered with an error",
        action="Look at `response_flags` in the dashboard of the mesh's traffic: `-` is an error of the Service's own.",
        lasting="10m",
    ),
    Alert(
        "IstioServiceUnreachable",
        f"sum by (source_workload, {SERVICE}) "
        f'(rate(istio_requests_total{{reporter="source", response_flags=~"{_LOST}"}}[10m])) > 0.1',
        summary="{{ $labels.source_workload }} reaches no pod of {{ $labels.destination_service_name }} in "
        "{{ $labels.destination_service_namespace }}",
        action="Look whether the Service has ready pods, and whether a network policy, or a DestinationRule without "
        "mutual TLS, keeps the proxy from them.",
        lasting="10m",
    ),
)
_CHOSEN = (
    'source_workload_namespace=~"$source_workload_namespace", '
    'destination_service_namespace=~"$destination_service_namespace"'
)
_SOURCE = f'reporter="source", {_CHOSEN}'
_LEGEND = "{{destination_service_name}} {{destination_service_namespace}}"


def _sum(metric: str, by: str, of: str) -> str:
    return f"sum by ({by}) (rate({metric}{{{of}}}[$__rate_interval]))"


def _total(of: str) -> str:
    return f"sum(rate(istio_requests_total{{{of}}}[$__rate_interval]))"


_REQUESTS = _sum("istio_requests_total", SERVICE, _SOURCE)
_FAILED = _sum("istio_requests_total", SERVICE, f"{_SOURCE}{_ERRORS}")
_TURNED_AWAY = f'{_SOURCE}, response_flags!="-"'
_IN_AN_HOUR = increased(f"istio_requests_total{{{_TURNED_AWAY}}}", "1h")
_BUCKETS = _sum("istio_request_duration_milliseconds_bucket", f"{SERVICE}, le", _SOURCE)
_SLOW = f"histogram_quantile(0.99, {_BUCKETS})"
BOARD = Dashboard(
    "Mesh: traffic",
    [
        stat("Requests", _total(_SOURCE), unit="reqps"),
        stat("Errors", f"({_total(_SOURCE + _ERRORS)} or vector(0)) / {_total(_SOURCE)}", unit="percentunit"),
        stat("Not answered as usual in an hour", f"sum({_IN_AN_HOUR}) or vector(0)"),
        stat(
            "TCP connections",
            f"sum(rate(istio_tcp_connections_opened_total{{{_SOURCE}}}[$__rate_interval]))",
            unit="ops",
        ),
        graph("Requests by Service", Query(_REQUESTS, _LEGEND), unit="reqps"),
        graph("Share of errors by Service", Query(f"{_FAILED} / {_REQUESTS}", _LEGEND), unit="percentunit"),
        graph("Time of 99 of 100 requests by Service", Query(_SLOW, _LEGEND), unit="ms"),
        graph(
            "What gateways and proxies turn away",
            Query(
                _sum("istio_requests_total", "source_workload, response_flags, response_code", _TURNED_AWAY),
                "{{source_workload}} {{response_flags}} {{response_code}}",
            ),
            unit="reqps",
            text="By Envoy's flags: NR no route, UH no ready pod, UF no connection, UO too many requests, UT too slow, "
            "DC who asked has gone.",
        ),
        graph(
            "TCP connections by Service",
            Query(_sum("istio_tcp_connections_opened_total", SERVICE, _SOURCE), _LEGEND),
            unit="ops",
        ),
        graph(
            "Bytes by TCP",
            [
                Query(_sum("istio_tcp_sent_bytes_total", SERVICE, _SOURCE), f"{_LEGEND} answered"),
                Query(_sum("istio_tcp_received_bytes_total", SERVICE, _SOURCE), f"{_LEGEND} sent"),
            ],
            unit="Bps",
        ),
        graph(
            "Requests that arrive, by how they are protected",
            Query(
                _sum("istio_requests_total", "connection_security_policy", f'reporter="destination", {_CHOSEN}'),
                "{{connection_security_policy}}",
            ),
            unit="reqps",
        ),
    ],
    choices=[
        Choice("destination_service_namespace", "istio_requests_total", "To namespace"),
        Choice("source_workload_namespace", "istio_requests_total", "From namespace"),
    ],
    tags=["gateways"],
)
