"""A run that works only what has changed says and writes what a run that works everything says and writes.

Edits of every kind of what stacks are made from, and of what they left, follow each other at random. After each of them
the command runs twice: with the records of the runs so far, in groups of one stack, and in a copy that has none.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from platform_def.cli.progress import Ticker
from platform_def.pipeline.fleet import records, run
from platform_def.pipeline.fleet.records import Records
from platform_def.pipeline.synth import Rendered, render_loaded
from platform_def.pipeline.unchanged import RunNote
from tests.acceptance.repository import HEAD, PLATFORMCTL, Done, Repository, contents

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "100"))
ROUNDS = int(os.environ.get("KILL_ROUNDS", "4"))
"""Random moments at which a run over a fleet is killed; `make kill-test` takes more."""

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{text: '{text}'}}\n"
PATCH = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {{kind: ConfigMap}}
    patch: '[{{"op": "add", "path": "/data/{key}", "value": "{value}"}}]'
"""
ONE = f"{HEAD}extends: [base/shared.yaml]\ncomponents: {{own: {{path: apps/own, namespace: own}}}}\n"
TWO = f"{HEAD}extends: [base/shared.yaml]\n"
FILES = {
    "stacks/base/shared.yaml": f"{HEAD}teams: [{{name: shared}}]\n",
    "stacks/one.yaml": ONE,
    "stacks/two.yaml": TWO,
    "stacks/three.yaml": f"{HEAD}teams: [{{name: three}}]\n",
    "shared/linked.yaml": f"{HEAD}extends: [../more/under.yaml]\n",
    "shared/other.yaml": f"{HEAD}teams: [{{name: linked}}, {{name: other}}]\n",
    "more/under.yaml": f"{HEAD}teams: [{{name: linked}}]\n",
    "apps/own/object.yaml": OBJECT.format(name="own", text="first"),
}

Edit = Callable[[Path, int], None]


def put(path: str, text: str) -> Edit:
    """Write a file; `%d` in its text is the number of the edit."""

    def edit(root: Path, number: int) -> None:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("%d", str(number)), encoding="utf-8")

    return edit


def drop(path: str) -> Edit:
    """Remove a file or folder, if it is there."""

    def edit(root: Path, _: int) -> None:
        target = root / path
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)

    return edit


def lead(link: str, target: str) -> Edit:
    """Let a link lead elsewhere."""

    def edit(root: Path, _: int) -> None:
        (root / link).unlink(missing_ok=True)
        (root / link).symlink_to(target)

    return edit


def by_hand(root: Path, number: int) -> None:
    """Change one of the written files, its size and modification time as before."""
    files = sorted((root / "dist").rglob("*.yaml"))
    if files:
        file = files[number * 7 % len(files)]
        before = file.stat()
        file.write_bytes(file.read_bytes()[:-2] + b"~\n")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def lost(root: Path, number: int) -> None:
    """Remove one of the written files."""
    files = sorted((root / "dist").rglob("*.*"))
    if files:
        files[number * 5 % len(files)].unlink()


def moved(root: Path, _: int) -> None:
    """Give what a stack left another time, and nothing else."""
    for file in (root / "dist/two").rglob("*.yaml"):
        os.utime(file)


def renamed(root: Path, _: int) -> None:
    """Give a stack's file the other ending."""
    if (root / "stacks/three.yaml").exists():
        (root / "stacks/three.yaml").replace(root / "stacks/three.yml")


EDITS: dict[str, Edit] = {
    "a stack's value": put("stacks/two.yaml", TWO + "components: {namespaces: {labels: {edit: 'n%d'}}}\n"),
    "a stack as it was": put("stacks/two.yaml", TWO),
    "another team": put("stacks/three.yaml", f"{HEAD}teams: [{{name: three}}, {{name: n%d}}]\n"),
    "a team that is lost": put("stacks/three.yaml", f"{HEAD}teams: [{{name: three}}]\n"),
    "a retired team": put("stacks/three.yaml", f"{HEAD}teams: [{{name: three}}]\nretire: {{team-n1: gone, team-n2: gone}}\n"),
    "a base": put("stacks/base/shared.yaml", f"{HEAD}teams: [{{name: shared, podSecurity: baseline}}]\n"),
    "the base as it was": put("stacks/base/shared.yaml", FILES["stacks/base/shared.yaml"]),
    "a base of a base": put("stacks/base/shared.yaml", f"{HEAD}extends: [../../more/under.yaml]\nteams: [{{name: shared}}]\n"),
    "a base outside stacks/": put("more/under.yaml", f"{HEAD}teams: [{{name: linked}}]\n# %d\n"),
    "what a link leads to": put("shared/linked.yaml", f"{HEAD}extends: [../more/under.yaml]\nteams: [{{name: n%d}}]\n"),
    "a link that leads elsewhere": lead("stacks/linked.yaml", "../shared/other.yaml"),
    "a link as it was": lead("stacks/linked.yaml", "../shared/linked.yaml"),
    "a base that nobody extends": put("stacks/base/unused.yaml", f"{HEAD}# %d\n"),
    "no such base": drop("stacks/base/unused.yaml"),
    "an object of the user's": put("apps/own/object.yaml", OBJECT.format(name="own", text="n%d")),
    "another file of the user's": put("apps/own/more.yaml", OBJECT.format(name="more", text="n%d")),
    "a file of the user's less": drop("apps/own/more.yaml"),
    "two objects of one name": put("apps/own/twin.yaml", OBJECT.format(name="own", text="twin")),
    "one of them less": drop("apps/own/twin.yaml"),
    "an overlay": put("overlays/one/own/kustomization.yaml", PATCH.format(key="n", value="n%d")),
    "no overlay": drop("overlays/one"),
    "an overlay for all": put("overlays/_all/own/kustomization.yaml", PATCH.format(key="all", value="n%d")),
    "no overlay for all": drop("overlays/_all"),
    "an overlay for nothing": put("overlays/two/own/kustomization.yaml", PATCH.format(key="n", value="n")),
    "that overlay less": drop("overlays/two"),
    "a wrong field": put("stacks/two.yaml", TWO + "pools: []\n"),
    "a wrong overlay": put("overlays/one/own/kustomization.yaml", "namePrefix: n%d-\n"),
    "a waiver": put("stacks/two.yaml", TWO + "checks: {waive: [{rule: image-tag, object: Deployment x, reason: n%d}]}\n"),
    "a new stack": put("stacks/new.yaml", f"{HEAD}teams: [{{name: new}}]\n"),
    "a stack less": drop("stacks/new.yaml"),
    "a retired stack": put("stacks/new.yaml", "apiVersion: platform-def/v1\nretire: gone\n"),
    "a stack with another ending": renamed,
    "two files of one stack": put("stacks/three.yml", f"{HEAD}teams: [{{name: three}}]\n"),
    "the second of them less": drop("stacks/three.yml"),
    "a written file, by hand": by_hand,
    "a written file less": lost,
    "written files, by time": moved,
    "a written stack less": drop("dist/three"),
    "a foreign file in a stack": put("dist/two/mine.yaml", "n%d\n"),
    "no foreign file": drop("dist/two/mine.yaml"),
    "a foreign file at the top": put("dist/mine", "n%d\n"),
    "a foreign folder": put("dist/theirs/file", "n%d\n"),
    "a damaged index": put("dist/one/index.json", "{}"),
    "nothing": lambda *_: None,
}  # fmt: skip


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A few small stacks, written once; not to be changed."""
    made = Repository(tmp_path_factory.mktemp("start") / "r").write(FILES)
    (made.root / "stacks/linked.yaml").symlink_to("../shared/linked.yaml")
    made.ask("synth")
    return made


def said(done: Done) -> tuple[int, str, str]:
    """What a run says, without how long it took."""
    return done.code, re.sub(r'"seconds": [\d.]+', "", done.out), re.sub(r" in \d+\.\d s", "", done.err)


def runs_with_records(repository: Repository, *words: str) -> Done:
    """A run in groups of one stack that has its records and not the note by which it may have nothing to do at all."""
    for note in (repository.root / ".platformctl").glob("last-*"):
        note.unlink()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(run, "GROUP", 1)
        return repository.hear(*words)


def runs_without(repository: Repository, folder: Path, *words: str) -> tuple[Done, dict[str, bytes]]:
    """The same in a copy without records."""
    copy = repository.copy(folder)
    for kept in (*(copy.root / ".platformctl").glob("last-*"), *(copy.root / ".platformctl").glob("stacks-*")):
        kept.unlink()
    return copy.hear(*words), copy.files()


WORDS = (("synth",), ("synth", "two"), ("synth", "--check"), ("synth", "-o", "json"), ("synth", "one", "three"))


@settings(
    max_examples=max(1, min(EXAMPLES // 5, 500)),
    database=None,
    derandomize="FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # every try is several runs
)
@example([(["two objects of one name"], WORDS[0]), (["an overlay for nothing", "a retired stack"], WORDS[0])])
@given(
    steps=st.lists(
        st.tuples(
            st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=2), st.sampled_from((WORDS[0], *WORDS))
        ),
        min_size=2,
        max_size=5,
    )
)
def test_after_any_edits_a_run_with_records_is_one_without(
    start: Repository, steps: list[tuple[list[str], tuple[str, ...]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = start.copy(Path(folder, "kept/r"))
        runs_with_records(kept, "synth")
        for number, (names, words) in enumerate(steps, 1):
            for name in names:
                EDITS[name](kept.root, number)
            fresh, files = runs_without(kept, Path(folder, f"{number}/r"), *words)
            done = runs_with_records(kept, *words)

            assert said(done) == said(fresh), (number, names)
            assert kept.files() == files, (number, names)


def test_two_objects_of_one_name_are_a_finding_before_they_want_one_file(start: Repository, tmp_path: Path) -> None:
    repository = start.copy(tmp_path / "r")
    EDITS["two objects of one name"](repository.root, 1)

    assert "duplicate-object" in repository.ask("synth", code=1).err
    assert "two objects want" in repository.ask("synth", "--no-check", code=2).err


@pytest.fixture
def written(start: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A copy that has been written, with the records of that."""
    # The files of the copy are new: what came just before a run may have come while it ran, and counts for the next.
    monkeypatch.setattr(records, "_MARGIN_NS", 0)
    kept = start.copy(tmp_path / "r")
    runs_with_records(kept, "synth")
    return kept


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Gets the names of the stacks that are rendered."""
    names: list[str] = []

    def watched(options: object, shared: object, loaded: list[object], *rest: object, **more: object) -> Rendered:
        names.extend(each.name for each in loaded)  # type: ignore[attr-defined]
        return render_loaded(options, shared, loaded, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "render_loaded", watched)
    return names


@pytest.mark.parametrize(
    ("edit", "worked"),
    [
        ("a stack's value", {"two"}),
        ("a base", {"one", "two"}),
        ("a base outside stacks/", {"linked"}),
        ("an object of the user's", {"one"}),
        ("an overlay", {"one"}),
        ("an overlay for all", {"linked", "one", "three", "two"}),
        ("a written stack less", {"three"}),
        ("a foreign file in a stack", {"two"}),
        ("written files, by time", {"two"}),
        ("a base that nobody extends", set()),
        ("a new stack", {"new"}),
    ],
)
def test_only_stacks_whose_inputs_or_outputs_moved_are_worked(
    written: Repository, rendered: list[str], edit: str, worked: set[str]
) -> None:
    EDITS[edit](written.root, 1)

    written.ask("synth")

    assert {*rendered} == worked


def test_other_code_works_every_stack(
    written: Repository, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform_def.cli.synth.code_digest", lambda _: "other")

    written.ask("synth")

    assert len(rendered) == 4


@pytest.mark.parametrize("damage", [b"", b"{}", b"null", b"\xff", b'{"code": "x", "stacks": []}\nabc'])
def test_damaged_records_count_as_absent(written: Repository, rendered: list[str], damage: bytes) -> None:
    for file in (written.root / ".platformctl").glob("stacks-*"):
        file.write_bytes(damage)
    EDITS["a stack's value"](written.root, 1)

    written.ask("synth")

    assert len(rendered) == 4


@pytest.mark.parametrize(
    "path", ["overlays/one/own/kustomization.yaml", "overlays/_all/own/kustomization.yaml", "apps/own/object.yaml"]
)
@pytest.mark.parametrize("there", [True, False])
def test_what_changes_while_it_is_read_is_read_again(
    written: Repository, monkeypatch: pytest.MonkeyPatch, path: str, there: bool
) -> None:
    """Someone tries something in the middle of a run, takes it back, and so never sees a run with it."""
    texts = [PATCH.format(key="n", value=value) for value in ("before", "meanwhile")]
    texts = [OBJECT.format(name="own", text=value) for value in ("before", "meanwhile")] if "apps" in path else texts
    if there:
        written.write({path: texts[0]})
        written.ask("synth")
    before = written.files()
    began = RunNote.begin

    def outpaced(note: RunNote) -> None:
        began(note)
        monkeypatch.setattr(Records, "settled", settled_then_changed)

    recall = Records.settled

    def settled_then_changed(records: Records, *words: object, **more: object) -> object:
        found = recall(records, *words, **more)  # type: ignore[arg-type]
        written.write({path: texts[1]})
        monkeypatch.setattr(Records, "settled", recall)
        return found

    monkeypatch.setattr(RunNote, "begin", outpaced)
    EDITS["a stack's value"](written.root, 1)
    written.write({"stacks/one.yaml": ONE + "# read again\n"})
    written.ask("synth")
    monkeypatch.setattr(RunNote, "begin", began)
    if there or "apps" in path:
        written.write({path: texts[0] if there else FILES[path]})
    else:
        shutil.rmtree(written.root / "overlays")
    EDITS["a stack as it was"](written.root, 1)

    written.ask("synth")

    assert written.files() == before


def test_a_stack_that_another_run_has_written_meanwhile_is_worked(
    written: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    EDITS["a stack's value"](written.root, 1)
    before = (written.root / "stacks/three.yaml").read_text()
    work = run.work

    def outpaced(*words: object) -> object:
        """Another run writes an older state of a stack, once this one has found nothing to do there."""
        monkeypatch.setattr(run, "work", work)
        done = work(*words)  # type: ignore[arg-type]
        EDITS["another team"](written.root, 1)
        written.ask("synth", "three")
        (written.root / "stacks/three.yaml").write_text(before + "retire: {team-n1: gone}\n")
        return done

    monkeypatch.setattr(run, "work", outpaced)

    written.ask("synth")

    assert not [path for path in written.files() if "team-n1" in path]


def test_an_interrupted_run_goes_on_from_what_was_built(
    start: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = start.copy(tmp_path / "r")
    shutil.rmtree(repository.root / ".platformctl")
    before = repository.files()
    built: list[str] = []
    groups = iter(range(3))

    def interrupted(*words: object, **more: object) -> Rendered:
        if next(groups) == 2:
            raise KeyboardInterrupt
        return render_loaded(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(
        Ticker, "__call__", lambda _, progress: built.extend([] if progress.cached else [progress.what])
    )
    monkeypatch.setattr(run, "GROUP", 1)
    monkeypatch.setattr(run, "render_loaded", interrupted)
    put("stacks/one.yaml", ONE + "teams: [{name: more}]\n")(repository.root, 1)

    done = repository.hear("synth")

    assert "interrupted; nothing was written" in done.err
    assert repository.files() == before
    first = {*built}
    built.clear()
    monkeypatch.setattr(run, "render_loaded", render_loaded)
    repository.ask("synth")
    assert len(first) == 2
    assert {*built} == {"three/namespaces", "two/namespaces"}
    assert first.isdisjoint(built)


def test_killed_at_random_moments_a_fleet_is_the_former_one_or_the_new_one(start: Repository, tmp_path: Path) -> None:
    fleet = start.copy(tmp_path / "r")
    more = {f"stacks/more-{number}.yaml": f"{HEAD}teams: [{{name: n{number}}}]\n" for number in range(30)}
    fleet.write(more).ask("synth")
    moments = random.Random()
    for number in range(ROUNDS):
        old = fleet.files()
        EDITS["a base"](fleet.root, number)
        label = f"components: {{namespaces: {{labels: {{round: 'n{number}'}}}}}}\n"
        fleet.write({name: text + label for name, text in more.items()})
        new = fleet.copy(tmp_path / f"new-{number}")
        began = time.monotonic()
        new.run("synth")
        took = time.monotonic() - began

        process = subprocess.Popen([PLATFORMCTL, "synth"], cwd=fleet.root, stderr=subprocess.DEVNULL)
        try:
            process.wait(moments.uniform(took / 4, took * 1.1))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()

        assert contents(fleet.root / "dist") in (old, new.files())
        fleet.ask("synth")
        assert fleet.files() == new.files()
