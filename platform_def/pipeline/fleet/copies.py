"""Copies of this process that work groups of stacks beside it: a group's number goes in, what came of it comes back.

A copy has everything that the run knew when it was made. It ends when its input does, so a killed run leaves none
behind, and in a session of its own, where Ctrl-C does not reach it.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from typing import BinaryIO, Generic, TypeVar

from platform_def.pipeline.build import forked

T = TypeVar("T")

FEW = 2
"""Groups for each process, at least: a copy is made in no time, and ends what it works at."""
MOST = 8
"""Processes, at most: each holds what it knows of the run in memory of its own."""


def shared_out(
    numbers: Sequence[int], work: Callable[[int], T], beside: Callable[[int], T], *, jobs: int
) -> Generator[tuple[int, T], None, None]:
    """The groups of these numbers with what came of each, in no particular order.

    `work` is for this process; `beside` for a copy of it, whose results must be such as pickle can carry. `jobs`: how
    many processes may work. A group whose copy ended without an answer is worked here.
    """
    wanted = min(jobs, MOST, len(numbers) // FEW) - 1
    if wanted < 1 or not forked.possible():
        yield from ((number, work(number)) for number in numbers)
        return
    todo: SimpleQueue[int] = SimpleQueue()
    for number in numbers:
        todo.put(number)
    with ExitStack() as until:
        copies = [until.enter_context(_Copy(beside, todo)) for _ in range(wanted)]
        for copy in copies:
            copy.start()
        yield from _worked(len(numbers), work, todo, copies)


def _worked(
    count: int, work: Callable[[int], T], todo: SimpleQueue[int], copies: Sequence[_Copy[T]]
) -> Iterator[tuple[int, T]]:
    """This process works too, and looks between two groups for what the copies have done."""
    for _ in range(count):
        try:
            number = todo.get_nowait()
        except Empty:
            break
        yield number, work(number)
        yield from (each for copy in copies for each in copy.done())
    for copy in copies:
        copy.join()
        yield from copy.done()
    # What a copy had begun when it ended.
    with suppress(Empty):
        while True:
            number = todo.get_nowait()
            yield number, work(number)


class _Copy(Generic[T]):
    """One copy, with the thread that hands it groups."""

    def __init__(self, beside: Callable[[int], T], todo: SimpleQueue[int]):
        self._todo = todo
        self._done: SimpleQueue[tuple[int, T]] = SimpleQueue()
        self._process = forked.Forked(lambda lines, answers: _answer(beside, lines, answers))
        self._thread = threading.Thread(target=self._feed, daemon=True)

    def __enter__(self) -> _Copy[T]:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                stream.close()

    def start(self) -> None:
        """Begin to hand it groups."""
        self._thread.start()

    def join(self) -> None:
        """Wait until it has none left."""
        self._thread.join()

    def done(self) -> Iterator[tuple[int, T]]:
        """What it has done since."""
        with suppress(Empty):
            while True:
                yield self._done.get_nowait()

    def _feed(self) -> None:
        with suppress(Empty):
            while True:
                number = self._todo.get_nowait()
                try:
                    self._process.stdin.write(b"%d\n" % number)
                    self._process.stdin.flush()
                    self._done.put((number, pickle.load(self._process.stdout)))  # noqa: S301 - of our own copy
                except (OSError, EOFError, ValueError, pickle.UnpicklingError):
                    self._todo.put(number)
                    return


def _answer(beside: Callable[[int], T], lines: BinaryIO, answers: BinaryIO) -> None:
    for line in lines:
        pickle.dump(beside(int(line)), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()
