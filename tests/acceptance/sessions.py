"""The fenced blocks of pages, and the sessions in them: commands with the lines that they print.

In a line that is shown `…` stands for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
"""Blocks of lists are indented, all their lines alike."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, what its info string says beside that, its text."""

    kind: str
    option: str
    value: str
    body: str


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for found in FENCE.finditer(path.read_text(encoding="utf-8")):
        kind, _, rest = found["info"].strip().partition(" ")
        option, _, value = rest.partition("=")
        yield Block(kind, option, value, dedent(found["body"]) if found["indent"] else found["body"])


def steps(session: str) -> Iterator[tuple[str, list[str]]]:
    """Commands of a session with the lines shown below each."""
    command = ""
    shown: list[str] = []
    for line in session.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command:
        yield command, shown


def pattern(shown: str) -> re.Pattern[str]:
    """What a shown line matches: runs of blanks are alike, numbers are exact, `…` is anything."""
    return re.compile(re.escape(" ".join(shown.split())).replace(r"\ ", " ").replace("…", ".*"))


def missing(shown: list[str], lines: list[str]) -> list[str]:
    """Shown lines that the output does not have, in this order."""
    remaining = iter([" ".join(line.split()) for line in lines])
    return [line for line in shown if line.strip() not in ("", "…") and not _taken(pattern(line), remaining)]


def _taken(wanted: re.Pattern[str], remaining: Iterator[str]) -> bool:
    return any(wanted.fullmatch(line) for line in remaining)
