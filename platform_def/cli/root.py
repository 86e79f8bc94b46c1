"""Where the platform repository is, seen from the folder that a command is called in."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER, GIT = "stacks", ".git"
_MARK = b"platform-def/v"


def found_root(given: Path) -> Path:
    """The folder itself, or the nearest above it whose stacks/ holds a stack, as git looks for its own.

    Where there is none it is the folder itself, of which the command then says what it lacks.
    """
    if (given / FOLDER).is_dir() or (given / GIT).exists():
        return given
    for folder in Path(os.path.realpath(given)).parents:
        with suppress(OSError):
            if any(_MARK in path.read_bytes() for path in (folder / FOLDER).glob("*.y*ml") if path.is_file()):
                return Path(os.path.relpath(folder))
        if (folder / GIT).exists():
            break
    return given
