"""KServe 0.16: LLMInferenceService and its presets."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, DataSchema, Definition

_DATA = Path(__file__).with_name("kserve_llm_v1alpha1.json")

LLM_INFERENCE_SERVICE = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LLMInferenceService",
    plural="llminferenceservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "llminferenceservices/v1alpha1"),
    core="1.33",
    status_subresource=True,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        AGE,
        Column("URLs", ".status.addresses[*].url", priority=1),
    ),
    health=Health(ready=("Ready",)),
)

LLM_INFERENCE_SERVICE_CONFIG = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LLMInferenceServiceConfig",
    plural="llminferenceserviceconfigs",
    spec=dict[str, object],
    data=DataSchema(_DATA, "llminferenceserviceconfigs/v1alpha1"),
    core="1.33",
)

CRDS = (
    Definition((LLM_INFERENCE_SERVICE,), short_names=("llmisvc",)),
    Definition((LLM_INFERENCE_SERVICE_CONFIG,)),
)
