"""What a compiled expression consists of, read from its serialised form (`cel.expr.CheckedExpr`), and its literals.

The library checks types; that literals are right by themselves Kubernetes asks for beside (cel-go's AST validators).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

_REFERENCES, _TYPES, _EXPRESSION, _PARSED = 2, 3, 4, 2
_REGEX_FUNCTIONS = ("matches", "find", "findAll")
_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")


class Node(NamedTuple):
    """One node of an expression."""

    id: int
    kind: str
    """`constant`, `name`, `select`, `call`, `list`, `map` or `comprehension`."""
    name: str = ""
    """Of a name, a field or a function."""
    value: Any = None
    """A constant's text, where it is one; True of a select that only asks whether the field is there, and of a call of
    something's own; of a comprehension its variables: for items, or keys and values, and for the result."""
    children: tuple[Node, ...] = ()


def parsed(serialized: bytes) -> Node:
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
    todo = [_node(checked[_EXPRESSION][0])]
    while todo:
        node = todo.pop()
        todo += node.children
        if node.kind in ("list", "map") and (problem := _mixed(node, types)):
            return problem
        if node.kind == "call" and (problem := _misread(node)):
            return problem
    return ""


def _mixed(node: Node, types: Mapping[int, bytes]) -> str:
    groups = (node.children,) if node.kind == "list" else (node.children[::2], node.children[1::2])
    for group in groups:
        kinds = {types.get(each.id, _DYN) for each in group} - {_DYN, _NULL}
        if len(kinds) > 1:
            return f"does not compile: a {node.kind} holds values of different types, and may not"
    return ""


_DYN = b"\n\x00"
_NULL = b"\x10\x00"


def _misread(node: Node) -> str:
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


def _node(data: bytes) -> Node:
    fields = _fields(data)
    identity = fields.get(2, [0])[0]
    for number, read in _READERS.items():
        if number in fields:
            return read(identity, _fields(fields[number][0]))
    return Node(identity, "constant")


def _constant(identity: int, fields: dict[int, list[Any]]) -> Node:
    return Node(identity, "constant", value=fields[6][0].decode() if 6 in fields else None)


def _name(identity: int, fields: dict[int, list[Any]]) -> Node:
    return Node(identity, "name", fields.get(1, [b""])[0].decode())


def _select(identity: int, fields: dict[int, list[Any]]) -> Node:
    name, asks = fields.get(2, [b""])[0].decode(), bool(fields.get(3, [0])[0])
    return Node(identity, "select", name, asks, (_node(fields[1][0]),))


def _call(identity: int, fields: dict[int, list[Any]]) -> Node:
    given = [*fields.get(1, ()), *fields.get(3, ())]
    return Node(identity, "call", fields[2][0].decode(), 1 in fields, tuple(map(_node, given)))


def _list(identity: int, fields: dict[int, list[Any]]) -> Node:
    return Node(identity, "list", children=tuple(map(_node, fields.get(1, ()))))


def _map(identity: int, fields: dict[int, list[Any]]) -> Node:
    entries = [_fields(entry) for entry in fields.get(2, ())]
    parts = [part for entry in entries for part in (entry.get(3, [b""])[0], entry.get(4, [b""])[0])]
    return Node(identity, "map", children=tuple(map(_node, parts)))


def _comprehension(identity: int, fields: dict[int, list[Any]]) -> Node:
    parts = [fields[number][0] for number in (2, 4, 5, 6, 7) if number in fields]
    variables = tuple(fields.get(number, [b""])[0].decode() for number in (1, 8, 3))
    return Node(identity, "comprehension", value=variables, children=tuple(map(_node, parts)))


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


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place
