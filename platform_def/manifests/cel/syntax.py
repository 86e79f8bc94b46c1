"""What a compiled expression consists of, read from its serialised form (`cel.expr.CheckedExpr`), and its literals.

The library checks types; that literals are right by themselves Kubernetes asks for beside (cel-go's AST validators).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

_REFERENCES, _TYPES, _EXPRESSION, _PARSED = 2, 3, 4, 2
_REGEX_FUNCTIONS = ("matches", "find", "findAll")
_FORMAT = "format"
"""The function whose list may hold values of different types, one for each `%` of its text."""
_CLAUSE = re.compile(r"%(?:%|(?:\.\d+)?(?P<letter>.)?)", re.DOTALL)
_LETTERS, _OF_NUMBERS = "sdfebxXo", "do"
_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")


class ExpressionNode(NamedTuple):
    """One node of an expression."""

    id: int
    kind: str
    """`constant`, `name`, `select`, `call`, `list`, `map` or `comprehension`."""
    name: str = ""
    """Of a name, a field or a function."""
    value: Any = None
    """A constant's text, where it is one; True of a select that only asks whether the field is there, and of a call of
    something's own; of a list or map the places of what is optional in it; of a comprehension its variables: for items,
    or keys and values, and for the result."""
    children: tuple[ExpressionNode, ...] = ()


def parsed(serialized: bytes) -> ExpressionNode:
    """The tree of an expression that was not checked (`cel.expr.ParsedExpr`)."""
    return _node(_fields(_fields(serialized)[2][0])[_PARSED][0])


def names(serialized: bytes) -> frozenset[str]:
    """Variables and functions that an expression refers to; `serialized` is what the library's `serialize` gives."""
    checked = _fields(_fields(serialized)[2][0])
    references = (_fields(_fields(entry)[2][0]) for entry in checked.get(_REFERENCES, ()))
    return frozenset(each[1][0].decode() for each in references if 1 in each)


def literal_problem(serialized: bytes) -> str:
    """What is wrong with a literal; empty where all are right."""
    checked = _fields(_fields(serialized)[2][0])
    pairs = map(_fields, checked.get(_TYPES, ()))
    types = {pair.get(1, [0])[0]: pair[2][0] for pair in pairs}
    todo = [(_node(checked[_EXPRESSION][0]), False)]
    while todo:
        node, formatted = todo.pop()
        formatted |= node.kind == "call" and node.name == _FORMAT
        todo += ((each, formatted) for each in node.children)
        if node.kind in ("list", "map") and not formatted and (problem := _mixed(node, types)):
            return problem
        if node.kind == "call" and (problem := _misread(node) or _misformatted(node, types)):
            return problem
    return ""


def _mixed(node: ExpressionNode, types: Mapping[int, bytes]) -> str:
    found = [
        _opened(types.get(each.id, _DYN)) if place in node.value else types.get(each.id, _DYN)
        for place, each in enumerate(node.children)
    ]
    groups = (found,) if node.kind == "list" else (found[::2], found[1::2])
    if any(len(set(group)) > 1 for group in groups):
        return f"does not compile: a {node.kind} holds values of different types, and may not"
    return ""


# Serialised types (`cel.expr.Type`); of what may be anything nothing is recorded.
_DYN = b"\n\x00"
_NO_NUMBERS = {b"\x18\x01": "bool", b"\x18\x05": "string", b"\x18\x06": "bytes"}
_ABSTRACT, _PARAMETERS = 14, 2


def _opened(optional: bytes) -> bytes:
    """The type of what an optional value holds."""
    parameters = _fields(_fields(optional).get(_ABSTRACT, [b""])[0]).get(_PARAMETERS, [_DYN])
    return bytes(parameters[0])


def _misformatted(node: ExpressionNode, types: Mapping[int, bytes]) -> str:
    """What is wrong with a text and the list of what goes into it, where both are written out."""
    if node.name != _FORMAT or len(node.children) != 2 or node.children[1].kind != "list":
        return ""
    text, given = node.children[0].value, node.children[1].children
    if not isinstance(text, str):
        return ""
    letters = [each["letter"] for each in _CLAUSE.finditer(text) if each[0] != "%%"]
    for place, letter in enumerate(letters):
        if letter is None or letter not in _LETTERS:
            return f"does not compile: a % of '{text}' is followed by none of {', '.join(_LETTERS)} and %"
        if place >= len(given):
            return f"does not compile: '{text}' has places for {len(letters)} values, and is given {len(given)}"
        if letter in _OF_NUMBERS and (kind := _NO_NUMBERS.get(types.get(given[place].id, _DYN))):
            return f"does not compile: %{letter} of '{text}' takes a number, and is given a {kind}"
    return ""


def _misread(node: ExpressionNode) -> str:
    given = [each.value for each in node.children]
    if node.name == "duration" and isinstance(given[0], str) and not _DURATION.fullmatch(given[0]):
        return f"does not compile: '{given[0]}' is no duration, as 1h30m"
    if node.name == "timestamp" and isinstance(given[0], str) and not _is_moment(given[0]):
        return f"does not compile: '{given[0]}' is no moment, as 2006-01-02T15:04:05Z"
    if node.name in _REGEX_FUNCTIONS and len(given) > 1 and isinstance(given[-1], str):
        return "" if _is_regex(given[1]) else f"does not compile: '{given[1]}' is no regular expression"
    return ""


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _is_regex(pattern: str) -> bool:
    from jsonschema_rs import Draft202012Validator, RegexOptions

    try:
        Draft202012Validator({"pattern": pattern}, pattern_options=RegexOptions())
    except ValueError:
        return False
    return True


def _node(data: bytes) -> ExpressionNode:
    fields = _fields(data)
    identity = fields.get(2, [0])[0]
    for number, read in _READERS.items():
        if number in fields:
            return read(identity, _fields(fields[number][0]))
    return ExpressionNode(identity, "constant")


def _constant(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    return ExpressionNode(identity, "constant", value=fields[6][0].decode() if 6 in fields else None)


def _name(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    return ExpressionNode(identity, "name", fields.get(1, [b""])[0].decode())


def _select(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    name, asks = fields.get(2, [b""])[0].decode(), bool(fields.get(3, [0])[0])
    return ExpressionNode(identity, "select", name, asks, (_node(fields[1][0]),))


def _call(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    given = [*fields.get(1, ()), *fields.get(3, ())]
    return ExpressionNode(identity, "call", fields[2][0].decode(), 1 in fields, tuple(map(_node, given)))


def _list(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    optional = [place for each in fields.get(2, ()) for place in ([each] if isinstance(each, int) else _varints(each))]
    return ExpressionNode(identity, "list", value=optional, children=tuple(map(_node, fields.get(1, ()))))


def _map(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    entries = [_fields(entry) for entry in fields.get(2, ())]
    parts = [part for entry in entries for part in (entry.get(3, [b""])[0], entry.get(4, [b""])[0])]
    optional = [2 * place + 1 for place, entry in enumerate(entries) if entry.get(5, [0])[0]]
    return ExpressionNode(identity, "map", value=optional, children=tuple(map(_node, parts)))


def _comprehension(identity: int, fields: dict[int, list[Any]]) -> ExpressionNode:
    parts = [fields[number][0] for number in (2, 4, 5, 6, 7) if number in fields]
    variables = tuple(fields.get(number, [b""])[0].decode() for number in (1, 8, 3))
    return ExpressionNode(identity, "comprehension", value=variables, children=tuple(map(_node, parts)))


_READERS = {3: _constant, 4: _name, 5: _select, 6: _call, 7: _list, 8: _map, 9: _comprehension}


def _fields(data: bytes) -> dict[int, list[Any]]:
    """The fields of a protobuf message by number: integers, and bytes for everything else."""
    found: dict[int, list[Any]] = {}
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, place = _varint(data, place)
            found.setdefault(number, []).append(value)
            continue
        size = 8 if wire == 1 else 4
        if wire == 2:
            size, place = _varint(data, place)
        found.setdefault(number, []).append(data[place : place + size])
        place += size
    return found


def _varints(data: bytes) -> Iterator[int]:
    place = 0
    while place < len(data):
        value, place = _varint(data, place)
        yield value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place
