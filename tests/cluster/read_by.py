"""Who is asked what a container of a stack makes of its files and flags, by the container's image: every image is here.

A component's lines are in `tests/components/<name>/read_by.yaml`, those of shared images in `read_by.yaml` next to this
file. `read` names a program of `tools.py` that `test_readers.py` asks, `run` the test, next to this file, that runs the
program under its container's flags or reads its files with its own code, and `unread` says what was tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from platform_def.yaml import load

_HERE = Path(__file__).parent
_FILES = (_HERE / "read_by.yaml", *sorted((_HERE.parent / "components").glob("*/read_by.yaml")))


def _lines(how: Literal["read", "run", "unread"]) -> Mapping[str, str]:
    """By image, from all files."""
    found: dict[str, str] = {}
    for file in _FILES:
        table = cast("dict[str, dict[str, str]]", load(file.read_bytes(), file=file.name) or {})
        found |= {image: said[how] for image, said in table.items() if how in said}
    return found


READ: Mapping[str, str] = _lines("read")
"""The program that reads, a name of `tools.py`."""
RUN: Mapping[str, str] = _lines("run")
"""The test, next to this file, that runs the program or reads its files with its own code."""
UNREAD: Mapping[str, str] = _lines("unread")
"""What was tried, or why nothing was."""
