"""Images that something else than a container names."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.images import images, named_images, rewrite_images
from platform_def.manifests.paths import dotted

IMAGE = "quay.io/team/app:1.0"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"spec": {"image": IMAGE}}, "spec.image"),
        ({"spec": {"sidecarImage": IMAGE}}, "spec.sidecarImage"),
        ({"spec": {"images": [IMAGE]}}, "spec.images[0]"),
        ({"args": [f"--init-image={IMAGE}"]}, "args[0]"),
        ({"env": [{"name": "EXECUTOR_IMAGE", "value": IMAGE}]}, "env[0].value"),
        ({"data": {"config.yaml": f"init:\n  image: {IMAGE}\n"}}, 'data["config.yaml"]'),
        ({"data": {"config.json": f'{{"suggestionImage": "{IMAGE}"}}'}}, 'data["config.json"]'),
        ({"spec": {"image": "localhost.example:5000/a@sha256:" + "0" * 64}}, "spec.image"),
    ],
)
def test_a_field_a_flag_a_variable_or_a_file_may_name_an_image(body: dict[str, Any], path: str) -> None:
    assert [dotted(found) for found, _ in named_images(body)] == [path]


@pytest.mark.parametrize(
    "body",
    [
        {"spec": {"image": "app"}},
        {"spec": {"image": "quay.io/team/app"}},
        {"spec": {"imagePullPolicy": "Always"}},
        {"spec": {"url": IMAGE}},
        {"env": [{"name": "ADDRESS", "value": IMAGE}]},
        {"args": [f"--address={IMAGE}"]},
        {"data": {"notes": "the image is at quay.io"}},
    ],
)
def test_other_texts_are_no_images(body: dict[str, Any]) -> None:
    assert list(named_images(body)) == []


def test_containers_of_steps_are_images_of_a_workflow_and_come_from_the_mirror() -> None:
    spec = {
        "templates": [{"script": {"image": IMAGE}, "sidecars": [{"image": IMAGE}], "container": {"image": "{{a}}"}}]
    }
    workflow = {"apiVersion": "argoproj.io/v1alpha1", "kind": "CronWorkflow", "spec": {"workflowSpec": spec}}

    assert list(images(workflow)) == [IMAGE, IMAGE]
    assert list(images({**workflow, "kind": "Sensor"})) == []
    assert list(images({**workflow, "apiVersion": "example.com/v1"})) == []
    made = rewrite_images(workflow, lambda image: f"mirror/{image}")
    (template,) = made["spec"]["workflowSpec"]["templates"]
    assert template["script"]["image"] == template["sidecars"][0]["image"] == f"mirror/{IMAGE}"
