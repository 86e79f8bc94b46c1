"""Whose files dist/ holds, what synth says of them, and two runs at once."""

from __future__ import annotations

import re
import subprocess

import pytest

from platform_def.pipeline.output.lock import lock
from tests.acceptance.repository import PLATFORMCTL, SMALL, Repository


def test_check_lists_what_is_missing_stale_and_edited(built: Repository) -> None:
    built.ask("synth")
    missing, edited = sorted(built.files())[:2]
    stale = "two/training-operator/main/kubeflow/deployment.apps-training-operator.yaml"
    (built.root / "dist" / missing).unlink()
    (built.root / "dist" / edited).write_text("edited")
    built.write({"stacks/two.yaml": SMALL.replace("{}", "{threads: 2}")})

    done = built.ask("synth", "--check", code=1)
    shape = built.ask("synth", "--check", "-o", "json", code=1).json

    assert f"missing: dist/{missing}" in done.out.splitlines()
    assert f"edited: dist/{edited}" in done.out.splitlines()
    assert f"stale: dist/{stale}" in done.out.splitlines()
    assert "run platformctl synth" in done.err
    assert shape["current"] is False
    assert missing in shape["missing"]
    assert stale in shape["stale"]
    assert shape["edited"] == [edited]


def test_check_of_a_current_dist_has_the_same_shape(built: Repository) -> None:
    current = {"current": True, "missing": [], "stale": [], "edited": [], "foreign": []}

    assert built.ask("synth", "--check", "-o", "json").json == current
    built.ask("synth")
    assert built.ask("synth", "--check", "-o", "json").json == current


def test_an_edited_file_is_put_right_and_named(built: Repository) -> None:
    before = built.files()
    name = "two/namespaces/main/_cluster/namespace-kubeflow.yaml"
    (built.root / "dist" / name).write_text("kind: Namespace\n")

    done = built.ask("synth")

    assert f"{name} had been edited by hand" in done.err
    assert built.files() == before


def test_a_foreign_file_is_named_and_left(built: Repository) -> None:
    built.write({"dist/two/notes.txt": "mine"})

    assert "two/notes.txt" in built.ask("synth").err
    assert built.files()["two/notes.txt"] == b"mine"
    assert "two/notes.txt" in built.ask("synth", "--check", "-o", "json", code=1).json["foreign"]


GRANT = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: mine}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: me}]
"""


@pytest.mark.parametrize(
    "file",
    [
        "two/training-operator/main/_cluster/grant.yaml",
        "two/_delivery/argocd/grant.yaml",
        "two/training-operator/main/.argocd-source.yaml",
        "two/kustomization.yaml",
        ".sourceignore",
    ],
)
def test_a_foreign_file_that_an_engine_reads_is_an_error(built: Repository, file: str) -> None:
    built.write({f"dist/{file}": GRANT})

    for _ in ("rendered", "from the note of the last run"):
        checked = built.ask("synth", "--check", code=1)

        assert f"foreign: dist/{file}" in checked.out.splitlines()
        assert "is current" not in checked.err
        assert "hint: remove it" in checked.err
        assert f"{file} is not synth's" in built.ask("synth").err
    assert built.ask("synth", "--check", "-o", "json", code=1).json["current"] is False
    found = built.ask("check", "-o", "json", code=1).json["findings"]
    assert [each["file"] for each in found if each["rule"] == "foreign-file"] == [f"dist/{file}"]


def test_a_foreign_file_beside_the_stacks_is_no_error(built: Repository) -> None:
    built.write({"dist/README.md": "mine", "dist/docs/notes.txt": "mine"})

    assert built.ask("synth", "--check", "-o", "json").json["foreign"] == ["README.md", "docs/"]
    assert "foreign-file" not in built.ask("check").out


def test_without_an_index_files_are_adopted_only_when_asked(built: Repository) -> None:
    before = built.files()
    (built.root / "dist/two/index.json").unlink()
    (built.root / "dist/two/namespaces/main/_cluster/namespace-kubeflow.yaml").write_text("mine")
    changed = built.files()

    refused = built.ask("synth", code=2)

    assert "--adopt" in refused.err
    assert built.files() == changed
    built.ask("synth", "--adopt")
    assert built.files() == before


def test_a_retired_stack_leaves_dist(built: Repository) -> None:
    built.write({"stacks/two.yaml": "apiVersion: platform-def/v1\nretire: nobody uses it\n"})

    check = built.ask("synth", "--check", code=1)
    built.ask("synth")

    assert "stale: dist/two/index.json" in check.out
    assert sorted(path.name for path in (built.root / "dist").iterdir()) == ["one"]


def test_synth_of_one_stack_touches_no_other(built: Repository) -> None:
    before = built.files()
    (built.root / "stacks/one.yaml").unlink()
    built.write({"stacks/two.yaml": SMALL.replace("{}", "{threads: 2}"), "dist/one/notes.txt": "mine"})
    (built.root / "overlays/one/training-operator/kustomization.yaml").unlink()
    (built.root / "overlays/one/training-operator").rmdir()
    (built.root / "overlays/one").rmdir()

    built.ask("synth", "two")
    after = built.files()

    changed = {path for path in (*before, *after) if before.get(path) != after.get(path)}

    assert "two/index.json" in changed
    assert {path for path in changed if not path.startswith("two/")} == {"one/notes.txt"}


def test_another_folder_can_be_written(built: Repository) -> None:
    before = built.files()

    built.ask("synth", "--out", "build/elsewhere")

    assert built.files("build/elsewhere") == before
    assert built.files() == before


@pytest.mark.parametrize("out", [".", "..", "stacks", "overlays/one"])
def test_what_is_read_is_never_written_to(built: Repository, out: str) -> None:
    before = built.files(".")

    assert "lie in each other" in built.ask("synth", "--out", out, code=2).err
    assert built.files(".") == before


@pytest.mark.parametrize("words", ["synth --out a-file", "init a-file", "crd export --out a-file", "init a-file/x"])
def test_a_file_where_a_folder_is_wanted_is_named(small: Repository, words: str) -> None:
    small.write({"a-file": "mine"})

    assert "a-file" in small.ask(*words.split(), code=2).err
    assert small.files(".")["a-file"] == b"mine"


# --- two runs at once


def test_a_second_run_says_who_is_at_work(small: Repository) -> None:
    small.run("synth")
    small.write({"stacks/a.yaml": SMALL.replace("{}", "{threads: 2}")})
    before = small.files()

    with lock(small.root / ".platformctl"):
        done = small.run("synth", "--wait", "0", code=2)

    assert re.search(r"another run \(process \d+ on .+\) is at work here", done.err)
    assert small.files() == before


def test_a_second_run_waits_for_the_first(small: Repository) -> None:
    with lock(small.root / ".platformctl"):
        second = subprocess.Popen(
            [PLATFORMCTL, "synth", "--wait", "60"], cwd=small.root, env=small.environment, stderr=subprocess.PIPE
        )
        assert second.stderr is not None
        said = second.stderr.readline().decode()
    rest = second.stderr.read().decode()
    second.stderr.close()

    assert said.startswith("waiting for another run (process")
    assert second.wait(60) == 0
    assert "files added" in rest
