"""Unpacks archives of upstream's test data: text in which each file follows its path, with lines that mark what text cannot hold."""

from __future__ import annotations

import re
from pathlib import Path

_NULL, _END = re.compile(r"(?<!\\)NULLBYTE"), re.compile(r"(?<!\\)EOF")


def unpack(archive: Path, folder: Path) -> None:
    """Write what an archive holds into a folder."""
    path = folder
    lines = iter(archive.read_text().splitlines())
    for line in lines:
        word, _, value = line.partition(": ")
        if word == "Directory":
            (folder / value).mkdir(parents=True, exist_ok=True)
        elif word == "Path":
            path = folder / value
            path.parent.mkdir(parents=True, exist_ok=True)
        elif word == "SymlinkTo":
            path.symlink_to(value)
        elif word == "Lines":
            path.write_text("".join(_content(next(lines)) for _ in range(int(value))))


def _content(line: str) -> str:
    """A line of a file: `EOF` says that no newline follows."""
    end = "" if _END.search(line) else "\n"
    text = _END.sub("", _NULL.sub("\0", line))
    return text.replace("\\NULLBYTE", "NULLBYTE").replace("\\EOF", "EOF") + end
