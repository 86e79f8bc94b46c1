"""Files in the output folder that synth did not write, where an engine reads: applied, unseen by any check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from platform_def.checks.rules.delivery.foreign_file import FOREIGN_FILE

if TYPE_CHECKING:
    from platform_def.checks.rule import Finding

_WHY = "synth did not write it, and an engine would apply it"

_READ_AT_THE_TOP = ".sourceignore"
"""Flux leaves out what this file lists, in any folder."""


def read_by_engine(foreign: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths that an engine reads: everything in a stack's folder, whatever it is called.

    Engines take settings of their own from files of many names, hidden ones among them, so no name is harmless there.
    """
    return tuple(path for path in foreign if "/" in path.rstrip("/") or path == _READ_AT_THE_TOP)


def findings(foreign: Iterable[str], *, out: str) -> Iterator[Finding]:
    """An error for each of them; `out` is the output folder as the user wrote it."""
    from platform_def.checks.rule import Finding  # loads models, which a run without work is spared

    for path in read_by_engine(foreign):
        yield Finding(
            rule=FOREIGN_FILE.id,
            severity=FOREIGN_FILE.severity,
            object="",
            key=("", "", "", ""),
            path="",
            text=_WHY,
            hint=FOREIGN_FILE.fix,
            component=path.partition("/")[0],
            origin="",
            file=f"{out}/{path}",
        )
