"""Builds in this process, and in others beside it where there is much to do: one JSON line a task, one a result.

Workers are processes of their own because cdk8s runs in a Node process that cannot be shared: copies of this one where
that is possible, which have imported everything already. They end when their input does, so a killed run leaves none
behind, and in a session of their own, where Ctrl-C does not reach them.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

from platform_def.errors import Problem, ToolError
from platform_def.pipeline.build import forked
from platform_def.pipeline.build.task import Failure, Result, Task, result_of, run, serve

FEW = 16
"""Tasks that one process has done before a second one has started: cdk8s needs most of a second for that."""

T = TypeVar("T")
_Process = subprocess.Popen[bytes] | forked.Forked


class Workers:
    """Processes that build; none is started before it pays."""

    def __init__(self, jobs: int):
        self._jobs = jobs
        self._processes: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            if kind is not None:
                process.kill()
            _close(process)

    def perform(self, tasks: Mapping[T, Task]) -> Iterator[tuple[T, Result | Failure]]:
        """Do the tasks and yield each as it ends, in no particular order, with the result or what is wrong with it."""
        self._start(min(self._jobs, len(tasks) // FEW + 1) - 1)
        if not self._processes:
            for name in tasks:
                yield name, run(tasks[name])
            return
        yield from self._share(tasks)

    def _start(self, wanted: int) -> None:
        for process in [each for each in self._processes if each.poll() is not None]:
            self._processes.remove(process)  # it ended in the middle of a build, and that was reported
            _close(process)
        while len(self._processes) < wanted:
            self._processes.append(_started())

    def _share(self, tasks: Mapping[T, Task]) -> Iterator[tuple[T, Result | Failure]]:
        """This process works too: the others are still starting when it has done its first tasks."""
        todo: SimpleQueue[T] = SimpleQueue()
        done: SimpleQueue[tuple[T, Result | Failure] | ToolError] = SimpleQueue()
        for name in tasks:
            todo.put(name)
        threads = [
            threading.Thread(target=_feed, args=(process, tasks, todo, done), daemon=True)
            for process in self._processes
        ]
        for thread in threads:
            thread.start()
        for _ in tasks:
            try:
                name = todo.get_nowait()
            except Empty:
                finished = done.get()
            else:
                finished = name, run(tasks[name])
            if isinstance(finished, ToolError):
                raise finished
            yield finished
        for thread in threads:
            thread.join()


def _started() -> _Process:
    if forked.possible():
        return forked.Forked(serve)
    command = [sys.executable, "-m", "platform_def.pipeline.build.task"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def _close(process: _Process) -> None:
    """Let a process end, which it does when its input does."""
    with suppress(OSError):  # what it was not asked any more
        if process.stdin:
            process.stdin.close()
    process.wait()
    if process.stdout:
        process.stdout.close()


def _died(process: _Process) -> Failure:
    """What is known of a process that ended in the middle of a build."""
    code = process.wait()
    how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    problem = Problem(f"the process that built it ended {how}", hint="run again with --jobs 1 to see why")
    return Failure((problem,))


def _feed(
    process: _Process,
    tasks: Mapping[T, Task],
    todo: SimpleQueue[T],
    done: SimpleQueue[tuple[T, Result | Failure] | ToolError],
) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        while True:
            name = todo.get_nowait()
            process.stdin.write(tasks[name].to_json() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                done.put((name, _died(process)))
                return
            try:
                done.put((name, result_of(answer)))
            except ToolError as error:
                done.put(error)
                return
    except Empty:
        return
    except (OSError, ValueError) as error:
        done.put(ToolError(f"a worker cannot be reached: {error}"))
