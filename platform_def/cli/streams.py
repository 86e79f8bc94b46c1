"""The standard streams at their worst: closed, on a full disk, or read by a program that has seen enough."""

from __future__ import annotations

import io
import os
import sys

UNREAD = 141
"""The exit code when nobody reads the output to its end: 128 and the number of SIGPIPE."""

_CLOSED = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def prepare() -> None:
    """Give closed streams a place to go, and a terminal that cannot show a letter its number, as stderr does anyway."""
    for number, (name, mode) in enumerate(_CLOSED):
        if getattr(sys, name) is None:
            _to_nowhere(number)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def finish(code: int) -> int:
    """Write out what is left; the exit code, another one where data got lost."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(1)
        return UNREAD
    except OSError as error:
        _to_nowhere(1)
        sys.stderr.write(f"error: cannot write the output: {error.strerror}\n")
        return 2
    return code


def _to_nowhere(number: int) -> None:
    """Python writes what is left once more when it ends, and would complain."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
