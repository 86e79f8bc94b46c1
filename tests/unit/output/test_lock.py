"""One run at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from platform_def.errors import LockedError, PlatformError
from platform_def.pipeline.output.lock import lock

HOLD = """
import sys
from pathlib import Path
from platform_def.pipeline.output.lock import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(state: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_state_folder_is_made(tmp_path: Path) -> None:
    with lock(tmp_path / "a/state"):
        holder = json.loads((tmp_path / "a/state/lock").read_text())

    assert holder["pid"] == os.getpid()


def test_a_second_run_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        with (
            pytest.raises(LockedError, match=f"process {first.pid} on .* is at work here"),
            lock(tmp_path, wait_seconds=0),
        ):
            pytest.fail("both hold the lock")
        first.communicate()


def test_waiting_is_told_once_and_ends_with_the_lock(tmp_path: Path) -> None:
    told: list[str] = []
    first = holder(tmp_path)

    def end(text: str) -> None:
        told.append(text)
        first.communicate()

    with lock(tmp_path, wait_seconds=30, on_wait=end):
        assert len(told) == 1
        assert f"process {first.pid}" in told[0]


def test_a_killed_run_lets_the_lock_go(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        first.kill()
        first.wait()

        with lock(tmp_path, wait_seconds=10):
            assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()


def test_a_lock_file_that_was_removed_meanwhile_does_not_let_two_in(tmp_path: Path) -> None:
    with lock(tmp_path):
        (tmp_path / "lock").unlink()
        with holder(tmp_path) as other:
            with pytest.raises(LockedError), lock(tmp_path, wait_seconds=0):
                pytest.fail("both hold the lock")
            other.communicate()


def test_an_unreadable_lock_file_names_nobody(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        (tmp_path / "lock").write_bytes(b"\xff")
        with pytest.raises(LockedError, match="another run is at work here"), lock(tmp_path, wait_seconds=0):
            pytest.fail("both hold the lock")
        first.communicate()


def test_a_folder_that_cannot_be_made_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(PlatformError, match="cannot lock"), lock(tmp_path / "file/state"):
        pytest.fail("locked nothing")


def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(PlatformError, match="cannot lock"), lock(tmp_path):
        pytest.fail("followed a link")

    assert not (tmp_path / "elsewhere").exists()
