"""With a mirror, no image comes from anywhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.checks.rules.images.image_mirror import IMAGE_MIRROR
from platform_def.config.platform import Platform
from tests.unit.checks.samples import config_map, deployment, found, rendered

MIRROR = Platform(registry="mirror.example.com/hub")
WEB = deployment(image="mirror.example.com/hub/quay.io/team/web:1.0")


def test_without_a_mirror_images_come_from_wherever_they_are() -> None:
    assert found(IMAGE_MIRROR, rendered(deployment(image="quay.io/team/web:1.0"))) == []


def test_an_image_of_the_mirror_is_fine() -> None:
    assert found(IMAGE_MIRROR, rendered(WEB, platform=MIRROR)) == []


def test_a_pod_that_pulls_from_elsewhere_is_an_error_with_the_mirrored_name() -> None:
    [finding] = found(IMAGE_MIRROR, rendered(deployment(image="mysql:8"), platform=MIRROR))

    assert finding.path == "spec.template.spec.containers[0].image"
    assert finding.hint == "write mirror.example.com/hub/docker.io/library/mysql:8"


@pytest.mark.parametrize(
    "text",
    [
        "quay.io/team/web:1.0",
        "--sidecar=quay.io/team/web:1.0",
        "image: quay.io/team/web:2.0\n",
        "pull quay.io/team/web@sha256:" + "0" * 64,
    ],
)
def test_a_text_that_names_an_image_of_the_stack_past_the_mirror_is_an_error(text: str) -> None:
    findings = found(IMAGE_MIRROR, rendered(WEB, config_map(data={"config": text}), platform=MIRROR))

    assert [finding.path for finding in findings] == ["data.config"]


@pytest.mark.parametrize(
    "text",
    [
        "mirror.example.com/hub/quay.io/team/web:1.0",
        "image=mirror.example.com/hub/quay.io/team/web:1.0",
        "https://quay.io/repository/team/web",
        "quay.io/team/website:1.0",
        "quay.io/team/web",
        "web:1.0",
        "key: value",
        "10.0.0.1:8080",
    ],
)
def test_other_texts_are_fine(text: str) -> None:
    assert found(IMAGE_MIRROR, rendered(WEB, config_map(data={"config": text}), platform=MIRROR)) == []


def test_an_image_that_only_a_running_operator_names_is_looked_for_in_arguments() -> None:
    stack = rendered(
        deployment(image=WEB["spec"]["template"]["spec"]["containers"][0]["image"], args=["--init=alpine:3.10"]),
        platform=MIRROR,
    )
    knowing = replace(stack, images=("mirror.example.com/hub/docker.io/library/alpine:3.10",))

    assert found(IMAGE_MIRROR, stack) == []
    assert [finding.path for finding in found(IMAGE_MIRROR, knowing)] == ["spec.template.spec.containers[0].args[0]"]


def test_annotations_may_name_images_as_they_please() -> None:
    manifest = config_map()
    manifest["metadata"]["annotations"] = {"built-from": "quay.io/team/web:1.0"}

    assert found(IMAGE_MIRROR, rendered(WEB, manifest, platform=MIRROR)) == []


def test_a_rule_s_images_come_from_where_it_leads() -> None:
    ruled = Platform(mirrors={"quay.io/team": "hub.example.com/ours"})
    [finding] = found(IMAGE_MIRROR, rendered(deployment(image="quay.io/team/web:1.0"), platform=ruled))

    assert finding.text.startswith("image quay.io/team/web:1.0 does not come from hub.example.com/ours/web")
    assert finding.hint == "write hub.example.com/ours/web:1.0"
    assert found(IMAGE_MIRROR, rendered(deployment(image="quay.io/other/web:1.0"), platform=ruled)) == []


def test_a_custom_resource_that_names_an_image_past_the_mirror_is_an_error() -> None:
    settings = config_map(data={"sidecarImage": "ghcr.io/elsewhere/sidecar:1.0"})
    [finding] = found(IMAGE_MIRROR, rendered(WEB, settings, platform=MIRROR))

    assert finding.path == "data.sidecarImage"
