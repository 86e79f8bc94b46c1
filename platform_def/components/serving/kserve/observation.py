"""Alerts and a dashboard over KServe's controller and its servers, and the monitor of models' pods.

Pods of models have no Service that a ServiceMonitor could name, and ports that their runtime says by annotations.
"""

from __future__ import annotations

from typing import Any, cast

from platform_def.capabilities import Metrics
from platform_def.components.serving.kserve.llm.observation import ONCE
from platform_def.constructs import (
    Alert,
    AnyComponent,
    Choice,
    Dashboard,
    Record,
    Resource,
    controller_alerts,
    graph,
    stat,
)

SERVICE = "kserve-controller-manager-metrics-service"
_CHOSEN = 'namespace=~"$namespace", inference_service=~"$inference_service"'
_BY = "namespace, inference_service"
_BUCKETS = f"rate(request_predict_seconds_bucket{{{_CHOSEN}}}[$__rate_interval])"
_SLOW = f"histogram_quantile(0.95, sum by ({_BY}, le) ({_BUCKETS}))"
RULES: tuple[Alert | Record, ...] = (
    *controller_alerts(SERVICE),
    Record(
        "namespace_service:request_predict:rate5m",
        f"sum by ({_BY}) (rate(request_predict_seconds_count[5m]))",
    ),
    Alert(
        "ModelSlow",
        f"histogram_quantile(0.95, sum by ({_BY}, le) (rate(request_predict_seconds_bucket[10m]))) > 10",
        summary="Predictions of {{ $labels.inference_service }} in {{ $labels.namespace }} take more than 10 seconds",
        action="Give the model more replicas or a larger card, or look at what its pods wait for.",
        lasting="15m",
    ),
)
BOARD = Dashboard(
    "Models",
    [
        stat("Predictions a second", f"sum(rate(request_predict_seconds_count{{{_CHOSEN}}}[$__rate_interval]))"),
        graph(
            "Predictions",
            f"sum by ({_BY}) (rate(request_predict_seconds_count{{{_CHOSEN}}}[$__rate_interval]))",
            unit="reqps",
        ),
        graph("Slowest in twenty", _SLOW, unit="s"),
        graph(
            "Preparing requests",
            f"sum by ({_BY}) (rate(request_preprocess_seconds_sum{{{_CHOSEN}}}[$__rate_interval])) / "
            f"sum by ({_BY}) (rate(request_preprocess_seconds_count{{{_CHOSEN}}}[$__rate_interval]))",
            unit="s",
        ),
    ],
    choices=[
        Choice("namespace", "request_predict_seconds_count", "Team"),
        Choice("inference_service", "request_predict_seconds_count", "Model"),
    ],
)


def monitor_models(component: AnyComponent) -> None:
    """Read every pod of an InferenceService at the port and path that its runtime names."""
    if not component.monitored:
        return
    from platform_def.apis.prometheus_operator.v1 import POD_MONITOR  # large

    port, path = (f"__meta_kubernetes_pod_annotation_prometheus_kserve_io_{each}" for each in ("port", "path"))
    given = component.maybe(Metrics)
    relabelings = [
        {"action": "keep", "sourceLabels": [port], "regex": ".+"},
        {"sourceLabels": [path], "regex": "(.+)", "targetLabel": "__metrics_path__"},
        {
            "sourceLabels": ["__meta_kubernetes_pod_ip", port],
            "separator": ";",
            "regex": "(.+);(.+)",
            "replacement": "$1:$2",
            "targetLabel": "__address__",
        },
        {
            "sourceLabels": ["__meta_kubernetes_pod_label_serving_kserve_io_inferenceservice"],
            "targetLabel": "inference_service",
        },
        # Prometheus finds a pod once for each port and container, the one that fetches the model among them.
        ONCE,
    ]
    spec = {
        "namespaceSelector": {"any": True},
        # Prometheus looks at every pod in either case; the annotations say which ones it reads.
        "selector": {},
        "podMetricsEndpoints": [{"interval": "30s", "relabelings": relabelings}],
    }
    labels = {**component.labels("kserve-models"), **(given.value.labels if given else {})}
    Resource(component, POD_MONITOR, "kserve-models", spec=cast(Any, spec), labels=labels)
