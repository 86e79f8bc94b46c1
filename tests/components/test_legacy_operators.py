"""Operators that the training operator followed: they stand beside it, with the rights that their programs use."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.catalogue import component
from platform_def.components.training.chainer_operator.component import ChainerOperator, ChainerOperatorConfig
from platform_def.components.training.mxnet_operator.component import MxnetOperator
from platform_def.components.training.paddle_operator.component import PaddleOperator, PaddleOperatorConfig
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants

CRDS = {
    "chainer-operator": "chainerjobs.kubeflow.org",
    "mxnet-operator": "mxjobs.kubeflow.org",
    "paddle-operator": "paddlejobs.batch.paddlepaddle.org",
    "xgboost-operator": "xgboostjobs.xgboostjob.kubeflow.org",
}
every_operator = pytest.mark.parametrize("name", sorted(CRDS))


def build(name: str, platform: Platform | None = None, **config: Any) -> Objects:
    return built(component(name), platform, **config)


def granted(made: Objects) -> set[str]:
    (role,) = (each for each in made.of("ClusterRole") if not each["metadata"]["name"].startswith("kubeflow-"))
    assert not [rule for rule in role["rules"] if "*" in {*rule["verbs"], *rule["resources"]}]
    return {resource for rule in role["rules"] for resource in rule["resources"]}


@every_operator
def test_its_crd_is_one_that_todays_servers_take(name: str) -> None:
    crd = build(name).one("CustomResourceDefinition")

    assert (crd["apiVersion"], crd["metadata"]["name"]) == ("apiextensions.k8s.io/v1", CRDS[name])


@every_operator
def test_it_may_do_nothing_with_secrets_namespaces_and_webhooks(name: str) -> None:
    plural = CRDS[name].partition(".")[0]
    resources = granted(build(name))

    assert {plural, f"{plural}/finalizers"} <= resources
    assert not resources & {"secrets", "namespaces", "customresourcedefinitions", "mutatingwebhookconfigurations"}


@every_operator
def test_it_has_one_pod_unless_it_elects_a_leader(name: str) -> None:
    replicas = build(name, Platform(availability="ha")).one("Deployment")["spec"]["replicas"]

    assert replicas == (2 if name == "paddle-operator" else 1)


def test_the_lock_of_the_mxnet_operator_is_in_its_own_namespace() -> None:
    made = built(MxnetOperator, namespace="ml")
    variables = {
        each["name"]: each["valueFrom"]["fieldRef"]["fieldPath"] for each in made.container("Deployment")["env"]
    }

    assert variables["KUBEFLOW_NAMESPACE"] == "metadata.namespace"
    assert made.one("Role")["metadata"]["namespace"] == "ml"
    assert grants(made.one("Role")["rules"], "", "endpoints") == {"create", "get", "update"}
    assert "args" not in made.container("Deployment")
    more = built(MxnetOperator, threads=4, watch_namespace="ml").arguments("Deployment")
    assert more == ["--threadiness=4", "--namespace=ml"]


def test_the_mxnet_operator_writes_the_status_which_upstream_forgets() -> None:
    rules = built(MxnetOperator).rules("ClusterRole", "mxnet-operator")

    assert "update" in grants(rules, "kubeflow.org", "mxjobs/status")


def test_a_stack_names_the_image_of_the_chainer_operator() -> None:
    (problem,) = ChainerOperator.problems(Setting("chainer-operator", ChainerOperatorConfig()))
    assert "image" in problem.text
    assert "`image: …`" in problem.hint

    mine = "registry.example.com/chainer-operator:1"
    assert list(ChainerOperator.problems(Setting("chainer-operator", ChainerOperatorConfig(image=mine)))) == []
    assert built(ChainerOperator, image=mine).container("Deployment")["image"] == mine


def test_the_paddle_operator_names_the_image_of_its_init_containers_and_its_scheduler() -> None:
    platform = Platform(registry="registry.example.com/m")
    flags = built(PaddleOperator, platform, gang_scheduler="volcano", watch_namespace="ml").arguments("Deployment")

    assert flags == [
        "--leader-elect",
        "--initImage=registry.example.com/m/docker.io/library/alpine:3.10",
        "--scheduling=volcano",
        "--namespace=ml",
    ]
    images = PaddleOperator.runtime_images(
        Setting("paddle-operator", PaddleOperatorConfig(init_image="a.example.com/b:1"))
    )
    assert images == ("a.example.com/b:1",)
