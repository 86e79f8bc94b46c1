"""What a release lacks of a kind that a newer one has: a list of paths instead of a second set of types.

`spec.renewal` is a field, `spec.solvers[].dns01` one inside each item of a list, `spec.profile=Modern2026` one value of
an enumeration, `spec.venafi!` the CEL rules of a field, `spec.address?` the choice to leave a field out, and
`spec.timeout:=60s` the freedom from a default, which is a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    """The schema without the field, the value, the rules, the choice or the freedom that the end of a path names."""
    name, equals, value = last.rstrip("!?").partition("=")
    name, free = name.removesuffix(":"), name.endswith(":")
    fields = dict(schema["properties"])
    if free:
        if "default" in fields[name]:
            raise ValueError(name)
        fields[name] = {**fields[name], "default": value}
    elif equals:
        kept = list(fields[name]["enum"])
        kept.remove(value)
        fields[name] = {**fields[name], "enum": kept}
    elif last.endswith("!"):
        del (changed := dict(fields[name]))[RULES]
        fields[name] = changed
    elif last.endswith("?"):
        if name not in fields or name in schema.get("required", ()):
            raise KeyError(name)
        return {**schema, "required": [*schema.get("required", ()), name]}
    else:
        del fields[name]
    made = {**schema, "properties": fields}
    if required := [each for each in schema.get("required", ()) if each in fields]:
        return {**made, "required": required}
    return {key: each for key, each in made.items() if key != "required"}
