"""The list of public names."""

from __future__ import annotations

import ast
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import ModuleType

from platform_def import constructs

ROOT = Path(constructs.__file__).parents[1]


def test_every_public_name_leads_to_what_it_says_and_not_to_a_module_of_that_name() -> None:
    for home in constructs._HOMES.values():
        import_module(home)

    found = {name: getattr(constructs, name) for name in dir(constructs)}
    assert [name for name, value in found.items() if isinstance(value, ModuleType)] == []


def test_type_checkers_are_told_the_same() -> None:
    source = Path(constructs.__file__).read_text(encoding="utf-8")
    said = re.findall(r"^    from ([\w.]+) import (\w+) as \2$", source, re.MULTILINE)

    assert sorted(said) == sorted((home, name) for name, home in constructs._HOMES.items())


def test_a_name_is_in_the_list_for_three_users_or_for_a_page_that_shows_it() -> None:
    users: Counter[str] = Counter()
    for file in {*ROOT.rglob("*.py")} - {*Path(constructs.__file__).parent.rglob("*.py")}:
        users.update(set(_imported(file.read_text(encoding="utf-8"))))
    shown = {name for page in (ROOT.parent / "docs").glob("*.md") for name in _shown(page.read_text(encoding="utf-8"))}

    assert {name: users[name] for name in constructs._HOMES if users[name] < 3 and name not in shown} == {}


def _imported(source: str) -> list[str]:
    """What a module takes from the list."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom))
    return [name.name for node in found if node.module == constructs.__name__ for name in node.names]


def _shown(page: str) -> list[str]:
    """What the blocks of a page take from the list."""
    blocks = re.findall(r"^from platform_def\.constructs import (\([^)]*\)|.*)$", page, re.MULTILINE)
    return [name for block in blocks for name in re.findall(r"\w+", block)]
