"""kube-state-metrics: what it may list, and which labels it shows."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import Exporter, Metrics
from platform_def.components.monitoring.kube_state_metrics.component import KubeStateMetrics
from platform_def.config.capability import Provision
from tests.unit.built import Objects, built, grants, platform, stack_of

NAME = "kube-state-metrics"


def build(**config: Any) -> Objects:
    return built(KubeStateMetrics, platform(provisions=(Provision.of(Metrics(), "prometheus"),)), **config)


def flag(made: Objects, name: str) -> str:
    return next(each.partition("=")[2] for each in made.arguments("Deployment", NAME) if each.startswith(f"--{name}="))


def test_it_never_sees_secrets() -> None:
    made = build()

    assert not grants(made.rules("ClusterRole", NAME), "", "secrets")
    assert "secrets" not in flag(made, "resources").split(",")


def test_it_lists_what_it_may_list_and_no_more() -> None:
    made = build()
    listed = set(flag(made, "resources").split(","))
    allowed = {kind for rule in made.rules("ClusterRole", NAME) for kind in rule["resources"]}

    assert listed <= allowed
    assert {verb for rule in made.rules("ClusterRole", NAME) for verb in rule["verbs"]} == {"list", "watch"}


def test_labels_of_namespaces_and_nodes_are_there_and_others_on_demand() -> None:
    assert flag(build(), "metric-labels-allowlist") == "namespaces=[*],nodes=[*]"
    wanted = flag(build(labels_of={"pods": ["team", "example.com/project"]}), "metric-labels-allowlist")
    assert wanted == "namespaces=[*],nodes=[*],pods=[team,example.com/project]"


def test_series_keep_the_namespace_of_their_object() -> None:
    (endpoint,) = build().one("ServiceMonitor")["spec"]["endpoints"]

    assert endpoint["honorLabels"] is True


def test_others_may_join_its_series() -> None:
    facts = stack_of({NAME: {}})

    assert [each.value.name for each in facts.all(Exporter)] == [NAME]
