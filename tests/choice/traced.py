"""Which file of tests executes which line, kept from the last whole `make test RECORD=yes`, with the commit that it was of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

KEPT = "build/choice/trace.json"


@dataclass(frozen=True)
class Traced:
    """A recorded run."""

    commit: str
    tests: Set[str]
    """Files of which every test was watched."""
    lines: Mapping[str, Mapping[int, Set[str]]]
    """Of each file of code that was watched the files of tests by line."""

    def of(self, path: str, lines: Iterable[int]) -> set[str]:
        """The files of tests that execute any of these lines."""
        found = self.lines.get(path, {})
        return set().union(*(found.get(line, ()) for line in lines))


def keep(root: Path, commit: str, lines: Mapping[str, Mapping[str, Iterable[str]]], tests: Iterable[str]) -> None:
    """Write down a run of a commit: tests by line, as pytest names them, and the files of which all were watched."""
    by_file = {
        path: {line: sorted({test.partition("::")[0] for test in found}) for line, found in by_line.items()}
        for path, by_line in lines.items()
    }
    file = root / KEPT
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"commit": commit, "tests": sorted(tests), "lines": by_file}), encoding="utf-8")


def kept(root: Path) -> Traced | None:
    """The last run that was kept; None where none was."""
    file = root / KEPT
    if not file.exists():
        return None
    known = json.loads(file.read_text(encoding="utf-8"))
    lines = {
        path: {int(line): frozenset(tests) for line, tests in by_line.items()}
        for path, by_line in known["lines"].items()
    }
    return Traced(known["commit"], frozenset(known["tests"]), lines)
