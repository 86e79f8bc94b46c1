"""A language model by KServe: an LLMInferenceService, which begins with the preset for one node or for several."""

from __future__ import annotations

from typing import Any

from platform_def.apis.core.core_v1 import PodSpec
from platform_def.constructs.resource import Resource
from platform_def.jobs.parameters import Variable
from platform_def.serving.access import account_of
from platform_def.serving.address import full
from platform_def.serving.llm import vllm
from platform_def.serving.llm.config import LlmConfig
from platform_def.serving.llm.scaling import scale
from platform_def.serving.pods import ServingContainer, annotations_of, pod_of, queue_of
from platform_def.serving.restricted import merged_fetcher
from platform_def.serving.template import ServedModel

LEADER_WORKER_SET = "leaderworkerset.x-k8s.io/v1"


def pods_of(name: str) -> dict[str, str]:
    """Labels that KServe gives the pods of an LLM service."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "llminferenceservice"}


def by_kserve(model: ServedModel[LlmConfig]) -> None:
    """The service, and what scales the workload that KServe makes of it."""
    from platform_def.apis.kserve.llm_v1alpha2 import LLM_INFERENCE_SERVICE  # large

    name = model.config.name
    notes = vllm.notes(model.config, model.platform)
    Resource(model, LLM_INFERENCE_SERVICE, name, spec=_spec(model), annotations=notes)
    if model.config.nodes == 1:
        scale(model, kind="Deployment", api_version="apps/v1", target=f"{name}-kserve")
    else:
        scale(model, kind="LeaderWorkerSet", api_version=LEADER_WORKER_SET, target=f"{name}-kserve-mn")


def _spec(model: ServedModel[LlmConfig]) -> dict[str, Any]:
    config = model.config
    spec: dict[str, Any] = {
        "model": _model(model),
        "parallelism": {"tensor": config.tensor, **({"pipeline": config.nodes} if config.nodes > 1 else {})},
        "template": _pod(model),
        "labels": {"app.kubernetes.io/component": config.template, **queue_of(model).labels, **config.labels},
    }
    if not config.scaling:
        spec["replicas"] = config.replicas
    if config.nodes > 1:
        spec["worker"] = _pod(model)
    if config.public:
        spec["router"] = {"gateway": {}, "route": {}, "scheduler": _picker(model)}
    if notes := annotations_of(model):
        spec["annotations"] = notes
    return spec


def _model(model: ServedModel[LlmConfig]) -> dict[str, Any]:
    config = model.config
    made: dict[str, Any] = {"name": config.name, "uri": full(config.model, model.platform)}
    if config.adapters:
        found = [{"name": each.name, "uri": full(each.address, model.platform)} for each in config.adapters]
        made["lora"] = {"adapters": found, "maxRank": config.adapter_rank, "maxAdapters": len(found)}
    return made


def _picker(model: ServedModel[LlmConfig]) -> dict[str, Any]:
    """What is merged into the pod of the preset's picker, which fetches the words of the model too."""
    found = merged_fetcher(model, model.config.model)
    # The definition asks for a container.
    return {"template": {"containers": [{"name": "main"}], "initContainers": found}} if found else {}


def _pod(model: ServedModel[LlmConfig]) -> PodSpec:
    """The pod, whose containers are merged into those of KServe's preset and into the one that fetches the model."""
    config = model.config
    token = {"HF_TOKEN": Variable(secret=config.token_secret, key="HF_TOKEN")} if config.token_secret else {}
    account = None if config.token_secret else account_of(model, config.model)
    # Of one node KServe's preset knows parts of layers, and no stages.
    stages = [f"--pipeline-parallel-size={config.pipeline}"] if config.pipeline > config.nodes else []
    args = [*stages, *vllm.tuning(config, model.platform)]
    pod = pod_of(model, ServingContainer(name="main", args=args, env=token, account=account))
    vllm.unlink(pod)
    if found := merged_fetcher(model, config.model, *(each.address for each in config.adapters)):
        pod["initContainers"] = [*pod.get("initContainers", []), *found]
    return pod
