"""Trees of others' manifests: alternatives side by side, bases of kustomize, variables, files of other tools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.checks.rule import Finding
from platform_def.errors import ConfigError
from platform_def.pipeline.answers import origin
from platform_def.pipeline.applications.foreign import Foreign, foreign_stack
from platform_def.pipeline.applications.twins import check_apart
from platform_def.pipeline.applications.variables import holds_variable

_HEAD = "apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: team}}\n"


def config(key: str, name: str = "c") -> str:
    return _HEAD.format(kind="ConfigMap", name=name) + f"data: {{{key}: a}}\n---\n"


def reader(*keys: str, name: str = "p") -> str:
    read = ", ".join(
        f"{{name: K{index}, valueFrom: {{configMapKeyRef: {{name: c, key: {key}}}}}}}" for index, key in enumerate(keys)
    )
    pod = (
        "spec: {containers: [{name: c, image: 'a:1', resources: {requests: {cpu: 1, memory: 1Gi}}, env: [%s]}]}\n---\n"
    )
    return _HEAD.format(kind="Pod", name=name) + pod % read


def tree(folder: Path, files: Mapping[str, str], *exclude: str) -> Foreign:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return foreign_stack([str(folder)], kubernetes="", namespace="default", exclude=exclude)


def told(found: Foreign, folder: Path) -> list[tuple[str, str]]:
    findings, _ = found.judged(check_apart(found.stack, file_of=origin))
    return sorted((str(Path(each.origin).relative_to(folder)), each.text) for each in findings)


def missing(file: str, key: str) -> tuple[str, str]:
    return file, f"the ConfigMap c has no key '{key}'"


def twin(file: str, other: str, folder: Path, document: int = 1) -> tuple[str, str]:
    return file, f"is in {folder / other}, document {document} as well"


class TestAlternatives:
    def test_each_is_checked_with_its_own(self, tmp_path: Path) -> None:
        found = tree(
            tmp_path,
            {
                "dev/a.yaml": config("dev") + reader("dev"),
                "prod/deep/b.yaml": reader("prod"),
                "prod/c.yaml": config("prod"),
            },
        )

        assert told(found, tmp_path) == [
            twin("prod/c.yaml", "dev/a.yaml", tmp_path),
            twin("prod/deep/b.yaml", "dev/a.yaml", tmp_path, 2),
        ]

    def test_what_one_lacks_is_told_of_it_though_another_has_it(self, tmp_path: Path) -> None:
        files = {"dev/a.yaml": config("dev") + reader("dev"), "prod/a.yaml": config("prod") + reader("dev")}

        assert missing("prod/a.yaml", "dev") in told(tree(tmp_path, files), tmp_path)

    def test_what_is_for_all_of_them_is_told_where_it_is_wrong_with_each(self, tmp_path: Path) -> None:
        files = {"dev/a.yaml": config("dev"), "prod/a.yaml": config("prod")}
        files["a.yaml"] = reader("dev", "none", name="shared")

        assert told(tree(tmp_path, files), tmp_path) == [
            missing("a.yaml", "none"),
            twin("prod/a.yaml", "dev/a.yaml", tmp_path),
        ]

    def test_two_in_one_folder_are_no_alternatives(self, tmp_path: Path) -> None:
        found = tree(tmp_path, {"a.yaml": config("a"), "b.yaml": config("b") + reader("a", "b")})

        assert told(found, tmp_path) == [twin("b.yaml", "a.yaml", tmp_path), missing("b.yaml", "b")]


_KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


class TestKustomized:
    @pytest.mark.parametrize("change", ["namePrefix: x-", "configMapGenerator: [{name: d}]", "namespace: team"])
    def test_what_kustomize_changes_is_judged_alone(self, tmp_path: Path, change: str) -> None:
        files = {
            "base/a.yaml": config("a") + reader("b"),
            "base/kustomization.yaml": f"{_KUSTOMIZATION}resources: [a.yaml]\n",
        }
        assert told(tree(tmp_path, files), tmp_path) == [missing("base/a.yaml", "b")]

        files["over/kustomization.yaml"] = f"{_KUSTOMIZATION}resources: [../base]\n{change}\n"
        assert told(tree(tmp_path, files), tmp_path) == []

    def test_a_name_is_made_by_kustomize(self, tmp_path: Path) -> None:
        files = {
            "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: _}\n",
            "kustomization.yaml": f"{_KUSTOMIZATION}resources: [a.yaml]\nnamespace: team\n",
        }

        assert told(tree(tmp_path, files), tmp_path) == []

    def test_a_wrong_type_is_one_before_and_after(self, tmp_path: Path) -> None:
        files = {
            "a.yaml": config("a").replace("data: {a: a}", "data: {a: 1}"),
            "kustomization.yaml": f"{_KUSTOMIZATION}resources: [a.yaml]\nnamePrefix: x-\n",
        }

        assert told(tree(tmp_path, files), tmp_path) == [("a.yaml", "must be a string, not 1")]


class TestVariables:
    @pytest.mark.parametrize("text", ["${A}", "a-${NAME}-b", "${N:=3}", "${a_b:-c}", "$HOST/x"])
    def test_variables_of_envsubst_and_flux_are_known(self, text: str) -> None:
        assert holds_variable(text)

    @pytest.mark.parametrize("text", ["", "$(NAME)", "$1", "cost: $5", "${", "$name", "^a$", 3, None])
    def test_other_dollars_are_no_variables(self, text: object) -> None:
        assert not holds_variable(text)

    def test_a_value_that_holds_one_is_not_judged(self, tmp_path: Path) -> None:
        pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: '${APP}', namespace: team}\nspec: {hostNetwork: '${HOST}', dns: 1}\n"
        found = tree(tmp_path, {"a.yaml": pod})
        findings, later = found.judged(check_apart(found.stack, file_of=origin))

        assert {each.path for each in findings} == {"spec.dns", "spec.containers"}
        assert later == {str(tmp_path / "a.yaml"): 2}


class TestFiles:
    def test_what_is_no_object_in_a_folder_is_left_out_and_named(self, tmp_path: Path) -> None:
        files = {"a.yaml": config("a"), "values.yaml": "replicas: 3\n", "play.yml": "- hosts: all\n", "b.json": "[1]"}
        found = tree(tmp_path, files)

        assert found.problems == ()
        assert found.no_objects == tuple(str(tmp_path / name) for name in ("b.json", "play.yml", "values.yaml"))

    @pytest.mark.parametrize("text", ["kind: Pod\n", "apiVersion: v1\nreplicas: 1\n"])
    def test_what_was_meant_to_be_one_is_a_problem(self, tmp_path: Path, text: str) -> None:
        [problem] = tree(tmp_path, {"a.yaml": config("a"), "b.yaml": text}).problems

        assert problem.text == "holds something without apiVersion and kind: no Kubernetes object"

    def test_a_file_that_is_named_holds_objects(self, tmp_path: Path) -> None:
        (tmp_path / "values.yaml").write_text("replicas: 3\n")

        with pytest.raises(ConfigError, match="holds something without apiVersion and kind"):
            foreign_stack([str(tmp_path / "values.yaml")], kubernetes="", namespace="default")

    @pytest.mark.parametrize(
        ("pattern", "left"),
        [
            ("old", ["a.yaml", "x/b.yaml"]),
            ("x/old", ["a.yaml", "x/b.yaml"]),
            ("*.yaml", []),
            ("b.yaml", ["a.yaml", "x/old/c.yaml"]),
            ("x/*", ["a.yaml"]),
            ("ol", ["a.yaml", "x/b.yaml", "x/old/c.yaml"]),
        ],
    )
    def test_a_pattern_leaves_files_and_folders_out(self, tmp_path: Path, pattern: str, left: list[str]) -> None:
        names = ["a.yaml", "x/b.yaml", "x/old/c.yaml", "z.json"]
        found = tree(tmp_path, {name: config("a", name[0]) for name in names}, pattern, "z.json") if left else None
        seen = sorted({str(Path(item.origin).relative_to(tmp_path)) for item in found.stack.objects()}) if found else []

        assert seen == left


def test_findings_keep_their_order(tmp_path: Path) -> None:
    files = {"b/a.yaml": config("b") + reader("x"), "a/a.yaml": config("a") + reader("y")}
    found: list[Finding] = check_apart(tree(tmp_path, files).stack, file_of=origin)

    assert [each.order for each in found] == sorted(each.order for each in found)
