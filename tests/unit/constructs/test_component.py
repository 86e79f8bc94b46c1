"""What a component says of itself."""

from __future__ import annotations

import re
from typing import Any

import pytest

from platform_def.capabilities import Metrics
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs import Account, Component, Deployment, Offers, Service, Setting, port
from tests.unit.constructs.samples import built, container, objects


class Quiet(Component[ComponentConfig]):
    """Gives what it does not name."""

    @classmethod
    def offers(cls, at: Setting[ComponentConfig]) -> Offers:  # noqa: ARG003 - it needs to know nothing
        """Metrics."""
        return Offers(capabilities=(Metrics(),))

    def build(self) -> None:
        """Nothing."""


def test_what_a_component_gives_stands_on_its_class() -> None:
    with pytest.raises(TypeError, match=re.escape("Quiet gives metrics without naming it in `gives`")):
        Quiet.offered(Setting("quiet", ComponentConfig(), Platform()))


def test_kinds_that_programs_look_for_add_up() -> None:
    def build(component: Any) -> None:
        component.awaits("Application.app.k8s.io")
        component.awaits("Workflow.argoproj.io", "CronWorkflow.argoproj.io")

    found = built(build).awaits
    assert set(found) == {"Application.app.k8s.io", "Workflow.argoproj.io", "CronWorkflow.argoproj.io"}


def test_an_account_may_live_in_another_namespace() -> None:
    made = objects(lambda component: [Account(component, "own"), Account(component, "far", namespace="there")])

    homes = {name: made["ServiceAccount", name]["metadata"]["namespace"] for name in ("own", "far")}
    assert homes == {"own": "here", "far": "there"}


def test_a_monitor_bears_the_labels_that_its_prometheus_asks_for() -> None:
    def build(component: Any) -> None:
        pod: Any = {"containers": [container(component)]}
        Deployment(component, "web", pod=pod)
        Service(component, "web", ports=[port("metrics", 80)]).monitor("metrics")

    labels = {"release": "prom", "app.kubernetes.io/name": "watched"}
    metrics = Provision.of(Metrics(labels=labels), EXTERNAL)
    platform = Platform(provisions=(metrics,), apis=frozenset({"ServiceMonitor.monitoring.coreos.com"}))

    made = objects(build, platform=platform)["ServiceMonitor", "web"]
    assert labels.items() <= made["metadata"]["labels"].items()
    assert made["metadata"]["labels"]["app.kubernetes.io/instance"] == "sample"
