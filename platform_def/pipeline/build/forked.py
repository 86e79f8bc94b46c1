"""A worker that is a copy of this process: it has imported already what a new one takes most of a second to import.

Only where that is safe: a copy has only the thread that made it, so the process may have no other thread than the one
that hands on what Node writes.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO

Work = Callable[[BinaryIO, BinaryIO], None]
"""What a worker does: it answers the lines of one stream in the other until the first one ends."""

_OF_JSII = "process.stderr_sink"
_FIRST_OPEN = 3
_LAST_OPEN = 1 << 16


def possible() -> bool:
    """Whether this process may be copied."""
    others = (each for each in threading.enumerate() if each is not threading.current_thread())
    return sys.platform == "linux" and all(each.name == _OF_JSII for each in others)


class Forked:
    """The copy, with as much of `subprocess.Popen` as workers need."""

    def __init__(self, work: Work):
        todo, ours = os.pipe()
        theirs, answers = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self._code: int | None = None
        self.pid = os.fork()
        if not self.pid:
            _end(work, todo, answers)
        os.close(todo)
        os.close(answers)
        self.stdin, self.stdout = open(ours, "wb"), open(theirs, "rb")  # noqa: SIM115, PTH123

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._reaped(os.WNOHANG)

    def wait(self) -> int:
        """How it ended, once it has: its exit code, or the number of the signal below zero."""
        found = self._reaped(0)
        assert found is not None
        return found

    def kill(self) -> None:
        """End it at once."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _reaped(self, options: int) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, options)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code


def _end(work: Work, todo: int, answers: int) -> None:
    """Work, in the copy, and end without what the process that it was made from does at its own end."""
    code = 1
    try:
        os.setsid()
        _keep_open(todo, answers)
        gc.freeze()  # what is shared with the other process stays shared
        gc.enable()
        _leave_node()
        with open(todo, "rb") as lines, open(answers, "wb") as results:
            work(lines, results)
        code = 0
    except BaseException:  # there is nothing above this that could report it
        traceback.print_exc()
    finally:
        _stop_node()
        os._exit(code)


def _keep_open(*kept: int) -> None:
    """Close what belongs to the other process, such as locks and pipes of other workers; what is printed is stderr."""
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    start = _FIRST_OPEN
    for each in sorted(kept):
        os.closerange(start, each)
        start = each + 1
    os.closerange(start, _LAST_OPEN)
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stderr


def _leave_node() -> None:
    if "platform_def.constructs.node" in sys.modules:
        from platform_def.constructs.node import leave

        leave()


def _stop_node() -> None:
    if "platform_def.constructs.node" in sys.modules:
        from platform_def.constructs.node import stop

        stop()
