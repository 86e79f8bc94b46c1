"""What rules of a CRD cost at least by the API server's estimate, which refuses a CRD above its limits.

Every number here is a lower bound of the server's, so that what is too dear here is so there: what is not known of a
value's size, or of a function, counts as nothing. A server's estimate is worst cases multiplied: a rule's own, by the
sizes that its schema allows, times how often its level may stand in an object of 3 MiB.
Facts: cel-go 0.26 (checker/cost.go), Kubernetes 1.36 (k8s.io/apiserver/pkg/cel, apiextensions' validation).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from platform_def.crds.schema import Schema
from platform_def.manifests.cel.environment import evaluator
from platform_def.manifests.cel.names import written
from platform_def.manifests.cel.rules import RULES, CelRule
from platform_def.manifests.cel.syntax import ExpressionNode, parsed
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.paths import Path

if TYPE_CHECKING:
    from cel_expr_python.cel import Env

MOST_OF_A_RULE, MOST_OF_A_SCHEMA = 10_000_000, 100_000_000
_REQUEST_BYTES = 3 * 1024 * 1024
_TRAVERSAL, _REGEX = 0.1, 0.25
"""Of each byte of a text, and of a regular expression."""
_MOMENTS = {"duration": (32, 3), "date": (12, 12), "date-time": (32, 21)}
"""Of a format the most and the fewest bytes."""
_METADATA: Schema = {"type": "object", "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}}}
_RESOURCE: Mapping[str, Schema] = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": _METADATA}


class Dear(NamedTuple):
    """A rule that costs too much, or all of them together where `path` is empty."""

    path: Path
    factor: float
    """By how much it is over the limit."""


@dataclass(frozen=True)
class CostShape:
    """What a level of a schema may hold, as large as an object can be."""

    kind: str
    """`list`, `map`, `object`, `text` or `scalar`."""
    most: int = 0
    """Items or bytes."""
    fewest_bytes: int = 2
    """Of its JSON."""
    inner: CostShape | None = None
    fields: Mapping[str, CostShape] = field(default_factory=dict)


def dear(schema: Schema) -> Iterator[Dear]:
    """The rules of a CRD's version that are over the limit for one, and whether all are over that for a schema."""
    total = 0
    for level, path, times in _levels(schema, (), 1):
        entries = [CelRule.of(mapping(each)) for each in items(level.get(RULES))]
        shape = _shape(level, resource=not path)
        if shape is None:
            continue
        often = times if times is not None else _REQUEST_BYTES // (shape.fewest_bytes + 1)
        for index, rule in enumerate(entries):
            if rule.optional_old:
                continue
            cost = _cost(rule.source, shape) * often
            total += cost
            if cost > MOST_OF_A_RULE:
                yield Dear((*path, RULES, index, "rule"), cost / MOST_OF_A_RULE)
    if total > MOST_OF_A_SCHEMA:
        yield Dear((), total / MOST_OF_A_SCHEMA)


def _levels(node: Schema, path: Path, times: int | None) -> Iterator[tuple[Schema, Path, int | None]]:
    """The levels with rules, and how often each may stand in an object; None: as often as there is room."""
    if items(node.get(RULES)):
        yield node, path, times
    for name, child in mapping(node.get("properties")).items():
        if isinstance(child, dict):
            yield from _levels(child, (*path, "properties", name), times)
    for key, limit in (("items", "maxItems"), ("additionalProperties", "maxProperties")):
        if isinstance(node.get(key), dict):
            most = node.get(limit)
            inner = times * most if isinstance(most, int) and times is not None else None
            yield from _levels(node[key], (*path, key), inner)


def _shape(node: Schema, *, resource: bool = False) -> CostShape | None:
    kind, most = node.get("type"), node.get("maxLength")
    if node.get("x-kubernetes-int-or-string") is True:
        return CostShape("scalar", 4 * most if isinstance(most, int) else _REQUEST_BYTES - 2, 1)
    if kind == "array":
        inner = _shape(node["items"]) if isinstance(node.get("items"), dict) else None
        return inner and CostShape("list", _bounded(node, "maxItems", inner.fewest_bytes + 1), 2, inner)
    if kind == "object" and isinstance(node.get("additionalProperties"), dict):
        inner = _shape(node["additionalProperties"])
        return inner and CostShape("map", _bounded(node, "maxProperties", inner.fewest_bytes + 6), 2, inner)
    if kind == "object":
        return _object(node, resource=resource or node.get("x-kubernetes-embedded-resource") is True)
    if kind == "string":
        most_bytes, fewest = _MOMENTS.get(text(node.get("format")), (_REQUEST_BYTES - 2, 2))
        named = [len(each) for each in items(node.get("enum")) if isinstance(each, str)]
        if isinstance(most, int) and fewest == 2:
            most_bytes = most if node.get("format") == "byte" else 4 * most
        elif named and fewest == 2:
            most_bytes = max(named)
        return CostShape("text" if fewest == 2 else "scalar", most_bytes, fewest)
    return CostShape("scalar", 0, 4 if kind == "boolean" else 1) if kind in ("boolean", "integer", "number") else None


def _bounded(node: Schema, keyword: str, bytes_each: int) -> int:
    said = node.get(keyword)
    return max(said, 0) if isinstance(said, int) else (_REQUEST_BYTES - 2) // bytes_each


def _object(node: Schema, *, resource: bool) -> CostShape:
    fields: dict[str, CostShape] = {}
    size = 2
    properties = {**mapping(node.get("properties")), **(_RESOURCE if resource else {})}
    for name, child in properties.items():
        shape = _shape(child) if isinstance(child, dict) else None
        if shape:
            fields |= dict.fromkeys(written(name), shape)
            if name in items(node.get("required")) and child.get("default") is None:
                size += len(name) + shape.fewest_bytes + 4
    return CostShape("object", 0, size, fields=fields)


class _Value(NamedTuple):
    """A part of an expression."""

    cost: int
    most: int = 0
    """Its size."""
    shape: CostShape | None = None
    """None: not of the schema."""


@cache
def _environment() -> Env:
    return evaluator(("self", "oldSelf"))


@cache
def _tree(source: str) -> ExpressionNode | None:
    """Versions of a CRD have most of their rules in common."""
    try:
        return parsed(_environment().compile(source, disable_check=True).serialize())
    except (RuntimeError, TypeError):
        return None


def _cost(source: str, shape: CostShape) -> int:
    tree, known = _tree(source), _Value(1, shape.most, shape)
    return _of(tree, {"self": known, "oldSelf": known}).cost if tree else 0


def _of(node: ExpressionNode, scope: Mapping[str, _Value]) -> _Value:
    if node.kind == "constant":
        return _Value(0, len(node.value) if isinstance(node.value, str) else 1)
    if node.kind == "name":
        return scope.get(node.name, _Value(1))._replace(cost=1)
    if node.kind == "comprehension":
        return _comprehension(node, scope)
    given = [_of(each, scope) for each in node.children]
    cost = sum(each.cost for each in given)
    if node.kind == "select":
        return _select(node, given[0])
    if node.kind in ("list", "map"):
        return _Value(
            cost + (10 if node.kind == "list" else 30), len(given) if node.kind == "list" else len(given) // 2
        )
    if node.name == "matches" and not node.value:
        return _Value(cost + 1)  # as a function of two texts it is taken to be cheap
    estimate = _FUNCTIONS.get(node.name)
    return estimate(given, cost) if estimate else _Value(cost)


def _select(node: ExpressionNode, of: _Value) -> _Value:
    inside = of.shape.fields.get(node.name) if of.shape and of.shape.kind == "object" else None
    if of.shape and of.shape.kind == "map":
        inside = of.shape.inner
    if node.value:  # whether the field is there costs nothing
        return _Value(of.cost)
    step = 1 if of.shape and of.shape.kind in ("object", "map") else 0
    return _Value(of.cost + step, inside.most if inside else 0, inside)


def _comprehension(node: ExpressionNode, scope: Mapping[str, _Value]) -> _Value:
    listed, start, condition, step, result = node.children
    first, second, gathered = node.value
    over, begun = _of(listed, scope), _of(start, scope)
    inner = over.shape.inner if over.shape else None
    item = _Value(1, inner.most if inner else 0, inner)
    is_list = over.shape is not None and over.shape.kind == "list"
    variables = {first: item if is_list else _Value(1)}
    if second:
        variables = {first: _Value(1), second: item}
    inside = {**scope, gathered: begun, **variables}
    each = _of(condition, inside).cost + _of(step, inside).cost
    ended = _of(result, {**scope, gathered: begun})
    most = over.most if start.kind in ("list", "map") else 1
    return _Value(over.cost + begun.cost + ended.cost + over.most * each, most)


def _times(size: int, factor: float) -> int:
    return math.ceil(size * factor)


_Given = Sequence[_Value]
_Estimate = Callable[[_Given, int], _Value]


def _plain(_: _Given, cost: int) -> _Value:
    return _Value(cost + 1)


def _nothing(_: _Given, cost: int) -> _Value:
    return _Value(cost)


def _one_of(given: _Given, cost: int) -> _Value:
    _, yes, no = given
    return _Value(cost - min(yes.cost, no.cost), max(yes.most, no.most))


def _compared(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(min(each.most for each in given), _TRAVERSAL))


def _ordered(given: _Given, cost: int) -> _Value:
    texts = any(each.shape is not None and each.shape.kind == "text" for each in given)
    return _compared(given, cost) if texts else _Value(cost + 1)


def _joined(given: _Given, cost: int) -> _Value:
    most = sum(each.most for each in given)
    texts = any(each.shape is not None and each.shape.kind == "text" for each in given)
    return _Value(cost + (_times(most, _TRAVERSAL) if texts else 1), most)


def _among(given: _Given, cost: int) -> _Value:
    looked = given[-1]
    return _Value(cost + (1 if looked.shape and looked.shape.kind == "map" else looked.most))


def _indexed(given: _Given, cost: int) -> _Value:
    inside = given[0].shape.inner if given[0].shape else None
    return _Value(cost + 1, inside.most if inside else 0, inside)


def _matched(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(given[0].most + 1, _TRAVERSAL) * _times(given[-1].most, _REGEX))


def _contained(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(given[0].most, _TRAVERSAL) * _times(given[-1].most, _TRAVERSAL))


def _begun(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(given[-1].most, _TRAVERSAL))


def _read(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(given[0].most, _TRAVERSAL), given[0].most, given[0].shape)


def _understood(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(given[0].most, _TRAVERSAL))


def _split(given: _Given, cost: int) -> _Value:
    return _Value(cost + _times(given[0].most, 2 * _TRAVERSAL))


_FUNCTIONS: Mapping[str, _Estimate] = {
    **dict.fromkeys(
        ("!_", "-_", "size", "@not_strictly_false", "_-_", "_*_", "_/_", "_%_", "type", "int", "double"), _plain
    ),
    **dict.fromkeys(("_&&_", "_||_"), _nothing),
    **dict.fromkeys(("_==_", "_!=_"), _compared),
    **dict.fromkeys(("_<_", "_<=_", "_>_", "_>=_"), _ordered),
    **dict.fromkeys(("startsWith", "endsWith"), _begun),
    **dict.fromkeys(("lowerAscii", "upperAscii", "trim", "substring"), _read),
    **dict.fromkeys(("quantity", "isQuantity", "isIP", "isCIDR", "ip", "cidr", "url"), _understood),
    **dict.fromkeys(("split", "replace"), _split),
    "_?_:_": _one_of,
    "_+_": _joined,
    "@in": _among,
    "_[_]": _indexed,
    "matches": _matched,
    "find": _matched,
    "contains": _contained,
}


def said(found: Dear) -> str:
    """How much too dear, in words."""
    times = f"{found.factor:.1f} times" if found.factor < 100 else "more than 100 times"
    whose = "this rule" if found.path else "all rules together"
    return f"the server's estimate of what {whose} may cost is at least {times} its limit"
