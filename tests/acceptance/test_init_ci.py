"""What `init` writes for CI systems, for git's hooks and for an image runs as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.acceptance.repository import SMALL, Done, Repository

BROKEN = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: []}\n"


def parsed(repository: Repository, path: str) -> Any:
    return yaml.safe_load((repository.root / path).read_text(encoding="utf-8"))


def runs(repository: Repository, commands: Sequence[str], *, code: int = 0) -> Done:
    """These lines in one shell that ends at the first that fails, as runners have it."""
    environment = {"STACKS": "", "BASE": "", "CI_COMMIT_BEFORE_SHA": "0" * 40}
    return repository.call("bash", "-ec", "\n".join(commands), code=code, environment=environment)


@pytest.fixture
def broken(repository: Repository) -> Repository:
    """A folder of one's own with an object that the API server refuses, and dist/ written all the same."""
    stack = SMALL.replace("}}\n", "}, own: {path: apps/own, namespace: own}}\n")
    return repository.write({"stacks/a.yaml": stack, "apps/own/x.yaml": BROKEN})


@pytest.mark.parametrize(
    ("ci", "there", "absent"),
    [
        ("github", {".github/workflows/platform.yaml", ".github/CODEOWNERS"}, ".gitlab"),
        ("gitlab", {".gitlab-ci.yml", ".gitlab/CODEOWNERS"}, ".github"),
        ("none", {"README.md"}, ".git"),
    ],
)
def test_only_the_files_of_the_ci_system_that_is_asked_for_are_written(
    repository: Repository, ci: str, there: set[str], absent: str
) -> None:
    repository.ask("init", ".", "--ci", ci)
    written = {*repository.files(".")} - {".gitignore", ".gitattributes"}

    assert there | {".pre-commit-config.yaml", "Dockerfile", ".dockerignore"} <= written
    assert not any(path.startswith(absent) for path in written)


def test_an_unknown_ci_system_is_refused(repository: Repository) -> None:
    assert (
        "--ci: one of github, gitlab, none is wanted, not 'jenkins'"
        in repository.ask("init", ".", "--ci", "jenkins", code=2).err
    )


def test_github_gets_annotations(broken: Repository) -> None:
    broken.ask("synth", "--no-check")
    broken.ask("init", "new", "--stack", "b")
    workflow = parsed(broken, "new/.github/workflows/platform.yaml")
    steps = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "platformctl" in step.get("run", "")]
    done = runs(broken, steps[:1], code=1)

    assert len(steps) == 2
    assert "::error " in done.out
    assert "file=apps/own/x.yaml" in done.out
    assert {"python-version": "3.12", "cache": "pip"} in [
        each.get("with") for each in workflow["jobs"]["check"]["steps"]
    ]


def test_gitlab_gets_a_report_and_fails_after_both_commands(broken: Repository) -> None:
    broken.ask("synth", "--no-check")
    broken.ask("init", "new", "--stack", "b", "--ci", "gitlab")
    job = parsed(broken, "new/.gitlab-ci.yml")["platform"]
    done = runs(broken, job["script"], code=1)
    report = ET.fromstring((broken.root / job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8"))

    assert report.findall(".//failure")
    assert "apps/own/x.yaml" in done.err, "the log names it as well"
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert job["variables"]["PIP_CACHE_DIR"] == "$CI_PROJECT_DIR/.pip"
    assert job["cache"]["paths"] == [".pip"]


@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_a_new_repository_passes_its_own_ci(repository: Repository, ci: str) -> None:
    repository.ask("init", ".", "--ci", ci)
    repository.ask("synth")
    if ci == "github":
        steps = parsed(repository, ".github/workflows/platform.yaml")["jobs"]["check"]["steps"]
        lines = [step["run"] for step in steps if "platformctl" in step.get("run", "")]
    else:
        lines = parsed(repository, ".gitlab-ci.yml")["platform"]["script"]

    runs(repository, lines)


def test_the_hook_refuses_a_stale_dist(repository: Repository) -> None:
    repository.ask("init", ".", "--stack", "a")
    (hook,) = parsed(repository, ".pre-commit-config.yaml")["repos"][0]["hooks"]
    repository.ask("synth")

    assert hook["always_run"]
    assert not hook["pass_filenames"]
    runs(repository, [hook["entry"]])
    runs(repository.write({"stacks/b.yaml": SMALL}), [hook["entry"]], code=1)


def test_what_the_image_copies_is_there_and_not_ignored(repository: Repository) -> None:
    repository.ask("init", ".")
    lines = (repository.root / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY ")]
    ignored = (repository.root / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert copied == ["requirements.txt", "tool*"]
    assert all(any(repository.root.glob(pattern)) for pattern in copied)
    assert ignored == ["*", "!requirements.txt", "!tool.txt", "!tool"]
