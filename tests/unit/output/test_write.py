"""What a write leaves on disk, and what it says it did; each fact holds with folders exchanged and with the journal."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from platform_def.errors import ConfigError, PlatformError
from platform_def.pipeline.output import exchange
from platform_def.pipeline.output.index import Index, digests
from platform_def.pipeline.output.tree import Signature, fingerprint, read, signatures
from platform_def.pipeline.output.write import OutputDrift, Written, compare, recover, write

TWO = {"one": {"a/main/n/x.yaml": "1", "a/main/n/y.yaml": "1"}, "two": {"a/main/n/x.yaml": "2"}}


def stacks(texts: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, bytes]]:
    """Stacks of these files, each with its index."""
    made = {name: {path: text.encode() for path, text in files.items()} for name, files in texts.items()}
    return {
        name: files | {"index.json": Index(stack=name, files=digests(files)).encode()} for name, files in made.items()
    }


class Disk:
    """An output folder and its state folder."""

    def __init__(self, folder: Path) -> None:
        self.out, self.state = folder / "dist", folder / ".platformctl"

    def write(
        self,
        texts: Mapping[str, Mapping[str, str]],
        *,
        remove: tuple[str, ...] = (),
        adopt: bool = False,
        left: Mapping[str, Signature] = MappingProxyType({}),
    ) -> Written:
        return write(self.out, stacks(texts), state=self.state, remove=remove, adopt=adopt, left=left)

    def compare(self, texts: Mapping[str, Mapping[str, str]], *, remove: tuple[str, ...] = ()) -> OutputDrift:
        return compare(self.out, stacks(texts), remove)

    def put(self, path: str, text: str) -> Path:
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def files(self) -> dict[str, str]:
        """What lies in the output folder, indexes left out."""
        found = (path for path in self.out.rglob("*") if not path.is_dir() or path.is_symlink())
        return {
            str(path.relative_to(self.out)): str(path.readlink()) if path.is_symlink() else path.read_text()
            for path in found
            if path.name != "index.json"
        }


@pytest.fixture(params=["exchange", "journal"])
def disk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    def cannot(*_: str) -> None:
        raise OSError(errno.EINVAL, "not on this file system")

    if request.param == "journal":
        monkeypatch.setattr(exchange, "exchange", cannot)
    elif not exchange.supported(str(tmp_path / "probe")):
        pytest.skip("this file system can't exchange folders")
    return Disk(tmp_path)


def flat(texts: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {f"{name}/{path}": text for name, files in texts.items() for path, text in files.items()}


def test_the_first_write_makes_the_output_folder(disk: Disk) -> None:
    written = disk.write(TWO)

    assert disk.files() == flat(TWO)
    assert written.added == tuple(sorted([*flat(TWO), "one/index.json", "two/index.json"]))
    assert written.changed == written.removed == written.unchanged == written.foreign == ()


def test_a_second_write_of_the_same_touches_nothing(disk: Disk) -> None:
    disk.write(TWO)
    before = fingerprint(disk.out), disk.out.stat().st_mtime_ns, disk.out.stat().st_ino

    written = disk.write(TWO)

    assert (fingerprint(disk.out), disk.out.stat().st_mtime_ns, disk.out.stat().st_ino) == before
    assert len(written.unchanged) == 5
    assert written.added == written.changed == written.removed == ()


@pytest.mark.parametrize("both", [False, True], ids=["one-stack", "both-stacks"])
def test_added_changed_and_removed_files_are_told_apart(disk: Disk, both: bool) -> None:
    disk.write(TWO)
    after = {
        "one": {"a/main/n/x.yaml": "new", "b/main/n/z.yaml": "1"},
        "two": {"a/main/n/x.yaml": "3" if both else "2"},
    }

    written = disk.write(after)

    assert disk.files() == flat(after)
    assert written.added == ("one/b/main/n/z.yaml",)
    assert {"one/a/main/n/x.yaml", "one/index.json"} <= set(written.changed)
    assert ("two/a/main/n/x.yaml" in written.changed) is both
    assert written.removed == ("one/a/main/n/y.yaml",)
    assert not written.edited


def test_repeated_changes_to_and_fro_leave_just_what_is_wanted(disk: Disk) -> None:
    states: list[dict[str, dict[str, str]]] = [
        TWO,
        {"one": {"a/main/n/x.yaml": "1"}, "two": {"c": "1"}},
        {"one": {"a": "file where a folder was"}, "two": {"c/d": "folder where a file was"}},
        {"one": {"a/main/n/x.yaml": "2"}, "two": {"c/d": "folder where a file was"}},
        TWO,
    ]
    for state in [*states, *reversed(states)]:
        disk.write(state)

        assert disk.files() == flat(state)
        assert not disk.compare(state)


def test_unchanged_files_keep_inode_and_time(disk: Disk) -> None:
    disk.write(TWO)
    kept = disk.out / "one/a/main/n/y.yaml"
    before = kept.stat()

    disk.write({"one": {**TWO["one"], "a/main/n/x.yaml": "new"}, "two": {}})

    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_folders_left_empty_go(disk: Disk) -> None:
    disk.write(TWO)

    disk.write({"one": {"b": "1"}, "two": {"b": "1"}})

    assert sorted(path.name for path in disk.out.rglob("*") if path.is_dir()) == ["one", "two"]


def test_stacks_not_named_are_kept_untouched(disk: Disk) -> None:
    disk.write({**TWO, "three": {"x": "3"}})
    disk.put("two/a/main/n/x.yaml", "edited by hand")

    disk.write({"one": {"x": "new"}, "three": {"x": "new"}})

    assert disk.files() == {"one/x": "new", "three/x": "new", "two/a/main/n/x.yaml": "edited by hand"}


def test_a_file_replaced_since_the_last_write_is_taken_as_it_is_now(disk: Disk) -> None:
    for version in ("1", "2"):
        disk.write({name: {"x": version, "same": "s"} for name in ("one", "two", "three")})
    for place in ("three/x", "one/same"):
        text = "checked out" if place == "three/x" else "s"
        disk.put(f"{place}.new", text).replace(disk.out / place)

    disk.write({name: {"x": "3", "same": "s"} for name in ("one", "two")})

    assert disk.files() == {
        "one/x": "3",
        "one/same": "s",
        "two/x": "3",
        "two/same": "s",
        "three/x": "checked out",
        "three/same": "s",
    }


def test_a_removed_stack_leaves_only_what_was_not_ours(disk: Disk) -> None:
    disk.write(TWO)
    disk.put("two/notes.txt", "mine")

    written = disk.write({}, remove=("one", "two"))

    assert disk.files() == {"two/notes.txt": "mine"}
    assert not (disk.out / "one").exists()
    assert len(written.removed) == 5
    assert written.foreign == ("two/notes.txt",)


def test_a_stack_alone_can_be_removed_and_come_back(disk: Disk) -> None:
    disk.write(TWO)

    disk.write({}, remove=("two",))
    gone = disk.files()
    disk.write(TWO)

    assert gone == flat({"one": TWO["one"]})
    assert disk.files() == flat(TWO)


def test_removing_a_stack_that_is_not_there_does_nothing(disk: Disk) -> None:
    disk.write(TWO)

    assert not disk.write({}, remove=("nine",)).removed


@pytest.mark.parametrize("both", [False, True], ids=["one-stack", "both-stacks"])
def test_foreign_files_stay_and_are_reported(disk: Disk, both: bool) -> None:
    disk.write(TWO)
    disk.put("one/a/main/n/mine.yaml", "mine")
    disk.put("README", "mine")
    disk.put("other/x", "mine")
    (disk.out / "one/link").symlink_to("nowhere")

    written = disk.write({"one": {"x": "new"}, **({"two": {"x": "new"}} if both else {})})

    assert written.foreign == ("README", "one/a/main/n/mine.yaml", "one/link", "other/")
    left = {"one/a/main/n/mine.yaml": "mine", "README": "mine", "other/x": "mine", "one/link": "nowhere"}
    assert left.items() <= disk.files().items()


def test_a_foreign_file_with_a_name_that_is_no_text_stays(disk: Disk) -> None:
    disk.write(TWO)
    (disk.out / "one" / os.fsdecode(b"\xff")).touch()

    written = disk.write({"one": {"x": "new"}})

    assert written.foreign == ("one/\\xff",)
    assert (disk.out / "one" / os.fsdecode(b"\xff")).exists()


def test_a_foreign_file_is_written_to_through_an_open_handle_as_before(disk: Disk) -> None:
    disk.write(TWO)
    with disk.put("one/log", "").open("a") as log:
        disk.write({"one": {"x": "new"}, "two": {"x": "new"}})
        log.write("line")

    assert disk.files()["one/log"] == "line"


def test_a_file_edited_by_hand_is_overwritten_and_named(disk: Disk) -> None:
    disk.write(TWO)
    disk.put("one/a/main/n/x.yaml", "by hand")
    disk.put("one/a/main/n/y.yaml", "by hand")

    written = disk.write({"one": {"a/main/n/x.yaml": "1"}, "two": TWO["two"]})

    assert disk.files() == {"one/a/main/n/x.yaml": "1", "two/a/main/n/x.yaml": "2"}
    assert written.edited == ("one/a/main/n/x.yaml", "one/a/main/n/y.yaml")
    assert written.removed == ("one/a/main/n/y.yaml",)


def test_a_file_removed_by_hand_comes_back(disk: Disk) -> None:
    disk.write(TWO)
    (disk.out / "two/a/main/n/x.yaml").unlink()

    assert disk.write(TWO).added == ("two/a/main/n/x.yaml",)
    assert disk.files() == flat(TWO)


def test_a_foreign_file_at_a_wanted_place_stops_the_write(disk: Disk) -> None:
    disk.write({"one": {"x": "1"}})
    disk.put("one/y", "mine")
    before = fingerprint(disk.out)

    with pytest.raises(PlatformError, match="did not write y and would") as caught:
        disk.write({"one": {"x": "2", "y": "2"}})

    assert "--adopt" in str(caught.value)
    assert fingerprint(disk.out) == before


def test_adopt_takes_foreign_files_over_and_only_those_in_the_way(disk: Disk) -> None:
    disk.write({"one": {"x": "1"}})
    disk.put("one/y", "mine")
    disk.put("one/z", "mine")

    written = disk.write({"one": {"x": "2", "y": "2"}}, adopt=True)

    assert disk.files() == {"one/x": "2", "one/y": "2", "one/z": "mine"}
    assert written.foreign == ("one/z",)


def test_a_foreign_file_with_the_wanted_bytes_needs_no_adopt(disk: Disk) -> None:
    disk.put("one/x", "1")

    assert disk.write({"one": {"x": "1"}}).unchanged == ("one/x",)


@pytest.mark.parametrize("index", [b"", b"{}", b"\xff", b'{"apiVersion": "platform-def/v1"}'])
def test_without_a_readable_index_every_file_is_foreign(disk: Disk, index: bytes) -> None:
    disk.write(TWO)
    (disk.out / "one/index.json").write_bytes(index)

    with pytest.raises(PlatformError, match="--adopt"):
        disk.write({"one": {"a/main/n/x.yaml": "new"}})
    written = disk.write({"one": {"a/main/n/x.yaml": "new"}}, adopt=True)

    assert written.foreign == ("one/a/main/n/y.yaml",)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace('  "files"', '>>>>>>> branch\n  "files"'), ":4: a merge conflict of git"),
        (lambda text: text.replace('  "files"', '=======\n  "files"'), ":4: a merge conflict of git"),
        (lambda text: text.replace('  "kind"', '  kind'), "is not JSON from here on"),
        (lambda text: text[:40], "is not JSON from here on"),
        (lambda text: text.replace('"Index"', '"Other"'), "index.json: is no index that synth wrote"),
    ],
)  # fmt: skip
def test_an_index_that_cannot_be_read_is_named_with_its_line(
    disk: Disk, change: Callable[[str], str], words: str
) -> None:
    disk.write({"one": {"x": "1"}})
    index = disk.out / "one/index.json"
    index.write_text(change(index.read_text()))

    for attempt in (disk.write, disk.compare):
        with pytest.raises(PlatformError) as caught:
            attempt({"one": {"x": "2"}})
        [problem] = caught.value.problems
        assert words in str(problem)
        assert str(disk.out / "one/index.json") in str(problem)
        assert "--adopt" in problem.hint


def test_an_index_in_an_unsettled_merge_still_says_what_is_ours(disk: Disk) -> None:
    disk.write({"one": {"x": "1", "ours": "1"}})
    ours = (disk.out / "one/index.json").read_text()
    disk.write({"one": {"x": "1", "theirs": "1"}})
    theirs = (disk.out / "one/index.json").read_text()
    disk.put("one/ours", "1")
    disk.put("one/index.json", f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n")

    written = disk.write({"one": {"x": "2"}})

    assert written.removed == ("one/ours", "one/theirs")
    assert disk.files() == {"one/x": "2"}


def test_output_of_a_newer_tool_is_left_alone(disk: Disk) -> None:
    disk.put("one/index.json", Index(stack="one", files={}, tool="99.0").encode().decode())

    with pytest.raises(ConfigError, match=r"written by platform-def 99\.0"):
        disk.write({"one": {"x": "1"}})


def test_a_link_in_place_of_a_stack_is_not_followed(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    disk.out.mkdir()
    (disk.out / "one").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(PlatformError, match="in the way"):
        disk.write({"one": {"x": "1"}}, adopt=True)

    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_link_in_place_of_a_folder_is_not_followed(disk: Disk, tmp_path: Path) -> None:
    disk.write({"one": {"a/x": "1", "b": "1"}})
    (disk.out / "one/a/x").rename(tmp_path / "x")
    (disk.out / "one/a").rmdir()
    (disk.out / "one/a").symlink_to(tmp_path)

    with pytest.raises(PlatformError, match="in the way"):
        disk.write({"one": {"a/x": "2", "b": "1"}})

    assert (tmp_path / "x").read_text() == "1"


def test_a_link_in_place_of_a_file_is_replaced_not_followed(disk: Disk, tmp_path: Path) -> None:
    disk.write({"one": {"x": "1"}})
    (tmp_path / "mine").write_text("mine")
    (disk.out / "one/x").unlink()
    (disk.out / "one/x").symlink_to(tmp_path / "mine")

    written = disk.write({"one": {"x": "1"}})

    assert written.edited == ("one/x",)
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (disk.out / "one/x").is_symlink()


def test_a_pipe_in_place_of_a_file_does_not_hang(disk: Disk) -> None:
    disk.write({"one": {"x": "1"}})
    (disk.out / "one/x").unlink()
    os.mkfifo(disk.out / "one/x")

    assert disk.write({"one": {"x": "1"}}).edited == ("one/x",)


def test_foreign_files_in_a_folder_that_must_become_a_file_stop_the_write(disk: Disk) -> None:
    disk.write({"one": {"a/x": "1"}})
    disk.put("one/a/mine", "mine")

    with pytest.raises(PlatformError, match="in the way"):
        disk.write({"one": {"a": "1"}}, adopt=True)


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", ".hidden", "a\\b", "a\0"])
def test_a_stack_name_that_leads_elsewhere_is_refused(disk: Disk, name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be a stack's folder"):
        disk.write({name: {"x": "1"}})
    with pytest.raises(ConfigError, match="can't be a stack's folder"):
        disk.write({}, remove=(name,))

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["../x", "/tmp/x", "a/../../x", "a//b", "", "a/.."])
def test_a_file_path_that_leads_elsewhere_is_refused(disk: Disk, path: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be a file's path"):
        disk.write({"one": {path: "1"}})

    assert not list(tmp_path.iterdir())


def test_a_path_that_is_file_and_folder_is_refused(disk: Disk) -> None:
    with pytest.raises(ConfigError, match="a file and a folder"):
        disk.write({"one": {"a": "1", "a/b": "1"}})


def test_a_stack_both_written_and_removed_is_refused(disk: Disk) -> None:
    with pytest.raises(ConfigError, match="both to write and to remove"):
        disk.write(TWO, remove=("one",))


def test_an_output_that_is_a_file_is_refused(disk: Disk) -> None:
    disk.out.touch()

    with pytest.raises(PlatformError, match="is a file"):
        disk.write(TWO)


def test_an_output_that_is_a_link_stays_one(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    disk.out.symlink_to("real")

    disk.write(TWO)
    disk.write({"one": {"x": "1"}, "two": {"x": "1"}})

    assert disk.out.is_symlink()
    assert disk.files() == {"one/x": "1", "two/x": "1"}


def test_a_state_folder_in_the_output_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="lies in the output folder"):
        write(tmp_path, stacks(TWO), state=tmp_path / ".platformctl")

    assert not list(tmp_path.iterdir())


def test_a_git_repository_as_output_is_not_moved(disk: Disk) -> None:
    disk.put(".git/HEAD", "ref")
    folder = (disk.out / ".git").stat().st_ino, disk.out.stat().st_ino

    disk.write(TWO)
    disk.write({"one": {"x": "1"}, "two": {"x": "1"}})

    assert ((disk.out / ".git").stat().st_ino, disk.out.stat().st_ino) == folder
    assert disk.files() == {".git/HEAD": "ref", "one/x": "1", "two/x": "1"}


def test_two_outputs_may_share_a_state_folder(disk: Disk, tmp_path: Path) -> None:
    disk.write(TWO)
    write(tmp_path / "other/dist", stacks({"one": {"x": "1"}}), state=disk.state)

    disk.write({"one": {"x": "1"}, "two": {"x": "1"}})
    written = write(tmp_path / "other/dist", stacks({"one": {"x": "2"}}), state=disk.state)

    assert written.changed == ("one/index.json", "one/x")
    assert disk.files() == {"one/x": "1", "two/x": "1"}


@pytest.mark.parametrize("mask", [0o077, 0o002, 0o000])
def test_rights_do_not_depend_on_the_umask(disk: Disk, mask: int) -> None:
    before = os.umask(mask)
    try:
        disk.write(TWO)
        disk.write({"one": {"a/main/n/x.yaml": "new"}, "two": {"b/main/n/x.yaml": "new"}})
        disk.write({"one": {"b/main/n/x.yaml": "new"}})
    finally:
        os.umask(before)

    modes = {path.is_dir(): path.stat().st_mode & 0o777 for path in [disk.out, *disk.out.rglob("*")]}
    assert modes == {True: 0o755, False: 0o644}


def test_compare_tells_missing_stale_and_edited_apart(disk: Disk) -> None:
    disk.write({"one": {"stale": "1", "gone": "1", "edited": "1", "missing": "1"}})
    disk.put("one/edited", "by hand")
    disk.put("one/foreign", "mine")
    (disk.out / "one/missing").unlink()

    drift = disk.compare({"one": {"stale": "2", "edited": "2", "missing": "1", "new": "1"}})

    assert drift.missing == ("one/missing", "one/new")
    assert drift.stale == ("one/gone", "one/index.json", "one/stale")
    assert drift.edited == ("one/edited",)
    assert drift.foreign == ("one/foreign",)


def test_foreign_files_alone_are_no_drift(disk: Disk) -> None:
    disk.write(TWO)
    disk.put("one/mine", "mine")

    assert not disk.compare(TWO)


def test_a_foreign_file_at_a_wanted_place_is_drift(disk: Disk) -> None:
    disk.put("one/x", "mine")

    assert disk.compare({"one": {"x": "1"}}).edited == ("one/x",)


def test_compare_changes_nothing_on_disk(disk: Disk, tmp_path: Path) -> None:
    assert len(disk.compare(TWO).missing) == 5
    assert not list(tmp_path.iterdir())


def test_a_stack_to_be_removed_is_stale(disk: Disk) -> None:
    disk.write({"one": {"x": "1"}})

    assert disk.compare({}, remove=("one",)).stale == ("one/index.json", "one/x")


def test_nothing_to_recover_says_nothing(disk: Disk) -> None:
    disk.write(TWO)

    assert recover(disk.out, disk.state) == ""
    assert disk.files() == flat(TWO)


def test_recover_makes_no_folder(disk: Disk, tmp_path: Path) -> None:
    recover(disk.out, disk.state)

    assert not list(tmp_path.iterdir())


def test_a_foreign_file_that_comes_while_the_tree_is_swapped_is_kept(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.write(TWO)
    swap = exchange.exchange

    def late(one: str, other: str) -> None:
        disk.put("one/late", "mine")
        swap(one, other)

    monkeypatch.setattr(exchange, "exchange", late)
    disk.write({"one": {"x": "new"}, "two": {"x": "new"}})

    assert disk.files() == {"one/late": "mine", "one/x": "new", "two/x": "new"}


def test_what_is_removed_is_not_kept_elsewhere(disk: Disk, tmp_path: Path) -> None:
    disk.write(TWO)
    disk.put("one/mine", "mine")
    disk.write({"one": {"x": "new"}, "two": {"x": "new"}})

    drafts = {path.name for path in disk.state.rglob("*") if path.is_file()}

    assert drafts <= {"x", "index.json"}


@pytest.fixture
def files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read to be compared, below the output folder."""
    found: list[str] = []

    def noted(path: str, expected_size: int = 0) -> bytes | None:
        found.append(path.partition("/dist/")[2])
        return read(path, expected_size)

    monkeypatch.setattr("platform_def.pipeline.output.plan.read", noted)
    return found


CHANGED = {**TWO, "one": {"a/main/n/x.yaml": "9", "a/main/n/z.yaml": "1"}}
"""A file of each kind: changed, removed, added, and one that stays."""


def test_of_a_stack_that_looks_as_it_was_left_only_the_index_is_read(disk: Disk, files_read: list[str]) -> None:
    disk.write(TWO)
    left = signatures(disk.out)
    files_read.clear()

    written = disk.write(CHANGED, left=left)

    assert {*files_read} == {"one/index.json", "two/index.json"}
    assert (written.added, written.removed) == (("one/a/main/n/z.yaml",), ("one/a/main/n/y.yaml",))
    assert written.changed == ("one/a/main/n/x.yaml", "one/index.json")
    assert written.unchanged == ("two/a/main/n/x.yaml", "two/index.json")
    assert written.edited == ()
    assert disk.files() == {f"{name}/{path}": text for name, files in CHANGED.items() for path, text in files.items()}


def test_a_stack_that_looks_otherwise_is_read_whole(disk: Disk, files_read: list[str]) -> None:
    disk.write(TWO)
    left = signatures(disk.out)
    edited = disk.out / "two/a/main/n/x.yaml"
    times = edited.stat()
    edited.write_text("3")
    os.utime(edited, ns=(times.st_atime_ns, times.st_mtime_ns))
    files_read.clear()

    written = disk.write(TWO, left=left)

    assert {*files_read} == {"one/index.json", "two/a/main/n/x.yaml", "two/index.json"}
    assert (written.changed, written.edited) == (("two/a/main/n/x.yaml",), ("two/a/main/n/x.yaml",))


def test_a_foreign_file_at_a_wanted_place_is_read_although_the_stack_looks_as_it_was_left(disk: Disk) -> None:
    disk.write(TWO)
    disk.put("one/a/main/n/z.yaml", "mine")
    left = signatures(disk.out)

    with pytest.raises(PlatformError, match=r"synth did not write a/main/n/z\.yaml"):
        disk.write(CHANGED, left=left)
