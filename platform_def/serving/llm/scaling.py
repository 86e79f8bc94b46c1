"""Replicas by the requests that wait: a ScaledObject of KEDA's that asks the stack's Prometheus."""

from __future__ import annotations

from platform_def.capabilities import Metrics
from platform_def.constructs.resource import Resource
from platform_def.serving.llm.config import LlmConfig
from platform_def.serving.template import ServedModel


def scale(model: ServedModel[LlmConfig], *, kind: str, api_version: str, target: str) -> None:
    """Scale a workload; nothing where the stack does not ask for it."""
    scaling = model.config.scaling
    given = model.platform.maybe(Metrics)
    if scaling is None or given is None:
        return
    from platform_def.apis.keda.v1alpha1 import SCALED_OBJECT, ScaledObjectSpec  # large

    waiting = f'vllm:num_requests_waiting{{namespace="{model.namespace}",inference_service="{model.config.name}"}}'
    spec: ScaledObjectSpec = {
        "scaleTargetRef": {"apiVersion": api_version, "kind": kind, "name": target},
        "minReplicaCount": scaling.min,
        "maxReplicaCount": scaling.max,
        "triggers": [
            {
                "type": "prometheus",
                "metricType": "AverageValue",
                "metadata": {
                    "serverAddress": given.value.address or "",
                    "query": f"sum({waiting})",
                    "threshold": str(scaling.waiting),
                },
            }
        ],
    }
    Resource(model, SCALED_OBJECT, model.config.name, spec=spec)
