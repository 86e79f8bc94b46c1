"""Components of the catalogue with all that they can ask of Prometheus, where defaults or an empty stack leave some of it out.

Each is built by itself in a stack that has a Prometheus, a Grafana, and every exporter that other components may join.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from constructs import Construct

from platform_def.capabilities import AlertRouter, DashboardReader, Metrics
from platform_def.components.catalogue import component
from platform_def.config.capability import Provision
from platform_def.config.pools import Gpu, NodePool
from platform_def.config.teams import Member, Quota, Team
from platform_def.constructs.component import AnyComponent
from platform_def.constructs.observation.alerts import Alerts
from platform_def.constructs.observation.dashboards import Dashboards
from platform_def.constructs.observation.tables import SCRAPED, MetricTable
from platform_def.constructs.render import render
from platform_def.reference.sample import config_for, platform_for
from tests.cluster.observed import Observed, dashboards_of
from tests.proofs.rendering import noted

EXPORTERS = ("kubelet", "cadvisor", "apiserver", "kube-state-metrics", "node-exporter", "dcgm-exporter")
"""What components join with series of their own."""
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


@noted
@cache
def whole(name: str) -> Observed:
    """A component with all that it can ask."""
    return observed(name, facts=FACTS.get(name, {}), **CHOSEN.get(name, {}))


@noted
def released(name: str, release: str) -> Observed:
    """A component at one of its releases."""
    return observed(name, release=release)


def observed(name: str, *, facts: Mapping[str, Any] = {}, **config: object) -> Observed:
    """A component of the catalogue with this configuration, on a platform of which these facts are others."""
    platform = platform_for(name).with_facts(**facts)
    given = [
        Provision.of(Metrics(exporters=[*EXPORTERS], address="http://prometheus.example.com:9090"), "prometheus"),
        Provision.of(DashboardReader(namespace="monitoring"), "grafana"),
        Provision.of(AlertRouter(service="alertmanager-main", namespace="monitoring"), "alertmanager"),
    ]
    platform = platform.with_facts(provisions=(*platform.provisions, *given))
    tables: dict[str, MetricTable] = {}
    jobs: list[str] = []

    def make(scope: Construct) -> AnyComponent:
        made: AnyComponent = component(name)(scope, config=config_for(name, **config), platform=platform)
        pieces = [each for each in made.node.find_all() if isinstance(each, Alerts | Dashboards)]
        tables.update({each.source: each for piece in pieces for each in piece.tables})
        jobs.extend(made.scraped)
        return made

    objects = [each.manifest for each in render(make).objects]
    return Observed(
        name,
        [group for item in objects if item["kind"] == "PrometheusRule" for group in item["spec"]["groups"]],
        dashboards_of(objects),
        [SCRAPED, *(each for each in tables.values() if not each.source.startswith("recorded as "))],
        jobs,
        [item for item in objects if item["kind"] in ("ServiceMonitor", "PodMonitor")],
    )
