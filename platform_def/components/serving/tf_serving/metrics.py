"""What TensorFlow Serving exports, its alerts and dashboard. Latencies are microseconds, names begin with a colon."""

from __future__ import annotations

from platform_def.constructs import Alert, Choice, Dashboard, MetricTable, counter, graph, histogram, stat

METRICS = MetricTable(
    "tensorflow_serving/servables/tensorflow/util.cc and util/prometheus_exporter.cc of 2.20.0",
    counter(":tensorflow:serving:request_count", "model_name status"),
    histogram(":tensorflow:serving:request_latency", "model_name API entrypoint"),
    histogram(":tensorflow:serving:runtime_latency", "model_name API runtime"),
)
_COUNT = ":tensorflow:serving:request_count"
_LATENCY = ":tensorflow:serving:request_latency"


def alerts(service: str, name: str) -> tuple[Alert, ...]:
    """The alerts of one server."""
    job = f'job="{service}"'
    failed = f'sum by (namespace, model_name) (rate({_COUNT}{{{job},status!="OK"}}[10m]))'
    every = f"sum by (namespace, model_name) (rate({_COUNT}{{{job}}}[10m]))"
    return (
        Alert(
            f"{name}RequestsFail",
            f"{failed} / {every} > 0.1",
            summary=f"{service} fails at more than a tenth of the requests for {{{{ $labels.model_name }}}}",
            action="Read its log; a client that sends wrong shapes fails alone, a version that does not load for all.",
            lasting="10m",
        ),
    )


_CHOSEN = '{job=~"$job"}'
BOARD = Dashboard(
    "TensorFlow Serving",
    [
        stat("Requests a second", f"sum(rate({_COUNT}{_CHOSEN}[$__rate_interval]))", unit="reqps"),
        graph(
            "Requests by model and status",
            f"sum by (model_name, status) (rate({_COUNT}{_CHOSEN}[$__rate_interval]))",
            unit="reqps",
        ),
        graph(
            "Time to answer 99 of 100 requests",
            "histogram_quantile(0.99, sum by (model_name, le) "
            f"(rate({_LATENCY}_bucket{_CHOSEN}[$__rate_interval]))) / 1e6",
            unit="s",
        ),
        graph(
            "Time in TensorFlow, mean",
            f"sum by (model_name) (rate(:tensorflow:serving:runtime_latency_sum{_CHOSEN}[$__rate_interval])) / "
            f"sum by (model_name) (rate(:tensorflow:serving:runtime_latency_count{_CHOSEN}[$__rate_interval])) / 1e6",
            unit="s",
        ),
    ],
    choices=[Choice("job", _COUNT, "Server")],
)
