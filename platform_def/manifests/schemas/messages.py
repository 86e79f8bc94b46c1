"""Validation errors in a user's words: the field, what is wrong with it, and the nearest thing that would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from platform_def.crds.schema import Schema
from platform_def.errors import nearest
from platform_def.manifests.paths import dotted
from platform_def.manifests.schemas.bounds import INT_BOUNDS, LARGEST_FLOAT
from platform_def.manifests.schemas.formats import problem
from platform_def.manifests.schemas.patterns import fitting, in_words, lowered
from platform_def.manifests.schemas.places import fields_at, node_at, place_of
from platform_def.manifests.workloads import is_extended

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_TYPE_NAMES = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_LIMITS = {limit: name for name, limits in INT_BOUNDS.items() for limit in limits} | {
    LARGEST_FLOAT: "float",
    -LARGEST_FLOAT: "float",
}
_LONGEST = 60

Found = tuple[str, str, str]
"""Path, text, hint."""

NULL_REFUSED = "leave the field out, or fill it: server-side apply refuses the null"
"""Hint for a null where something else belongs."""
ENTRIES_REFUSED = "take one of them out: server-side apply refuses the list"
"""Hint for two entries of a list that have the same keys."""

MISSING = "is missing"
"""What is said of a required field that is not there."""


Fits = Callable[[Schema, object], bool]
"""Whether a value keeps the schema of its place."""


def _any(_: Schema, __: object) -> bool:
    return True


def mismatches_of(
    errors: Iterable[ValidationError], schema: Schema, *, secret: bool, fits: Fits = _any
) -> Iterator[Found]:
    """Each error as path, text and hint, which names no value that does not fit; with `secret` no value is shown."""
    for error in errors:
        yield from _found(error, schema, "the value" if secret else None, fits)


def _found(error: ValidationError, schema: Schema, hidden: str | None, fits: Fits) -> Iterator[Found]:
    path, keyword, value = error.instance_path, error.kind.name, error.kind.value
    if keyword == "additionalProperties":
        known = fields_at(schema, path)
        for name in value:
            elsewhere = place_of(name, schema, path)
            hint = f"it belongs to {elsewhere}" if elsewhere else _meant(name, known)
            yield dotted([*path, name]), "unknown field", hint
    elif keyword == "required":
        yield dotted([*path, value]), MISSING, _wanted(node_at(schema, [*path, value]), value)
    elif keyword in ("anyOf", "oneOf"):
        yield dotted(path), *_alternatives(error)
    elif keyword == "server:rule":
        below, text, hint = orjson.loads(str(value))
        yield dotted([*path, *below]), text, hint
    elif keyword == "propertyNames":
        inner: ValidationError | None = getattr(error.kind, "error", None)
        if inner is not None:
            yield dotted([*path, str(inner.instance)]), _grammar(str(inner.kind.value), inner.instance, None), ""
    elif keyword == "uniqueItems":
        yield dotted(path), "holds an item twice", ""
    else:
        if keyword == "format":
            text = _grammar(str(value), error.instance, hidden)
        else:
            text = _TEXTS.get(keyword, _other)(hidden or _shown(error.instance), value)
        node = node_at(schema, path)
        meant = "" if hidden else _remedy(keyword, error.instance, value, lambda other: fits(node, other))
        if isinstance(error.instance, float) and path and is_extended(path[-1]):
            meant = "devices are whole: write 1, or more"
        yield dotted(path), text, meant


_RENAMED = {
    "servicePort": ("service", "write service.port.number, or service.port.name"),
    "serviceName": ("service", "write service.name"),
    "targetAverageUtilization": ("target", "write target: {type: Utilization, averageUtilization: …}"),
    "targetAverageValue": ("target", "write target: {type: AverageValue, averageValue: …}"),
}
"""Field of an earlier version, or of another place → a field that is known where it is meant, and what to write."""


def _meant(name: str, known: Sequence[str]) -> str:
    beside, hint = _RENAMED.get(name, ("", ""))
    return hint if beside in known else nearest(name, known) or "nothing may be written in this map"


def _remedy(keyword: str, given: object, value: Any, fits: Callable[[object], bool]) -> str:
    """What to write instead, where the value itself says it, and what is written then keeps the schema."""
    if keyword == "enum":
        return _choice(given, value)
    if keyword == "format" and isinstance(given, str):
        meant = lowered(given)
        return f"write {meant}" if meant != given and problem(str(value), meant) == "" else ""
    if keyword == "pattern" and isinstance(given, str):
        meant = fitting(given, value)
        return f"write {meant}" if meant else f"the pattern is {value}" if in_words(value) else ""
    if keyword == "server:mapKeys":
        return ENTRIES_REFUSED if "the same entry" in str(value) else ""
    if keyword != "type":
        return ""
    if given is None:
        return NULL_REFUSED
    if isinstance(given, str) and re.fullmatch(r"-?\d{1,18}", given) and {"integer", "number"} & {*value}:
        return f"write {given}, without quotes" if fits(int(given)) else ""
    if isinstance(given, str) and given.lower() in ("true", "false") and "boolean" in value:
        return f"write {given.lower()}, without quotes"
    if isinstance(given, bool | int | float) and "string" in value:
        quoted = f'write "{_shown(given)}", in quotes' if fits(_shown(given)) else ""
        unit = f"write {given}s, with its unit" if not isinstance(given, bool) and fits(f"{given}s") else ""
        return quoted or unit
    if isinstance(given, dict) and "array" in value:
        return "write a dash before its first field"
    return "write its one item without the dash" if isinstance(given, list) and len(given) == 1 else ""


def _choice(given: object, choices: Iterable[object]) -> str:
    """The nearest of the choices that are text: `false` is no name that one mistypes. The text lists them all."""
    if not isinstance(given, str):
        return ""
    texts = [each for each in choices if isinstance(each, str)]
    same = next((each for each in texts if each.lower() == given.lower()), "")
    near = f"did you mean '{same}'?" if same else nearest(given, texts)
    return near if near.startswith("did you mean") else ""


def _wanted(node: Schema, name: str) -> str:
    """What a field that is missing would hold: its choices, its type, what a map must have in it."""
    choices = [str(each) for each in node.get("enum", ()) if each not in (None, "")]
    if choices:
        return f"write {name}: {choices[0]}" + (f", or {', '.join(choices[1:8])}" if choices[1:] else "")
    types = node.get("type", ())
    kinds = [types] if isinstance(types, str) else [each for each in types if each != "null"]
    if not kinds:
        return ""
    inside = [each for each in node.get("required", ()) if isinstance(each, str)] if kinds == ["object"] else []
    what = " or ".join(_TYPE_NAMES.get(each, each) for each in kinds)
    return f"add {name}, {what}" + (f" with {' and '.join(inside)}" if inside else "")


def _grammar(name: str, given: object, hidden: str | None) -> str:
    words = problem(name, given) if isinstance(given, str) and not hidden else None
    return words or f"{hidden or _shown(given)} is not a valid {_FORMAT_NAMES.get(name, name.removeprefix('server:'))}"


def _expected(shown: str, types: Sequence[str]) -> str:
    names = [_TYPE_NAMES.get(name, name) for name in types if name != "null" or len(types) == 1]
    return f"must be {' or '.join(names)}, not {shown}"


def _other(shown: str, value: object) -> str:
    return f"{shown} is not valid ({value})"


def _limit(side: str) -> Callable[[str, Any], str]:
    return lambda shown, value: (
        f"{shown} does not fit into {_LIMITS[value]}" if value in _LIMITS else f"{shown} is not {side} {_shown(value)}"
    )


_FORMAT_NAMES = {
    "server:quantity": "quantity (2, 500m, 4Gi)",
    "server:amount": "quantity of 0 or more (2, 500m, 4Gi)",
    "server:datetime": "date-time (2006-01-02T15:04:05Z)",
    "server:corebytes": "base64 text",
    "server:byte": "base64 text",
}
_TEXTS: Mapping[str, Callable[[str, Any], str]] = {
    "type": _expected,
    "enum": lambda shown, value: (
        f"{shown} is not one of {', '.join(_shown(each) for each in value if each not in (None, ''))}"
    ),
    "pattern": lambda shown, value: (
        f"{shown} is not {words}" if (words := in_words(value)) else f"{shown} does not match {value}"
    ),
    "minimum": _limit("at least"),
    "maximum": _limit("at most"),
    "exclusiveMinimum": _limit("more than"),
    "exclusiveMaximum": _limit("less than"),
    "multipleOf": lambda shown, value: f"{shown} is not a multiple of {_shown(value)}",
    "minLength": lambda shown, value: "is empty" if value == 1 else f"{shown} is shorter than {value} characters",
    "maxLength": lambda shown, value: f"{shown} is longer than {value} characters",
    "minItems": lambda _, value: "is empty" if value == 1 else f"has fewer than {value} items",
    "maxItems": lambda _, value: f"has more than {value} items",
    "minProperties": lambda _, value: f"has fewer than {value} fields",
    "maxProperties": lambda _, value: f"has more than {value} fields",
    "not": lambda _, value: f"is what the schema rules out: {_shown(value)}",
    "falseSchema": lambda shown, _: f"{shown} is set where nothing may be",
    "server:mapKeys": lambda _, value: str(value),
}


def _alternatives(error: ValidationError) -> tuple[str, str]:
    """Text and hint for a value that fits none, or too many, of several alternatives."""
    branches: list[list[ValidationError]] = getattr(error.kind, "context", [])
    if type(error.kind).__name__ == "OneOfMultipleValid":
        return "fits more than one of the alternatives of which it must fit exactly one", ""
    if branches and all(branch and all(each.kind.name == "required" for each in branch) for branch in branches):
        missing = sorted({" and ".join(str(each.kind.value) for each in branch) for branch in branches})
        return f"needs one of {', '.join(missing)}", ""
    reasons = [reason for branch in branches for each in branch[:1] for reason in _found(each, {}, None, _any)]
    return "fits none of the alternatives that it may have", "; or ".join(
        dict.fromkeys(f"{path}: {text}" for path, text, _ in reasons)
    )


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return _TYPE_NAMES["object" if isinstance(value, dict) else "array"]
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…'"
