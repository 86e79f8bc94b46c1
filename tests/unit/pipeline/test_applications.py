"""Components of the user's own: folders of YAML and kustomizations pass through the same steps as the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from tests.unit.pipeline.repository import stack, synthesise, write

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36", registry: registry.example.com/mirror}\n'
STACK = HEAD + "components: {shop: {path: apps/shop, namespace: shop}}\n"
WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "quay.io/shop/web:1"}]}
"""


def problem(root: Path) -> str:
    with pytest.raises(PlatformError) as caught:
        synthesise(root)
    return str(caught.value)


def test_plain_yaml_gets_the_namespace_and_the_mirror(tmp_path: Path) -> None:
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/deep/web.yaml": WEB})

    web = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert web.namespace == "shop"
    assert (
        web.manifest["spec"]["template"]["spec"]["containers"][0]["image"]
        == "registry.example.com/mirror/quay.io/shop/web:1"
    )
    assert web.origin == "apps/shop/deep/web.yaml"


def test_its_namespace_is_made(tmp_path: Path) -> None:
    root = write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": WEB})

    assert "Namespace shop" in [str(item) for item in stack(root).objects()]


def test_a_kustomization_is_built_by_kustomize(tmp_path: Path) -> None:
    files = {
        "stacks/a.yaml": STACK,
        "apps/shop/kustomization.yaml": "resources: [../base]\nnamePrefix: my-\n",
        "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/base/web.yaml": WEB,
    }

    names = [str(item) for item in stack(write(tmp_path, files)).objects()]

    assert "Deployment shop/my-web" in names


def test_a_remote_base_of_a_base_is_refused(tmp_path: Path) -> None:
    files = {
        "stacks/a.yaml": STACK,
        "apps/shop/kustomization.yaml": "resources: [../base]\n",
        "apps/base/kustomization.yaml": "resources: ['https://example.com/web.yaml']\n",
    }

    assert "apps/base/kustomization.yaml:1: 'https://example.com/web.yaml' is remote" in problem(write(tmp_path, files))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("just text\n", "not an object"),
        ("kind: ConfigMap\nmetadata: {name: x}\n", "without apiVersion and kind"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n", "no metadata.name"),
        (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {token: abc}\n",
            "no credential may be in the repository",
        ),
        ("", "holds no Kubernetes object"),
    ],
)
def test_what_cannot_be_delivered_is_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in problem(write(tmp_path, {"stacks/a.yaml": STACK, "apps/shop/x.yaml": text}))


def test_a_folder_outside_the_repository_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "repository", {"stacks/a.yaml": HEAD + "components: {shop: {path: apps/../../x}}\n"})

    assert "components.shop" in problem(root)


def test_an_overlay_patches_it_like_any_component(tmp_path: Path) -> None:
    overlay = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        "patches: [{target: {kind: Deployment}, patch: '- {op: add, path: /spec/replicas, value: 3}'}]\n"
    )
    root = write(
        tmp_path, {"stacks/a.yaml": STACK, "apps/shop/web.yaml": WEB, "overlays/a/shop/kustomization.yaml": overlay}
    )

    web = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert web.manifest["spec"]["replicas"] == 3
