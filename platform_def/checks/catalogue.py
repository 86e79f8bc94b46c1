"""All checks, by area: the one list from which the engine, the commands and the reference take them.

It is gathered from the modules of `rules/` into `index.json` by `make docs`; nothing is scanned here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import orjson

from platform_def.checks.about import About
from platform_def.checks.rule import Rule
from platform_def.errors import ConfigError, nearest

INDEX = Path(__file__).with_name("index.json")
"""Import strings by area; a test fails when it lags."""


def _check(path: str) -> About:
    module, _, attribute = path.partition(":")
    found: About = getattr(import_module(f"platform_def.checks.rules.{module}"), attribute)
    return found


_ALL: Mapping[str, tuple[About, ...]] = {
    area: tuple(map(_check, paths)) for area, paths in orjson.loads(INDEX.read_bytes()).items()
}
AREAS: Mapping[str, tuple[Rule, ...]] = {
    area: tuple(check for check in found if isinstance(check, Rule)) for area, found in _ALL.items()
}
"""The rules that look at the objects of a stack, by area; ids are distinct and stay."""

RULES: tuple[Rule, ...] = tuple(rule for rules in AREAS.values() for rule in rules)


def checks() -> Mapping[str, About]:
    """Every check by its id, area by area."""
    return {check.id: check for area in AREAS for check in checks_of(area)}


def checks_of(area: str) -> tuple[About, ...]:
    """The checks of an area, with those that look at something other than the objects of a stack."""
    return _ALL[area]


def check_of(name: str) -> About:
    """The check of an id; ConfigError with the nearest where there is none."""
    known = checks()
    if name not in known:
        raise ConfigError(f"there is no check '{name[:64]}'", hint=nearest(name, known))
    return known[name]
