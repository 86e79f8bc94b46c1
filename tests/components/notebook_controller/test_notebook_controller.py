"""Notebook controller: where its routes are served, who is asked before, and how idle notebooks are stopped."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import MeshCaller
from platform_def.components.notebooks.notebook_controller.component import NotebookController
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants
from tests.unit.meshed import EMISSARY, MESH, meshed, problems, variables


def controller(**config: Any) -> Objects:
    return built(NotebookController, meshed(), **config)


def test_its_routes_name_the_gateway_of_the_stack() -> None:
    found = variables(controller())

    assert (found["USE_ISTIO"], found["ISTIO_GATEWAY"], found["ISTIO_HOST"]) == ("true", "front/ml", "*")
    assert found["CLUSTER_DOMAIN"] == "cluster.local"


def test_a_gateway_that_its_routes_do_not_reach_is_refused_with_the_alternative() -> None:
    (text,) = problems(NotebookController, meshed(gateway=EMISSARY))

    assert "in the API of istio, and front serves those of emissary" in text
    at = Setting("notebook-controller", NotebookController.config_model()(), meshed(gateway=EMISSARY))
    assert "jupyterhub" in next(iter(NotebookController.problems(at))).hint


def test_notebooks_that_anyone_could_reach_are_refused() -> None:
    assert problems(NotebookController, meshed()) == []
    assert problems(NotebookController, meshed(asked=False)) == [
        "components.notebook-controller: nothing asks who people are before they reach notebooks"
    ]


def test_the_gateway_asks_who_people_are_below_the_path_of_notebooks() -> None:
    policy = controller().one("AuthorizationPolicy", "kubeflow-notebooks")

    assert policy["metadata"]["namespace"] == "front"
    assert policy["spec"]["action"] == "CUSTOM"
    assert policy["spec"]["rules"] == [{"to": [{"operation": {"paths": ["/notebook/*"]}}]}]


def test_idle_notebooks_are_stopped_only_where_the_stack_says_when() -> None:
    assert variables(controller())["ENABLE_CULLING"] == "false"
    found = variables(controller(idle_after="12h"))

    assert (found["ENABLE_CULLING"], found["CULL_IDLE_TIME"], found["IDLENESS_CHECK_PERIOD"]) == ("true", "720", "1")
    assert variables(controller(idle_after="2d"))["CULL_IDLE_TIME"] == "2880"
    with pytest.raises(ValidationError):
        controller(idle_after="soon")


def test_who_asks_notebooks_whether_they_are_idle_is_in_the_mesh_and_known_to_policies() -> None:
    pod = controller(idle_after="12h").one("Deployment")["spec"]["template"]["metadata"]
    config = NotebookController.config_model()(idle_after="12h")
    (caller,) = NotebookController.offers(Setting("notebook-controller", config, meshed())).capabilities

    assert pod["labels"]["sidecar.istio.io/inject"] == "true"
    assert pod["annotations"]["traffic.sidecar.istio.io/excludeInboundPorts"] == "8080"
    assert isinstance(caller, MeshCaller)
    account = controller(idle_after="12h").one("ServiceAccount")["metadata"]["name"]
    assert (caller.purpose, caller.account) == ("notebook-activity", account)


def test_without_culling_it_stays_out_of_the_mesh_and_calls_no_notebook() -> None:
    pod = controller().one("Deployment")["spec"]["template"]["metadata"]
    config = NotebookController.config_model()()

    assert pod["annotations"]["sidecar.istio.io/inject"] == "false"
    assert NotebookController.offers(Setting("notebook-controller", config, meshed())).capabilities == ()


def test_culling_needs_a_mesh_whose_pods_start_in_its_namespace() -> None:
    uncni = meshed(mesh=MESH.model_copy(update={"redirected": False}))

    assert problems(NotebookController, uncni) == []
    (text,) = problems(NotebookController, uncni, idleAfter="12h")
    assert text.startswith("components.notebook-controller.idleAfter: its pods are in the mesh")


def test_a_second_pod_brings_the_rights_on_both_locks() -> None:
    made = controller(availability="ha")
    rules = made.rules("Role", "notebook-controller-leader-election-role")

    assert "--enable-leader-election" in made.arguments("Deployment")
    assert grants(rules, "", "configmaps") >= {"create", "get", "update"}
    assert grants(rules, "coordination.k8s.io", "leases") >= {"create", "get", "update"}
    assert controller().of("Role") == []
