"""TensorFlow Serving's files, as text of protocol buffers, and its flags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.components.serving.tf_serving.config import Batching, TfModel, TfServingConfig

MODELS, FOLDER = "/models", "/etc/tf-serving"
GRPC, REST = 8500, 8501
METRICS_PATH = "/monitoring/prometheus/metrics"
MODEL_FILE, MONITORING_FILE, BATCHING_FILE = "models.config", "monitoring.config", "batching.config"


def proto(content: Mapping[str, Any], depth: int = 0) -> str:
    """A message as text: a list is a repeated field, a map without fields an empty message."""
    lines: list[str] = []
    for field, value in content.items():
        for each in value if isinstance(value, list) else [value]:
            lines += _field(field, each, "  " * depth, depth)
    return "".join(f"{line}\n" for line in lines)


def _field(field: str, value: object, indent: str, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        inside = proto(value, depth + 1)
        yield f"{indent}{field} {{"
        if inside:
            yield inside.rstrip("\n")
        yield f"{indent}}}"
    elif isinstance(value, bool):
        yield f"{indent}{field}: {str(value).lower()}"
    elif isinstance(value, int):
        yield f"{indent}{field}: {value}"
    else:
        text = str(value).replace("\\", "\\\\").replace('"', '\\"')
        yield f'{indent}{field}: "{text}"'


def models(served: Sequence[TfModel]) -> str:
    """A `ModelServerConfig`."""
    return proto({"model_config_list": {"config": [model(each) for each in served]}})


def model(served: TfModel) -> dict[str, Any]:
    """A `ModelConfig`."""
    policy: dict[str, Any] = {"latest": {"num_versions": served.latest or 1}}
    if served.versions:
        policy = {"specific": {"versions": [*served.versions]}}
    elif served.all_versions:
        policy = {"all": {}}
    return {
        "name": served.name,
        "base_path": f"{MODELS}/{served.folder or served.name}",
        "model_platform": "tensorflow",
        "model_version_policy": policy,
        "version_labels": [{"key": label, "value": version} for label, version in sorted(served.labels.items())],
    }


def monitoring() -> str:
    """A `MonitoringConfig`."""
    return proto({"prometheus_config": {"enable": True, "path": METRICS_PATH}})


def batching(chosen: Batching) -> str:
    """A `BatchingParameters`, whose numbers are messages."""
    content: dict[str, Any] = {
        "max_batch_size": {"value": chosen.max_size},
        "batch_timeout_micros": {"value": chosen.timeout_microseconds},
        "max_enqueued_batches": {"value": chosen.waiting},
    }
    if chosen.threads:
        content["num_batch_threads"] = {"value": chosen.threads}
    if chosen.sizes:
        content["allowed_batch_sizes"] = [*chosen.sizes]
    return proto(content)


def flags(config: TfServingConfig) -> Iterator[str]:
    """Flags of `tensorflow_model_server`; what its default says is left out."""
    yield f"--port={GRPC}"
    yield f"--rest_api_port={REST}"
    yield f"--rest_api_timeout_in_ms={config.timeout_seconds * 1000}"
    yield f"--model_config_file={FOLDER}/models/{MODEL_FILE}"
    yield "--model_config_file_poll_wait_seconds=60"  # the kubelet changes the file in a minute or two
    yield f"--file_system_poll_wait_seconds={config.look_seconds}"
    yield f"--monitoring_config_file={FOLDER}/server/{MONITORING_FILE}"
    if any(each.labels for each in config.models):
        # A label may come with the version that it names; without this the whole file is refused then.
        yield "--allow_version_labels_for_unavailable_models=true"
    if not config.warm_up:
        yield "--enable_model_warmup=false"
    if config.batching:
        yield "--enable_batching=true"
        yield f"--batching_parameters_file={FOLDER}/server/{BATCHING_FILE}"
    if config.gpu_memory is not None:
        yield f"--per_process_gpu_memory_fraction={config.gpu_memory}"
