"""Whatever the disk refuses, at whatever step: the former files or the new ones, and an error that says so."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from platform_def.errors import PlatformError
from platform_def.pipeline.output import exchange
from platform_def.pipeline.output.index import Index, digests
from platform_def.pipeline.output.lock import lock
from platform_def.pipeline.output.write import recover, write

STEPS = ("open", "write", "mkdir", "rmdir", "unlink", "link", "rename", "replace", "chmod")


def stacks(version: str) -> dict[str, dict[str, bytes]]:
    files = {
        "one": {"a/x": version.encode(), "a/same": b"0", f"only-{version}/x": b"0"},
        "two": {"b/x": version.encode()},
    }
    return {name: own | {"index.json": Index(stack=name, files=digests(own)).encode()} for name, own in files.items()}


def on_disk(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def wanted(version: str) -> dict[str, bytes]:
    return {f"{name}/{path}": content for name, files in stacks(version).items() for path, content in files.items()}


@pytest.fixture(params=["exchange", "journal"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def cannot(*_: str) -> None:
        raise OSError(errno.EINVAL, "not on this file system")

    if request.param == "journal":
        monkeypatch.setattr(exchange, "exchange", cannot)
    return str(request.param)


class Faulty:
    """Lets `good` steps on the disk pass; from then on `bad` fail, and later ones pass again."""

    def __init__(self, code: int, *, good: int, bad: int) -> None:
        self.code, self.good, self.bad = code, good, bad

    def guard(self, step: Callable[..., object]) -> Callable[..., object]:
        def guarded(*args: object, **kwargs: object) -> object:
            if self.good > 0:
                self.good -= 1
            elif self.bad > 0:
                self.bad -= 1
                raise OSError(self.code, os.strerror(self.code), str(args[0]))
            return step(*args, **kwargs)

        return guarded

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for step in STEPS:
            patch.setattr(os, step, self.guard(getattr(os, step)))


def failures(folder: Path, code: int, bad: int) -> Iterator[tuple[Path, Path, PlatformError]]:
    """One write of b over a for each step at which the disk may begin to fail, as far as the write failed by it."""
    out, state = folder / "dist", folder / ".platformctl"
    for good in range(1000):
        recover(out, state)
        write(out, stacks("a"), state=state)
        (out / "mine").write_bytes(b"mine")
        fault = Faulty(code, good=good, bad=bad)
        caught = None
        with pytest.MonkeyPatch.context() as patch:
            fault.install(patch)
            try:
                write(out, stacks("b"), state=state)
            except PlatformError as error:
                caught = error
        if caught is not None:
            yield out, state, caught
        if fault.bad == bad:
            return
    pytest.fail("the write has no end")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_one_refused_step_leaves_the_former_files_or_the_new_ones(mode: str, code: int, fast_folder: Path) -> None:
    seen = 0
    for out, state, error in failures(fast_folder, code, 1):
        seen += 1
        found = on_disk(out)
        assert found.pop("mine") == b"mine"
        assert found in (wanted("a"), wanted("b")), (mode, str(error))
        assert found == wanted("a") or "is written" in str(error)
        assert os.strerror(code) in str(error)

        recover(out, state)
        write(out, stacks("b"), state=state)
        assert on_disk(out) == {**wanted("b"), "mine": b"mine"}

    assert seen > 5


def test_a_disk_that_refuses_everything_from_one_step_on_is_put_right_by_the_next_run(
    mode: str, fast_folder: Path
) -> None:
    for out, state, _ in failures(fast_folder, errno.EIO, 100_000):
        recover(out, state)

        found = on_disk(out)
        assert found.pop("mine") == b"mine"
        assert found in (wanted("a"), wanted("b"))
        assert [path.name for path in state.iterdir() if not path.name.startswith("spare")] == []


def test_a_full_disk_is_given_back_what_the_attempt_took(mode: str, fast_folder: Path) -> None:
    for out, state, error in failures(fast_folder, errno.ENOSPC, 1):
        if "is written" in str(error):
            continue
        taking_room = [path for path in state.rglob("*") if path.is_file() and path.stat().st_nlink == 1]
        assert taking_room == []
        assert "make room" in str(error)
        assert on_disk(out) == {**wanted("a"), "mine": b"mine"}


def test_a_file_larger_than_the_limit_is_an_error_and_no_traceback(mode: str, tmp_path: Path) -> None:
    write(tmp_path / "dist", stacks("a"), state=tmp_path / "state")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    big = {**stacks("b"), "three": {"x": b"x" * 100_000, **stacks("b")["two"]}}
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(PlatformError, match=r"cannot write .*File too large"):
            write(tmp_path / "dist", big, state=tmp_path / "state")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert on_disk(tmp_path / "dist") == wanted("a")


def test_a_disk_that_is_really_full_keeps_the_former_files(mode: str, small_disk: Path) -> None:
    write(small_disk / "dist", stacks("a"), state=small_disk / "state")
    big = {**stacks("b"), "two": {f"{number}": b"x" * 8000 for number in range(100)} | stacks("b")["two"]}

    with pytest.raises(PlatformError, match="No space left on device"):
        write(small_disk / "dist", big, state=small_disk / "state")
    assert on_disk(small_disk / "dist") == wanted("a")

    write(small_disk / "dist", stacks("b"), state=small_disk / "state")
    assert on_disk(small_disk / "dist") == wanted("b")


def test_a_full_disk_of_the_drafts_is_not_said_to_be_that_of_the_output(
    mode: str, fast_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, state = fast_folder / "dist", fast_folder / "elsewhere/.platformctl"
    write(out, stacks("a"), state=state)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as the kernel says it of a descriptor

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(PlatformError, match=f"it is prepared in {state}, and that cannot be written: No space"):
            write(out, stacks("b"), state=state)

    assert on_disk(out) == wanted("a")


def test_a_full_disk_of_the_lock_is_said_to_be_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "open", full)

    with (
        pytest.raises(PlatformError, match=r"cannot lock .*No space left on device\n  hint: make room"),
        lock(tmp_path),
    ):
        pass


def test_a_read_only_disk_is_an_error_that_names_it(mode: str, small_disk: Path) -> None:
    write(small_disk / "dist", stacks("a"), state=small_disk / "state")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)

    with pytest.raises(PlatformError, match=r"Read-only file system(.|\n)*mounted read-only"):
        write(small_disk / "dist", stacks("b"), state=small_disk / "state")

    assert on_disk(small_disk / "dist") == wanted("a")


@pytest.mark.parametrize("kind", ["output", "folder in it"])
def test_an_output_on_another_disk_than_the_state_is_written_all_the_same(
    kind: str, small_disk: Path, tmp_path: Path
) -> None:
    out = small_disk if kind == "output" else small_disk / "dist"
    for version in ("a", "b", "a"):
        write(out, stacks(version), state=tmp_path / "state")

        assert on_disk(out) == wanted(version)


def test_a_disk_mounted_inside_the_output_is_neither_moved_nor_emptied(tmp_path: Path, small_disk: Path) -> None:
    write(tmp_path / "dist", stacks("a"), state=tmp_path / "state")
    (tmp_path / "dist/one/mount").mkdir()
    (small_disk / "mine").write_bytes(b"mine")
    subprocess.run(["mount", "--bind", small_disk, tmp_path / "dist/one/mount"], check=True)
    try:
        write(tmp_path / "dist", stacks("b"), state=tmp_path / "state")

        assert on_disk(tmp_path / "dist") == {**wanted("b"), "one/mount/mine": b"mine"}
    finally:
        subprocess.run(["umount", tmp_path / "dist/one/mount"], check=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may write to; pytest's own is for its user alone."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def test_a_folder_of_somebody_elses_is_left_in_place(open_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can act as somebody else")
    os.seteuid(65534)
    try:
        write(open_folder / "dist", stacks("a"), state=open_folder / "state")
        os.seteuid(0)
        (open_folder / "dist/one/theirs").mkdir(mode=0o755)
        (open_folder / "dist/one/theirs/x").write_bytes(b"theirs")
        os.seteuid(65534)
        write(open_folder / "dist", stacks("b"), state=open_folder / "state")
    finally:
        os.seteuid(0)

    assert on_disk(open_folder / "dist") == {**wanted("b"), "one/theirs/x": b"theirs"}


def test_a_folder_that_may_not_be_written_is_named_before_anything_is_begun(open_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can act as somebody else")
    write(open_folder / "dist", stacks("a"), state=open_folder / "state")
    (open_folder / "state").chmod(0o777)
    os.seteuid(65534)
    try:
        with pytest.raises(PlatformError, match=rf"Permission denied: {open_folder}/dist/one"):
            write(open_folder / "dist", stacks("b"), state=open_folder / "state")
        repaired = recover(open_folder / "dist", open_folder / "state")
    finally:
        os.seteuid(0)

    assert repaired == ""
    assert on_disk(open_folder / "dist") == wanted("a")
