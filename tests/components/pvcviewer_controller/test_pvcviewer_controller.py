"""PVCViewer controller: its webhooks, the pod of viewers that name none, and who is asked before."""

from __future__ import annotations

from typing import Any

import yaml

from platform_def.components.notebooks.pvcviewer_controller.component import PvcviewerController
from tests.unit.built import Objects, built
from tests.unit.meshed import EMISSARY, meshed, problems, variables


def controller(registry: str | None = None, **config: Any) -> Objects:
    return built(PvcviewerController, meshed(registry=registry), **config)


def default_pod(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(made.one("ConfigMap", "pvcviewer-default-pod")["data"]["pod.yaml"])
    return found


def test_viewers_that_name_no_pod_get_a_pinned_image_through_the_mirror() -> None:
    made = controller("mirror.example.com")
    (container,) = default_pod(made)["containers"]

    assert container["image"] == "mirror.example.com/docker.io/filebrowser/filebrowser:v2.32.0"
    (mount,) = (each for each in made.container("Deployment")["volumeMounts"] if each["name"] == "default-pod")
    assert variables(made)["DEFAULT_POD_SPEC_PATH"] == f"{mount['mountPath']}/pod.yaml"


def test_such_a_pod_learns_its_address_from_itself() -> None:
    (container,) = default_pod(controller())["containers"]
    names = [each["name"] for each in container["env"]]
    base = next(each["value"] for each in container["env"] if each["name"] == "FB_BASEURL")

    assert base == "/pvcviewers/$(NAMESPACE)/$(NAME)/"
    assert max(names.index("NAMESPACE"), names.index("NAME")) < names.index("FB_BASEURL")


def test_its_webhooks_are_about_viewers_alone_and_nothing_converts_them() -> None:
    made = controller()
    rules = [
        rule["resources"]
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
        for hook in made.one(kind)["webhooks"]
        for rule in hook["rules"]
    ]

    assert rules == [["pvcviewers"], ["pvcviewers"]]
    assert made.one("CustomResourceDefinition")["spec"].get("conversion", {}).get("strategy", "None") == "None"


def test_the_gateway_asks_who_people_are_below_its_path() -> None:
    policy = controller().one("AuthorizationPolicy", "kubeflow-viewers")

    assert policy["spec"]["rules"] == [{"to": [{"operation": {"paths": ["/pvcviewers/*"]}}]}]


def test_another_gateway_is_refused() -> None:
    assert len(problems(PvcviewerController, meshed(gateway=EMISSARY))) == 1
    assert problems(PvcviewerController, meshed()) == []
