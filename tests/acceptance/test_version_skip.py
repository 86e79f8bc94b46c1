"""Steps over minor versions of Kubernetes and of components are reported before they are merged."""

from __future__ import annotations

import pytest

from tests.acceptance.repository import Repository
from tests.acceptance.test_base import commit, git

STACK = (
    'apiVersion: platform-def/v1\ncluster:\n  kubernetes: "%s"\ncomponents:\n  training-operator:\n    release: "%s"\n'
)


def put(repository: Repository, kubernetes: str, release: str) -> Repository:
    """The stack with these versions."""
    return repository.write({"stacks/a.yaml": STACK % (kubernetes, release)})


@pytest.fixture
def before(repository: Repository) -> Repository:
    """Older versions, delivered and committed."""
    put(repository, "1.29", "1.7.0").ask("synth")
    git(repository, "init", "-q", "-b", "main")
    commit(repository)
    return repository


@pytest.mark.parametrize("words", ["synth", "check", "check --base HEAD", "synth --check --base HEAD"])
def test_skipped_minor_versions_are_named(before: Repository, words: str) -> None:
    done = put(before, "1.32", "1.9.4").ask(*words.split(), code=None)
    said = done.out + done.err

    assert "warning: stacks/a.yaml:3: Kubernetes goes from 1.29 to 1.32, past 1.30, 1.31 [version-skip]" in said
    assert "upgrade the control plane through each of them" in said
    assert "warning: stacks/a.yaml:6: training-operator goes from 1.7.0 to 1.9.4, past 1.8 [version-skip]" in said
    assert "read what upstream says about upgrades to 1.8: this tool has no release of it" in said


def test_the_next_minor_version_is_no_skip(before: Repository) -> None:
    assert "version-skip" not in put(before, "1.30", "1.7.0").ask("synth").err


def test_kubernetes_does_not_go_back(before: Repository) -> None:
    said = put(before, "1.28", "1.7.0").ask("synth").err

    assert "warning: stacks/a.yaml:3: Kubernetes goes back from 1.29 to 1.28 [version-skip]" in said


def test_a_step_that_was_thought_of_is_waived(before: Repository) -> None:
    put(before, "1.32", "1.7.0")
    waiver = "{rule: version-skip, object: Stack a, reason: the cluster went through both last night}"
    path = before.root / "stacks/a.yaml"
    path.write_text(f"{path.read_text('utf-8')}checks: {{waive: [{waiver}]}}\n", encoding="utf-8")

    assert "version-skip" not in before.ask("synth").err


def test_what_is_written_is_not_repeated(before: Repository) -> None:
    put(before, "1.32", "1.9.4").ask("synth")

    assert "version-skip" not in before.ask("check").out
