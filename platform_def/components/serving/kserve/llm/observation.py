"""Alerts and a dashboard over vLLM, and the monitor of language models' pods: per team and service."""

from __future__ import annotations

from typing import Any, cast

from platform_def.capabilities import Metrics
from platform_def.constructs import (
    Alert,
    AnyComponent,
    Choice,
    Dashboard,
    MetricTable,
    Record,
    Resource,
    counter,
    gauge,
    graph,
    histogram,
)
from platform_def.constructs.observation.tables import POD_TARGET

ONCE: dict[str, Any] = {"action": "labeldrop", "regex": "container"}
"""Leaves one target of those of a pod that have the same address."""
_OF_ENGINE = "model_name engine"
VLLM = MetricTable(
    "vllm/v1/metrics/loggers.py of vLLM; the names that its older engine had are gone",
    gauge("vllm:num_requests_running vllm:num_requests_waiting vllm:kv_cache_usage_perc", _OF_ENGINE),
    counter("vllm:prompt_tokens_total vllm:generation_tokens_total vllm:num_preemptions_total", _OF_ENGINE),
    counter("vllm:prefix_cache_queries_total vllm:prefix_cache_hits_total", _OF_ENGINE),
    histogram("vllm:time_to_first_token_seconds vllm:e2e_request_latency_seconds", _OF_ENGINE),
    labels="inference_service",
    target=POD_TARGET,
)
_BY = "namespace, inference_service"
_CHOSEN = 'namespace=~"$namespace", inference_service=~"$inference_service"'
RULES: tuple[Alert | Record, ...] = (
    Record("namespace_service:vllm_waiting:sum", f"sum by ({_BY}) (vllm:num_requests_waiting)"),
    Alert(
        "LanguageModelQueue",
        "namespace_service:vllm_waiting:sum > 20",
        summary="Requests wait for {{ $labels.inference_service }} in {{ $labels.namespace }}",
        action="Give the service more replicas, or refuse what is less important by an InferenceObjective.",
        lasting="10m",
    ),
    Alert(
        "LanguageModelCacheFull",
        f"sum by ({_BY}) (rate(vllm:num_preemptions_total[10m])) > 0.1",
        summary="{{ $labels.inference_service }} in {{ $labels.namespace }} starts answers again: its KV cache is full",
        action="Allow fewer requests at once or a shorter context, or give it more or larger cards.",
        lasting="15m",
    ),
    Alert(
        "LanguageModelSlow",
        f"histogram_quantile(0.95, sum by ({_BY}, le) (rate(vllm:time_to_first_token_seconds_bucket[10m]))) > 10",
        summary="First words of {{ $labels.inference_service }} in {{ $labels.namespace }} take more than 10 seconds",
        action="Look at the queue and at the length of prompts; more replicas shorten the queue.",
        lasting="15m",
    ),
)


def _quantile(metric: str) -> str:
    return f"histogram_quantile(0.95, sum by ({_BY}, le) (rate({metric}_bucket{{{_CHOSEN}}}[$__rate_interval])))"


def _rate(metric: str) -> str:
    return f"sum by ({_BY}) (rate({metric}{{{_CHOSEN}}}[$__rate_interval]))"


BOARD = Dashboard(
    "Language models",
    [
        graph("Time to the first token, slowest in twenty", _quantile("vllm:time_to_first_token_seconds"), unit="s"),
        graph("Time to the whole answer, slowest in twenty", _quantile("vllm:e2e_request_latency_seconds"), unit="s"),
        graph("Tokens written a second", _rate("vllm:generation_tokens_total")),
        graph("Tokens read a second", _rate("vllm:prompt_tokens_total")),
        graph("Requests at work", f"sum by ({_BY}) (vllm:num_requests_running{{{_CHOSEN}}})"),
        graph("Requests waiting", f"sum by ({_BY}) (vllm:num_requests_waiting{{{_CHOSEN}}})"),
        graph("KV cache in use", f"max by ({_BY}) (vllm:kv_cache_usage_perc{{{_CHOSEN}}})", unit="percentunit"),
        graph(
            "Prompts found in the cache",
            f"{_rate('vllm:prefix_cache_hits_total')} / {_rate('vllm:prefix_cache_queries_total')}",
            unit="percentunit",
        ),
    ],
    choices=[
        Choice("namespace", "vllm:num_requests_running", "Team"),
        Choice("inference_service", "vllm:num_requests_running", "Service"),
    ],
)


def monitor_llms(component: AnyComponent) -> None:
    """Read the servers of LLM services, which KServe labels; their pods have no Service for metrics."""
    if not component.monitored:
        return
    from platform_def.apis.prometheus_operator.v1 import POD_MONITOR  # large

    label = "__meta_kubernetes_pod_label_app_kubernetes_io_"
    given = component.maybe(Metrics)
    relabelings = [
        {"action": "keep", "sourceLabels": [f"{label}part_of"], "regex": "llminferenceservice"},
        {
            "action": "keep",
            "sourceLabels": ["__meta_kubernetes_pod_label_kserve_io_component"],
            "regex": "workload",
        },
        {
            "sourceLabels": ["__meta_kubernetes_pod_ip"],
            "regex": "(.+)",
            "replacement": "$1:8000",
            "targetLabel": "__address__",
        },
        {"sourceLabels": [f"{label}name"], "targetLabel": "inference_service"},
        # Prometheus finds a pod once for each port and container, the one that fetches the model among them.
        ONCE,
    ]
    spec = {
        "namespaceSelector": {"any": True},
        # Prometheus looks at every pod in either case; the labels say which ones it reads.
        "selector": {},
        "podMetricsEndpoints": [{"interval": "30s", "relabelings": relabelings}],
    }
    labels = {**component.labels("kserve-llms"), **(given.value.labels if given else {})}
    Resource(component, POD_MONITOR, "kserve-llms", spec=cast(Any, spec), labels=labels)
