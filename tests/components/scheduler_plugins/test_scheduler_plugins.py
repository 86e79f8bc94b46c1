"""Scheduler plugins: a kube-scheduler that knows gangs, and what it may do."""

from __future__ import annotations

from typing import Any

from platform_def.components.queues.scheduler_plugins.component import SchedulerPlugins
from platform_def.components.training.training_operator.component import TrainingOperator
from platform_def.yaml import load
from tests.unit.built import Objects, built, setting, stack_of, told

NAME = "scheduler-plugins-scheduler"


def profile(objects: Objects) -> dict[str, Any]:
    text = objects.one("ConfigMap", "scheduler-config")["data"]["config.yaml"]
    found: dict[str, Any] = load(text.encode(), file="configuration")  # type: ignore[assignment]
    return dict(found["profiles"][0])


def arguments(objects: Objects) -> dict[str, dict[str, Any]]:
    return {each["name"]: each["args"] for each in profile(objects)["pluginConfig"]}


def command(objects: Objects) -> list[str]:
    (container,) = objects.one("Deployment", NAME)["spec"]["template"]["spec"]["containers"]
    return list(container["command"])


def test_gangs_take_the_place_of_the_usual_order() -> None:
    plugins = profile(built(SchedulerPlugins))["plugins"]["multiPoint"]

    assert plugins == {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "PrioritySort"}]}


def test_how_long_pods_wait_for_their_gang_is_the_stack_s() -> None:
    found = arguments(built(SchedulerPlugins, waitSeconds=10, backoffSeconds=5))["Coscheduling"]

    assert found == {"permitWaitingTimeSeconds": 10, "podGroupBackoffSeconds": 5}


def test_a_gang_that_found_no_room_is_tried_again_before_kubernetes_would() -> None:
    flag = "--pod-max-in-unschedulable-pods-duration"

    assert f"{flag}=60s" in command(built(SchedulerPlugins))
    assert f"{flag}=10s" in command(built(SchedulerPlugins, retrySeconds=10))


def test_nodes_are_filled_unless_they_are_not_to_be() -> None:
    strategy = arguments(built(SchedulerPlugins, weight=3))["NodeResourcesFit"]["scoringStrategy"]
    assert strategy["type"] == "MostAllocated"
    assert {"name": "nvidia.com/gpu", "weight": 3} in strategy["resources"]

    spread = built(SchedulerPlugins, binPacking=False)
    assert "NodeResourcesFit" not in arguments(spread)
    assert "score" not in profile(spread)["plugins"]


def test_the_scheduler_reads_gangs_and_the_controller_reports_on_them() -> None:
    objects = built(SchedulerPlugins)

    assert objects.rules("ClusterRole", NAME) == [
        {"apiGroups": ["scheduling.x-k8s.io"], "resources": ["podgroups"], "verbs": ["get", "list", "watch"]}
    ]
    written = objects.rules("ClusterRole", "scheduler-plugins-controller")
    assert any("podgroups/status" in rule["resources"] and "patch" in rule["verbs"] for rule in written)


def test_the_training_operator_takes_it_by_its_name() -> None:
    objects = built(TrainingOperator, stack_of({"scheduler-plugins": {}, "training-operator": {}}))

    assert f"--gang-scheduler-name={NAME}" in objects.arguments("Deployment")


def test_two_gang_schedulers_are_one_too_many() -> None:
    (problem,) = told(SchedulerPlugins, beside={"volcano": {}, "cert-manager": {}})

    assert "volcano starts jobs whole too, and a pod has one scheduler" in problem


def test_it_packs_only_where_it_fills_nodes() -> None:
    given = [type(each).kind() for each in SchedulerPlugins.offers(setting(SchedulerPlugins)).capabilities]
    spread = SchedulerPlugins.offers(setting(SchedulerPlugins, {"binPacking": False})).capabilities

    assert given == ["gangScheduler", "binPacker"]
    assert [type(each).kind() for each in spread] == ["gangScheduler"]
