"""A canary's share of the requests in Standard mode: KServe 0.20 runs the canary, and leads no request to it."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from platform_def.capabilities import ModelServing
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.serving.template import ServedModel, ServiceConfig

S = TypeVar("S", bound=ServiceConfig)
NAME = "canary"
PORT = 80
"""Port of the Services that KServe makes for predictors."""


def gateway_of_routes(platform: Platform) -> str:
    """The Gateway at which models are opened, as `namespace/name`; empty where KServe writes no HTTPRoutes."""
    given = platform.maybe(ModelServing)
    return given.value.routes if given else ""


def share_requests(model: ServedModel[S], percent: int, *, timeout_seconds: int | None) -> None:
    """The route at the model's host, instead of KServe's, which leads to the model alone."""
    from platform_def.apis.gateway_api.v1 import HTTP_ROUTE  # large

    given = model.platform.maybe(ModelServing)
    assert given is not None
    name, (namespace, gateway) = model.config.name, given.value.routes.split("/")
    weights = {f"{name}-predictor": 100 - percent, f"{name}-{NAME}-predictor": percent}
    rule: dict[str, object] = {
        "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
        "backendRefs": [{"name": service, "port": PORT, "weight": weight} for service, weight in weights.items()],
    }
    if timeout_seconds:
        rule["timeouts"] = {"request": f"{timeout_seconds}s"}
    spec = {
        "hostnames": [f"{name}-{model.namespace}.{given.value.domain}"],
        "parentRefs": [{"name": gateway, "namespace": namespace}],
        "rules": [rule],
    }
    Resource(model, HTTP_ROUTE, name, spec=cast(Any, spec))
