"""What programs do whose definitions are missing as they start: for each component that serves kinds, the page says it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPONENTS = ROOT / "platform_def" / "components"
SECTION = re.compile(r"\*\*Definitions that are missing at start\.\*\*(.*?)\nRead only", re.DOTALL)


def tables() -> list[list[list[str]]]:
    """The rows of each table of the section, without their heads."""
    (section,) = SECTION.findall((ROOT / "docs" / "components.md").read_text(encoding="utf-8"))
    found = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [[line.strip("|\n").split("|") for line in each.splitlines(keepends=True)][2:] for each in found]


def slugs(rows: list[list[str]]) -> set[str]:
    return {name for row in rows for name in re.findall(r"`([a-z-]+)`", row[0])} - {"llm"}


def declaring() -> set[str]:
    """Components that await kinds, theirs or others'."""
    files = (file for file in COMPONENTS.rglob("*.py") if ".awaits(" in file.read_text(encoding="utf-8"))
    return {file.relative_to(COMPONENTS).parts[1].replace("_", "-") for file in files}


def test_each_component_that_serves_kinds_is_judged_once() -> None:
    _, once, rest = tables()
    serving = {file.parent.name.replace("_", "-") for file in COMPONENTS.glob("*/*/kinds.yaml")}

    assert serving - slugs(once) - slugs(rest) == set()
    assert slugs(once) & slugs(rest) == set()


def test_a_component_that_decides_once_awaits_its_kinds() -> None:
    _, once, _ = tables()

    assert slugs(once) - declaring() == set()
