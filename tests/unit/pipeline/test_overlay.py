"""Overlays: real kustomize on what they touch, and an error for everything that would be silent or remote."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from platform_def import tools
from platform_def.errors import PlatformError
from platform_def.pipeline.fleet.inputs import digest
from tests.unit.pipeline.repository import OPERATOR, stack, synthesise, write

COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
BODY = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: kubeflow}\nspec: {replicas: 4}\n"
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
    root = repository(
        tmp_path,
        COMPONENT + patch,
        **{"overlays__a__training-operator__replicas.yaml": BODY % "training-operator"},
    )

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
        (COMPONENT + "patches: {path: x}\n", ":3: `patches` is a list"),
        (COMPONENT + "patches: [a]\n", "every item of `patches` is a map"),
        (COMPONENT + "resources:\n- {a: b}\n", ":4: every item of `resources` is text"),
        (COMPONENT + "patches: [{path: [a]}]\n", "`path` in `patches` is text"),
        (COMPONENT + "patches: [{target: Deployment, patch: x}]\n", "`target` in `patches` is a map"),
        (COMPONENT + "patches: [{}]\n", ":3: an item of `patches` has no `patch` or `path`"),
        (COMPONENT + "patches:\n- {target: {version: 1}, patch: x}\n", ":4: `version` of a target is text"),
        (COMPONENT + "patches:\n- patch: '{a'\n", ":4: the patch: "),
        (COMPONENT + "images: [{newTag: v2}]\n", "an item of `images` has no `name`"),
        (COMPONENT + "labels:\n- pairs: {a: b}\n  includeSelectors: true\n", ":5: `includeSelectors` is refused"),
        (
            COMPONENT + "labels: [{pairs: {a: b}, fields: [{path: spec/selector/matchLabels, create: true}]}]\n",
            "a selector among `fields` is refused",
        ),
        (
            COMPONENT + "patches: [{target: {kind: Deployment}, patch: '- {op: replace, path: /nope/x, value: 1}'}]\n",
            "kustomize refuses it",
        ),
        (
            COMPONENT + "patches: [{target: {kind: Deployment}, patch: '[{op: remove, path: /spec}]'}]\n",
            "behind a `[` it takes JSON alone",
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
        ("_all/sorter", "a component 'sorter' that no stack has"),
    ],
)
def test_overlays_of_nothing_are_errors(tmp_path: Path, where: str, words: str) -> None:
    assert words in problem(repository(tmp_path, COMPONENT, where=where))


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("configMapGenerator: [{name: x, literals: [a=b]}]\n", "`configMapGenerator` is refused in an overlay"),
        ("namePrefix: x-\n", "`namePrefix` is refused in an overlay"),
        ("resources: ['https://example.com/x.yaml']\n", "is remote"),
        ("labels: [{pairs: {a: b}, includeSelectors: true}]\n", "`includeSelectors` is refused"),
        (COMPONENT, "write kind: Kustomization"),
        ("resources: [none.yaml]\n", "is not there"),
    ],
)
def test_what_an_overlay_builds_on_is_checked_as_the_overlay_is(tmp_path: Path, base: str, words: str) -> None:
    more = {"overlays__a__training-operator__base__kustomization.yaml": base}

    text = problem(repository(tmp_path, COMPONENT + "resources: [base]\n", **more))

    assert "overlays/a/training-operator/base/kustomization.yaml:" in text
    assert words in text


def test_a_path_that_leads_out_of_the_overlay_is_refused_with_its_line(tmp_path: Path) -> None:
    shared = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: training-operator}\n"
    root = repository(tmp_path, COMPONENT + "patches:\n- path: ../shared.yaml\n")
    write(root, {"overlays/a/shared.yaml": shared})

    text = problem(root)

    assert "kustomization.yaml:4: '../shared.yaml' is outside the overlay's own folder" in text


def test_a_link_to_a_file_elsewhere_in_the_repository_is_followed(tmp_path: Path) -> None:
    root = repository(tmp_path, COMPONENT + "patches: [{path: x.yaml}]\n", shared__x=BODY % "training-operator")
    (root / "overlays/a/training-operator/x.yaml").symlink_to(root / "shared/x")

    deployment = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert deployment.manifest["spec"]["replicas"] == 4


@pytest.mark.parametrize(
    ("target", "words"), [(".", "is a link to a folder"), ("none", "is a link that leads nowhere")]
)
def test_a_link_that_no_copy_can_be_made_of_is_refused(tmp_path: Path, target: str, words: str) -> None:
    root = repository(tmp_path, COMPONENT + TARGET % "training-operator")
    (root / "overlays/a/training-operator/link").symlink_to(target)

    assert f"overlays/a/training-operator/link: {words}" in problem(root)


def test_a_patch_must_not_change_a_selector(tmp_path: Path) -> None:
    patch = "- {op: add, path: /spec/selector/matchLabels/a, value: b}"
    root = repository(tmp_path, COMPONENT + f"patches: [{{target: {{kind: Deployment}}, patch: '{patch}'}}]\n")

    assert "changes the selector of Deployment kubeflow/training-operator" in problem(root)


def test_an_image_that_nobody_has_is_an_error_that_lists_those_there_are(tmp_path: Path) -> None:
    text = problem(repository(tmp_path, COMPONENT + "images:\n- {name: example.com/none, newTag: v2}\n"))

    assert "kustomization.yaml:4: no object of training-operator has the image 'example.com/none'" in text
    assert "hint: images of training-operator: ghcr.io/kubeflow/" in text


def test_images_are_replaced_one_after_the_other(tmp_path: Path) -> None:
    first = "{name: ghcr.io/kubeflow/training-v1/training-operator, newName: example.com/mine}"
    second = "{name: example.com/mine, newTag: v2}"
    root = repository(tmp_path, COMPONENT + f"images: [{first}, {second}]\n")

    deployment = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert deployment.manifest["spec"]["template"]["spec"]["containers"][0]["image"] == "example.com/mine:v2"


def test_replicas_of_nobody_are_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    text = problem(repository(tmp_path, COMPONENT + "replicas:\n- {name: training-operater, count: 2}\n"))

    assert "kustomization.yaml:4: training-operator has no 'training-operater' that has replicas" in text
    assert "did you mean 'training-operator'?" in text


def test_a_pattern_that_nests_repetitions_is_matched_at_once(tmp_path: Path) -> None:
    maps = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n" % ("a" * 60 + "-b")
    patches = "patches: [{target: {name: '(a+)+'}, patch: '[]'}]\n"
    stack_file = OPERATOR.replace("{training-operator: {}}", "{x: {path: apps/x, namespace: x}}")
    root = write(tmp_path, {"stacks/a.yaml": stack_file, "apps/x/x.yaml": maps})
    write(root, {"overlays/a/x/kustomization.yaml": COMPONENT + patches})

    assert "the patch matches no object of x" in problem(root)


@pytest.mark.parametrize("pattern", ["*", "(?=a)b", "a{1000}{1000}{9}", "[[:alpha:]]+"])
def test_what_is_no_pattern_is_an_error_with_its_line(tmp_path: Path, pattern: str) -> None:
    text = problem(repository(tmp_path, COMPONENT + TARGET % f"'{pattern}'"))

    assert f"overlays/a/training-operator/kustomization.yaml:4: '{pattern}' is not a pattern" in text


def test_a_patch_with_empty_metadata_matches_nothing(tmp_path: Path) -> None:
    patch = (
        "patches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata:\n    spec: {replicas: 2}\n"
    )

    assert "the patch matches no object" in problem(repository(tmp_path, COMPONENT + patch))


@pytest.mark.parametrize(("old", "new"), [(", namespace: kubeflow", ""), ("apps/v1", "apps/v2"), ("kubeflow", "other")])
def test_a_strategic_patch_for_another_object_is_an_error_in_our_words(tmp_path: Path, old: str, new: str) -> None:
    root = repository(tmp_path, COMPONENT + "patches: [{path: x.yaml}]\n")
    write(root, {"overlays/a/training-operator/x.yaml": (BODY % "training-operator").replace(old, new)})

    text = problem(root)

    assert "the patch matches no object" in text
    assert "it names apiVersion, kind, name and namespace; objects of training-operator: " in text


def test_every_document_of_a_patch_must_match(tmp_path: Path) -> None:
    both = BODY % "training-operator" + "---\n" + BODY % "trainer"
    root = repository(tmp_path, COMPONENT + "patches: [{path: x.yaml}]\n")
    write(root, {"overlays/a/training-operator/x.yaml": both})

    assert "the patch matches no object" in problem(root)


def test_a_missing_kustomize_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path, COMPONENT + TARGET % "training-operator")
    monkeypatch.setattr(tools, "KUBECTL_PACKAGE", "no-such-package")

    with pytest.raises(PlatformError) as caught:
        synthesise(root)

    [found] = caught.value.problems
    assert found.text.startswith("kubectl is missing")
    assert found.hint.startswith("pip install")


# --- links out of the repository


@pytest.mark.parametrize(
    "link", ["stacks", "stacks/b.yaml", "overlays", "overlays/a", "overlays/_all", "overlays/a/training-operator"]
)
def test_a_link_out_of_the_repository_is_refused(tmp_path: Path, link: str) -> None:
    elsewhere = write(tmp_path / "elsewhere", {"b.yaml": OPERATOR, "training-operator/kustomization.yaml": COMPONENT})
    root = write(tmp_path / "repository", {} if link == "stacks" else {"stacks/a.yaml": OPERATOR})
    target = elsewhere / "b.yaml" if link.endswith(".yaml") else elsewhere
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(target)

    assert f"error: {link}: is a link to outside the repository" in problem(root)


def test_a_link_to_a_file_outside_the_repository_is_refused_even_where_nothing_names_it(tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere": "x: y"})
    root = repository(tmp_path / "repository", COMPONENT + TARGET % "training-operator")
    (root / "overlays/a/training-operator/x.yaml").symlink_to(tmp_path / "elsewhere")

    assert "overlays/a/training-operator/x.yaml: is a link to outside the repository" in problem(root)


def test_an_overlay_may_be_a_link_to_a_folder_of_the_repository(tmp_path: Path) -> None:
    root = write(tmp_path, {"stacks/a.yaml": OPERATOR})
    write(root, {"shared/operator/kustomization.yaml": COMPONENT + TARGET % "training-operator"})
    (root / "overlays/a").mkdir(parents=True)
    (root / "overlays/a/training-operator").symlink_to("../../shared/operator")

    deployment = next(item for item in stack(root).objects() if item.kind == "Deployment")

    assert deployment.manifest["spec"]["replicas"] == 5


def test_what_a_pipe_in_an_overlay_holds_is_not_waited_for(tmp_path: Path) -> None:
    root = repository(tmp_path, COMPONENT + TARGET % "training-operator")
    os.mkfifo(root / "overlays/a/training-operator/x.yaml")

    assert "overlays/a/training-operator/x.yaml: is neither a file nor a folder" in problem(root)


def test_the_note_of_a_run_looks_at_nothing_outside_the_repository(tmp_path: Path) -> None:
    root = write(tmp_path / "repository", {"stacks/a.yaml": OPERATOR})
    write(tmp_path / "elsewhere", {"x": "1"})
    (root / "overlays").symlink_to(tmp_path / "elsewhere")
    (root / "stacks/b.yaml").symlink_to(tmp_path / "elsewhere/x")

    before = digest(root, ("stacks", "overlays"))
    write(tmp_path / "elsewhere", {"x": "2", "y": "3"})

    assert digest(root, ("stacks", "overlays")) == before
