"""Which test executes which line: recorded once and kept in build/ until code or tests change."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.mutants.points import Point
from tests.mutants.recorder import FOLDERS, OUT


@dataclass(frozen=True)
class Trace:
    """The tests by line, and how long each took."""

    root: Path
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
        for file in (file for top in ("platform_def", "tests") for file in (self.root / top).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    for module in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                        path = f"{module.replace('.', '/')}.py"
                        found.setdefault(path, set()).add(file.relative_to(self.root).as_posix())
        return found


def trace(root: Path, *, folders: Sequence[str], tests: Sequence[str], jobs: int) -> Trace:
    """What is known of the present code and tests; recorded now where nothing is."""
    kept = root / "build" / "mutants" / f"trace-{_state(root, folders, tests)}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        for old in kept.parent.glob("trace-*.json"):
            old.unlink()
        kept.write_text(json.dumps(_record(root, folders, _files(root, tests), jobs)), encoding="utf-8")
    known = json.loads(kept.read_text(encoding="utf-8"))
    lines = {
        path: {int(line): frozenset(tests) for line, tests in by_line.items()}
        for path, by_line in known["lines"].items()
    }
    return Trace(root, lines, known["seconds"])


def _files(root: Path, tests: Sequence[str]) -> list[str]:
    found = {
        file for each in tests for file in ([root / each] if each.endswith(".py") else (root / each).rglob("test_*.py"))
    }
    return sorted(file.relative_to(root).as_posix() for file in found)


def _state(root: Path, folders: Sequence[str], tests: Sequence[str]) -> str:
    digest = hashlib.sha256(json.dumps([sorted(folders), sorted(tests)]).encode())
    for file in sorted(file for top in ("platform_def", "tests") for file in (root / top).rglob("*") if file.is_file()):
        if file.suffix != ".pyc" and "mutants" not in file.parts[len(root.parts) :]:
            digest.update(file.as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _record(root: Path, folders: Sequence[str], files: Sequence[str], jobs: int) -> dict[str, object]:
    """Run the tests in several processes, each with some of the files; the test that fails ends it."""
    outs = [root / "build" / "mutants" / f"recorded-{job}.json" for job in range(jobs)]
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "pytest", "-p", "tests.mutants.recorder", "-p", "no:cacheprovider", "-x"),
                *("-m", "not cluster and not frameworks", *files[job::jobs]),
            ],
            cwd=root,
            env={**os.environ, OUT: str(out), FOLDERS: " ".join(folders), "PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for job, out in enumerate(outs)
    ]
    for process in running:
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{output}\nThe tests fail without any change: no mutant can be tried.")
    return _merged([json.loads(out.read_text(encoding="utf-8")) for out in outs])


def _merged(parts: Iterable[dict[str, dict[str, dict[str, list[str]]]]]) -> dict[str, object]:
    lines: dict[str, dict[str, list[str]]] = {}
    seconds: dict[str, object] = {}
    for part in parts:
        seconds |= part["seconds"]
        for path, by_line in part["lines"].items():
            mine = lines.setdefault(path, {})
            for line, tests in by_line.items():
                mine[line] = [*mine.get(line, []), *tests]
    return {"lines": lines, "seconds": seconds}
