"""The files of dist/: each begins with a line that says what made it."""

from __future__ import annotations

from pathlib import Path

import pytest

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
