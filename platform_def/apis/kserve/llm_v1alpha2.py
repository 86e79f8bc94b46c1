"""KServe 0.20 (serving.kserve.io): LLMInferenceService and its presets, in the current version and the previous one."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition, Makes, WebhookConversion
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("llm_v1alpha2.json")
CONVERSION = WebhookConversion(
    service="llmisvc-webhook-server-service",
    namespace="kserve",
    path="/convert",
    port=443,
    review_versions=("v1", "v1beta1"),
)
"""By the controller of LLM services; its component puts in the namespace."""
_GROUP = "serving.kserve.io"
_REFERENCES = {
    "spec.baseRefs[].name": Ref("LLMInferenceServiceConfig", group=_GROUP, optional=True),
    "spec.router.gateway.refs[].name": Ref("Gateway", group="gateway.networking.k8s.io", namespace="namespace"),
    "spec.router.scheduler.pool.ref.name": Ref("InferencePool", group="inference.networking.k8s.io"),
    "spec.template.serviceAccountName": Ref("ServiceAccount"),
    "spec.template.priorityClassName": Ref("PriorityClass", group="scheduling.k8s.io"),
    "spec.template.runtimeClassName": Ref("RuntimeClass", group="node.k8s.io"),
}

LLM_INFERENCE_SERVICE_CONFIG_V1ALPHA1 = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LLMInferenceServiceConfig",
    plural="llminferenceserviceconfigs",
    spec=dict[str, object],
    data=DataSchema(_DATA, "llminferenceserviceconfigs/v1alpha1"),
    core="1.34",
    status_subresource=True,
    references=_REFERENCES,
    columns=(
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        AGE,
    ),
    storage=False,
    doc="A preset for language models: what services that name it begin with.",
)

LLM_INFERENCE_SERVICE_CONFIG = Api(
    group="serving.kserve.io",
    version="v1alpha2",
    kind="LLMInferenceServiceConfig",
    plural="llminferenceserviceconfigs",
    spec=dict[str, object],
    data=DataSchema(_DATA, "llminferenceserviceconfigs/v1alpha2"),
    core="1.34",
    status_subresource=True,
    references=_REFERENCES,
    columns=(
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        AGE,
    ),
    doc="A preset for language models: what services that name it begin with.",
)

LLM_INFERENCE_SERVICE_V1ALPHA1 = Api(
    group="serving.kserve.io",
    version="v1alpha1",
    kind="LLMInferenceService",
    plural="llminferenceservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "llminferenceservices/v1alpha1"),
    core="1.34",
    status_subresource=True,
    references=_REFERENCES,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        AGE,
        Column("URLs", ".status.addresses[*].url", priority=1),
    ),
    storage=False,
    doc="A language model that is served, on one node or many.",
    health=HealthConditions(ready=("Ready",)),
)

LLM_INFERENCE_SERVICE = Api(
    group="serving.kserve.io",
    version="v1alpha2",
    kind="LLMInferenceService",
    plural="llminferenceservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "llminferenceservices/v1alpha2"),
    core="1.34",
    status_subresource=True,
    makes=(
        Makes("Deployment", group="apps", suffix="-kserve"),
        Makes("LeaderWorkerSet", group="leaderworkerset.x-k8s.io", suffix="-kserve-mn"),
    ),
    references=_REFERENCES,
    columns=(
        Column("URL", ".status.url"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
        AGE,
        Column("URLs", ".status.addresses[*].url", priority=1),
    ),
    doc="A language model that is served, on one node or many.",
    health=HealthConditions(ready=("Ready",)),
)

CRDS = (
    Definition((LLM_INFERENCE_SERVICE_CONFIG_V1ALPHA1, LLM_INFERENCE_SERVICE_CONFIG), conversion=CONVERSION),
    Definition(
        (LLM_INFERENCE_SERVICE_V1ALPHA1, LLM_INFERENCE_SERVICE), short_names=("llmisvc",), conversion=CONVERSION
    ),
)
