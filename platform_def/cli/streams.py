"""The standard streams: data alone reaches stdout, whatever else prints.

Also at their worst: closed, on a full disk, or read by a program that has seen enough.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

UNREAD = 141
"""The exit code when the output is not read to its end: 128 and the number of SIGPIPE."""

_CLOSED = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
_data: ContextVar[TextIO | None] = ContextVar("data", default=None)


def prepare() -> None:
    """Give closed streams a place to go, and a terminal that cannot show a letter its number, as stderr does anyway."""
    for number, (name, mode) in enumerate(_CLOSED):
        if getattr(sys, name) is None:
            _to_nowhere(number)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    real = sys.__stdout__
    if real is not None and real is sys.stdout and real.fileno() == 1:
        _move_away(real)


def _move_away(real: TextIO) -> None:
    """Let descriptor 1 be stderr, for programs that code of packages runs, and keep the real one for `sys.stdout`."""
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = open(kept, "w", encoding=real.encoding, errors=real.errors)  # noqa: SIM115, PTH123


@contextmanager
def data_alone() -> Iterator[None]:
    """Send what is printed in the block to stderr; `data()` is what stdout was."""
    before = _data.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _data.reset(before)


def data() -> TextIO:
    """Where data goes."""
    return _data.get() or sys.stdout


def finish(code: int) -> int:
    """Write out what is left; the exit code, another one where data got lost."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(sys.stdout.fileno())
        return UNREAD
    except OSError as error:
        _to_nowhere(sys.stdout.fileno())
        sys.stderr.write(f"error: cannot write the output: {error.strerror}\n")
        return 2
    return code


def _to_nowhere(number: int) -> None:
    """Python writes what is left once more when it ends, and would complain."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
