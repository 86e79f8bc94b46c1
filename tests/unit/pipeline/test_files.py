"""The files of dist/: each begins with a line that says what made it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.manifests.rendered import RenderedObject
from platform_def.pipeline.files import Contents, content_of, digest_of, files_of
from platform_def.pipeline.output import index
from platform_def.yaml import load
from tests.unit.pipeline.repository import HEAD, OPERATOR, synthesise, write

OVERLAY = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- target: {kind: Deployment}
  patch: "- {op: replace, path: /spec/replicas, value: 2}"
resources: [x.yaml]
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: kubeflow}\n"
DEPLOYMENT = "training-operator/main/kubeflow/deployment.apps-training-operator.yaml"
SERVICE = "training-operator/main/kubeflow/service-training-operator.yaml"


def files(root: Path, name: str = "a") -> dict[str, str]:
    return {path: content.decode() for path, content in synthesise(root).files()[name].items()}


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def test_a_file_says_what_made_it(tmp_path: Path) -> None:
    folder = "overlays/a/training-operator"
    mine = OPERATOR.replace("{training-operator: {}}", "{training-operator: {}, mine: {path: apps/mine}}")
    write(
        tmp_path,
        {
            "stacks/a.yaml": mine,
            "apps/mine/y.yaml": CONFIG % "mine",
            f"{folder}/kustomization.yaml": OVERLAY,
            f"{folder}/x.yaml": CONFIG % "x",
        },
    )

    found = files(tmp_path)

    made = "# Made by platformctl from"
    assert first_line(found[SERVICE]) == f"{made} training-operator; change the stack, not this file."
    assert first_line(found[DEPLOYMENT]) == f"{made} training-operator, {folder}; change the stack, not this file."
    assert (
        first_line(found["mine/main/kubeflow/configmap-mine.yaml"])
        == f"{made} apps/mine/y.yaml; change that, not this file."
    )
    added = found["training-operator/main/kubeflow/configmap-x.yaml"]
    assert first_line(added) == f"{made} {folder}; change that, not this file."
    back = found["_delivery/kube-public/configmap-platform-def.yaml"]
    assert first_line(back) == f"{made} delivery; change the stack, not this file."


def test_the_line_is_the_same_in_all_stacks(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": OPERATOR, "stacks/b.yaml": OPERATOR})
    one, other = files(tmp_path, "a"), files(tmp_path, "b")

    assert {path: text for path, text in one.items() if not path.startswith(("_", "index"))} == {
        path: text for path, text in other.items() if not path.startswith(("_", "index"))
    }


@pytest.mark.parametrize(
    "name", ["x\n  injected: true\n.yaml", "x\rinjected: true.yaml", "x\u2028.yaml", "\x1b[2J.yaml"]
)
def test_no_name_of_a_file_leaves_the_comment(tmp_path: Path, name: str) -> None:
    stack = f"{HEAD}components: {{mine: {{path: apps/mine, namespace: kubeflow}}}}\n"
    write(tmp_path, {"stacks/a.yaml": stack, f"apps/mine/{name}": CONFIG % "mine"})

    text = files(tmp_path)["mine/main/kubeflow/configmap-mine.yaml"]

    assert first_line(text).isprintable()
    assert load(text) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "mine", "namespace": "kubeflow"},
    }
    assert text.splitlines()[1] == "apiVersion: v1"


def item(component: str = "web", name: str = "x", **more: Any) -> RenderedObject:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}
    return RenderedObject(manifest, component, "main", f"{component}/ConfigMap", **more)


def test_content_that_several_stacks_have_is_held_once() -> None:
    contents = Contents()

    assert contents.of(item()) is contents.of(item())
    assert contents.of(item()) == content_of(item())
    assert digest_of(item()) == index.digest(content_of(item()))


@pytest.mark.parametrize("other", [item("db"), item(name="y"), item(overlays=("overlays/a/web",))])
def test_content_of_another_maker_or_object_is_another(other: RenderedObject) -> None:
    contents = Contents()
    first = contents.of(item())

    assert contents.of(other) == content_of(other) != first
    assert digest_of(other) == index.digest(content_of(other))


def test_fleet_that_shares_contents_has_the_files_that_each_stack_has_alone(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": OPERATOR, "stacks/b.yaml": OPERATOR})
    rendered = synthesise(tmp_path)
    found = rendered.files()

    assert found == {stack.name: files_of(stack) for stack in rendered.stacks}
    assert found["a"][SERVICE] is found["b"][SERVICE]
