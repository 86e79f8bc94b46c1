"""What a user reads when something is wrong.

PlatformError           one or many problems; the root of all errors that are the user's to mend
├── ConfigError         a stack file, an overlay or an argument is wrong        (exit code 2)
├── ToolError           an external program is missing or failed                (exit code 2)
│   └── ExitError       it ran, and ended with an exit code of failure
└── LockedError         another run holds the lock                              (exit code 2)

Everything else that is raised is a broken invariant of this program and keeps its traceback.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches


@dataclass(frozen=True, order=True, slots=True)
class Source:
    """A place in a file of the user's; `line` counts from 1, 0 means the whole file."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, and what to type instead."""

    text: str
    where: Source | None = None
    hint: str = ""
    at: tuple[str | int, ...] = ()
    """Path of the value in the stack, from those who know no files (`nodePools`, `train`); `where` follows from it."""
    trace: str = field(default="", compare=False)
    """The traceback, where code of a package raised it; for `--debug`."""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return visible(f"error: {place}{self.text}{hint}")

    @property
    def order(self) -> tuple[str, int, str, str]:
        """Sort key: file, line, text."""
        where = self.where or Source("")
        return (where.file, where.line, self.text, self.hint)


class PlatformError(Exception):
    """One or many problems, sorted by place; `str()` is what the user reads."""

    exit_code = 2

    def __init__(self, problem: str | Problem | Iterable[Problem], *, where: Source | None = None, hint: str = ""):
        if isinstance(problem, str):
            problem = Problem(problem, where, hint)
        found = [problem] if isinstance(problem, Problem) else problem
        self.problems: tuple[Problem, ...] = tuple(sorted(dict.fromkeys(found), key=lambda p: p.order))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class ConfigError(PlatformError):
    """A stack file, an overlay or an argument is wrong."""


class ToolError(PlatformError):
    """An external program is missing, failed, or is of another version than the pinned one."""


class ExitError(ToolError):
    """An external program ran and says that it failed."""


class LockedError(PlatformError):
    """Another run holds the lock of this output folder."""


_NEW_MESSAGE = re.compile(r"\n(?!  )")
"""A line end inside a message; what belongs to it is indented."""


def visible(text: str) -> str:
    """A message with what a terminal would obey, hide or turn round shown as escapes; it begins no other message."""
    if not text.isprintable():
        text = _NEW_MESSAGE.sub(r"\\n", text)
        text = "".join(letter if letter.isprintable() or letter == "\n" else _escaped(letter) for letter in text)
    return text


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that offers the known name closest to `name`, or lists what is known; empty when nothing is known."""
    choices = sorted(set(known))
    close = get_close_matches(name, choices, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    if not choices:
        return ""
    shown = ", ".join(choices[:12])
    return f"known: {shown}" + (f" and {len(choices) - 12} more" if len(choices) > 12 else "")
