"""The rules of a CRD (`x-kubernetes-validations`) on an object of its kind, as k8s.io/apiextensions-apiserver has them.

Rules see the object with its defaults. A rule that speaks of `oldSelf` needs the object as it was; without it, such a
rule is passed over, as when the server creates an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from platform_def.crds.schema import Schema
from platform_def.manifests.cel.programs import CompiledExpression, Evaluated, activation, program
from platform_def.manifests.cel.values import Values
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.paths import Path, steps
from platform_def.manifests.schemas.mentions import RULES as HAS_RULES
from platform_def.manifests.schemas.mentions import mentions

RULES = "x-kubernetes-validations"
_SELF = ("oldSelf", "self")
_LONGEST = 160


class Broken(NamedTuple):
    """A rule that an object does not keep."""

    path: Path
    text: str
    rule: str


@dataclass(frozen=True)
class CelRule:
    """One entry of `x-kubernetes-validations`."""

    source: str
    message: str = ""
    message_expression: str = ""
    field_path: str = ""
    optional_old: bool = False

    @staticmethod
    def of(entry: Mapping[str, Any]) -> CelRule:
        """As a CRD holds it."""
        return CelRule(
            text(entry.get("rule")),
            text(entry.get("message")).strip(),
            text(entry.get("messageExpression")),
            text(entry.get("fieldPath")),
            optional_old=entry.get("optionalOldSelf") is True,
        )

    def program(self, source: str, *, has_old: bool) -> CompiledExpression:
        """The rule or its message, compiled; an optional `oldSelf` is bound inside, as no value can be one."""
        if not self.optional_old:
            return program(source, _SELF)
        return program(optional_old(source, "optional.of(oldSelf)" if has_old else "optional.none()"), _SELF)

    @property
    def uses_old(self) -> bool:
        """Whether the rule speaks of the object as it was."""
        return program(self.source, _SELF).uses("oldSelf")

    @property
    def shown(self) -> str:
        """On one line, cut where it is long."""
        line = " ".join(self.source.split())
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def optional_old(source: str, value: str) -> str:
    """The expression with `oldSelf` bound to an optional; the expression begins on the second line."""
    return f"[{value}].map(oldSelf,\n{source}\n)[0]"


class _Level:
    """A level of the schema, looked at once an object has it: most of a schema is in no object of a run."""

    def __init__(self, values: Values, rules: Schema, node: Schema):
        """`rules` is the level itself, or a branch of `allOf` that speaks of it."""
        self.node = node
        self.rules = tuple(CelRule.of(entry) for each in items(rules.get(RULES)) if (entry := mapping(each)))
        self.reader = values.reader(node) if self.rules else None
        self.keys: tuple[str, ...] = ()
        """By which items of a list are the same in an earlier object."""
        if node.get("x-kubernetes-list-type") == "map":
            self.keys = tuple(text(key) for key in items(node.get("x-kubernetes-list-map-keys")))
        self._values, self._said = values, rules
        self._fields: dict[str, _Level | None] = {}

    def field(self, name: str) -> _Level | None:
        """Of a field, or of a map's value; None where nothing below speaks."""
        if name in self._fields:
            return self._fields[name]
        said, node = (mapping(each.get("properties")) for each in (self._said, self.node))
        if name not in said:
            # A key of a map, of which there may be any number.
            return self.inner
        found = self._fields[name] = self._speaking(said[name], node.get(name)) or self.inner
        return found

    @cached_property
    def inner(self) -> _Level | None:
        """Of items, or of a map's values; None where nothing below speaks."""
        found = None
        for key in ("items", "additionalProperties"):
            found = self._speaking(self._said.get(key), self.node.get(key)) or found
        return found

    @cached_property
    def also(self) -> Sequence[_Level]:
        """Branches of `allOf` with rules of their own, over the same value."""
        branches = (self._speaking(branch, self.node) for branch in items(self._said.get("allOf")))
        return [branch for branch in branches if branch]

    def _speaking(self, rules: object, node: object) -> _Level | None:
        if isinstance(rules, dict) and isinstance(node, dict) and mentions(rules, HAS_RULES):
            return _Level(self._values, rules, node)
        return None


class Rules:
    """All rules of one version of a custom kind."""

    def __init__(self, schema: Schema):
        self._values = Values()
        self._schema = schema
        self._root = _Level(self._values, schema, schema) if mentions(schema, HAS_RULES) else None

    def broken(self, manifest: Mapping[str, Any], old: Mapping[str, Any] | None = None) -> Iterator[Broken]:
        """The rules that an object breaks, in the order of the schema; `old`: the object as it is in the cluster."""
        if self._root:
            defaults = self._values.defaults(self._schema) or _same
            former = None if old is None else defaults(dict(old))
            yield from _broken(self._root, defaults(dict(manifest)), former, ())

    def __bool__(self) -> bool:
        return self._root is not None


def _same(value: Any) -> Any:
    return value


def _broken(level: _Level, value: Any, old: Any, path: Path) -> Iterator[Broken]:
    if value is None:
        return
    if level.rules:
        yield from _judged(level, value, old, path)
    for branch in level.also:
        yield from _broken(branch, value, old, path)
    if isinstance(value, dict):
        former = old if isinstance(old, dict) else {}
        for name, each in value.items():
            deeper = level.field(name)
            if deeper is not None:
                yield from _broken(deeper, each, former.get(name), (*path, name))
    elif isinstance(value, list) and level.inner is not None:
        known = _keyed(old, level.keys) if level.keys else {}
        for index, each in enumerate(value):
            yield from _broken(level.inner, each, known.get(_key(each, level.keys)), (*path, index))


def _keyed(value: Any, keys: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
    return {_key(each, keys): each for each in items(value)}


def _key(item: Any, keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(repr(mapping(item).get(key)) for key in keys)


def _judged(level: _Level, value: Any, old: Any, path: Path) -> Iterator[Broken]:
    read = level.reader or _same
    variables = activation(
        {"self": read(value), "oldSelf": None if old is None else read(_aligned(level.node, value, old))}
    )
    for rule in level.rules:
        if not rule.source.strip():
            continue
        if old is None and not rule.optional_old and rule.uses_old:
            continue
        found = rule.program(rule.source, has_old=old is not None).evaluate(variables)
        if not found.judged or found.value is True:
            continue
        if found.error:
            yield Broken(path, f"{found.error}, where a rule is evaluated", rule.shown)
            continue
        said = rule.message or f"breaks the rule {rule.shown}"
        if rule.message_expression:
            said = _said(rule.program(rule.message_expression, has_old=old is not None).evaluate(variables)) or said
        yield Broken((*path, *_named(rule.field_path)), said, rule.shown if said is not rule.shown else "")


def _said(found: Evaluated) -> str:
    """What a message expression says, where it is fit to be shown."""
    value = found.value
    return value.strip() if isinstance(value, str) and value.strip() and "\n" not in value.strip() else ""


def _named(field_path: str) -> Path:
    return steps(field_path.replace("['", '["').replace("']", '"]'))


def _aligned(node: Schema, new: Any, old: Any) -> Any:
    """The old value with lists of type set and map in the new one's order, which equality does not ask for."""
    if isinstance(new, dict) and isinstance(old, dict):
        properties, rest = mapping(node.get("properties")), mapping(node.get("additionalProperties"))
        return {
            name: _aligned(dict(mapping(properties.get(name, rest))), new.get(name), each) for name, each in old.items()
        }
    if isinstance(new, list) and isinstance(old, list) and node.get("x-kubernetes-list-type") in ("set", "map"):
        keys = tuple(map(text, items(node.get("x-kubernetes-list-map-keys"))))
        known = {_identity(each, keys): each for each in old}
        places = {_identity(each, keys): index for index, each in enumerate(new)}
        ordered = sorted(known.items(), key=lambda pair: places.get(pair[0], len(places)))
        inner = dict(mapping(node.get("items")))
        return [_aligned(inner, new[places[key]], each) if key in places else each for key, each in ordered]
    return old


def _identity(item: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    return _key(item, keys) if keys else (repr(item),)
