"""The list of public names."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

from platform_def import constructs


def test_every_public_name_leads_to_what_it_says_and_not_to_a_module_of_that_name() -> None:
    for home in constructs._HOMES.values():
        import_module(home)

    found = {name: getattr(constructs, name) for name in dir(constructs)}
    assert [name for name, value in found.items() if isinstance(value, ModuleType)] == []


def test_type_checkers_are_told_the_same() -> None:
    source = Path(constructs.__file__).read_text(encoding="utf-8")
    said = re.findall(r"^    from ([\w.]+) import (\w+) as \2$", source, re.MULTILINE)

    assert sorted(said) == sorted((home, name) for name, home in constructs._HOMES.items())
