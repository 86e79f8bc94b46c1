"""Images that something else than a container names."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.images import named_images
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
