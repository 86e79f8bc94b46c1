"""The store of rendered stacks: renders a state once, and never gives what another state was rendered to."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from platform_def.pipeline.synth import Options, render
from tests.renders import fill
from tests.renders.state import CODE, REPOSITORY, code_of, state_of
from tests.renders.store import KEPT, NotRenderedError, Store, names_of

STACK = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\nteams: [{name: vision}]\n'
PATCH = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: Namespace, name: team-vision}
    patch: |-
      - {op: add, path: /metadata/labels/odd, value: "-"}
"""
CODE_FILES = (
    "platform_def/a.py",
    "platform_def/deep/b.json",
    "tests/renders/c.py",
    "requirements/run.txt",
    "pyproject.toml",
)
ROOT_FILES = ("stacks/one.yaml", "stacks/two.yaml", "stacks/base/all.yaml", "overlays/one/x/patch.yaml")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Code, and a root of stacks, as far as hashing is concerned."""
    for name in (*CODE_FILES, *(f"root/{each}" for each in ROOT_FILES)):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(STACK)
    return tmp_path


def state(repository: Path) -> str:
    return state_of(repository / "root", repository=repository)


@pytest.mark.parametrize("name", [*CODE_FILES, *(f"root/{each}" for each in ROOT_FILES)])
def test_one_changed_byte_is_another_state(repository: Path, name: str) -> None:
    before = state(repository)
    (repository / name).write_text(STACK.replace("vision", "visioN"))

    assert state(repository) != before


@pytest.mark.parametrize("name", ["platform_def/new.py", "root/stacks/new.yaml", "root/overlays/two/x/new.yaml"])
def test_a_new_a_renamed_and_a_removed_file_are_other_states(repository: Path, name: str) -> None:
    file, seen = repository / name, {state(repository)}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    seen.add(state(repository))
    file.rename(file.with_suffix(".other"))
    seen.add(state(repository))
    file.with_suffix(".other").unlink()

    assert len(seen) == 3
    assert state(repository) in seen


def test_what_shapes_no_stack_is_no_part_of_the_state(repository: Path) -> None:
    before = state(repository)
    for name in ("platform_def/__pycache__/a.pyc", "docs/page.md", "root/README.md"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("text")

    assert state(repository) == before


def test_a_changed_package_is_another_state(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state(repository)
    monkeypatch.setattr("tests.renders.state._environment", lambda: "3.13\ncdk8s==99")

    assert state(repository) != before


def test_the_code_has_one_hash_for_every_root(repository: Path) -> None:
    before = code_of(repository)
    (repository / "root/stacks/one.yaml").write_text("")

    assert code_of(repository) == before


def test_what_the_state_counts_is_in_the_repository() -> None:
    assert [name for name in CODE if not (REPOSITORY / name).exists()] == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "stacks").mkdir(parents=True)
    for name in ("one", "two", "three"):
        (folder / "stacks" / f"{name}.yaml").write_text(STACK)
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The stacks that each process was to render."""
    calls: list[list[str]] = []
    run = subprocess.run

    def noted(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        calls.append(command[command.index("tests.renders.fill") + 3 :])
        return run(command, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(subprocess, "run", noted)
    return calls


def test_a_state_is_rendered_once_for_all_who_ask(root: Path, tmp_path: Path, asked: list[list[str]]) -> None:
    stores = [Store({"here": root}, tmp_path / "kept") for _ in range(3)]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda each: each.get("here/one", beside=["here/two", "elsewhere/four"]), stores))
    later = stores[0].get("here/two")
    (straight,) = render(Options(root, ("one",), jobs=1)).stacks

    assert asked == [["one", "two"]]
    assert [item.text for item in found[2].objects()] == [item.text for item in straight.objects()]
    assert (found[0].waves, found[0].needs) == (straight.waves, straight.needs)
    assert later.name == "two"


def test_a_changed_stack_is_rendered_again(root: Path, tmp_path: Path) -> None:
    old, new = (Store({"here": root}, tmp_path / "kept") for _ in range(2))
    before = old.get("here/one", beside=["here/two"])
    (root / "stacks" / "one.yaml").write_text(STACK.replace("vision", "speech"))
    after = new.get("here/one", beside=["here/two"])

    assert [each.name for each in before.platform.teams] == ["vision"]
    assert [each.name for each in after.platform.teams] == ["speech"]
    assert old.digest("here/one") != new.digest("here/one")
    assert old.digest("here/two") == new.digest("here/two")


def test_a_stack_that_cannot_be_rendered_fails_with_its_reason_once(
    root: Path, tmp_path: Path, asked: list[list[str]]
) -> None:
    (root / "stacks" / "one.yaml").write_text(f"{STACK}components: {{misspelt: {{}}}}\n")
    here = Store({"here": root}, tmp_path / "kept")
    for _ in range(2):
        with pytest.raises(NotRenderedError, match=r"(?s)here: one cannot be rendered:.*stacks/one.yaml:4.*misspelt"):
            here.get("here/one")

    assert asked == [["one"]]


def test_a_finding_of_severity_error_is_a_reason(root: Path, tmp_path: Path) -> None:
    overlay = root / "overlays" / "one" / "namespaces" / "kustomization.yaml"
    overlay.parent.mkdir(parents=True)
    overlay.write_text(PATCH)

    with pytest.raises(NotRenderedError, match=r"(?s)here: one cannot be rendered:\none: '-' may have only letters"):
        Store({"here": root}, tmp_path / "kept").get("here/one")


def test_a_stack_that_reads_what_is_no_part_of_the_state_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "apps").mkdir()
    (root / "apps" / "map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    (root / "stacks" / "one.yaml").write_text(f"{STACK}components: {{x: {{path: apps, namespace: x}}}}\n")

    with pytest.raises(NotRenderedError, match="apps: read by a stack, and no part of its state"):
        Store({"here": root}, tmp_path / "kept").get("here/one")


def test_files_that_change_meanwhile_are_noticed(root: Path, tmp_path: Path) -> None:
    assert fill.main(root, tmp_path / "another-state", ["one"]) == (
        "the files are no longer those that the tests began with: run them again"
    )


def test_states_that_were_used_longest_ago_go(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    for number in range(KEPT + 2):
        (folder / f"state-{number}").mkdir(parents=True)
    (folder / "builds").mkdir()
    Store({"here": root}, folder).get("here/one")

    assert len([each for each in folder.iterdir() if each.is_dir()]) == KEPT + 1
    assert (folder / "builds").is_dir()


def test_stacks_are_known_before_anything_is_rendered() -> None:
    assert "coverage/everything" in names_of("coverage")
    assert "stacks/onprem-gpu" in names_of("stacks")
