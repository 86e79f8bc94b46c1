"""Objects that reach the CEL rules of CRDs, each a little different, so that most rules are kept by one and broken by another.

An example is given every field on the way to a rule. There, fields are added alone and in twos, taken away and set to other
values. Nothing is drawn by lot.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from itertools import combinations, islice
from typing import Any, NamedTuple

from platform_def.crds.examples.derive import sample
from tests.cluster.client import Manifest
from tests.cluster.mutants import Path

RULES = "x-kubernetes-validations"
_MOST = 400
"""Candidates of one level."""
_TEXTS = (
    *("", "a", "x" * 70, "Example", "a b", "example.com", "*", "*.example", "http://example.com", "ftp://a", "1.2.3.4"),
    *("a/b", "/a#b", "/a%2Fb", "/a%2fb", "/a/../b", "/a/./b", "/a/..", "/a/.", "//a", "unix:///a/", "unix://a"),
    *("a.svc.cluster.local", "2h", "15s", "0s", "a*", "-a"),
)
_OF_EVERY_OBJECT = ("apiVersion", "kind", "metadata", "status")
_NUMBERS = (0, 1, 2, -1, 50, 70000)


class Candidate(NamedTuple):
    """An object that reaches one level with rules."""

    kind: str
    level: Path
    """Steps of the schema: names, `[]` and `{}`."""
    manifest: Manifest


def candidates(examples: Mapping[str, Manifest], schemas: Mapping[str, Any]) -> Iterator[Candidate]:
    """Objects for every distinct rule of the schemas."""
    seen: set[str] = set()
    for kind, manifest in examples.items():
        for level, node in _levels(schemas[kind], ()):
            rules = {rule["rule"] for rule in node[RULES]}
            if not rules <= seen and level[:1] != ("status",):
                seen |= rules
                yield from _of_level(kind, manifest, schemas[kind], level, node)


def _levels(node: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if node.get(RULES):
        yield path, node
    for name, child in node.get("properties", {}).items():
        yield from _levels(child, (*path, name))
    if isinstance(node.get("items"), dict):
        yield from _levels(node["items"], (*path, "[]"))
    if isinstance(node.get("additionalProperties"), dict):
        yield from _levels(node["additionalProperties"], (*path, "{}"))


def level_of(schema: Mapping[str, Any], level: Path) -> Mapping[str, Any]:
    """The node of a schema at a level."""
    for step in level:
        place = {"[]": "items", "{}": "additionalProperties"}.get(str(step))
        schema = schema[place] if place else schema["properties"][step]
    return schema


def _of_level(
    kind: str, manifest: Manifest, schema: Mapping[str, Any], level: Path, node: Mapping[str, Any]
) -> Iterator[Candidate]:
    base, holder, key = _reached(manifest, schema, level)
    if not level:
        own = {name: child for name, child in node["properties"].items() if name not in _OF_EVERY_OBJECT}
        fixed = {name: value for name, value in base.items() if name in _OF_EVERY_OBJECT}
        varied = {name: value for name, value in base.items() if name in own}
        for value in islice(_values(varied, {**node, "properties": own}), _MOST):
            yield Candidate(kind, level, copy.deepcopy({**fixed, **value}))
        return
    for value in islice(_values(holder[key], node), _MOST):
        holder[key] = value
        yield Candidate(kind, level, copy.deepcopy(base))


def _reached(manifest: Manifest, schema: Mapping[str, Any], level: Path) -> tuple[Manifest, Any, Any]:
    """The object with a value at the level, what holds that value, and by which key."""
    base = copy.deepcopy(manifest)
    value: Any = base
    holder: Any = base
    key: Any = ""
    node = schema
    for step in level:
        if step == "[]":
            node, key = node["items"], 0
            if not value:
                value.append(_sample(node))
        elif step == "{}":
            node = node["additionalProperties"]
            key = next(iter(value), "example")
        else:
            node, key = node["properties"][step], step
        if not isinstance(value, list) and key not in value:
            value[key] = _sample(node)
        holder, value = value, value[key]
    return base, holder, key


def _sample(node: Mapping[str, Any]) -> Any:
    """A value of one's own: a default is the schema's."""
    return copy.deepcopy(sample(dict(node)))


def _values(value: Any, node: Mapping[str, Any]) -> Iterator[Any]:
    yield copy.deepcopy(value)
    if isinstance(value, dict):
        yield from _maps(value, node)
    elif isinstance(value, list):
        yield from _lists(value, node)
    else:
        yield from _scalars(node)


def _maps(value: Manifest, node: Mapping[str, Any]) -> Iterator[Manifest]:
    properties = node.get("properties", {})
    absent = {name: _sample(child) for name, child in properties.items() if name not in value}
    for name in value:
        yield {key: each for key, each in value.items() if key != name}
    for name, added in absent.items():
        yield {**value, name: added}
    for name in [*value, *absent]:
        if name in properties:
            yield from ({**value, name: other} for other in _scalars(properties[name]))
        inner = value.get(name, absent.get(name))
        if isinstance(inner, list) and name in properties:
            yield from ({**value, name: other} for other in _lists(inner, properties[name]))
    chosen = [(name, choice) for name, child in properties.items() for choice in child.get("enum", ())]
    for name, choice in chosen:
        yield from ({**value, name: choice, other: absent[other]} for other in absent if other != name)
    for one, other in combinations(absent, 2):
        yield {**value, one: absent[one], other: absent[other]}
    yield {**value, **absent}


def _lists(value: list[Any], node: Mapping[str, Any]) -> Iterator[list[Any]]:
    items = node.get("items", {})
    first = value[0] if value else _sample(items)
    yield []
    yield [first, first]
    if isinstance(first, dict):
        for changed in islice(_maps(first, items), 12):
            yield [changed]
            yield [first, changed]
    else:
        for other in _scalars(items):
            yield [other]
            yield [first, other]


def _scalars(node: Mapping[str, Any]) -> Iterator[Any]:
    if "enum" in node:
        yield from node["enum"]
    elif node.get("type") == "string":
        yield from _TEXTS
    elif node.get("type") in ("integer", "number"):
        yield from _NUMBERS
    elif node.get("type") == "boolean":
        yield from (True, False)
    elif node.get("x-kubernetes-int-or-string"):
        yield from (*_NUMBERS, *_TEXTS)
