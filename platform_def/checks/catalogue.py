"""All checks, by area: the one list from which the engine, the commands and the reference take them.

It is gathered from the modules of `rules/` into `index.json` by `make docs`; nothing is scanned here. The index says of
each check what it looks at, and a run imports those alone that its objects ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, cast, get_args

import orjson

from platform_def.checks.about import About, WithoutStack
from platform_def.checks.rule import ObjectRule, Rule, StackRule, covered
from platform_def.errors import ConfigError, nearest
from platform_def.manifests.rendered import RenderedStack

INDEX = Path(__file__).with_name("index.json")
"""The entries by area; a test fails when it lags."""
Sight = Literal["one object", "all objects", "elsewhere"]


@dataclass(frozen=True, slots=True)
class IndexedCheck:
    """What the index says of a check."""

    at: str
    """`area.module:NAME`, below `rules/`."""
    id: str
    looks_at: Sight
    without_stack: WithoutStack
    kinds: tuple[str, ...] | None
    """Kinds without which a rule finds nothing; None: it looks at all."""

    @classmethod
    def of(cls, at: str, check: About) -> IndexedCheck:
        """The entry of a check."""
        kinds = sorted(check.kinds) if isinstance(check, Rule) and check.kinds is not None else None
        sight: Sight = "elsewhere"
        if isinstance(check, ObjectRule | StackRule):
            sight = "one object" if isinstance(check, ObjectRule) else "all objects"
        return cls(at, check.id, sight, check.without_stack, None if kinds is None else tuple(kinds))

    def has_a_say(self, coverage: frozenset[WithoutStack], kinds: frozenset[str]) -> bool:
        """Whether it may find something among objects of these kinds, where so much is known of their stack."""
        if self.looks_at == "elsewhere" or self.without_stack not in coverage:
            return False
        return self.kinds is None or not kinds.isdisjoint(self.kinds)

    def check(self) -> About:
        """The check itself, imported at the first call."""
        module, _, name = self.at.partition(":")
        found: About = getattr(import_module(f"platform_def.checks.rules.{module}"), name)
        return found


def _read(entry: Mapping[str, Any]) -> IndexedCheck:
    kinds = entry["kinds"]
    return IndexedCheck(**{**entry, "kinds": None if kinds is None else tuple(kinds)})


ENTRIES: Mapping[str, tuple[IndexedCheck, ...]] = {
    area: tuple(map(_read, entries)) for area, entries in orjson.loads(INDEX.read_bytes()).items()
}
"""By area; ids are distinct and stay."""
OF_OBJECTS = tuple(entry for entries in ENTRIES.values() for entry in entries if entry.looks_at != "elsewhere")
"""Those of the rules, which look at the objects of a stack."""


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, area by area."""
    return tuple(cast(Rule, entry.check()) for entry in OF_OBJECTS)


def rules_for(stack: RenderedStack) -> tuple[Rule, ...]:
    """The rules that may find something in a stack."""
    kinds = frozenset(item.kind for item in (*stack.objects(), *stack.existing))
    return _rules_for(frozenset(each for each in get_args(WithoutStack) if covered(each, stack)), kinds)


@lru_cache(maxsize=16)
def _rules_for(coverage: frozenset[WithoutStack], kinds: frozenset[str]) -> tuple[Rule, ...]:
    return tuple(cast(Rule, entry.check()) for entry in OF_OBJECTS if entry.has_a_say(coverage, kinds))


@cache
def checks() -> Mapping[str, About]:
    """Every check by its id, area by area."""
    return {entry.id: entry.check() for entries in ENTRIES.values() for entry in entries}


def checks_of(area: str) -> tuple[About, ...]:
    """The checks of an area, with those that look at something other than the objects of a stack."""
    return tuple(entry.check() for entry in ENTRIES[area])


def check_of(name: str) -> About:
    """The check of an id; ConfigError with the nearest where there is none."""
    known = checks()
    if name not in known:
        raise ConfigError(f"there is no check '{name[:64]}'", hint=nearest(name, known))
    return known[name]
