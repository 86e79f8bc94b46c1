"""Overlays: real kustomize on what they touch, and an error for everything that would be silent or remote."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from tests.unit.pipeline.repository import OPERATOR, stack, synthesise, write

COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
TARGET = "patches:\n- target: {kind: Deployment, name: %s}\n  patch: |-\n    - {op: replace, path: /spec/replicas, value: 5}\n"


def repository(root: Path, overlay: str, *, where: str = "a/training-operator", **more: str) -> Path:
    files = {"stacks/a.yaml": OPERATOR, f"overlays/{where}/kustomization.yaml": overlay}
    return write(root, files | {name.replace("__", "/"): text for name, text in more.items()})


def problem(root: Path) -> str:
    with pytest.raises(PlatformError) as caught:
        synthesise(root)
    return str(caught.value)


def test_a_patch_changes_its_object_and_no_other(tmp_path: Path) -> None:
    before = {item.key: item for item in stack(write(tmp_path / "x", {"stacks/a.yaml": OPERATOR})).objects()}
    after = {
        item.key: item for item in stack(repository(tmp_path / "y", COMPONENT + TARGET % "training-operator")).objects()
    }

    changed = [str(item) for key, item in after.items() if item.text != before[key].text]

    assert changed == ["Deployment kubeflow/training-operator"]
    deployment = next(item for item in after.values() if item.kind == "Deployment")
    assert deployment.manifest["spec"]["replicas"] == 5
    assert deployment.overlays == ("overlays/a/training-operator",)


def test_overlays_for_all_stacks_come_first(tmp_path: Path) -> None:
    root = repository(tmp_path, COMPONENT + TARGET % "training-operator", where="_all/training-operator")
    write(
        root, {"overlays/a/training-operator/kustomization.yaml": COMPONENT + (TARGET % "training.*").replace("5", "7")}
    )

    deployment = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert deployment.manifest["spec"]["replicas"] == 7
    assert deployment.overlays == ("overlays/_all/training-operator", "overlays/a/training-operator")


def test_a_patch_that_matches_nothing_is_an_error_with_its_line(tmp_path: Path) -> None:
    text = problem(repository(tmp_path, COMPONENT + TARGET % "trainer"))

    assert "overlays/a/training-operator/kustomization.yaml:4: the patch matches no object of training-operator" in text
    assert "Deployment kubeflow/training-operator" in text


def test_a_strategic_patch_finds_its_object_by_kind_and_name(tmp_path: Path) -> None:
    patch = "patches:\n- path: replicas.yaml\n"
    body = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: training-operator, namespace: kubeflow}\nspec: {replicas: 4}\n"
    root = repository(tmp_path, COMPONENT + patch, **{"overlays__a__training-operator__replicas.yaml": body})

    deployment = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert deployment.manifest["spec"]["replicas"] == 4
    assert deployment.manifest["spec"]["template"]["spec"]["containers"][0]["name"] == "training-operator"


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ("kind: Kustomization\n", "an overlay is a kustomize Component"),
        (COMPONENT + "namePrefix: x-\n", "`namePrefix` is refused"),
        (COMPONENT + "configMapGenerator: [{name: x}]\n", "`configMapGenerator` is refused"),
        (COMPONENT + "helmCharts: [{name: x}]\n", "Helm charts are fetched"),
        (COMPONENT + "resources: ['https://example.com/x.yaml']\n", "is remote"),
        (COMPONENT + "resources: ['github.com/org/repo//x?ref=v1']\n", "is remote"),
        (COMPONENT + "resources: [../../../../etc]\n", "outside the repository"),
        (COMPONENT + "patches: [{path: none.yaml}]\n", "is not there"),
        (COMPONENT + "patchs: []\n", "did you mean 'patches'"),
        (
            COMPONENT + "patches: [{target: {kind: Deployment}, patch: '- {op: replace, path: /nope/x, value: 1}'}]\n",
            "kustomize refuses it",
        ),
    ],
)
def test_what_is_refused_is_refused_with_the_reason(tmp_path: Path, overlay: str, words: str) -> None:
    assert words in problem(repository(tmp_path / "repository", overlay))


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("b/training-operator", "a stack 'b' that is not there"),
        ("a/training-operatr", "did you mean 'training-operator'"),
        ("_all/trainer", "a component 'trainer' that no stack has"),
    ],
)
def test_overlays_of_nothing_are_errors(tmp_path: Path, where: str, words: str) -> None:
    assert words in problem(repository(tmp_path, COMPONENT, where=where))
