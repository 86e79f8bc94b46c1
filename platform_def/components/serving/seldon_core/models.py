"""Models of the stack as SeldonDeployments: in few words, with pool, share of requests, and what is spoken."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.seldon.v1 import SELDON_DEPLOYMENT, ComponentSpec, Graph, Predictor, SeldonDeploymentSpec
from platform_def.components.serving.seldon_core.config import SeldonModel, Variant
from platform_def.constructs import Problem, Resource, Setting, env
from platform_def.errors import nearest
from platform_def.jobs.placement import Demand, demand_problems, place

if TYPE_CHECKING:
    from platform_def.components.serving.seldon_core.config import AnySeldonCore, SeldonCoreConfig


def models(component: AnySeldonCore) -> None:
    """The SeldonDeployments of the stack's models."""
    for name, model in component.config.models.items():
        Resource(
            component,
            SELDON_DEPLOYMENT,
            name,
            namespace=home_of(component.setting, model),
            spec=spec(component, name, model),
            part="after",
        )


def home_of(at: Setting[SeldonCoreConfig], model: SeldonModel) -> str:
    """Namespace of a model; a team that is not there has a problem."""
    team = next((each for each in at.platform.teams if each.name == model.team), None)
    return model.namespace or (team.home if team else "default")


def spec(component: AnySeldonCore, name: str, model: SeldonModel) -> SeldonDeploymentSpec:
    """A model's specification."""
    limit = str(model.timeout_seconds * 1000)
    return {
        "name": name,
        "protocol": model.protocol,
        "annotations": {"seldon.io/rest-timeout": limit, "seldon.io/grpc-timeout": limit},
        "predictors": [predictor(component, each, only=len(model.variants) == 1) for each in model.variants],
    }


def predictor(component: AnySeldonCore, variant: Variant, *, only: bool) -> Predictor:
    """A variant, whose container is called as the only step of its graph."""
    step: Graph = {"name": "model", "type": "MODEL"}
    if variant.server and variant.uri:
        step |= {"implementation": variant.server, "modelUri": variant.uri}
        if secret := variant.secret or component.config.model_secret:
            step["envSecretRefName"] = secret
    made: Predictor = {
        "name": variant.name,
        "replicas": variant.replicas,
        "graph": step,
        "componentSpecs": [pods(component, variant)],
    }
    if variant.shadow:
        made["shadow"] = True
    elif not only:
        made["traffic"] = variant.percent if variant.percent is not None else 100
    return made


def pods(component: AnySeldonCore, variant: Variant) -> ComponentSpec:
    """The pods of a variant, into which the controller puts its executor and what fetches the model."""
    container: Container = {
        "name": "model",
        "resources": {
            "requests": {"cpu": variant.cpu, "memory": variant.memory},
            "limits": {"memory": variant.memory},
        },
    }
    if variant.image:
        container["image"] = component.image(variant.image)
    if variant.env:
        container["env"] = env(variant.env)
    placement = place(variant.pool, gpus=variant.gpus, rdma=False, platform=component.platform)
    pod = placement.pod(container, shared_memory="64Mi")
    return cast(ComponentSpec, {"spec": cast("dict[str, Any]", pod)})


def problems(at: Setting[SeldonCoreConfig], spoken: Mapping[str, Collection[str]]) -> Iterator[Problem]:
    """Teams and pools that are not there, GPUs that a pool cannot give, and what a server does not speak.

    `spoken` are the protocols of each ready-made server.
    """
    for name, model in at.config.models.items():
        here, knob = ("components", at.name, "models", name), f"components.{at.name}.models.{name}"
        teams = [each.name for each in at.platform.teams] if model.team else []
        if model.team and model.team not in teams:
            text = f"{knob}.team: the stack has no team '{model.team}'"
            yield Problem(text, hint=nearest(model.team, teams) or "name one of `teams:`", at=(*here, "team"))
        for variant in model.variants:
            where = f"{knob}.variants.{variant.name}"
            if variant.server and model.protocol not in spoken[variant.server]:
                text = f"{where}.server: {variant.server} does not speak {model.protocol}"
                known = " or ".join(sorted(spoken[variant.server]))
                yield Problem(text, hint=f"write `protocol: {known}`, or add an image under `servers:`", at=here)
            if variant.pool and at.platform.pool(variant.pool) is None:
                text = f"{where}.pool: there is no pool '{variant.pool}'"
                pools = [each.name for each in at.platform.node_pools]
                yield Problem(text, hint=nearest(variant.pool, pools) or "name one of `nodePools:`", at=here)
            elif variant.gpus:
                wanted = Demand(
                    pool=variant.pool,
                    pods=max(variant.replicas, 1),
                    gpus=variant.gpus,
                    gpus_field="gpus",
                    rdma=False,
                    owner=model.team or "",
                )
                for each in demand_problems(wanted, at.platform):
                    yield Problem(f"{where}.{each.field}: {each.text}", hint=each.hint, at=here)
