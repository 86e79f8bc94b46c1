"""A platform that unit tests of served models share, and the objects of a model on it."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import ModelServing
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, Mig, NodePool, Taint
from platform_def.config.teams import Quota, Team
from platform_def.constructs.render import render
from platform_def.serving.template import ServiceConfig
from platform_def.serving.templates import template

MINIMAL: dict[str, dict[str, Any]] = {
    "llm": {"model": "hf://meta-llama/Llama-3.1-8B-Instruct"},
    "serve": {"model": "iris/1", "format": "sklearn"},
}
"""The least that each template must be told beside its name and team."""
SERVE = NodePool(
    name="serve",
    nodes=2,
    selector={"pool": "serve"},
    taints=[Taint(key="gpu", value="serve", effect="NoSchedule")],
    gpu=Gpu(model="l4", per_node=4),
    cores=48,
    memory_gib=192,
)
CUT = NodePool(
    name="cut", nodes=1, gpu=Gpu(model="a100-80gb", per_node=2, mig=Mig(strategy="mixed", layout={"3g.40gb": 2}))
)
SERVING = ModelServing(
    mode="standard",
    domain="models.ml.example.com",
    account="models",
    bucket="models",
    servers={"kserve-sklearnserver": ["sklearn"], "kserve-tritonserver": ["onnx", "triton"]},
)
PLATFORM = Platform(
    node_pools=(SERVE, CUT),
    teams=(Team(name="vision", quota=Quota(gpus=4)), Team(name="search")),
    resources=frozenset({"nvidia.com/gpu", "nvidia.com/mig-3g.40gb"}),
    apis=frozenset({"InferenceService.serving.kserve.io"}),
    provisions=(Provision.of(SERVING, EXTERNAL),),
)


def configured(name: str, **values: Any) -> ServiceConfig:
    """The configuration of a template, from what a stack file says."""
    said = {"template": name, "name": "one", "team": "vision", **MINIMAL[name], **values}
    config: ServiceConfig = template(name).config_model().from_file(said)
    return config


def objects(name: str, platform: Platform = PLATFORM, **values: Any) -> dict[str, dict[str, Any]]:
    """The manifests of a model by kind."""
    config, kind = configured(name, **values), template(name)
    made = render(lambda scope: kind(scope, config=config, platform=platform)).objects
    return {each.manifest["kind"]: each.manifest for each in made}


def problems(name: str, platform: Platform = PLATFORM, **values: Any) -> list[str]:
    """What is wrong with a model: field, text and hint."""
    found = configured(name, **values).problems(platform)
    return [f"{each.field}: {each.text}; {each.hint}" for each in found]
