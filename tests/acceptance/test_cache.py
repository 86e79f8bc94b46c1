"""What is kept from former runs never shows: whatever changes, a run with caches writes what one without them writes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from platform_def.pipeline import code
from platform_def.pipeline.build.stacks import Progress
from platform_def.pipeline.synth import Options, render
from platform_def.pipeline.unchanged import RunNote, Summary
from tests.acceptance.conftest import CONFIG_MAP, FILES, PATCH
from tests.acceptance.repository import BIN, HEAD, SMALL, Repository

Files = dict[str, dict[str, bytes]]

ONE, BASE = FILES["stacks/one.yaml"], FILES["stacks/base/shared.yaml"]
OVERLAY = "overlays/one/training-operator/kustomization.yaml"

CHANGES: dict[str, dict[str, str]] = {
    "a component's configuration": {"stacks/one.yaml": ONE.replace("threads: 3", "threads: 2")},
    "a base": {"stacks/base/shared.yaml": BASE.replace("threads: 2", "labels: {tier: ml}")},
    "the Kubernetes version": {"stacks/one.yaml": ONE.replace("1.36", "1.35")},
    "a fact that was read": {"stacks/two.yaml": SMALL.replace('"1.36"', '"1.36", registry: mirror.example.com')},
    "a fact that was not read": {"stacks/two.yaml": SMALL.replace('"1.36"', '"1.36", nvidiaRuntime: default')},
    "a job": {"stacks/one.yaml": ONE.replace("workers: 2", "workers: 1")},
    "a node pool": {"stacks/one.yaml": ONE.replace("nodes: 2", 'nodes: 2, taints: ["gpu=yes:NoSchedule"]')},
    "an overlay": {OVERLAY: PATCH.replace("30", "31")},
    "a file that an overlay names": {
        OVERLAY: PATCH.replace("- {op: replace, path: /spec/template/spec/terminationGracePeriodSeconds, value: 30}", "")
        .replace("patch: |-\n", "path: patch.yaml\n"),
        "overlays/one/training-operator/patch.yaml":
            "- {op: replace, path: /spec/template/spec/terminationGracePeriodSeconds, value: 32}\n",
    },
    "an overlay for all stacks": {"overlays/_all/training-operator/kustomization.yaml": PATCH.replace("30", "33")},
    "an application": {"apps/greeter/greeting.yaml": CONFIG_MAP.replace("grüße", "hello")},
    "another file of an application": {"apps/greeter/more.yaml": CONFIG_MAP.replace("greeting", "more")},
    "an application's namespace": {"stacks/one.yaml": ONE.replace("namespace: greeter", "namespace: other")},
}  # fmt: skip


def rendered(
    repository: Repository, cache: Path | None, *, code_hash: str = "", built: list[str] | None = None
) -> Files:
    """The files of all stacks; `built` gets the names of what was not in the cache."""

    def report(progress: Progress) -> None:
        if built is not None and not progress.cached:
            built.append(progress.what)

    return render(Options(repository.root, cache=cache, code=code_hash, jobs=1, report=report)).files()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, Files]:
    """A repository with a filled cache in `cache`, and its files; not to be changed."""
    repository = Repository(tmp_path_factory.mktemp("filled")).write(FILES)
    return repository, rendered(repository, repository.root / "cache")


@pytest.fixture
def kept(filled: tuple[Repository, Files], tmp_path: Path) -> Repository:
    """A copy of it to change."""
    return filled[0].copy(tmp_path / "kept")


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_after_a_change_a_cached_result_is_the_fresh_one(
    filled: tuple[Repository, Files], kept: Repository, change: str
) -> None:
    kept.write(CHANGES[change])

    cached, again = rendered(kept, kept.root / "cache"), rendered(kept, kept.root / "cache")
    fresh = rendered(kept, None)

    assert cached == again == fresh
    assert (fresh != filled[1]) == (change != "a fact that was not read")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("a fact that was not read", set()),
        ("an overlay", set()),
        ("an application", set()),
        ("a job", {"one/hello"}),
        ("a component's configuration", {"one/training-operator"}),
        ("the Kubernetes version", {"one/training-operator", "one/namespaces", "one/hello"}),
    ],
)
def test_only_what_a_change_concerns_is_built(kept: Repository, change: str, expected: set[str]) -> None:
    built: list[str] = []

    rendered(kept.write(CHANGES[change]), kept.root / "cache", built=built)

    assert set(built) == expected


def test_other_code_builds_everything_anew(filled: tuple[Repository, Files], kept: Repository) -> None:
    built: list[str] = []

    assert rendered(kept, kept.root / "cache", code_hash="other", built=built) == filled[1]
    assert len(built) == 5


# --- the hash of the code


@pytest.mark.parametrize("package", code.SHAPING)
def test_another_version_of_a_package_is_other_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setattr(code, "_version", lambda _: "1")
    before = code.code_digest(tmp_path)
    monkeypatch.setattr(code, "_version", lambda name: "2" if name == package else "1")

    assert code.code_digest(tmp_path) != before


def test_another_name_for_what_a_package_brings_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for name in ("one", "two"):
        point = EntryPoint(name, "json:loads", "platform_def.components")
        monkeypatch.setattr(code, "entry_points", lambda point=point: EntryPoints([point]))
        found.append(code.code_digest(tmp_path))

    assert found[0] != found[1]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is all of the code."""
    file = tmp_path / "package/module.py"
    file.parent.mkdir()
    file.write_text("ONE = 1\n")
    monkeypatch.setattr(code, "_roots", lambda _: [file.parent])
    return file


def append(file: Path) -> None:
    file.write_text("ONE = 1\n\n")


def rename(file: Path) -> None:
    file.rename(file.with_name("other.py"))


def add(file: Path) -> None:
    file.with_name("data.json").write_text("{}")


def edit_as_if_untouched(file: Path) -> None:
    before = file.stat()
    file.write_text("ONE = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change", [append, rename, add, edit_as_if_untouched], ids=lambda each: each.__name__)
def test_a_changed_source_is_other_code(source: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    before = code.code_digest(tmp_path / "state")
    change(source)

    assert code.code_digest(tmp_path / "state") != before


def test_compiled_files_are_no_code(source: Path, tmp_path: Path) -> None:
    before = code.code_digest(tmp_path / "state")
    (source.parent / "__pycache__").mkdir()
    (source.parent / "__pycache__/module.cpython-311.pyc").write_bytes(b"x")

    assert code.code_digest(tmp_path / "state") == before


# --- damage


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"null", b"\xff\x00", b'{"objects": 1}\nabc'])
def test_a_damaged_file_counts_as_absent(built: Repository, damage: bytes) -> None:
    before = built.files()
    for path in (built.root / ".platformctl").rglob("*"):
        if path.is_file():
            path.write_bytes(damage)
    shutil.rmtree(built.root / "dist")

    built.ask("synth")
    built.ask("synth", "--check")

    assert built.files() == before


def test_a_cut_off_file_counts_as_absent(built: Repository) -> None:
    before = built.files()
    for path in (built.root / ".platformctl/cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-100])
    shutil.rmtree(built.root / "dist")

    built.ask("synth")

    assert built.files() == before


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(small: Repository) -> None:
    (small.root / ".platformctl").mkdir()
    small.write({".platformctl/cache": "a file", ".platformctl/code.json/x": "a folder"})

    assert "files added" in small.ask("synth").err
    assert "nothing has changed" in small.ask("synth").err


def test_without_a_place_for_state_a_repository_can_still_be_checked(built: Repository) -> None:
    shutil.rmtree(built.root / ".platformctl")
    built.write({".platformctl": "a file"})

    assert "is current" in built.ask("synth", "--check").err
    assert "no findings" in built.ask("check").err
    assert "cannot lock" in built.ask("synth", code=2).err


# --- a run without work


def test_a_run_without_work_loads_neither_models_nor_cdk8s(built: Repository) -> None:
    built.ask("synth")
    program = (
        "import sys; from platform_def.cli.main import main; sys.argv[0] = 'platformctl'\n"
        "try: main()\n"
        "except SystemExit: print(*sys.modules)"
    )

    for words in (["synth"], ["synth", "--check"]):
        done = built.call(str(BIN / "python"), "-c", program, *words)
        loaded = set(done.out.split())

        assert "nothing has changed" in done.err or "is current" in done.err
        assert loaded & {"cdk8s", "constructs", "jsii", "yaml", "jsonschema_rs", "rich", "platform_def.config"} == set()


ELSEWHERE = {
    "stacks/a.yaml": f"{HEAD}extends: [../shared/base.yaml]\ncomponents: {{mine: {{path: apps/mine, namespace: mine}}}}\n",
    "shared/base.yaml": SMALL,
    "apps/mine/kustomization.yaml": "resources: [../base]\n",
    "apps/base/kustomization.yaml": "resources: [object.yaml]\n",
    "apps/base/object.yaml": CONFIG_MAP,
    "shared/overlay/kustomization.yaml": PATCH,
    "shared/b.yaml": SMALL,
}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("stacks/a.yaml", "namespace: mine", "namespace: other"),
        ("shared/base.yaml", "{}", "{threads: 2}"),
        ("apps/base/object.yaml", "grüße", "hello"),
        ("shared/overlay/kustomization.yaml", "30", "31"),
        ("shared/b.yaml", "{}", "{threads: 2}"),
    ],
)
def test_work_is_seen_wherever_a_file_lies(repository: Repository, path: str, old: str, new: str) -> None:
    repository.write(ELSEWHERE)
    (repository.root / "stacks/b.yaml").symlink_to("../shared/b.yaml")
    (repository.root / "overlays/a").mkdir(parents=True)
    (repository.root / "overlays/a/training-operator").symlink_to("../../shared/overlay")
    repository.ask("synth")
    before = repository.files()

    assert "nothing has changed" in repository.ask("synth").err
    repository.write({path: (repository.root / path).read_text(encoding="utf-8").replace(old, new)})
    repository.ask("synth")
    repository.ask("synth", "--no-cache", "--out", "fresh/dist")

    assert repository.files() == repository.files("fresh/dist") != before


def test_a_file_that_is_edited_during_a_run_counts_for_the_next(small: Repository, tmp_path: Path) -> None:
    note = RunNote(small.root, tmp_path, small.root / "dist", names=(), code="")
    note.begin()
    note.beside(())
    small.write({"stacks/a.yaml": SMALL.replace("{}", "{threads: 2}")})
    note.keep(Summary(1, 1, 1))

    assert note.find() is None


@pytest.mark.parametrize(
    ("make", "name", "told"),
    [
        (Path.mkdir, "stacks/t.yaml", "stacks/t.yaml: is a folder"),
        (os.mkfifo, "stacks/t.yaml", "stacks/t.yaml: cannot be read: it is no regular file"),
        (os.mkfifo, "apps/mine/t.yaml", "apps/mine/t.yaml: cannot be read: it is no regular file"),
    ],
)
def test_what_is_no_file_is_seen_where_a_file_belongs(
    repository: Repository, make: Callable[[Path], None], name: str, told: str
) -> None:
    own = f"{HEAD}components: {{mine: {{path: apps/mine, namespace: mine}}}}\n"
    repository.write({"stacks/a.yaml": own, "apps/mine/object.yaml": CONFIG_MAP})
    repository.ask("synth")
    assert "nothing has changed" in repository.ask("synth").err

    make(repository.root / name)

    assert told in repository.ask("synth", code=2).err


def test_what_a_stack_no_longer_says_is_told_where_the_objects_stay_the_same(repository: Repository) -> None:
    entry = "{driver: nfs, server: nfs.example.com, share: /x, default: true"
    told = []
    for said in (", reclaimPolicy: Delete", "", ", reclaimPolicy: Delete"):
        stack = f"{HEAD}components: {{csi-driver-nfs: {{}}}}\nstorage: {{data: {entry}{said}}}}}\n"
        repository.write({"stacks/one.yaml": stack})
        found = render(Options(repository.root, ("one",), repository.root / "cache", jobs=1)).findings["one"]
        told.append("default-class" in {each.rule for each in found})

    assert told == [False, True, False]
