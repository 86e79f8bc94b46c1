"""Who opens a model's address, and who may call the model: an account, and a NetworkPolicy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from platform_def.apis.core.core_v1 import SERVICE_ACCOUNT
from platform_def.apis.core.networking_v1 import NETWORK_POLICY, NetworkPolicyPeer
from platform_def.capabilities import Metrics, ModelServing, RegisteredModels
from platform_def.constructs.network_policy import Opening, from_namespace, from_pods
from platform_def.constructs.resource import Resource
from platform_def.serving.address import MLFLOW, scheme
from platform_def.serving.template import ServedModel, ServiceConfig, gateway_of

S = TypeVar("S", bound=ServiceConfig)


def account_of(model: ServedModel[S], address: str) -> str | None:
    """The account with what opens an address: for Hugging Face the model's own, for the stack's store the team's, for
    MLflow's files the one that MLflow has there."""
    if model.config.token_secret and scheme(address) == "hf":
        return model.config.name
    if scheme(address) == MLFLOW:
        registry = model.platform.maybe(RegisteredModels)
        return registry.value.account if registry else None
    given = model.platform.maybe(ModelServing)
    stored = scheme(address) in ("", "s3")
    return given.value.account if given and stored and model.config.team else None


def make_account(model: ServedModel[S]) -> None:
    """KServe hands the token to what fetches the model from the Secrets of its account."""
    config = model.config
    if config.token_secret and not config.service_account:
        fields = {"automountServiceAccountToken": False, "secrets": [{"name": config.token_secret}]}
        Resource(model, SERVICE_ACCOUNT, config.name, fields=fields)  # type: ignore[arg-type]


def make_policy(model: ServedModel[S], pods: Mapping[str, str]) -> None:
    """Let in those who may call the model; nothing where the stack does not say who that is."""
    if model.config.callers is None:
        return
    spec = {
        "podSelector": {"matchLabels": {**pods}},
        "policyTypes": ["Ingress"],
        "ingress": [each.rule() for each in _openings(model)],
    }
    Resource(model, NETWORK_POLICY, f"{model.config.name}-callers", spec=spec)  # type: ignore[arg-type]


def _openings(model: ServedModel[S]) -> Iterator[Opening]:
    """Its own namespace, the callers' teams, the gateway, and Prometheus."""
    yield from_namespace()
    for team in model.platform.teams:
        if team.name in (model.config.callers or ()):
            for home in team.homes:
                yield from_namespace(name=home)
    gateway = gateway_of(model.platform) if model.config.public else None
    if gateway and gateway.on_nodes:
        yield Opening((), ())  # pods on the nodes' network are not told from others
    elif gateway:
        yield _from(gateway.pods, gateway.namespace)
    metrics = model.platform.maybe(Metrics)
    if metrics and metrics.value.namespace:
        yield _from(metrics.value.pods, metrics.value.namespace)


def _from(pods: Mapping[str, str], namespace: str) -> Opening:
    """Pods of a namespace, all of them where it is not known which."""
    if pods:
        return from_pods(pods, namespace=namespace)
    peer: NetworkPolicyPeer = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    return Opening((), (peer,))
