"""A roll-out in stages: some stacks are rendered with what is new, and the check passes for the rest as it was."""

from __future__ import annotations

import pytest
import yaml

from tests.acceptance.repository import SMALL, Repository

NAMESPACE = "dist/b/namespaces/main/_cluster/namespace-kubeflow.yaml"


@pytest.fixture
def staged(repository: Repository) -> Repository:
    """Two stacks on a base that has changed; only `a` is rendered with it."""
    one = 'apiVersion: platform-def/v1\nextends: [base/shared.yaml]\ncluster: {kubernetes: "1.36"}\n'
    repository.write({"stacks/base/shared.yaml": SMALL, "stacks/a.yaml": one, "stacks/b.yaml": one}).ask("synth")
    repository.write({"stacks/base/shared.yaml": SMALL.replace("{}", "{threads: 3}")}).ask("synth", "a")
    return repository


def test_what_has_had_its_turn_is_current(staged: Repository) -> None:
    assert "is current" in staged.ask("synth", "--check", "a").err
    assert "stale: dist/b/" in staged.ask("synth", "--check", code=1).out
    assert "run platformctl synth a b" in staged.ask("synth", "--check", "b", "a", code=1).err


def test_a_stack_that_waits_is_held_to_what_was_written(staged: Repository) -> None:
    file = staged.root / NAMESPACE
    file.write_text(file.read_text(encoding="utf-8").replace("baseline", "privileged"), encoding="utf-8")
    done = staged.ask("synth", "--check", "a", code=1)

    assert done.out == f"edited: {NAMESPACE}\n"
    assert "dist/b is not as synth wrote it" in done.err
    assert "run platformctl synth" not in done.err
    assert staged.ask("synth", "--check", "a", "-o", "json", code=1).json["edited"] == [NAMESPACE.removeprefix("dist/")]


def test_nothing_of_it_may_be_missing_or_foreign(staged: Repository) -> None:
    (staged.root / NAMESPACE).unlink()
    staged.write({"dist/b/_delivery/grant.yaml": "kind: ClusterRoleBinding\n"})

    assert (
        staged.ask("synth", "--check", "a", code=1).out
        == f"missing: {NAMESPACE}\nforeign: dist/b/_delivery/grant.yaml\n"
    )


def test_a_link_in_its_place_is_an_edit(staged: Repository) -> None:
    file = staged.root / NAMESPACE
    file.rename(staged.root / "elsewhere.yaml")
    file.symlink_to(staged.root / "elsewhere.yaml")

    assert staged.ask("synth", "--check", "a", code=1).out == f"edited: {NAMESPACE}\n"


@pytest.mark.parametrize("content", ["{}", "<<<<<<< ours\n=======\n>>>>>>> theirs\n"])
def test_its_index_must_be_readable(staged: Repository, content: str) -> None:
    staged.write({"dist/b/index.json": content})

    assert "dist/b/index.json" in staged.ask("synth", "--check", "a", code=2).err


def test_the_workflow_of_init_takes_the_stacks_from_a_list(repository: Repository) -> None:
    repository.ask("init", ".", "--stack", "a")
    workflow = yaml.safe_load((repository.root / ".github/workflows/platform.yaml").read_text(encoding="utf-8"))
    (command,) = (step["run"] for step in workflow["jobs"]["check"]["steps"] if "--check" in step.get("run", ""))
    repository.write({"stacks/b.yaml": SMALL}).ask("synth")
    repository.write({"stacks/b.yaml": SMALL.replace("{}", "{threads: 3}")})

    assert workflow["env"]["STACKS"] == ""
    repository.call("bash", "-c", command, code=1)
    repository.call("bash", "-c", command, environment={"STACKS": "a"})
    repository.call("bash", "-c", command, environment={"STACKS": "a b"}, code=1)
