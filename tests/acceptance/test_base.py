"""On a clean clone dist/ is the new one: changes are compared with the merge base of the branch that they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.repository import HEAD, SMALL, Repository
from tests.acceptance.test_changes import ARGO, CONSENT, sized

WHO = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
REFUSED = "stacks/a.yaml:4: spec.volumeClaimTemplates[0].spec.resources.requests.storage: changes from 20Gi to 50Gi"


def git(repository: Repository, *words: str) -> str:
    return repository.call("git", *WHO, *words).out.strip()


def commit(repository: Repository, *words: str) -> str:
    """Everything there is as a commit; its id."""
    git(repository, "add", "-A", "--", "stacks", "dist")
    git(repository, "commit", "-q", "-m", "a change", *words)
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def branched(repository: Repository) -> Repository:
    """A branch `more` whose last commit writes another size, and all of whose dist/ is current."""
    git(repository, "init", "-q", "-b", "main")
    sized(repository, "20Gi").ask("synth")
    commit(repository)
    git(repository, "checkout", "-q", "-b", "more")
    sized(repository, "50Gi").ask("synth", "--no-check")
    commit(repository)
    return repository


def test_what_a_branch_changes_is_refused_though_dist_is_current(branched: Repository) -> None:
    assert "is current" in branched.ask("synth", "--check").err

    for words in ("synth --check --base main", "synth --check --base main a", "check --base main"):
        done = branched.ask(*words.split(), code=1)

        assert REFUSED in done.out + done.err


def test_a_clean_clone_is_compared_in_the_same_way(branched: Repository, tmp_path: Path) -> None:
    git(branched, "clone", "-q", "--branch", "more", ".", str(tmp_path / "clone"))

    assert REFUSED in Repository(tmp_path / "clone").ask("synth", "--check", "--base", "origin/main", code=1).err


def test_what_main_has_changed_meanwhile_is_not_the_branch_s(branched: Repository) -> None:
    git(branched, "checkout", "-q", "main")
    sized(branched, "30Gi").ask("synth", "--no-check")
    commit(branched)
    git(branched, "checkout", "-q", "more")

    assert REFUSED in branched.ask("synth", "--check", "--base", "main", code=1).err


def test_what_leaves_the_cluster_is_told_last_and_apart(repository: Repository) -> None:
    """On a clean clone dist/ lacks it already, so that only the merge base has it."""
    git(repository, "init", "-q", "-b", "main")
    repository.write({"stacks/b.yaml": SMALL})
    sized(repository, "20Gi", engine=ARGO).ask("synth")
    before = commit(repository)
    stay = f"{HEAD}{ARGO}components: {{training-operator: {{}}}}\nretire: {{mysql: outside}}\n"
    repository.write({"stacks/a.yaml": stay, "stacks/b.yaml": "apiVersion: platform-def/v1\nretire: given back\n"})
    repository.ask("synth")
    commit(repository)

    said, taken = repository.ask("synth", "--check", "--base", before).err.split("\n\n")
    assert said.endswith("dist is current")
    lines = taken.splitlines()
    assert lines[0] == "a: taken out: mysql"
    assert "objects leave the cluster: " in lines[1]
    assert "Application argocd/mysql-main" in taken
    assert "b: the stack is retired; its engine keeps asking for a folder that is gone" in lines
    found = repository.ask("synth", "--check", "--base", before, "-o", "json").json
    assert [(each["stack"], each["components"]) for each in found["removals"]] == [
        ("a", ["mysql"]),
        ("b", ["training-operator"]),
    ]
    [one] = repository.ask("synth", "--check", "--base", before, "-o", "json", "a").json["removals"]
    assert one["stack"] == "a", "one stack is asked for"
    assert repository.ask("synth", "--check", "--base", "HEAD", "-o", "json").json["removals"] == []


def test_a_consent_counts_where_it_comes_with_its_change(repository: Repository) -> None:
    """An entry that stays after it was delivered is a warning."""
    git(repository, "init", "-q", "-b", "main")
    sized(repository, "20Gi", engine=ARGO).ask("synth")
    before = commit(repository)
    sized(repository, "50Gi", engine=ARGO, more=CONSENT).ask("synth")
    after = commit(repository)

    said = repository.ask("synth", "--check", "--base", before).err
    assert "a: Argo CD deletes and recreates StatefulSet mysql/mysql (larger claims)" in said
    assert "[replace]" not in said
    repository.ask("check", "--base", before, "--fail-on", "warning")
    assert "refuses no change of it [replace]" in repository.ask("check", "--base", after).out


def test_a_stack_that_the_base_does_not_have_is_new(branched: Repository) -> None:
    branched.write({"stacks/b.yaml": (branched.root / "stacks/a.yaml").read_text(encoding="utf-8")}).ask("synth", "b")
    commit(branched)

    assert "is current" in branched.ask("synth", "--check", "--base", "HEAD~1").err


def test_the_first_commit_of_a_branch_has_no_base(branched: Repository) -> None:
    assert "is current" in branched.ask("synth", "--check", "--base", "0" * 40).err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "synth --check --base nowhere",
            "error: --base: there is no revision 'nowhere' here\n  hint: a shallow clone has",
        ),
        ("synth --check --base --all", "'--all' is no revision"),
        ("synth --base main", "--base is for --check"),
        ("check --base main --previous dist", "--base is for stacks, and instead of --previous"),
        ("check --base main --kubernetes 1.35,1.36", "--base is for one version of Kubernetes"),
    ],
)
def test_a_base_that_cannot_be_had_is_an_error(branched: Repository, words: str, told: str) -> None:
    assert told in branched.ask(*words.split(), code=2).err


def test_without_a_common_commit_it_says_so(branched: Repository) -> None:
    git(branched, "checkout", "-q", "--orphan", "other")
    commit(branched)

    assert "HEAD and 'main' have no commit in common here" in branched.ask("check", "--base", "main", code=2).err


def test_outside_of_a_repository_it_says_so(repository: Repository) -> None:
    sized(repository, "20Gi").ask("synth")

    assert "is in no repository of git" in repository.ask("check", "--base", "main", code=2).err


def test_no_program_that_a_repository_names_is_run(branched: Repository) -> None:
    """Whoever checks a pull request runs nothing of its author's."""
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "core.hooksPath"):
        git(branched, "config", key, "touch ran")
    branched.ask("synth", "--check", "--base", "main", code=1)

    assert not (branched.root / "ran").exists()


def test_a_member_without_a_quota_who_leaves_is_told_with_what_they_lose(repository: Repository) -> None:
    """No object of theirs leaves: a name is gone from a role binding, which a long difference hides."""
    teams = "teams: [{name: vision, members: [{name: ada}, {name: li}]}]"
    text = f"{HEAD}components: {{kubeflow-roles: {{}}}}\n{teams}\n"
    line = "a: access is taken from li: role kubeflow-edit in team-vision"
    git(repository, "init", "-q", "-b", "main")
    repository.write({"stacks/a.yaml": text}).ask("synth")
    commit(repository)
    repository.write({"stacks/a.yaml": text.replace(", {name: li}", "")})

    assert line in repository.ask("synth").err
    assert line in repository.ask("synth", "--check", "--base", "HEAD").err
    assert line not in repository.ask("synth", "--check").err
