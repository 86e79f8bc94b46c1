"""Validation errors in a user's words: the field, what is wrong with it, and the nearest thing that would be right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from platform_def.apis.schema import Schema
from platform_def.errors import nearest
from platform_def.manifests.paths import dotted
from platform_def.manifests.schemas.bounds import INT_BOUNDS, LARGEST_FLOAT

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

MISSING = "is missing"
"""What is said of a required field that is not there."""


def mismatches_of(errors: Iterable[ValidationError], schema: Schema, *, secret: bool) -> Iterator[Found]:
    """Each error as path, text and hint; with `secret` no value is shown."""
    for error in errors:
        yield from _found(error, schema, "the value" if secret else None)


def _found(error: ValidationError, schema: Schema, hidden: str | None) -> Iterator[Found]:
    path, keyword, value = error.instance_path, error.kind.name, error.kind.value
    if keyword == "additionalProperties":
        known = _fields(schema, path)
        for name in value:
            yield dotted([*path, name]), "unknown field", nearest(name, known) or "nothing may be written in this map"
    elif keyword == "required":
        yield dotted([*path, value]), MISSING, ""
    elif keyword in ("anyOf", "oneOf"):
        yield dotted(path), *_alternatives(error)
    elif keyword == "uniqueItems":
        yield dotted(path), "holds an item twice", ""
    else:
        text = _TEXTS.get(keyword, _other)(hidden or _shown(error.instance), value)
        yield dotted(path), text, _choice(error.instance, value) if keyword == "enum" and not hidden else ""


def _choice(given: object, choices: Iterable[object]) -> str:
    """The nearest of the choices that are text: `false` is no name that one mistypes."""
    return nearest(given, (each for each in choices if isinstance(each, str))) if isinstance(given, str) else ""


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
    "server:datetime": "date-time (2006-01-02T15:04:05Z)",
    "server:corebytes": "base64 text",
    "server:byte": "base64 text",
}
_TEXTS: Mapping[str, Callable[[str, Any], str]] = {
    "type": _expected,
    "enum": lambda shown, value: (
        f"{shown} is not one of {', '.join(_shown(each) for each in value if each is not None)}"
    ),
    "format": lambda shown, value: f"{shown} is not a valid {_FORMAT_NAMES.get(value, value.removeprefix('server:'))}",
    "pattern": lambda shown, value: f"{shown} does not match {value}",
    "minimum": _limit("at least"),
    "maximum": _limit("at most"),
    "exclusiveMinimum": _limit("more than"),
    "exclusiveMaximum": _limit("less than"),
    "multipleOf": lambda shown, value: f"{shown} is not a multiple of {_shown(value)}",
    "minLength": lambda shown, value: f"{shown} is shorter than {value} characters",
    "maxLength": lambda shown, value: f"{shown} is longer than {value} characters",
    "minItems": lambda _, value: f"has fewer than {value} items",
    "maxItems": lambda _, value: f"has more than {value} items",
    "minProperties": lambda _, value: f"has fewer than {value} fields",
    "maxProperties": lambda _, value: f"has more than {value} fields",
    "not": lambda _, value: f"is what the schema rules out: {_shown(value)}",
    "falseSchema": lambda shown, _: f"{shown} stands where nothing may be written",
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
    reasons = [reason for branch in branches for each in branch[:1] for reason in _found(each, {}, None)]
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


def _fields(schema: Schema, path: Sequence[str | int]) -> Sequence[str]:
    """Names of the fields that the schema knows at a path of the object."""
    node = _followed(schema, schema)
    for step in path:
        if isinstance(step, int):
            below = node.get("items", {})
        else:
            below = node.get("properties", {}).get(step, node.get("additionalProperties"))
        node = _followed(below if isinstance(below, dict) else {}, schema)
    return sorted(name for name, field in node.get("properties", {}).items() if isinstance(field, dict))


def _followed(node: Schema, root: Schema) -> Schema:
    while "$ref" in node or "else" in node:
        reference = node.get("$ref")
        node = root.get("$defs", {}).get(reference.rpartition("/")[2], {}) if reference else node["else"]
    return node
