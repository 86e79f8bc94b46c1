"""What changed since a commit, committed or not: files, and of a file of code the lines that are no longer as they were."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class UnknownCommitError(Exception):
    """Git cannot tell what changed; the text says why."""


def changed_files(root: Path, commit: str) -> list[str]:
    """Paths of files that differ from where this branch left `commit`, with those that git does not hold yet."""
    base = _git(root, "merge-base", commit, "HEAD").strip()
    differing = _git(root, "diff", "--name-only", "--no-renames", base)
    return sorted({*differing.split("\n"), *_git(root, "ls-files", "-o", "--exclude-standard").split("\n")} - {""})


def changed_lines(root: Path, commit: str, path: str) -> list[int] | None:
    """Lines of the statements of a file as it was in `commit` that a change touches, all of them inside of functions; of
    lines that were added, those around them. None where others are touched: these are executed on import.
    """
    before = _git(root, "show", f"{commit}:{path}", missing="")
    if not before:
        return None
    touched: set[int] = set()
    for start, count in _HUNK.findall(_git(root, "diff", "-U0", "--no-renames", commit, "--", path)):
        first, many = int(start), int(count or 1)
        touched |= {*range(first, first + many)} if many else {first, first + 1}
    statements = [each for each in ast.walk(ast.parse(before)) if isinstance(each, ast.stmt)]
    if not touched <= _inside_functions(statements):
        return None
    return sorted({line for each in touched for line in _statement(statements, each)})


def commit_of(root: Path) -> str:
    """The commit that the working tree is, where no file differs from it; else empty."""
    return "" if _git(root, "status", "--porcelain", missing="?") else _git(root, "rev-parse", "HEAD").strip()


def _inside_functions(statements: Iterable[ast.stmt]) -> set[int]:
    found: set[int] = set()
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= {*range(node.body[0].lineno, (node.end_lineno or 0) + 1)}
    return found


def _statement(statements: Iterable[ast.stmt], line: int) -> range:
    """The lines of the smallest statement that holds a line: of one that has several a trace may have only the first."""
    spans = (range(each.lineno, (each.end_lineno or 0) + 1) for each in statements)
    return min((each for each in spans if line in each), key=len)


def _git(root: Path, *words: str, missing: str | None = None) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    if missing is None:
        raise UnknownCommitError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return missing
