"""What looks like a credential in a stack file: told at its line, once, and never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.checks.rule import Finding
from tests.unit.pipeline.repository import HEAD, synthesise, write

JOB = (
    "components: {training-operator: {}}\nteams: [{name: t}]\n"
    "jobs:\n  - {template: pytorch-ddp, name: j, team: t, image: 'r.example.com/i:1', gpusPerWorker: 0, command: [%s]}\n"
)


def found(root: Path, *files: tuple[str, str]) -> list[Finding]:
    write(root, dict(files))
    return [each for each in synthesise(root).findings["a"] if each.rule == "credential-shape"]


@pytest.mark.parametrize("said", ["t.py, --token=word", "t.py, --token, word"])
def test_a_token_in_a_jobs_command_is_told_where_the_user_wrote_it(tmp_path: Path, said: str) -> None:
    token = "gh" + "p_" + "0a1b2c3d4e5f6g7h8i9j" * 2
    (finding,) = found(tmp_path, ("stacks/a.yaml", HEAD + JOB % said.replace("word", token)))

    assert (finding.file, finding.line, finding.severity) == ("stacks/a.yaml", 6, "error")
    assert "GitHub token" in finding.text
    assert token not in str(finding)


def test_comments_and_files_that_are_extended_count_too(tmp_path: Path) -> None:
    base = "apiVersion: platform-def/v1\n# the old one was mysql://bob:word@db.example.com/app\ngateway: none\n"
    (finding,) = found(tmp_path, ("stacks/base/all.yaml", base), ("stacks/a.yaml", HEAD + "extends: [base/all.yaml]\n"))

    assert (finding.file, finding.line, finding.object) == ("stacks/base/all.yaml", 2, "Stack a")


def test_a_folder_of_the_users_own_is_told_by_its_file(tmp_path: Path) -> None:
    settings = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {url: 'amqp://bob:word@mq'}\n"
    )
    stack = HEAD + "components: {own: {path: apps/own}}\n"
    (finding,) = found(tmp_path, ("stacks/a.yaml", stack), ("apps/own/settings.yaml", settings))

    assert (finding.file, finding.object, finding.path) == ("apps/own/settings.yaml", "ConfigMap default/a", "data.url")


def test_an_overlay_is_told_by_its_own_line(tmp_path: Path) -> None:
    overlay = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n  - target: {kind: Deployment}\n"
        "    patch: |\n      - {op: add, path: /metadata/annotations, value: {example.com/url: 'amqp://bob:word@mq'}}\n"
    )
    stack = HEAD + "components: {training-operator: {}}\n"
    files = ("overlays/a/training-operator/kustomization.yaml", overlay)
    (finding,) = found(tmp_path, ("stacks/a.yaml", stack), files)

    assert (finding.file, finding.object) == (files[0], "Deployment kubeflow/training-operator")
    assert finding.line > 1


WAIVED = "checks: {waive: [{rule: credential-shape, object: %s, reason: an example of the manual's}]}\n"


@pytest.mark.parametrize(("item", "waived"), [("Stack a", "an example of the manual's"), ("Stack b", "")])
def test_what_only_looks_like_a_credential_in_a_stack_file_is_waived_with_a_reason(
    tmp_path: Path, item: str, waived: str
) -> None:
    comment = "# such as mysql://bob:word@db.example.com/app\n"
    (finding,) = found(tmp_path, ("stacks/a.yaml", HEAD + comment + WAIVED % item))

    assert finding.waived == waived


def test_what_only_looks_like_a_credential_in_an_object_is_waived_with_a_reason(tmp_path: Path) -> None:
    settings = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {url: 'amqp://bob:word@mq'}\n"
    )
    stack = HEAD + "components: {own: {path: apps/own}}\n" + WAIVED % "ConfigMap default/a"

    (finding,) = found(tmp_path, ("stacks/a.yaml", stack), ("apps/own/settings.yaml", settings))

    assert finding.waived == "an example of the manual's"
