"""Rules that look at one object: images, secrets, sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from platform_def.checks.rules.images.image_tag import IMAGE_TAG
from platform_def.checks.rules.policy.secret_content import SECRET_CONTENT
from platform_def.checks.rules.server.crd_size import CRD_SIZE
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import crd, deployment, found, rendered

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    "image",
    ["web:1.0", "registry.example.com:5000/web:1", f"web@{DIGEST}", f"registry.example.com/web:latest@{DIGEST}"],
)
def test_a_pinned_image_is_fine(image: str) -> None:
    assert found(IMAGE_TAG, rendered(deployment(image=image))) == []


@pytest.mark.parametrize(
    ("image", "text"),
    [
        ("web:latest", "image web:latest has the tag latest"),
        ("web", "image web has no tag"),
        ("registry.example.com:5000/web", "image registry.example.com:5000/web has no tag"),
    ],
)
def test_an_image_that_moves_is_a_warning(image: str, text: str) -> None:
    [finding] = found(IMAGE_TAG, rendered(deployment(image=image)))

    assert (finding.severity, finding.text) == ("warning", text)
    assert finding.path == "spec.template.spec.containers[0].image"


def test_images_of_init_containers_are_looked_at_too() -> None:
    manifest = deployment(pod={"initContainers": [{"name": "first", "image": "web"}]})

    assert [finding.path for finding in found(IMAGE_TAG, rendered(manifest))] == [
        "spec.template.spec.initContainers[0].image"
    ]


def test_images_that_a_component_has_pods_use_are_looked_at_where_it_is_told() -> None:
    manifest = deployment(args=["--threads=1", "--helper=mirror.example.com/helper:latest"])
    stack = replace(
        rendered(manifest), runtime_images={"app": ("mirror.example.com/helper:latest", "a.example.com/fine:1")}
    )
    [finding] = found(IMAGE_TAG, stack)

    assert finding.text == "image mirror.example.com/helper:latest, which app has pods use, has the tag latest"
    assert finding.path == "spec.template.spec.containers[0].args[1]"
    assert (finding.component, finding.severity) == ("app", "warning")


def test_an_image_that_no_object_names_is_told_of_the_component() -> None:
    stack = replace(rendered(deployment()), runtime_images={"app": ("helper",), "gone": ("helper",)})

    assert [(finding.component, finding.path, finding.text) for finding in found(IMAGE_TAG, stack)] == [
        ("app", "", "image helper, which app has pods use, has no tag")
    ]


def secret(**fields: object) -> Manifest:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "it", "namespace": "default"}, **fields}


def test_a_secret_that_only_asks_for_its_content_is_fine() -> None:
    token = secret(type="kubernetes.io/service-account-token")

    assert found(SECRET_CONTENT, rendered(token, secret(data={}), secret(data={"tls.crt": ""}))) == []


def test_a_secret_with_content_is_an_error_that_does_not_show_it() -> None:
    findings = found(SECRET_CONTENT, rendered(secret(data={"a.b": "aHVudGVyMg=="}, stringData={"pin": "hunter2"})))

    assert [finding.path for finding in findings] == ['data["a.b"]', "stringData.pin"]
    assert not any("hunter2" in str(finding) or "aHVudGVyMg" in str(finding) for finding in findings)


def test_a_secrets_content_in_kubectls_annotation_is_an_error() -> None:
    manifest = secret()
    manifest["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": '{"data":{}}'}

    assert len(found(SECRET_CONTENT, rendered(manifest))) == 1


def test_a_crd_beyond_the_annotations_limit_is_a_warning() -> None:
    own = {"app": ComponentFact("", "app")}
    small = crd({"type": "object", "description": "x" * 1000})

    assert found(CRD_SIZE, rendered(small, facts=own)) == []
    assert [finding.severity for finding in found(CRD_SIZE, rendered(LARGE, facts=own))] == ["warning"]


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_a_large_crd_is_nothing_to_engines_that_apply_server_side(engine: Literal["argocd", "flux"]) -> None:
    stack = rendered(LARGE, facts={"app": ComponentFact("", "app")}, platform=Platform(delivery=engine))

    assert found(CRD_SIZE, stack) == []


def test_nobody_is_told_of_large_crds_of_the_catalogue() -> None:
    assert found(CRD_SIZE, rendered(LARGE, facts={"app": ComponentFact("1.2.3", "app")})) == []


LARGE = crd({"type": "object", "description": "x" * 262_144})
