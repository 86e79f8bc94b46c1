"""What a release lacks of a kind that a newer one has: a list of paths instead of a second set of types.

`spec.renewal` is a field, `spec.solvers[].dns01` one inside each item of a list, `spec.profile=Modern2026` one value of
an enumeration, `spec.venafi!` the CEL rules of a field, `spec.rules!0` one of them, `spec.hosts<16` room for more than
so many in a list or map, `spec.address?` the choice to leave a field out, and `spec.timeout:=60s` the freedom from a
default, which is a text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from platform_def.crds.schema import Schema

RULES = "x-kubernetes-validations"


def without(schema: Schema, paths: Iterable[str]) -> Schema:
    """The schema of an object without these; the one given stays as it is. ValueError for a path that is not there."""
    for path in paths:
        fields, equals, value = path.partition("=")
        way, _, last = fields.rpartition(".")
        change = partial(_taken, last=f"{last}{equals}{value}")
        schema = _at(schema, [each for each in way.split(".") if each], change, path)
    return schema


def _at(schema: Schema, steps: list[str], change: Callable[[Schema], Schema], path: str) -> Schema:
    if not steps:
        try:
            return change(schema)
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path}: the newer release has no such thing") from error
    name, rest = steps[0].removesuffix("[]"), steps[1:]
    if name not in schema.get("properties", {}):
        raise ValueError(f"{path}: the newer release has no field {name} there")
    field = schema["properties"][name]
    if steps[0].endswith("[]"):
        field = {**field, "items": _at(field["items"], rest, change, path)}
    else:
        field = _at(field, rest, change, path)
    return {**schema, "properties": {**schema["properties"], name: field}}


def _taken(schema: Schema, last: str) -> Schema:
    """The schema without the field, or without that of it which the end of a path names."""
    found = _END.fullmatch(last)
    if found is None:
        raise ValueError(last)
    name, mark, value = found["name"], found["mark"] or "", found["value"]
    fields = dict(schema["properties"])
    if mark == "?":
        if name not in fields or name in schema.get("required", ()):
            raise KeyError(name)
        return {**schema, "required": [*schema.get("required", ()), name]}
    if mark:
        fields[name] = _CHANGES[mark](fields[name], value)
    else:
        del fields[name]
    made = {**schema, "properties": fields}
    if required := [each for each in schema.get("required", ()) if each in fields]:
        return {**made, "required": required}
    return {key: each for key, each in made.items() if key != "required"}


_END = re.compile(r"(?P<name>[^!?<=:]+)(?:(?P<mark>:=|=|!|<|\?)(?P<value>.*))?")


def _with_default(field: Schema, value: str) -> Schema:
    if "default" in field:
        raise ValueError(value)
    return {**field, "default": value}


def _without_value(field: Schema, value: str) -> Schema:
    kept = list(field["enum"])
    kept.remove(value)
    return {**field, "enum": kept}


def _without_rules(field: Schema, number: str) -> Schema:
    kept = [rule for index, rule in enumerate(field[RULES]) if number and index != int(number)]
    if number and len(kept) == len(field[RULES]):
        raise ValueError(number)
    return {**{key: each for key, each in field.items() if key != RULES}, **({RULES: kept} if kept else {})}


def _smaller(field: Schema, most: str) -> Schema:
    limit = {"array": "maxItems", "object": "maxProperties"}[field["type"]]
    if field.get(limit, math.inf) <= int(most):
        raise ValueError(most)
    return {**field, limit: int(most)}


_CHANGES: Mapping[str, Callable[[Schema, str], Schema]] = {
    ":=": _with_default,
    "=": _without_value,
    "!": _without_rules,
    "<": _smaller,
}
