"""Rules that the API server finds too dear, and the same within its limits: what `costs` must say, and a server says.

Each is the properties of a `spec`. A pair differs in one bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Properties = Mapping[str, Any]
_RULES = "x-kubernetes-validations"


class Pair(NamedTuple):
    """The same rule over the limit and within it."""

    about: str
    dear: Properties
    cheap: Properties


def _ruled(node: Mapping[str, Any], *rules: str) -> dict[str, Any]:
    return {**node, _RULES: [{"rule": rule} for rule in rules]}


def _text(most: int | None = None) -> dict[str, Any]:
    return {"type": "string", **({} if most is None else {"maxLength": most})}


def _list(of: Mapping[str, Any], most: int | None = None) -> dict[str, Any]:
    return {"type": "array", "items": of, **({} if most is None else {"maxItems": most})}


def _map(of: Mapping[str, Any], most: int | None = None) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": of, **({} if most is None else {"maxProperties": most})}


def _named(name: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": ["name"], "properties": {"name": name}}


_TWICE = "self.all(x, self.exists_one(y, y.name == x.name))"
_EVERY = "self.all(x, x.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$'))"
_FORM = "self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')"

PAIRS = (
    Pair(
        "a list against itself",
        {"a": _ruled(_list(_named(_text())), _TWICE)},
        {"a": _ruled(_list(_named(_text(63)), 64), _TWICE)},
    ),
    Pair(
        "a pattern on every item",
        {"a": _ruled(_list(_text()), _EVERY)},
        {"a": _ruled(_list(_text(63), 100), _EVERY)},
    ),
    Pair(
        "a pattern at every item of a list without bound",
        {"a": _list(_ruled(_text(), _FORM))},
        {"a": _list(_ruled(_text(63), _FORM), 100)},
    ),
    Pair(
        "a cheap rule in a list of lists",
        {"a": _list(_list(_ruled(_text(5000), "self.contains('abcdefghijklmnop')")))},
        {"a": _list(_list(_ruled(_text(50), "self.contains('abcdefghijklmnop')"), 10), 10)},
    ),
    Pair(
        "keys and values of a map",
        {"a": _ruled(_map(_text()), "self.all(k, self.all(l, k == l || self[k] != self[l]))")},
        {"a": _ruled(_map(_text(63), 32), "self.all(k, self.all(l, k == l || self[k] != self[l]))")},
    ),
    Pair(
        "texts that are compared in a list without bound",
        {"a": _list(_ruled({"type": "object", "properties": {"x": _text(), "y": _text()}}, "self.x == self.y"))},
        {
            "a": _list(
                _ruled({"type": "object", "properties": {"x": _text(20), "y": _text(20)}}, "self.x == self.y"), 1000
            )
        },
    ),
    Pair(
        "two lists one inside the other",
        {
            "a": _list(_text(50), 1000),
            "b": _ruled(_list(_text(50), 1000), "self.all(x, self.all(y, self.all(z, x == z)))"),
        },
        {"b": _ruled(_list(_text(50), 50), "self.all(x, self.all(y, self.all(z, x == z)))")},
    ),
    Pair(
        "numbers counted three deep",
        {"a": _ruled(_list({"type": "integer"}, 200), "self.all(x, self.all(y, self.all(z, x + y != z)))")},
        {"a": _ruled(_list({"type": "integer"}, 50), "self.all(x, self.all(y, self.all(z, x + y != z)))")},
    ),
    Pair(
        "what is in a list, for each of another",
        {"a": _ruled(_list(_text(10), 5000), "self.all(x, x in self)")},
        {"a": _ruled(_list(_text(10), 1000), "self.all(x, x in self)")},
    ),
    Pair(
        "addresses, quantities and cases",
        {"a": _list(_list(_ruled(_text(), "isQuantity(self) && self.lowerAscii() == self")))},
        {"a": _list(_list(_ruled(_text(20), "isQuantity(self) && self.lowerAscii() == self"), 100), 100)},
    ),
    Pair(
        "what is filtered and made anew",
        {
            "a": _ruled(
                _list(_named(_text()), 3000),
                "self.filter(x, x.name != '').map(x, x.name).all(x, x in self.map(y, y.name))",
            )
        },
        {
            "a": _ruled(
                _list(_named(_text(9)), 300),
                "self.filter(x, x.name != '').map(x, x.name).all(x, x in self.map(y, y.name))",
            )
        },
    ),
    Pair(
        "many rules that are each within the limit",
        {f"a{index}": _ruled(_list(_text(10), 3000), "self.all(x, x in self)") for index in range(20)},
        {f"a{index}": _ruled(_list(_text(10), 3000), "self.all(x, x in self)") for index in range(5)},
    ),
)
