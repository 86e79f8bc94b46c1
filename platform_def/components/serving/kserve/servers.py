"""The servers that KServe brings, as data: images, formats and how they are started; ClusterServingRuntimes from them.

The first container is called `kserve-container`: KServe merges an InferenceService's own fields into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from platform_def.apis.core.core_v1 import Container, EnvVar, Probe, SecurityContext
from platform_def.components.serving.kserve.multinode import multinode
from platform_def.constructs import env, http_probe

MODEL_FOLDER = "/mnt/models"
FORMAT_SEPARATOR = "@"


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """A server of models."""

    image: str
    formats: tuple[str, ...]
    """`name@version`; an `!` in front: an InferenceService must name the server."""
    priority: int | None = 1
    """Which of several servers of a format is taken, the highest; a format may have its own in `priorities`."""
    priorities: Mapping[str, int | None] = field(default_factory=dict)
    speaks: tuple[str, ...] = ("v1", "v2")
    """Protocols, the default one first."""
    kind: str = ""
    """How KServe knows its images for GPUs; by default the runtime's name without `kserve-`."""
    command: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    metrics: int = 8080
    """Port of its metrics, at `/metrics`."""
    user: int | None = None
    non_root: bool = True
    memory_folder: bool = False
    """It has shared memory of its own."""
    probe: str = ""
    """Path that answers when it is ready; empty: KServe connects to its port."""
    variant: Literal["", "-gpu", "-cpu"] = ""
    """What KServe adds to the image: `-gpu` to the tag with a GPU, `-cpu` to the name without one."""
    several_nodes: bool = False

    @property
    def takes(self) -> list[str]:
        """Names of its formats, without versions."""
        return sorted({each.lstrip("!").partition(FORMAT_SEPARATOR)[0] for each in self.formats})

    def images(self, image: str) -> tuple[str, ...]:
        """The image and the one that KServe makes of it."""
        name, _, tag = image.rpartition(":")
        if self.variant == "-gpu":
            return image, f"{image}-gpu"
        return (image, f"{name}-cpu:{tag}") if self.variant == "-cpu" else (image,)


def _python(name: str, *formats: str, arguments: tuple[str, ...] = (), **fields: Any) -> ModelServer:
    """One of KServe's own servers."""
    given = ("--model_name={{.Name}}", f"--model_dir={MODEL_FOLDER}", "--http_port=8080", *arguments)
    return ModelServer(image=f"docker.io/kserve/{name}:v0.20.0", formats=formats, arguments=given, **fields)


_ONE_THREAD = ("--nthread=1",)
_HUGGING_FACE = "docker.io/kserve/huggingfaceserver:v0.20.0"

SERVERS_0_20: Mapping[str, ModelServer] = {
    "kserve-autogluonserver": _python("autogluonserver", "autogluon@1"),
    "kserve-huggingfaceserver": ModelServer(
        image=_HUGGING_FACE,
        formats=("huggingface@1",),
        speaks=("v2", "v1"),
        arguments=("--model_name={{.Name}}",),
        variables={"LMCACHE_USE_EXPERIMENTAL": "True"},
        memory_folder=True,
        variant="-gpu",
    ),
    "kserve-huggingfaceserver-multinode": ModelServer(
        image=f"{_HUGGING_FACE}-gpu",
        formats=("huggingface@1",),
        priority=2,
        speaks=("v2", "v1"),
        kind="huggingfaceserver",
        several_nodes=True,
    ),
    "kserve-lgbserver": _python("lgbserver", "lightgbm@4", arguments=_ONE_THREAD),
    "kserve-mlserver": ModelServer(
        image="docker.io/seldonio/mlserver:1.7.1",
        formats=(
            "sklearn@0",
            "sklearn@1",
            "xgboost@1",
            "xgboost@2",
            "lightgbm@3",
            "lightgbm@4",
            "mlflow@1",
            "mlflow@2",
        ),
        priority=2,
        priorities={"mlflow": 1},
        speaks=("v2",),
        variables={
            "MLSERVER_MODEL_IMPLEMENTATION": "{{.Labels.modelClass}}",
            "MLSERVER_HTTP_PORT": "8080",
            "MLSERVER_GRPC_PORT": "9000",
        },
    ),
    "kserve-paddleserver": _python("paddleserver", "paddle@2"),
    "kserve-pmmlserver": _python("pmmlserver", "pmml@3", "pmml@4"),
    "kserve-predictiveserver": _python(
        "predictiveserver",
        "!sklearn@1",
        "!xgboost@2",
        "!lightgbm@4",
        arguments=("--framework={{.Annotations.modelFormat}}", *_ONE_THREAD),
        priority=3,
    ),
    "kserve-sklearnserver": _python("sklearnserver", "sklearn@1"),
    "kserve-tensorflow-serving": ModelServer(
        image="docker.io/tensorflow/serving:2.6.2",
        formats=("tensorflow@1", "tensorflow@2"),
        priority=2,
        speaks=("v1", "grpc-v1"),
        command=("/usr/bin/tensorflow_model_server",),
        arguments=(
            "--model_name={{.Name}}",
            "--port=9000",
            "--rest_api_port=8080",
            f"--model_base_path={MODEL_FOLDER}",
            "--rest_api_timeout_in_ms=60000",
        ),
        user=1000,
        variant="-gpu",
    ),
    "kserve-torchserve": ModelServer(
        image="docker.io/pytorch/torchserve-kfs:0.9.0",
        formats=("pytorch@1",),
        priority=2,
        speaks=("v1", "v2", "grpc-v2"),
        arguments=(
            "torchserve",
            "--start",
            f"--model-store={MODEL_FOLDER}/model-store",
            f"--ts-config={MODEL_FOLDER}/config/config.properties",
        ),
        variables={"TS_SERVICE_ENVELOPE": "{{.Labels.serviceEnvelope}}"},
        metrics=8082,
        user=1000,
        variant="-gpu",
    ),
    "kserve-tritonserver": ModelServer(
        image="nvcr.io/nvidia/tritonserver:23.05-py3",
        formats=("tensorrt@8", "tensorflow@1", "tensorflow@2", "onnx@1", "!pytorch@1", "triton@2"),
        priorities={"pytorch": None},
        speaks=("v2", "grpc-v2"),
        arguments=(
            "tritonserver",
            f"--model-store={MODEL_FOLDER}",
            "--grpc-port=9000",
            "--http-port=8080",
            "--allow-grpc=true",
            "--allow-http=true",
        ),
        metrics=8002,
        user=1000,
    ),
    "kserve-vllmserver": ModelServer(
        image="docker.io/vllm/vllm-openai:v0.20.0",
        formats=("vLLM@1",),
        speaks=(),
        command=("python", "-m", "vllm.entrypoints.openai.api_server"),
        arguments=("--port=8080", "--served-model-name={{.Name}}", f"--model={MODEL_FOLDER}"),
        variables={
            "LMCACHE_USE_EXPERIMENTAL": "True",
            "HF_HOME": "/tmp",  # noqa: S108 - in the pod
            "VLLM_CONFIG_ROOT": "/tmp",  # noqa: S108
            "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        },
        memory_folder=True,
        non_root=False,
        probe="/v1/models",
        variant="-cpu",
    ),
    "kserve-xgbserver": _python("xgbserver", "xgboost@2", arguments=_ONE_THREAD),
}


def runtime(server: ModelServer, image: str, *, domain: str) -> dict[str, Any]:
    """The spec of a ClusterServingRuntime; `domain` is the cluster's DNS domain."""
    spec: dict[str, Any] = {
        "annotations": {"prometheus.kserve.io/port": str(server.metrics), "prometheus.kserve.io/path": "/metrics"},
        "supportedModelFormats": [_format(server, each) for each in server.formats],
    }
    if server.speaks:
        spec["protocolVersions"] = [*server.speaks]
    if server.several_nodes:
        return {**spec, **multinode(image, domain=domain)}
    spec["containers"] = [_container(server, image)]
    if server.memory_folder:
        spec["volumes"] = [{"name": "devshm", "emptyDir": {"medium": "Memory"}}]
    return spec


def _format(server: ModelServer, written: str) -> dict[str, Any]:
    name, _, version = written.lstrip("!").partition(FORMAT_SEPARATOR)
    priority = server.priorities.get(name, server.priority)
    made: dict[str, Any] = {"name": name, "version": version, "autoSelect": not written.startswith("!")}
    return made if priority is None else {**made, "priority": priority}


def _container(server: ModelServer, image: str) -> Container:
    amount: dict[str, int | str] = {"cpu": "1", "memory": "2Gi"}
    made: Container = {
        "name": "kserve-container",
        "image": image,
        "resources": {"requests": amount, "limits": dict(amount)},
        "securityContext": _security(server),
    }
    if server.command:
        made["command"] = [*server.command]
    if server.arguments:
        made["args"] = [*server.arguments]
    variables: list[EnvVar] = env(server.variables)
    if variables:
        made["env"] = variables
    if server.memory_folder:
        made["volumeMounts"] = [{"name": "devshm", "mountPath": "/dev/shm"}]  # noqa: S108
    if server.probe:
        ready: Probe = http_probe(server.probe, 8080, period=10, timeout=5)
        # Loading a large model takes up to half an hour.
        made |= {
            "readinessProbe": ready,
            "startupProbe": http_probe(server.probe, 8080, delay=30, period=30, timeout=10, failures=60),
        }
    return made


def _security(server: ModelServer) -> SecurityContext:
    """Upstream's, without `privileged: false`, which is the default."""
    made: SecurityContext = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    if server.non_root:
        made["runAsNonRoot"] = True
    if server.user is not None:
        made["runAsUser"] = server.user
    return made
