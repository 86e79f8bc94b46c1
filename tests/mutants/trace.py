"""Which test executes which line: recorded once and kept in build/ until code or tests change."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypedDict

from tests.mutants.points import Point

ROOT = Path(__file__).parents[2]
FOLDERS = tuple(f"platform_def/{name}" for name in ("config", "constructs", "delivery", "manifests"))
"""Folders of the code that is changed."""
_UNITS = ("checks", "config", "constructs", "delivery", "jobs", "manifests", "pipeline")
TESTS = (*(f"tests/unit/{name}" for name in _UNITS), "tests/components")
"""Tests that run in their own process: of what a program of its own executes nothing is recorded."""


@dataclass(frozen=True)
class Trace:
    """The tests by line, and how long each took."""

    lines: Mapping[str, Mapping[int, frozenset[str]]]
    seconds: Mapping[str, float]

    def tests(self, point: Point) -> list[str]:
        """The tests that execute the changed statement, nearest and fastest first.

        What is executed when the module is imported is seen by those that execute anything of the module or of the
        modules that import it, and by those whose own files import it. What a file of tests makes once is made by the
        first of them alone: where the file is near, the others are taken too.
        """
        recorded = self.lines.get(point.path, {})
        found: set[str] = set().union(*(recorded.get(line, ()) for line in point.lines))
        if not found:
            importers = self._importers.get(point.path, set())
            found = set().union(*(self._of(path) for path in (point.path, *importers)))
            found |= {test for test in self.seconds if test.partition("::")[0] in importers}
        near = {test.partition("::")[0] for test in found if self._distance(test, point) < 2}
        beside = {test for test in self.seconds if test.partition("::")[0] in near}
        return sorted(
            found | beside,
            key=lambda test: (self._distance(test, point), test not in found, self.seconds[test], test),
        )

    def _of(self, path: str) -> set[str]:
        return set().union(*self.lines.get(path, {}).values())

    def _distance(self, test: str, point: Point) -> int:
        file = Path(test.partition("::")[0])
        module = Path(point.path)
        if file.name == f"test_{module.stem}.py":
            return 0
        return 1 if file.parent.name == module.relative_to("platform_def").parts[0] else 2

    @cached_property
    def _importers(self) -> Mapping[str, set[str]]:
        """The files, of code and of tests, that import each file."""
        found: dict[str, set[str]] = {}
        for file in (file for top in ("platform_def", "tests") for file in (ROOT / top).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    for module in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                        path = f"{module.replace('.', '/')}.py"
                        found.setdefault(path, set()).add(file.relative_to(ROOT).as_posix())
        return found


def trace(jobs: int) -> Trace:
    """What is known of the present code and tests; recorded now where nothing is."""
    kept = kept_trace()
    if not kept.exists():
        _record(jobs)
    known = json.loads(kept.read_text(encoding="utf-8"))
    lines = {
        path: {int(line): frozenset(tests) for line, tests in by_line.items()}
        for path, by_line in known["lines"].items()
    }
    return Trace(lines, known["seconds"])


def kept_trace() -> Path:
    """The file for the present code and tests, whether it is there or not; those of former ones are removed."""
    file = ROOT / "build" / "mutants" / f"trace-{_state()}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in file.parent.glob("trace-*.json"):
        if old != file:
            old.unlink()
    return file


def _state() -> str:
    digest = hashlib.sha256(json.dumps([FOLDERS, TESTS]).encode())
    for file in sorted(file for top in ("platform_def", "tests") for file in (ROOT / top).rglob("*") if file.is_file()):
        if file.suffix != ".pyc" and "mutants" not in file.relative_to(ROOT).parts:
            digest.update(file.as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _record(jobs: int) -> None:
    """Run the tests; the first that fails ends it."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "tests.mutants.recorder", "-p", "no:cacheprovider", "-x"),
            *("-n", str(jobs), "--dist", "worksteal", "-m", "not cluster and not frameworks", *TESTS),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nThe tests fail without any change: no mutant can be tried.")


class Recorded(TypedDict):
    """The file: tests by line of each file of the code, and the seconds that each computed."""

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]


def merged(parts: Iterable[Recorded]) -> Recorded:
    """One of those of several processes."""
    whole = Recorded(lines={}, seconds={})
    for part in parts:
        whole["seconds"] |= part["seconds"]
        for path, by_line in part["lines"].items():
            mine = whole["lines"].setdefault(path, {})
            for line, tests in by_line.items():
                mine[line] = [*mine.get(line, []), *tests]
    return whole
