"""Files below `stacks/` that look like stacks and that no run reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from platform_def.checks.rule import Finding
from platform_def.checks.rules.references.unread_file import UNREAD_FILE
from platform_def.pipeline.load import FOLDER, SUFFIXES

_ALMOST = (".yaml", ".yml", ".json")
"""Endings, in any case, of what people take for a stack."""


def unread(root: Path, files: Iterable[str]) -> Iterator[Finding]:
    """A warning for each; `files` are all that the stacks of the repository are read from."""
    read = {*files}
    for path in sorted((root / FOLDER).rglob("*")):
        file = path.relative_to(root).as_posix()
        is_stack = path.parent == root / FOLDER and path.suffix in SUFFIXES
        if path.suffix.lower() in _ALMOST and path.is_file() and not is_stack and file not in read:
            yield _finding(file)


def _finding(file: str) -> Finding:
    return Finding(
        rule=UNREAD_FILE.id,
        severity=UNREAD_FILE.severity,
        object="",
        key=("", "", "", ""),
        path="",
        text="it is not read: no stack extends it, and a stack is a .yaml file directly in stacks/",
        hint=UNREAD_FILE.fix,
        component="",
        origin="",
        file=file,
    )
