"""Whether the schema in a CRD is structural, its lists have keys, and its defaults pass it.

One walk over plain maps without generators: CRDs are the largest objects there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.names import words
from platform_def.manifests.paths import Path, dotted

_TYPES = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_ONLY_JSON_SCHEMA = ("$ref", "definitions", "dependencies", "id", "patternProperties", "uniqueItems")
"""What OpenAPI's schemas have and structural ones have not."""
_INT_OR_STRING = "x-kubernetes-int-or-string"
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED = "x-kubernetes-embedded-resource"
_LIST_TYPE, _LIST_KEYS, _MAP_TYPE = ("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type")
_RULES = "x-kubernetes-validations"
_EITHER = [{"type": "integer"}, {"type": "string"}]
_STRUCTURE = (
    *("type", "default", "title", "description", "nullable", "additionalProperties"),
    *(_PRESERVE, _EMBEDDED, _INT_OR_STRING, _LIST_TYPE, _LIST_KEYS, _MAP_TYPE, _RULES),
)
"""What belongs to the structure, and may not stand below `not`, `allOf`, `anyOf` and `oneOf`."""
_PLAIN = frozenset(
    words(
        "type description properties required format enum minimum maximum minLength maxLength pattern "
        "nullable title exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems minProperties "
        "maxProperties example items"
    )
)
"""Keywords of a node of which nothing more is to be said."""
_REASONS = ("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate")
_FIELD_STEP = re.compile(r"\.([^.\[\]\n]+)|\['((?:[^'\\]|\\.)*)'\]")
_FIELD_PATH = re.compile(rf"(?:{_FIELD_STEP.pattern})+")
_META = frozenset({"apiVersion", "kind", "metadata"})

Passes = Callable[[dict[str, Any], Any], bool]
"""Whether a value passes the schema of a node."""


class Walk:
    """Gathers the faults of one schema."""

    def __init__(self, passes: Passes):
        self.found: list[Fault] = []
        self.has_rules = False
        """Whether expressions of CEL stand in it."""
        self._passes = passes

    def root(self, node: object, path: Path) -> None:
        """The schema of a whole version."""
        if not isinstance(node, dict):
            return
        if node.get("type") not in ("object", None, ""):
            self._say((*path, "type"), "must be object at the root")
        if "additionalProperties" in node:
            self._say((*path, "additionalProperties"), "is not for the root, whose fields are known", "leave it out")
        for name in _META & mapping(node.get("properties")).keys():
            if _has_default(mapping(node["properties"])[name]):
                self._say((*path, "properties", name), "has a default, which the root's metadata may not")
        self._node(node, path, "at the root", whole=True)

    def _node(self, node: object, path: Path, where: str, *, whole: bool = False) -> None:
        if not isinstance(node, dict):
            return
        kind = node.get("type")
        if not isinstance(kind, str) or kind not in _TYPES:
            self._untyped(node, kind, path, where)
        plain = _PLAIN.issuperset(node)
        if not plain:
            self._special(node, kind, path)
            self._branches(node, path, whole=whole)
        if whole or (not plain and node.get(_EMBEDDED) is True):
            self._metadata(mapping(node.get("properties")), path)
        if kind == "array" or "items" in node:
            self._items(node, path)
        properties = node.get("properties")
        if isinstance(properties, dict):
            for name, child in properties.items():
                self._node(child, (*path, "properties", name), "of a field")
        values = None if plain else node.get("additionalProperties")
        if values is not None:
            self._node(values, (*path, "additionalProperties"), "of a map's values")

    def _items(self, node: Mapping[str, Any], path: Path) -> None:
        inner = node.get("items")
        if inner is not None:
            self._node(inner, (*path, "items"), "of a list's items")
        elif node.get("type") == "array":
            self._say((*path, "items"), "is missing: a list says what it holds")

    def _untyped(self, node: Mapping[str, Any], kind: object, path: Path, where: str) -> None:
        if kind:
            self._say((*path, "type"), f"'{str(kind)[:60]}' is none of {', '.join(sorted(_TYPES))}")
        elif not node.get(_INT_OR_STRING) and not node.get(_PRESERVE):
            self._say(
                (*path, "type"), f"is missing: the schema {where} has a type", "write type: object, string or another"
            )

    def _metadata(self, properties: Mapping[str, Any], path: Path) -> None:
        for name, wanted in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
            given = properties.get(name)
            if isinstance(given, dict) and given.get("type") != wanted:
                self._say((*path, "properties", name, "type"), f"must be {wanted}")

    def _special(self, node: dict[str, Any], kind: object, path: Path) -> None:
        for key in _ONLY_JSON_SCHEMA:
            if node.get(key):
                self._say((*path, key), "does not belong into a structural schema", "leave it out")
        if node.get("properties") and "additionalProperties" in node and node["additionalProperties"] is not True:
            self._say((*path, "additionalProperties"), "is set together with properties: set only one")
        if node.get(_PRESERVE) is False:
            self._say((*path, _PRESERVE), "must be true, or be left out", "leave it out")
        for key in (_PRESERVE, _EMBEDDED):
            if node.get(_INT_OR_STRING) and node.get(key):
                self._say((*path, key), f"goes with no {_INT_OR_STRING}")
        self._embedded(node, kind, path)
        self._list(node, kind, path)
        self._map(node, kind, path)
        self._rules(node, path)
        if "default" in node:
            self._default(node, path)

    def _branches(self, node: dict[str, Any], path: Path, *, whole: bool) -> None:
        # What branches speak of must be in the structure; the server asks that of the root's branches alone.
        structure = node if whole else None
        for key in ("allOf", "anyOf", "oneOf"):
            for index, branch in enumerate(items(node.get(key))):
                if not (node.get(_INT_OR_STRING) and _is_either(node, key, index)):
                    self._branch(branch, structure, (*path, key, index))
        if "not" in node:
            self._branch(node["not"], structure, (*path, "not"))

    def _embedded(self, node: Mapping[str, Any], kind: object, path: Path) -> None:
        if node.get(_EMBEDDED) is not True:
            return
        if kind != "object":
            self._say((*path, "type"), f"must be object with {_EMBEDDED}")
        if "additionalProperties" in node:
            self._say((*path, "additionalProperties"), f"goes with no {_EMBEDDED}")
        if not node.get(_PRESERVE) and not node.get("properties"):
            self._say((*path, "properties"), f"is missing: {_EMBEDDED} needs it, or {_PRESERVE}")

    def _list(self, node: Mapping[str, Any], kind: object, path: Path) -> None:
        how, keys = node.get(_LIST_TYPE), items(node.get(_LIST_KEYS))
        if how is None:
            if keys:
                self._say((*path, _LIST_TYPE), f"must be map with {_LIST_KEYS}")
            return
        if how not in ("atomic", "set", "map"):
            self._say((*path, _LIST_TYPE), f"'{str(how)[:60]}' is none of atomic, set, map")
        if kind != "array":
            self._say((*path, "type"), f"must be array with {_LIST_TYPE}")
        inner = mapping(node.get("items"))
        if how == "map":
            self._keyed(inner, keys, path)
        elif keys:
            self._say((*path, _LIST_KEYS), f"goes with {_LIST_TYPE} map alone")
        if how == "set" and inner.get("type") == "object" and inner.get(_MAP_TYPE) != "atomic":
            self._say((*path, "items", _MAP_TYPE), "must be atomic: items of a set are compared whole")
        if how == "set" and inner.get("type") == "array" and inner.get(_LIST_TYPE) not in (None, "atomic"):
            self._say((*path, "items", _LIST_TYPE), "must be atomic: items of a set are compared whole")
        if how == "set" and inner.get("nullable") is True:
            self._say((*path, "items", "nullable"), "goes with no set")

    def _keyed(self, inner: Mapping[str, Any], keys: Any, path: Path) -> None:
        if not keys:
            self._say((*path, _LIST_KEYS), "is missing: it says by which fields items are told apart")
        if inner.get("type") not in ("object", None, ""):
            self._say((*path, "items", "type"), f"must be object with {_LIST_TYPE} map")
        if inner.get("nullable") is True:
            self._say((*path, "items", "nullable"), f"goes with no {_LIST_TYPE} map")
        properties, required = mapping(inner.get("properties")), items(inner.get("required"))
        for index, key in enumerate(keys):
            field = properties.get(key) if isinstance(key, str) else None
            if not isinstance(field, dict):
                self._say((*path, _LIST_KEYS, index), f"'{str(key)[:60]}' is no field of the items")
                continue
            if keys.index(key) != index:
                self._say((*path, _LIST_KEYS, index), f"'{key}' is listed twice")
            if field.get("type") in ("array", "object"):
                self._say((*path, "items", "properties", key, "type"), "cannot be a key: write a text or a number")
            if field.get("nullable") is True:
                self._say((*path, "items", "properties", key, "nullable"), "goes with no key")
            if key not in required and "default" not in field:
                hint = f"add {key} to `required` of the items"
                self._say((*path, "items", "properties", key), "is a key, and neither required nor defaulted", hint)

    def _map(self, node: Mapping[str, Any], kind: object, path: Path) -> None:
        how = node.get(_MAP_TYPE)
        if how is None:
            return
        if how not in ("atomic", "granular"):
            self._say((*path, _MAP_TYPE), f"'{str(how)[:60]}' is none of atomic, granular")
        if kind != "object":
            self._say((*path, "type"), f"must be object with {_MAP_TYPE}")

    def _rules(self, node: Mapping[str, Any], path: Path) -> None:
        for index, rule in enumerate(items(node.get(_RULES))):
            self.has_rules = True
            expression, message = text(mapping(rule).get("rule")).strip(), text(mapping(rule).get("message"))
            if not expression:
                self._say((*path, _RULES, index, "rule"), "is empty")
            if message and not message.strip():
                self._say((*path, _RULES, index, "message"), "is blank")
            if "\n" in message.strip():
                self._say((*path, _RULES, index, "message"), "must be one line")
            if "\n" in expression and not message.strip():
                self._say((*path, _RULES, index, "message"), "is missing, and a rule of several lines needs it")
            self._told(mapping(rule), node, (*path, _RULES, index))

    def _told(self, rule: Mapping[str, Any], node: Mapping[str, Any], path: Path) -> None:
        """How a rule tells what is wrong: in which words, as what, and of which field."""
        words_, reason, field = rule.get("messageExpression"), rule.get("reason"), rule.get("fieldPath")
        if isinstance(words_, str) and words_ and not words_.strip():
            self._say((*path, "messageExpression"), "is blank")
        if isinstance(reason, str) and reason not in _REASONS:
            self._say((*path, "reason"), f"'{reason[:60]}' is none of {', '.join(_REASONS)}")
        if isinstance(field, str) and field and not _names_field(node, field):
            self._say((*path, "fieldPath"), f"'{field[:60]}' is no field below the rule, written .spec.size")

    def _default(self, node: dict[str, Any], path: Path) -> None:
        value = node["default"]
        if value is None:
            if node.get("nullable") is not True:
                self._say((*path, "default"), "cannot be null where nothing may be")
        elif not self._passes(node, value):
            self._say((*path, "default"), "does not match its own schema")

    def _branch(self, branch: object, structure: Mapping[str, Any] | None, path: Path) -> None:
        """Below `not`, `allOf`, `anyOf` and `oneOf` stands what values must be, not what there is."""
        if not isinstance(branch, dict):
            return
        for key in _STRUCTURE:
            if branch.get(key) not in (None, "", False, []):
                self._say((*path, key), "belongs to the structure, not below allOf, anyOf, oneOf and not")
        for name, child in mapping(branch.get("properties")).items():
            where = (*path, "properties", name)
            if name == "metadata":
                self._say(where, "metadata is not judged by schemas")
            inner = None if structure is None else mapping(structure.get("properties")).get(name)
            if structure is not None and not isinstance(inner, dict):
                self._say(where, "is no field of the structure", "add it to the properties around")
            self._branch(child, inner if isinstance(inner, dict) else None, where)
        if isinstance(branch.get("items"), dict):
            below = None if structure is None else structure.get("items")
            if structure is not None and not isinstance(below, dict):
                self._say((*path, "items"), "is not in the structure")
            self._branch(branch["items"], below if isinstance(below, dict) else None, (*path, "items"))
        for key in ("allOf", "anyOf", "oneOf"):
            for index, other in enumerate(items(branch.get(key))):
                self._branch(other, structure, (*path, key, index))
        if "not" in branch:
            self._branch(branch["not"], structure, (*path, "not"))

    def _say(self, path: Path, said: str, hint: str = "") -> None:
        self.found.append(Fault(dotted(path), said, hint))


def _is_either(node: Mapping[str, Any], key: str, index: int) -> bool:
    """Whether it is the way in which CRDs say `an integer or a text`."""
    if key == "anyOf":
        return bool(node["anyOf"] == _EITHER)
    return key == "allOf" and index == 0 and mapping(node["allOf"][0]).get("anyOf") == _EITHER


def _names_field(node: Mapping[str, Any], path: str) -> bool:
    """Whether a path (`.size`, `['a.b']`) leads to a field of a schema, or to a value of a map."""
    if not _FIELD_PATH.fullmatch(path):
        return False
    current: object = node
    for plain, quoted in _FIELD_STEP.findall(path):
        properties, values = mapping(current).get("properties"), mapping(current).get("additionalProperties")
        current = mapping(properties).get(plain or quoted) if properties else values
        if not isinstance(current, dict):
            return False
    return True


def _has_default(node: object) -> bool:
    if not isinstance(node, dict):
        return False
    return "default" in node or any(map(_has_default, mapping(node.get("properties")).values()))


def field_at(node: object, path: str) -> Mapping[str, Any] | None:
    """The schema of a field that a simple path (`.spec.mode`) names; None where there is none."""
    for step in path.removeprefix(".").split("."):
        node = mapping(mapping(node).get("properties")).get(step)
    return node if isinstance(node, dict) else None
