"""What a component asks of Prometheus: alerts, recorded series, dashboards, and the tables behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from platform_def.constructs.observation.tables import MetricTable
from tests.cluster.client import Manifest

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


@dataclass(frozen=True)
class Observed:
    """A component with what it asks."""

    name: str
    groups: Sequence[Manifest]
    dashboards: Sequence[Manifest]
    tables: Sequence[MetricTable]
    jobs: Sequence[str]
    """Values of the label `job` of its targets."""
    monitors: Sequence[Manifest] = ()
    """Its ServiceMonitors and PodMonitors."""

    @property
    def alerts(self) -> Mapping[str, Manifest]:
        """Its alerts by name."""
        return {rule["alert"]: rule for rule in self.rules if "alert" in rule}

    @property
    def rules(self) -> Sequence[Manifest]:
        """Alerts and recorded series, in the order in which they are evaluated."""
        return [rule for group in self.groups for rule in group["rules"]]


def of_stack(objects: Sequence[Manifest], known: Observed) -> Observed:
    """What a component asks in a stack, by its rendered objects; its tables are those of the component as it is known."""
    read = [each["metadata"]["name"] for each in objects if each["kind"] == "ServiceMonitor"]
    return Observed(
        known.name,
        [group for item in objects if item["kind"] == "PrometheusRule" for group in item["spec"]["groups"]],
        dashboards_of(objects),
        known.tables,
        sorted(read or known.jobs, key=[*known.jobs, *read].index),
    )


def dashboards_of(objects: Sequence[Manifest]) -> list[Manifest]:
    """The dashboards among some objects."""
    texts = [
        text
        for item in objects
        if item["kind"] == "ConfigMap"
        for key, text in item.get("data", {}).items()
        if key.endswith(".json")
    ]
    found: list[Any] = [json.loads(text) for text in texts]
    return [each for each in found if isinstance(each, dict) and "schemaVersion" in each]


@dataclass(frozen=True)
class Asked:
    """What Grafana asks of Prometheus for a panel, or for the values of a choice."""

    title: str
    expr: str
    instant: bool = True


def queries_of(board: Manifest) -> Iterator[Asked]:
    """All that it asks for a dashboard: values of its choices, then its panels with any of these."""
    names = [each["name"] for each in board["templating"]["list"] if each["type"] == "query"]
    for each in board["templating"]["list"]:
        if each["type"] == "query":
            found = re.fullmatch(r"label_values\((\S+), (\w+)\)", each["query"]["query"])
            assert found, each["query"]["query"]
            expr = f'count by ({found[2]}) ({found[1]}{{{found[2]}!=""}})'
            yield Asked(f"{board['title']}: choice {each['name']}", expr)
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            expr = re.sub(r"\$__(rate_interval|interval|range)\b", "5m", target["expr"])
            for name in names:
                expr = re.sub(rf"\${name}\b|\${{{name}(:\w+)?}}", ".+", expr)
            yield Asked(f"{board['title']}: {panel['title']}", expr, target["instant"])


def shows(results: Sequence[Mapping[str, Any]]) -> bool:
    """Whether there is a number among the values of some series."""
    return any(value not in ("NaN", "+Inf", "-Inf") for each in results for value in each["values"])
