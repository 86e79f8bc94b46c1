"""Releases of KServe: images of its programs, the servers that it brings, and what both export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from platform_def.components.serving.kserve.llm.observation import VLLM
from platform_def.components.serving.kserve.servers import SERVERS_0_20, ModelServer
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    MetricTable,
    Release,
    Support,
    Upkeep,
    histogram,
    releases,
)
from platform_def.constructs.observation.tables import POD_TARGET

PYTHON_SERVER = MetricTable(
    "python/kserve/kserve/metrics.py at v0.20.0",
    histogram("request_preprocess_seconds", "model_name"),
    histogram("request_predict_seconds", "model_name"),
    histogram("request_postprocess_seconds", "model_name"),
    histogram("request_explain_seconds", "model_name"),
    labels="inference_service",
    target=POD_TARGET,
)
"""What KServe's own servers export; the label is added by the PodMonitor."""


@dataclass(frozen=True, kw_only=True)
class KserveRelease(Release):
    """What differs between releases, as data."""

    agent: str
    """Sidecar that logs, batches and pulls models."""
    router: str
    """Program of InferenceGraphs."""
    fetcher: str
    """Init container that fetches models: upstream's storage-initializer."""
    explainer: str
    """Explainer of the Adversarial Robustness Toolbox."""
    cache_controller: str
    cache_agent: str
    llm_controller: str = ""
    """Controller of LLM services."""
    llm_images: Mapping[str, str] = field(default_factory=dict)
    """What its presets start, by role."""
    servers: Mapping[str, ModelServer] = field(default_factory=dict)
    """ClusterServingRuntimes by name."""


def _image(name: str) -> str:
    return f"docker.io/kserve/{name}:v0.20.0"


RELEASES = releases(
    KserveRelease(
        "0.20.0",
        # Compiled against Kubernetes 1.34; the rules of its CRDs need 1.31.
        kubernetes="1.31-1.37",
        upkeep=Upkeep(Support.CURRENT),  # RELEASES.md: security patches for the two newest minor lines
        image=_image("kserve-controller"),
        agent=_image("agent"),
        router=_image("router"),
        fetcher=_image("storage-initializer"),
        explainer=_image("art-explainer"),
        cache_controller=_image("kserve-localmodel-controller"),
        cache_agent=_image("kserve-localmodelnode-agent"),
        llm_controller=_image("llmisvc-controller"),
        llm_images={
            "server": "ghcr.io/llm-d/llm-d-cuda:v0.8.0",
            "picker": "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0",
            "disaggregation": "ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.9.0",
            "tokenizer": "ghcr.io/llm-d/llm-d-uds-tokenizer:vllm-v0.19.1",
        },
        needs={"gateway-api-inference-extension": ">=1.5", "llm-d-router": ">=0.9", "lws": ">=0.8"},
        servers=SERVERS_0_20,
        exports=(CONTROLLER_RUNTIME, PYTHON_SERVER, VLLM),
    ),
    license=APACHE,
)
