"""What an overlay must leave as it is, how it takes an object out, and where messages about it point."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from platform_def.manifests.rendered import Deleted
from tests.unit.pipeline.repository import HEAD, OPERATOR, stack, synthesise, write

COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
FILE = "overlays/a/training-operator/kustomization.yaml"
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: training-operator, namespace: kubeflow%s}\n"


STRATEGIC = (
    COMPONENT
    + """\
patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: training-operator
      namespace: kubeflow
    spec:
      template:
        spec:
          containers:
          - name: training-operator
            imagePullPolice: Never
"""
)


def json_patch(*operations: str, kind: str = "Deployment") -> str:
    """An overlay with one JSON patch, whose operations stand from line 6 on."""
    lines = "".join(f"      - {operation}\n" for operation in operations)
    return f"{COMPONENT}patches:\n  - target: {{kind: {kind}, name: training-operator}}\n    patch: |-\n{lines}"


def delete(annotations: str = "") -> str:
    body = (DEPLOYMENT % annotations + "$patch: delete\n").replace("\n", "\n      ").rstrip()
    return f"{COMPONENT}patches:\n  - patch: |-\n      {body}\n"


def repository(root: Path, overlay: str, **more: str) -> Path:
    return write(root, {"stacks/a.yaml": OPERATOR, FILE: overlay, **more})


def problem(root: Path) -> str:
    with pytest.raises(PlatformError) as caught:
        synthesise(root)
    return str(caught.value)


@pytest.mark.parametrize(
    "operation",
    [
        "{op: replace, path: /metadata/name, value: other}",
        "{op: replace, path: /metadata/namespace, value: other}",
        "{op: replace, path: /kind, value: StatefulSet}",
        "{op: replace, path: /apiVersion, value: apps/v2}",
        "{op: replace, path: /metadata, value: {name: other}}",
    ],
)
def test_what_an_object_is_never_changes(tmp_path: Path, operation: str) -> None:
    text = problem(repository(tmp_path, json_patch("{op: test, path: /spec/replicas, value: 1}", operation)))

    assert f"{FILE}:7: gives Deployment kubeflow/training-operator another name, namespace or kind" in text


def test_a_strategic_patch_must_not_rename(tmp_path: Path) -> None:
    overlay = (
        f"{COMPONENT}patches:\n- target: {{kind: Deployment}}\n  options: {{allowNameChange: true}}\n  path: x.yaml\n"
    )
    renamed = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: other\n"

    text = problem(repository(tmp_path, overlay, **{FILE.replace("kustomization", "x"): renamed}))

    assert "overlays/a/training-operator/x.yaml:4: gives Deployment kubeflow/training-operator another name" in text


@pytest.mark.parametrize(
    "annotations", ["", ", annotations: {platform-def/delete: ''}", ", annotations: {platform-def/delete: 'true'}"]
)
def test_nothing_is_deleted_without_a_reason(tmp_path: Path, annotations: str) -> None:
    text = problem(repository(tmp_path, delete(annotations)))

    assert f"{FILE}:8: the patch deletes Deployment kubeflow/training-operator and gives no reason" in text
    assert "platform-def/delete" in text


def test_what_is_deleted_with_a_reason_is_gone_and_known(tmp_path: Path) -> None:
    root = repository(tmp_path, delete(", annotations: {platform-def/delete: another cluster runs it}"))
    component = stack(root).components["training-operator"]

    assert "Deployment" not in {item.kind for item in component.objects}
    found = Deleted("Deployment kubeflow/training-operator", "another cluster runs it", f"{FILE}:8")
    assert component.deleted == (found,)


def test_kustomize_takes_the_spelling_of_a_deletion_as_it_is(tmp_path: Path) -> None:
    """The annotation goes with the object: whoever builds the overlay with kustomize alone gets the same."""
    from platform_def.tools import kustomize_build

    write(
        tmp_path,
        {
            "kustomization.yaml": "resources: [objects.yaml]\ncomponents: [overlay]\n",
            "objects.yaml": DEPLOYMENT % "" + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
            "overlay/kustomization.yaml": delete(", annotations: {platform-def/delete: why}"),
        },
    )

    assert kustomize_build(tmp_path) == "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n"


LABEL = "/spec/template/metadata/labels/app.kubernetes.io~1name"


@pytest.mark.parametrize(
    "operation", [f"{{op: replace, path: {LABEL}, value: other}}", f"{{op: remove, path: {LABEL}}}"]
)
def test_labels_of_pods_that_something_selects_stay(tmp_path: Path, operation: str) -> None:
    text = problem(repository(tmp_path, json_patch(operation)))

    pods = f"{FILE}:6: changes labels of the pods of Deployment kubeflow/training-operator"
    assert f"{pods}, by which its own selector selects them" in text
    assert f"{pods}, by which Service kubeflow/training-operator selects them" in text


def test_a_label_with_templates_must_not_replace_one_that_is_selected(tmp_path: Path) -> None:
    overlay = f"{COMPONENT}labels:\n- pairs: {{app.kubernetes.io/name: other}}\n  includeTemplates: true\n"

    assert f"{FILE}:4: changes labels of the pods of Deployment" in problem(repository(tmp_path, overlay))


def test_labels_of_pods_may_be_added(tmp_path: Path) -> None:
    operation = "{op: add, path: /spec/template/metadata/labels/team, value: vision}"

    assert stack(repository(tmp_path, json_patch(operation))).components


def test_the_selector_of_a_service_stays(tmp_path: Path) -> None:
    overlay = json_patch("{op: add, path: /spec/selector/a, value: b}", kind="Service")

    text = problem(repository(tmp_path, overlay))

    assert f"{FILE}:6: changes the selector of Service kubeflow/training-operator" in text


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("{op: replace, path: /nope/x, value: 1}", "missing path: /nope/x"),
        ("{op: test, path: /spec/replicas, value: 7}", "/spec/replicas"),
    ],
)
def test_a_json_patch_that_kustomize_refuses_has_a_line(tmp_path: Path, operation: str, words: str) -> None:
    fine = "{op: test, path: /spec/replicas, value: 1}"

    text = problem(repository(tmp_path, json_patch(fine, operation)))

    assert f"{FILE}:" in text
    assert words in text
    assert f"{FILE}: " not in text


def test_a_patch_in_a_file_has_its_line_there(tmp_path: Path) -> None:
    overlay = f"{COMPONENT}patches:\n- target: {{kind: Deployment}}\n  path: x.yaml\n"
    patch = "- op: replace\n  path: /spec/replicas\n  value: 1\n- op: remove\n  path: /spec/nope\n"

    text = problem(repository(tmp_path, overlay, **{FILE.replace("kustomization", "x"): patch}))

    assert "overlays/a/training-operator/x.yaml:5: kustomize refuses it" in text


# --- findings


def places(root: Path) -> list[str]:
    return [f"{each.place}: {each.path}" for each in synthesise(root).findings["a"] if each.severity == "error"]


@pytest.mark.parametrize(
    ("overlay", "place"),
    [
        (
            json_patch("{op: add, path: /spec/a, value: b}", "{op: add, path: /spec/replica, value: 2}"),
            ":7: spec.replica",
        ),
        (json_patch("{op: remove, path: /spec/template/spec/containers}"), ":6: spec.template.spec"),
        (
            STRATEGIC,
            ":15: spec.template.spec.containers[0].imagePullPolice",
        ),
        (f"{COMPONENT}labels:\n- pairs: {{a: 'b c'}}\n", ":4: metadata.labels"),
    ],
)
def test_what_the_checks_find_in_an_overlay_points_to_its_line(tmp_path: Path, overlay: str, place: str) -> None:
    found = places(repository(tmp_path, overlay))

    assert any(each.startswith(FILE + place) for each in found), found
    assert not any(each.startswith("dist/") for each in found)


def test_what_an_overlay_adds_points_to_its_file(tmp_path: Path) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: kubeflow}\ndat: {a: b}\n"
    root = repository(tmp_path, f"{COMPONENT}resources: [x.yaml]\n", **{FILE.replace("kustomization", "x"): config})

    assert places(root) == ["overlays/a/training-operator/x.yaml:4: dat"]


def test_what_an_overlay_did_not_touch_points_to_dist(tmp_path: Path) -> None:
    stack_file = f"{HEAD}components: {{training-operator: {{namespace: kubeflow}}}}\nteams: [{{name: a}}]\n"
    root = repository(
        tmp_path, json_patch("{op: replace, path: /spec/replicas, value: 2}"), **{"stacks/a.yaml": stack_file}
    )

    assert not any("overlays/" in each for each in places(root))
