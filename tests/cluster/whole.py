"""Components with all that they can ask of Prometheus, where defaults or an empty stack leave some of it out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from platform_def.config.pools import Gpu, NodePool
from platform_def.config.teams import Member, Quota, Team
from tests.cluster.observed import Observed, observed

ASKED = (
    "alertmanager",
    "argo-cd",
    "argo-workflows",
    "cert-manager",
    "dcgm-exporter",
    "dex",
    "emissary",
    "external-secrets",
    "flyte",
    "gateway-api-inference-extension",
    "grafana",
    "istio",
    "jupyterhub",
    "kai-scheduler",
    "katib",
    "kfp",
    "knative-serving",
    "kserve",
    "kube-state-metrics",
    "kueue",
    "lws",
    "metacontroller",
    "mlflow",
    "model-registry",
    "mysql",
    "node-exporter",
    "node-problem-detector",
    "notebook-controller",
    "oauth2-proxy",
    "postgresql",
    "profiles",
    "prometheus",
    "prometheus-operator",
    "pvcviewer-controller",
    "sealed-secrets",
    "seaweedfs",
    "seldon-core",
    "spark-operator",
    "tensorboard-controller",
    "tf-serving",
    "training-operator",
    "volcano",
    "workspaces",
)
"""The components that have alerts or dashboards."""
CHOSEN: Mapping[str, Mapping[str, object]] = {
    "gateway-api-inference-extension": {"pools": {"assistant": {"pods": {"app": "assistant"}}}},
    "kserve": {"llm": {}},
    "mysql": {"exporter": True},
    "postgresql": {"exporter": True},
    "prometheus": {"remoteWrite": [{"name": "central", "url": "https://metrics.example.com/push"}]},
}
"""Configuration with which a component has all its alerts and panels, where defaults leave some out."""
FACTS: Mapping[str, Mapping[str, Any]] = {
    "kube-state-metrics": {
        "apis": frozenset({"Kustomization.kustomize.toolkit.fluxcd.io", "PyTorchJob.kubeflow.org"}),
        "teams": (Team(name="vision"), Team(name="speech")),
        "node_pools": (
            NodePool(name="train", selector={"pool": "train"}, gpu=Gpu(model="h100", per_node=8), price_per_hour=24),
        ),
    },
    "kueue": {
        "teams": (
            Team(
                name="vision",
                queue="vision",
                quota=Quota(gpus=40),
                members=[Member(name="li@example.com", quota=Quota(gpus=2))],
            ),
        ),
        "node_pools": (NodePool(name="train", nodes=5, selector={"pool": "train"}, gpu=Gpu(model="h100", per_node=8)),),
    },
}
"""What the stack must have for some of it."""


@cache
def whole(name: str) -> Observed:
    """A component with all that it can ask."""
    return observed(name, facts=FACTS.get(name, {}), **CHOSEN.get(name, {}))
