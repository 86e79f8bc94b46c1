"""kube-state-metrics: what it may list, and which labels it shows."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from platform_def.capabilities import Exporter, Metrics
from platform_def.components.monitoring.kube_state_metrics.component import KubeStateMetrics
from platform_def.components.monitoring.kube_state_metrics.gpu_hours import COST, records
from platform_def.config.capability import Provision
from platform_def.config.devices import card_shares
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
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


def pool(**gpu: Any) -> NodePool:
    return NodePool.from_file({"name": "train", "gpu": {"model": "a100-80gb", "perNode": 8, **gpu}})


@pytest.mark.parametrize(
    ("gpu", "parts"),
    [
        ({}, {"nvidia.com/gpu": "1"}),
        ({"sharing": {"mode": "time-slicing", "replicas": 4}}, {"nvidia.com/gpu": "1/4"}),
        ({"sharing": {"mode": "mps", "replicas": 2, "rename": True}}, {"nvidia.com/gpu.shared": "1/2"}),
        ({"sharing": {"mode": "vgpu", "replicas": 4}}, {"tencent.com/vcuda-core": "1/100"}),
        ({"mig": {"strategy": "mixed", "layout": {"3g.40gb": 2}}}, {"nvidia.com/mig-3g.40gb": "3/7"}),
        ({"mig": {"strategy": "single", "layout": {"1g.10gb": 7}}}, {"nvidia.com/gpu": "1/7"}),
        ({"model": "a30", "mig": {"strategy": "mixed", "layout": {"1g.6gb": 4}}}, {"nvidia.com/mig-1g.6gb": "1/4"}),
    ],
)
def test_what_a_pod_asks_for_is_counted_as_its_part_of_a_card(gpu: dict[str, Any], parts: dict[str, str]) -> None:
    assert {resource: str(share) for resource, share in card_shares(pool(**gpu)).items()} == parts


def test_hours_are_recorded_where_there_are_teams_with_cards_and_costs_where_these_have_a_price() -> None:
    teams, cards = [Team(name="vision")], pool()
    priced = cards.model_copy(update={"price_per_hour": 32})

    assert [*records([], [cards])] == [*records(teams, [NodePool(name="plain")])] == []
    assert COST not in {each.name for each in records(teams, [cards])}
    assert COST in {each.name for each in records(teams, [priced])}


def test_with_flux_it_says_which_kustomizations_are_applied() -> None:
    served = platform(
        provisions=(Provision.of(Metrics(), "prometheus"),),
        apis=frozenset({"Kustomization.kustomize.toolkit.fluxcd.io"}),
    )
    made = built(KubeStateMetrics, served)

    assert flag(made, "custom-resource-state-config-file") == "/etc/kube-state-metrics/custom-resources.yaml"
    assert grants(made.rules("ClusterRole", NAME), "kustomize.toolkit.fluxcd.io", "kustomizations")
    assert not any(each.startswith("--custom") for each in build().arguments("Deployment", NAME))


def test_with_training_jobs_it_says_in_which_state_each_is() -> None:
    served = platform(
        provisions=(Provision.of(Metrics(), "prometheus"),),
        apis=frozenset({"PyTorchJob.kubeflow.org", "TrainJob.trainer.kubeflow.org"}),
    )
    made = built(KubeStateMetrics, served)
    text = made.one("ConfigMap", "kube-state-metrics-custom-resources")["data"]["custom-resources.yaml"]

    found = {each["groupVersionKind"]["kind"] for each in yaml.safe_load(text)["spec"]["resources"]}
    assert found == {"PyTorchJob", "TrainJob"}
    assert grants(made.rules("ClusterRole", NAME), "kubeflow.org", "pytorchjobs") == {"list", "watch"}
    assert not grants(made.rules("ClusterRole", NAME), "kubeflow.org", "tfjobs")
