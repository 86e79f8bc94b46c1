"""TensorBoard controller: what it is told, and who is asked before a request reaches a TensorBoard."""

from __future__ import annotations

from typing import Any

from platform_def.components.notebooks.tensorboard_controller.component import TensorboardController
from platform_def.constructs import Setting
from tests.unit.built import Objects, built
from tests.unit.meshed import EMISSARY, meshed, problems, variables


def controller(registry: str | None = None, **config: Any) -> Objects:
    return built(TensorboardController, meshed(registry=registry), **config)


def test_all_variables_that_it_does_not_start_without_are_there() -> None:
    found = variables(controller())

    assert found["ISTIO_GATEWAY"] == "front/ml"
    assert found["ISTIO_HOST"] == "*"
    assert found["RWO_PVC_SCHEDULING"] == "true"
    assert variables(controller(follow_volumes=False))["RWO_PVC_SCHEDULING"] == "false"


def test_the_image_that_it_starts_passes_through_the_mirror_and_is_known() -> None:
    found = variables(controller("mirror.example.com", image="docker.io/tensorflow/tensorflow:2.19.0"))
    at = Setting("tensorboard-controller", TensorboardController.config_model()(), meshed())

    assert found["TENSORBOARD_IMAGE"] == "mirror.example.com/docker.io/tensorflow/tensorflow:2.19.0"
    assert TensorboardController.runtime_images(at) == ("docker.io/tensorflow/tensorflow:2.5.1",)


def test_the_gateway_asks_who_people_are_below_its_path() -> None:
    policy = controller().one("AuthorizationPolicy", "kubeflow-tensorboards")

    assert policy["spec"]["rules"] == [{"to": [{"operation": {"paths": ["/tensorboard/*"]}}]}]


def test_another_gateway_is_refused() -> None:
    assert len(problems(TensorboardController, meshed(gateway=EMISSARY))) == 1
    assert problems(TensorboardController, meshed()) == []
