"""A public class name means one thing in the code: a reader need not look at the import to know which."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2] / "platform_def"
ALONE = frozenset(
    f"platform_def/{path}.py"
    for path in (
        "constructs/secret_generator",
        "jobs/pipelines/start",
        "jobs/plain/dataset_load",
        "jobs/plain/shard_runner",
    )
)
"""Programs that run in pods, each alone."""


def meanings() -> dict[str, list[str]]:
    """The modules in which each public class name is defined."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(ROOT.rglob("*.py")):
        path = file.relative_to(ROOT.parent).as_posix()
        if not path.startswith("platform_def/apis/") and path not in ALONE:
            for each in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                    found[each.name].append(path)
    return found


def test_a_class_name_has_one_meaning() -> None:
    assert {name: files for name, files in meanings().items() if len(files) > 1} == {}
