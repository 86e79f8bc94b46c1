"""kill -9 while stacks are written: the output is always the former tree or the new one, entire.

Run as a program this file is what gets killed: it forks a writer again and again, which pytest's own threads forbid.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from platform_def.pipeline.output import exchange
from platform_def.pipeline.output.index import Index, digests
from platform_def.pipeline.output.write import recover, write

ROUNDS = int(os.environ.get("KILL_ROUNDS", "25"))
"""Random moments for each way of writing; `make kill-test` may ask for more."""

STEPS = ("open", "write", "mkdir", "rmdir", "unlink", "link", "rename", "replace", "chmod")
MINE = {"mine": b"mine", "one/mine": b"mine"}

Stacks = dict[str, dict[str, bytes]]


def stacks(version: str, *names: str, files: int = 3) -> Stacks:
    """Stacks of which every other file, and one folder, differs from version to version."""
    made: Stacks = {}
    for name in names:
        own = {f"c{number % 3}/{number}": (version if number % 2 else "same").encode() for number in range(files)}
        own[f"only-{version}/x"] = b"x" * 10_000
        made[name] = own | {"index.json": Index(stack=name, files=digests(own)).encode()}
    return made


def flat(made: Stacks) -> dict[str, bytes]:
    return {f"{name}/{path}": content for name, files in made.items() for path, content in files.items()}


def on_disk(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


class Rehearsal:
    """One output folder that writers are killed over; `atomic` says whether it must be whole without a repair."""

    def __init__(self, folder: Path, *, atomic: bool) -> None:
        self.out, self.state, self.atomic = folder / "dist", folder / ".platformctl", atomic

    def start_from(self, made: Stacks) -> None:
        """Just these stacks and some foreign files, beside what former writes have left in the state folder."""
        if not made:
            shutil.rmtree(self.out, ignore_errors=True)
            return
        there = {path.name for path in self.out.glob("*") if path.is_dir()}
        write(self.out, made, state=self.state, remove=there - set(made))
        for path, content in MINE.items():
            (self.out / path).write_bytes(content)

    def check(self, *allowed: dict[str, bytes]) -> None:
        """Whole now, or at least after the repair that every command begins with, which leaves no drafts behind."""
        if self.atomic:
            assert on_disk(self.out) in allowed
        recover(self.out, self.state)
        assert on_disk(self.out) in allowed
        assert [path.name for path in self.state.glob("*") if not path.name.startswith("spare")] == []

    def random_moments(self, rounds: int) -> None:
        """Kill a process that writes two versions in turn, without end, at random moments."""
        versions = [stacks(version, "one", "two", "three", files=30) for version in ("a", "b")]
        whole = [flat(version) | MINE for version in versions]
        self.start_from(versions[0])
        moments = random.Random()
        for _ in range(rounds):
            pid = forked(lambda: self.write_forever(versions))
            # The one place where a sleep is the point: it ends at a moment that nothing in the writer is tied to.
            time.sleep(moments.uniform(0.002, 0.08))
            os.kill(pid, signal.SIGKILL)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
            self.check(*whole)

    def write_forever(self, versions: list[Stacks]) -> None:
        if not self.atomic:
            forbid_exchange()
        for version in itertools.cycle(versions):
            recover(self.out, self.state)
            write(self.out, version, state=self.state)
            write(self.out, {"one": version["one"]}, state=self.state)

    def every_step(self, before: Stacks, after: Stacks, *, remove: tuple[str, ...] = (), refused: int = 0) -> int:
        """Die before each step on the disk that a write takes; how many there are.

        With `refused` the disk refuses that one of the moves, so that the write is being taken back.
        """
        gone = {name: files for name, files in before.items() if name not in remove}
        mine = MINE if before else {}
        allowed = flat(before) | mine, flat(gone | after) | mine
        for steps in itertools.count():
            self.start_from(before)
            pid = forked(partial(self.write_until, steps, after, remove=remove, refused=refused))
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            assert code in (0, -signal.SIGKILL)
            self.check(*(allowed if code else allowed[:1] if refused else allowed[1:]))
            write(self.out, after, state=self.state, remove=remove)
            assert on_disk(self.out) == allowed[1]
            if code == 0:
                return steps
        raise AssertionError

    def write_until(self, steps: int, made: Stacks, *, remove: tuple[str, ...], refused: int) -> None:
        if not self.atomic:
            forbid_exchange()
        refuse_move(refused)
        doom(steps)
        try:
            write(self.out, made, state=self.state, remove=remove)
        except PlatformError:
            if not refused:
                raise


def forked(run: Callable[[], None]) -> int:
    """The id of a process that does just this."""
    pid = os.fork()
    if pid == 0:
        try:
            run()
        except BaseException as error:
            print(f"the writer failed by itself: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return pid


def doom(steps: int) -> None:
    """Let this process take so many steps on the disk; before the next one it is killed."""
    left = iter(range(steps))

    def doomed(step: Callable[..., object]) -> Callable[..., object]:
        def taken(*args: object, **kwargs: object) -> object:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*args, **kwargs)

        return taken

    for name in STEPS:
        setattr(os, name, doomed(getattr(os, name)))
    exchange.exchange = doomed(exchange.exchange)  # type: ignore[assignment]


def refuse_move(number: int) -> None:
    """Let this process' move of that number fail, counted from 1, and no other."""
    numbers, move = itertools.count(1), os.replace

    def replace(source: str, target: str) -> None:
        if next(numbers) == number:
            raise OSError(errno.EIO, os.strerror(errno.EIO), source, None, target)
        move(source, target)

    os.replace = replace  # type: ignore[assignment]


def forbid_exchange() -> None:
    def cannot(one: str, other: str) -> None:
        raise OSError(errno.EINVAL, "not on this file system", one, None, other)

    exchange.exchange = cannot


def main(way: str, folder: Path, what: str) -> None:
    rehearsal = Rehearsal(folder, atomic=way == "exchange")
    if what == "random":
        rehearsal.random_moments(ROUNDS)
        return
    one, both = stacks("b", "one", files=2), stacks("b", "one", "two", files=2)
    before = stacks("a", "one", "two", files=2)
    counts = {"a removed stack": rehearsal.every_step(before, {}, remove=("two",))}
    if way == "exchange":
        counts["one stack"] = rehearsal.every_step(before, one)
        counts["both stacks"] = rehearsal.every_step(before, both)
        counts["a new stack"] = rehearsal.every_step(before, stacks("b", "three", files=2))
        counts["the first write"] = rehearsal.every_step({}, both)
    else:
        counts["one stack"] = rehearsal.every_step(before, one)
        # The journal itself is the first move, so the fourth is in the middle of the files.
        counts["a change taken back"] = rehearsal.every_step(before, one, refused=4)
    for name, steps in counts.items():
        print(f"{name}: killed at each of {steps} steps")


def rehearse(way: str, what: str, folder: Path) -> str:
    if way == "exchange" and not exchange.supported(str(folder / "probe")):
        pytest.skip("this file system can't exchange folders")
    command = [sys.executable, __file__, way, str(folder / "r"), what]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", ["exchange", "journal"])
def test_killed_at_random_moments_the_output_is_whole(way: str, tmp_path: Path) -> None:
    rehearse(way, "random", tmp_path)


@pytest.mark.parametrize("way", ["exchange", "journal"])
def test_killed_at_any_step_the_output_is_whole(way: str, fast_folder: Path) -> None:
    said = rehearse(way, "every", fast_folder)

    assert len(said.splitlines()) == {"exchange": 5, "journal": 3}[way]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
