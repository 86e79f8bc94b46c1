"""How limits are written: keywords of a field that come on top of its type, and what a rule over a type sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.crds.schema import Schema

Path = tuple[str | int, ...]
Value = Mapping[str, Any]


class Wrong(NamedTuple):
    """What a rule sees in a value: where below it, what, and what to write instead."""

    path: Path
    text: str
    hint: str = ""


Rule = Callable[[Value], Iterator[Wrong]]
Limits = Mapping[str, Mapping[str, Schema]]
"""Type → field → keywords."""
Since = Mapping[str, Mapping[int, Mapping[str, Schema]]]
"""Type → minor version of Kubernetes → field → keywords that hold from then on."""
Rules = Mapping[str, Rule]
"""Type → what holds between its fields."""

LOOSE_SELECTOR = "server:loose-selector"
"""A definition: a selector of labels that are not Kubernetes' own, whose values may be anything."""
NEEDED = "server:needed"
"""Keyword of a field that must be there, and not be null."""


def needed(limit: Schema | None = None) -> Schema:
    """The field must be there."""
    return {**(limit or {}), NEEDED: True}


def choice(*names: str, empty: bool = False) -> Schema:
    """One of these words; `empty`: the empty text stands for a default."""
    return {"enum": [*names, *([""] if empty else []), None]}


def number(low: int, high: int | None = None) -> Schema:
    """A number of this range."""
    return {"minimum": low} | ({} if high is None else {"maximum": high})


def text(grammar: str = "") -> Schema:
    """A text that is not empty, in one of the grammars of `formats`."""
    return {"minLength": 1} | ({"format": f"server:{grammar}"} if grammar else {})


def maybe(grammar: str) -> Schema:
    """An empty text, or one in the grammar."""
    return {"format": f"server:{grammar}?"}


def each(limit: Schema, *, least: int = 0, most: int | None = None) -> Schema:
    """A list whose items keep the limit."""
    bounds: Schema = ({"minItems": least} if least else {}) | ({} if most is None else {"maxItems": most})
    return {"items": limit, **bounds}


def keyed(keys: str, values: Schema | None = None) -> Schema:
    """A map whose keys are in a grammar."""
    names: Schema = {"propertyNames": {"format": f"server:{keys}"}}
    return names | ({} if values is None else {"additionalProperties": values})


FILLED: Schema = {"minLength": 1}
SOME: Schema = {"minItems": 1}
PORT = number(1, 65535)
NOT_NEGATIVE = number(0)
POSITIVE = number(1)
NAMED_PORT: Schema = {**PORT, "format": "server:port-name"}
MODE = number(0, 0o777)
LABELS = keyed("label-key", {"format": "server:label-value"})
PROTOCOL = choice("TCP", "UDP", "SCTP", empty=True)
AMOUNT: Schema = {"minimum": 0, "format": "server:amount"}
"""A quantity that is not negative."""
ID = number(0, 2**31 - 1)


def given(value: Value, *fields: str) -> list[str]:
    """Those of the fields that are there."""
    return [field for field in fields if value.get(field) is not None]


def one_of(*fields: str, exactly: bool = True) -> Rule:
    """The value has one of the fields; `exactly` False: or none."""

    def rule(value: Value) -> Iterator[Wrong]:
        found = given(value, *fields)
        if exactly and not found:
            yield Wrong((), f"needs one of {', '.join(fields)}")
        for other in found[1:]:
            yield Wrong((other,), f"is set together with {found[0]}: set only one", f"leave out {other}")

    return rule


def both(*rules: Rule) -> Rule:
    """What several rules find."""

    def rule(value: Value) -> Iterator[Wrong]:
        for each_rule in rules:
            yield from each_rule(value)

    return rule


def listed(words: Iterator[str] | list[str] | tuple[str, ...]) -> str:
    """`a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
