"""The Hugging Face server on several nodes: a head and workers of one Ray cluster, with start commands of our own.

KServe sets `HEAD_SVC`, `TENSOR_PARALLEL_SIZE`, `PIPELINE_PARALLEL_SIZE`, `MODEL_DIR` and `MODEL_ID`; the image brings
`health_check.py`, which asks Ray and the server.
"""

from __future__ import annotations

from typing import Any

from platform_def.apis.core.core_v1 import Container, ResourceRequirements, Volume
from platform_def.constructs import env, exec_probe, from_field

HEAD = """set -e
source=${MODEL_DIR:-${MODEL_ID:-}}
export RAY_ADDRESS="$POD_IP:$RAY_PORT"
ray start --head --disable-usage-stats --include-dashboard false
python ./huggingfaceserver/health_check.py registered_nodes --retries 200 --probe_name runtime_start
exec python -m huggingfaceserver ${source:+--model_dir="$source"} \\
  --tensor-parallel-size="$TENSOR_PARALLEL_SIZE" --pipeline-parallel-size="$PIPELINE_PARALLEL_SIZE" "$0" "$@"
"""
"""Joins the workers first: vLLM counts the GPUs of the Ray cluster when it starts."""
WORKER = """set -e
head="$HEAD_SVC.$POD_NAMESPACE.svc.{domain}:6379"
until ray health-check --address "$head" >/dev/null 2>&1; do
  echo "waiting for the head at $head"
  sleep 5
done
exec ray start --address="$head" --block
"""
_CHECK = "python ./huggingfaceserver/health_check.py"
_URL = "http://localhost:8080"
RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "2", "memory": "6Gi"},
    "limits": {"cpu": "4", "memory": "12Gi"},
}


def multinode(image: str, *, domain: str) -> dict[str, Any]:
    """Head, workers and their shared memory."""
    shared: Volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "3Gi"}}
    return {
        "containers": [_head(image)],
        "volumes": [shared],
        "workerSpec": {
            "pipelineParallelSize": 1,
            "tensorParallelSize": 1,
            "containers": [_worker(image, domain)],
            "volumes": [shared],
        },
    }


def _head(image: str) -> Container:
    whole = f"{_CHECK} registered_node_and_runtime_health --health_check_url {_URL} --probe_name"
    return {
        "name": "kserve-container",
        "image": image,
        "command": ["bash", "-c", HEAD],
        "args": ["--model_name={{.Name}}"],
        "env": env(
            {
                "RAY_PORT": "6379",
                "POD_NAMESPACE": from_field("metadata.namespace"),
                "POD_IP": from_field("status.podIP"),
                "VLLM_CONFIG_ROOT": "/tmp",  # noqa: S108 - in the pod
                "HF_HUB_CACHE": "/tmp",  # noqa: S108
            }
        ),
        "resources": RESOURCES,
        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108
        "livenessProbe": exec_probe("bash", "-c", f"{whole} head_liveness", period=5, timeout=15, failures=2),
        "readinessProbe": exec_probe(
            "bash",
            "-c",
            f"{_CHECK} runtime_health --health_check_url {_URL} --probe_name head_readiness",
            period=5,
            timeout=15,
            failures=2,
        ),
        "startupProbe": exec_probe("bash", "-c", f"{whole} head_startup", delay=60, period=30, timeout=30, failures=40),
    }


def _worker(image: str, domain: str) -> Container:
    head = f"$HEAD_SVC.$POD_NAMESPACE.svc.{domain}"
    joined = f"RAY_ADDRESS={head}:6379 {_CHECK} registered_nodes --probe_name worker_liveness"
    serves = f"RAY_ADDRESS={head}:6379 {_CHECK} registered_node_and_runtime_models --runtime_url http://{head}:8080/v1/models"
    return {
        "name": "worker-container",
        "image": image,
        "command": ["bash", "-c", WORKER.replace("{domain}", domain)],
        "env": env({"POD_NAME": from_field("metadata.name"), "POD_NAMESPACE": from_field("metadata.namespace")}),
        "resources": RESOURCES,
        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108
        "livenessProbe": exec_probe("bash", "-c", joined, period=5, timeout=15, failures=2),
        "startupProbe": exec_probe(
            "bash", "-c", f"{serves} --probe_name worker_startup", delay=60, period=30, timeout=30, failures=40
        ),
    }
