"""The taint of sick nodes: what the program decides, and what is rendered for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.components.monitoring.node_problem_detector import taint_program
from platform_def.components.monitoring.node_problem_detector.component import (
    NodeProblemDetector,
    NodeProblemDetectorConfig,
)
from platform_def.components.monitoring.node_problem_detector.taint import problems
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool
from tests.unit.built import Objects, built, platform

KEY = "platform-def.dev/sick"
PLAN = {"key": KEY, "effect": "NoSchedule", "conditions": ["GpuFatalError", "GpuMissing"], "mostPercent": 50}
SICK, OTHER = {"key": KEY, "value": "GpuMissing", "effect": "NoSchedule"}, {"key": "gpu", "effect": "NoSchedule"}
POOL = NodePool(name="train", nodes=2, selector={"pool": "train"}, gpu=Gpu(model="h100", per_node=8))


def node(name: str, *taints: dict[str, str], condition: str = "", status: str = "True") -> dict[str, Any]:
    conditions = [{"type": condition, "status": status}] if condition else []
    return {"metadata": {"name": name}, "spec": {"taints": [*taints]}, "status": {"conditions": conditions}}


def changed(*nodes: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
    return {found["metadata"]["name"]: taints for found, taints in taint_program.changes(PLAN, [*nodes])}


def build(**config: Any) -> Objects:
    return built(NodeProblemDetector, platform(kubernetes="1.36", node_pools=(POOL,)), taint=config)


def test_a_sick_node_gets_the_taint_and_keeps_its_others() -> None:
    assert changed(node("a", OTHER, condition="GpuMissing"), node("b")) == {"a": [OTHER, SICK]}


def test_a_node_that_is_well_again_loses_it_and_keeps_its_others() -> None:
    assert changed(node("a", SICK, OTHER, condition="GpuMissing", status="False"), node("b", OTHER)) == {"a": [OTHER]}


def test_a_node_that_has_it_is_not_written_again_for_another_reason() -> None:
    assert changed(node("a", SICK, condition="GpuFatalError"), node("b")) == {}


def test_conditions_that_the_plan_does_not_name_do_not_count() -> None:
    assert changed(node("a", condition="KernelDeadlock"), node("b", condition="GpuMissing", status="Unknown")) == {}


def test_of_a_pool_half_may_be_tainted_and_those_that_are_stay_so() -> None:
    nodes = [node(name, condition="GpuMissing") for name in ("a", "b", "c")]

    assert [*changed(*nodes, node("d", SICK, condition="GpuMissing"))] == ["a"]
    assert [*changed(nodes[0])] == ["a"]


def test_its_account_lists_and_patches_nodes_and_a_policy_names_the_pools() -> None:
    made = build()
    policy = made.one("ValidatingAdmissionPolicy")["spec"]

    assert made.rules("ClusterRole", "node-taints") == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]}
    ]
    assert "labels[?'pool'].orValue('') == 'train'" in policy["validations"][0]["expression"]
    assert policy["matchConditions"][0]["expression"].endswith(
        "'system:serviceaccount:node-problem-detector:node-taints'"
    )
    assert made.one("ValidatingAdmissionPolicyBinding")["spec"]["validationActions"] == ["Deny"]


def test_the_plan_says_what_the_stack_says() -> None:
    plan = json.loads(build(mostPercent=10, effect="NoExecute").one("ConfigMap", "node-taints")["data"]["plan.json"])

    assert plan == {**PLAN, "pools": [{"pool": "train"}], "mostPercent": 10, "effect": "NoExecute"}


def test_without_a_taint_there_is_no_account_that_writes_nodes() -> None:
    made = built(NodeProblemDetector, platform(kubernetes="1.36", node_pools=(POOL,)))

    assert made.names("CronJob") == []
    assert made.names("ServiceAccount") == ["node-problem-detector"]


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"kubernetes": "1.29", "node_pools": (POOL,)}, "needs Kubernetes 1.30"),
        ({"kubernetes": "1.36"}, "no pool with GPUs"),
        (
            {"kubernetes": "1.36", "node_pools": (POOL.model_copy(update={"selector": {}}),)},
            "pool train has no selector",
        ),
    ],
)
def test_a_stack_that_cannot_have_it_is_told_what_lacks(facts: dict[str, Any], text: str) -> None:
    ((found, _),) = problems(platform(**facts))

    assert text in found
    assert [*problems(platform(kubernetes="1.36", node_pools=(POOL,)))] == []


def test_a_condition_that_nothing_sets_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing sets the condition GpuMissing"):
        NodeProblemDetectorConfig.model_validate({"gpus": False, "taint": {"conditions": ["GpuMissing"]}})
    assert Platform().node_pools == ()
