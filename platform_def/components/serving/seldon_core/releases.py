"""The release of Seldon Core that is offered, its images, metrics and alerts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    Alert,
    Choice,
    Dashboard,
    ImageFacts,
    MetricTable,
    Release,
    Support,
    Upkeep,
    controller_alerts,
    graph,
    histogram,
    releases,
    stat,
)
from platform_def.constructs.observation.tables import summary

CONTROLLER = "seldon-controller-manager"
Servers = Mapping[str, Mapping[str, str]]
"""Images of ready-made model servers, by the `implementation` of a graph's node and by protocol."""


@dataclass(frozen=True, kw_only=True)
class SeldonRelease(Release):
    """What differs between releases, as data."""

    executor: str
    """Runs beside every predictor and sends requests through its graph."""
    storage_initializer: str
    """Fetches a model before its server starts."""
    explainers: Mapping[str, str]
    """Images by the field of the configuration that names them."""
    servers: Servers = field(default_factory=dict)


EXECUTOR = MetricTable(
    "executor/api/metric/{server,client,constants}.go of seldon-core v1.17.1",
    histogram(
        "seldon_api_executor_server_requests_seconds",
        "deployment_name predictor_name predictor_version service method code",
    ),
    histogram(
        "seldon_api_executor_client_requests_seconds",
        "deployment_name predictor_name predictor_version service model_name model_image model_version method code",
    ),
    summary(
        "seldon_api_executor_server_requests_seconds_summary",
        "deployment_name predictor_name predictor_version service method code",
    ),
    target=("container", "endpoint", "instance", "job", "namespace", "pod"),  # a PodMonitor adds no `service`
)

HUB = "docker.io/seldonio"
MLSERVER = f"{HUB}/mlserver:1.3.5"
# Compiled with client-go 0.24; autoscaling/v2, which it writes, is there since Kubernetes 1.23.
RELEASES = releases(
    SeldonRelease(
        "1.17.1",
        image=f"{HUB}/seldon-core-operator:1.17.1",
        executor=f"{HUB}/seldon-core-executor:1.17.1",
        storage_initializer=f"{HUB}/rclone-storage-initializer:1.17.1",
        explainers={"image": f"{HUB}/alibiexplainer:1.17.1", "image_v2": f"{MLSERVER}-alibi-explain"},
        servers={
            "HUGGINGFACE_SERVER": {"v2": f"{MLSERVER}-huggingface"},
            "MLFLOW_SERVER": {"seldon": f"{HUB}/mlflowserver:1.17.1", "v2": f"{MLSERVER}-mlflow"},
            "SKLEARN_SERVER": {"seldon": f"{HUB}/sklearnserver:1.17.1", "v2": f"{MLSERVER}-sklearn"},
            "TEMPO_SERVER": {"v2": f"{MLSERVER}-slim"},
            "TENSORFLOW_SERVER": {
                "seldon": f"{HUB}/tfserving-proxy:1.17.1",
                "tensorflow": "docker.io/tensorflow/serving:2.1.0",
            },
            "TRITON_SERVER": {"v2": "nvcr.io/nvidia/tritonserver:21.08-py3"},
            "XGBOOST_SERVER": {"seldon": f"{HUB}/xgboostserver:1.17.1", "v2": f"{MLSERVER}-xgboost"},
        },
        exports=(CONTROLLER_RUNTIME, EXECUTOR),
        upkeep=Upkeep(Support.ENDED),
        kept="the last release under the Apache licence; later ones are under the Business Source License 1.1",
    ),
    license=APACHE,
)

FACTS = ImageFacts(
    runs_as=8888,
    read_only=True,
    source="the chart runs it as 8888; it writes files only where it creates its own objects (operator/main.go)",
)

_FAILED = 'seldon_api_executor_server_requests_seconds_count{code=~"5..|Internal|Unavailable|DeadlineExceeded|Unknown"}'
_ALL = "seldon_api_executor_server_requests_seconds_count"
_BUCKETS = "seldon_api_executor_server_requests_seconds_bucket"
_BY = "sum by (namespace, deployment_name)"
RULES = (
    *controller_alerts(CONTROLLER),
    Alert(
        "SeldonRequestsFail",
        f"{_BY} (rate({_FAILED}[10m])) / {_BY} (rate({_ALL}[10m])) > 0.1",
        summary="More than a tenth of the requests to {{ $labels.deployment_name }} in {{ $labels.namespace }} fail",
        action="Read the logs of its pods: `seldon-container-engine` says which node of the graph failed.",
        lasting="10m",
    ),
)
_CHOSEN = '{namespace=~"$namespace", deployment_name=~"$deployment_name"}'
BOARD = Dashboard(
    "Seldon Core",
    [
        stat("Requests a second", f"sum(rate({_ALL}{_CHOSEN}[$__rate_interval]))", unit="reqps"),
        graph(
            "Requests by code",
            f"sum by (deployment_name, code) (rate({_ALL}{_CHOSEN}[$__rate_interval]))",
            unit="reqps",
        ),
        graph(
            "Latency of 99 of 100 requests",
            "histogram_quantile(0.99, sum by (deployment_name, predictor_name, le) "
            f"(rate({_BUCKETS}{_CHOSEN}[$__rate_interval])))",
            unit="s",
        ),
        graph(
            "Latency of each model, mean",
            "sum by (deployment_name, model_name) "
            f"(rate(seldon_api_executor_client_requests_seconds_sum{_CHOSEN}[$__rate_interval])) / "
            "sum by (deployment_name, model_name) "
            f"(rate(seldon_api_executor_client_requests_seconds_count{_CHOSEN}[$__rate_interval]))",
            unit="s",
        ),
    ],
    choices=[Choice("namespace", _ALL, "Namespace"), Choice("deployment_name", _ALL, "Deployment")],
)
