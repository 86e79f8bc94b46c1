"""Monitors of Kubernetes itself: kubelets, cAdvisor inside them, the API server; with alerts over what they say.

Kubelets answer a Service of the operator's. What makes many series and that no one asks for is dropped on arrival.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.prometheus_operator.v1 import SERVICE_MONITOR, Endpoint, Relabeling
from platform_def.components.monitoring.exporters.kubernetes import APISERVER, CADVISOR, KUBELET
from platform_def.constructs import Alert, Alerts, Resource, increased
from platform_def.constructs.component import AnyComponent
from platform_def.constructs.observation.tables import MetricTable

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 - a path
CA = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"


FINE = "apiserver_request_duration_seconds_bucket;(0.005|0.025|0.1|0.2|0.4|0.6|0.8|1.25|1.5|3|4|6|8|15|20|45)"
"""Bounds of a histogram without which its quantiles are good enough: most series of the API server are these."""


def monitors(component: AnyComponent) -> None:
    """The monitors that the configuration asks for."""
    parts = component.config.kubernetes
    if "kubelet" in parts:
        _monitor(component, "kubelet", "kube-system", {"k8s-app": "kubelet"}, [*_kubelet()])
    if "apiserver" in parts:
        _monitor(component, "kube-apiserver", "default", {"component": "apiserver"}, [_apiserver()])
    tables = [KUBELET, CADVISOR, APISERVER]
    found = [*(VOLUMES if "kubelet" in parts else ()), *(SERVERS if "apiserver" in parts else ())]
    if found:
        Alerts(component, found, name="kubernetes", tables=tables)


def _monitor(
    component: AnyComponent, name: str, namespace: str, labels: dict[str, str], endpoints: list[Endpoint]
) -> None:
    Resource(
        component,
        SERVICE_MONITOR,
        name,
        spec={
            "jobLabel": next(iter(labels)),
            "namespaceSelector": {"matchNames": [namespace]},
            "selector": {"matchLabels": labels},
            "endpoints": endpoints,
        },
        labels={**component.labels(), **component.config.select},
        part="after",
    )
    component.scrapes(next(iter(labels.values())))


def _kubelet() -> Iterator[Endpoint]:
    """The kubelet's own certificate is of no authority that pods know."""
    common: Endpoint = {
        "port": "https-metrics",
        "scheme": "https",
        "interval": "30s",
        "bearerTokenFile": TOKEN,
        "tlsConfig": {"insecureSkipVerify": True},
        "honorLabels": True,
        "relabelings": [
            {"sourceLabels": ["__metrics_path__"], "targetLabel": "metrics_path"},
            {"action": "labeldrop", "regex": "^(container|endpoint|namespace|pod|service)$"},
        ],
    }
    yield {**common, "metricRelabelings": [_kept(KUBELET, "up|process_.*|go_goroutines")]}
    yield {
        **common,
        "path": "/metrics/cadvisor",
        "honorTimestamps": False,  # its own are old, and a container that is gone would stay for five minutes
        "metricRelabelings": [
            _kept(CADVISOR, "machine_.*"),
            # Groups of processes above containers say the same once more.
            {"action": "drop", "sourceLabels": ["id", "pod"], "regex": ".+;"},
            {"action": "labeldrop", "regex": "^(id|name|image)$"},
        ],
    }


def _apiserver() -> Endpoint:
    return {
        "port": "https",
        "scheme": "https",
        "interval": "30s",
        "bearerTokenFile": TOKEN,
        "tlsConfig": {"caFile": CA, "serverName": "kubernetes"},
        "metricRelabelings": [
            _kept(APISERVER, "process_.*|workqueue_depth"),
            {"action": "drop", "sourceLabels": ["__name__", "le"], "regex": FINE},
        ],
    }


def _kept(table: MetricTable, more: str) -> Relabeling:
    """Series that tables have, and some more."""
    names = "|".join(sorted(table.series))
    return {"action": "keep", "sourceLabels": ["__name__"], "regex": f"{names}|{more}"}


VOLUMES = (
    Alert(
        "VolumeNearlyFull",
        "min by (namespace, persistentvolumeclaim)"
        " (kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes) < 0.1",
        summary="Volume {{ $labels.persistentvolumeclaim }} in {{ $labels.namespace }} has less than 10% free",
        action="Remove what is not needed, or make the claim larger where its class allows that.",
        lasting="5m",
    ),
    Alert(
        "VolumeFillsUp",
        "min by (namespace, persistentvolumeclaim)"
        " (kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes) < 0.3"
        " and min by (namespace, persistentvolumeclaim)"
        " (predict_linear(kubelet_volume_stats_available_bytes[6h], 86400)) < 0",
        summary="Volume {{ $labels.persistentvolumeclaim }} in {{ $labels.namespace }} will be full within a day",
        action="Look at what writes there: checkpoints that are never removed, logs, a cache.",
        lasting="1h",
    ),
    Alert(
        "VolumeOutOfInodes",
        "min by (namespace, persistentvolumeclaim)"
        " (kubelet_volume_stats_inodes_free / (kubelet_volume_stats_inodes > 0)) < 0.05",
        summary="Volume {{ $labels.persistentvolumeclaim }} in {{ $labels.namespace }} can take few more files",
        action="Pack small files, such as images of a data set, into larger ones.",
        lasting="15m",
    ),
)
REFUSED = increased('apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error"}', "10m")
SERVERS = (
    Alert(
        "AdmissionWebhookFails",
        f"sum by (name) ({REFUSED}) > 0",
        summary="The API server cannot reach the admission webhook {{ $labels.name }} and refuses what it selects",
        action="Look at the pods behind the webhook. Until they answer, objects that it selects cannot be changed.",
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "AggregatedApiDown",
        "max by (name) (max_over_time(aggregator_unavailable_apiservice[5m])) > 0",
        summary="The API {{ $labels.name }} is not served",
        action="Look at the APIService and the pods of its server. Namespaces cannot be deleted while it is down.",
    ),
    Alert(
        "ApiServerErrors",
        'sum by (resource, verb) (rate(apiserver_request_total{code=~"5.."}[10m]))'
        " / sum by (resource, verb) (rate(apiserver_request_total[10m])) > 0.05",
        summary="The API server fails at more than 5% of the requests to {{ $labels.verb }} {{ $labels.resource }}",
        action="Look at etcd and at admission webhooks; read the API server's log.",
        severity="critical",
    ),
)
