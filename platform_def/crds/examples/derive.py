"""The smallest object that a schema asks for: required fields alone, each with the least value that fits.

Made for kinds that controllers write; where a rule or pattern asks for more than that, the example is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from platform_def.crds.model import Api
from platform_def.crds.schema import Manifest, Schema
from platform_def.crds.structure import object_schema

NAME, NAMESPACE = "example", "team-vision"
_FORMATS = {
    "date-time": "2026-01-31T08:00:00Z",
    "date": "2026-01-31",
    "duration": "1h",
    "byte": "ZXhhbXBsZQ==",
    "uri": "https://example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "cidr": "192.0.2.0/24",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "int-or-string": "1",
}
_TEXTS = (
    NAME,
    "Example",
    "EXAMPLE",
    "example.com",
    "https://example.com",
    "/example",
    "v1",
    "1h",
    "1m",
    "1",
    "1Gi",
    "a",
)
"""Tried in turn where a pattern asks for something; the first that fits is taken."""


def derived(api: Api[Any]) -> Manifest:
    """The least object of a kind, with a spec where that has fields to ask for; status is left to its controller."""
    schema = object_schema(api)
    metadata = {"name": NAME} | ({"namespace": NAMESPACE} if api.namespaced else {})
    body = _object(schema, without=("apiVersion", "kind", "metadata", "status"))
    if "spec" in schema.get("properties", {}) and (spec := sample(schema["properties"]["spec"])):
        body["spec"] = spec
    return {"apiVersion": api.api_version, "kind": api.kind, "metadata": metadata, **body}


def sample(schema: Schema) -> object:
    """The least value that fits a schema, where nothing but its keywords decides."""
    for key in ("default", "example"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return next((value for value in schema["enum"] if value != ""), schema["enum"][0])
    if "x-kubernetes-int-or-string" in schema:
        return 1
    match schema.get("type"):
        case "object":
            return _object(schema)
        case "array":
            return [sample(schema["items"])] * max(1, schema.get("minItems", 0))
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return False
        case "string":
            return _text(schema)
        case _:
            return {}


def _object(schema: Schema, *, without: tuple[str, ...] = ()) -> Manifest:
    properties = schema.get("properties", {})
    if schema.get("x-kubernetes-embedded-resource"):
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}}
    needed = dict.fromkeys([*schema.get("required", ()), *_of_a_branch(schema)])
    found = {
        name: sample(properties.get(name, {}))
        for name in needed
        if name not in without and "default" not in properties.get(name, {})
    }
    values = schema.get("additionalProperties")
    least = schema.get("minProperties", 0)
    if isinstance(values, dict) and least:
        return {NAME: sample(values)}
    for name in properties:
        if len(found) < least and name not in without:
            found.setdefault(name, sample(properties[name]))
    return found


def _of_a_branch(schema: Schema) -> Iterator[str]:
    """What the first alternative that asks for fields asks for."""
    for key in ("oneOf", "anyOf"):
        branches = [branch["required"] for branch in schema.get(key, ()) if "required" in branch]
        yield from branches[0] if branches else ()
    for part in schema.get("allOf", ()):
        yield from part.get("required", ())
        yield from _of_a_branch(part)


def _number(schema: Schema) -> int | float:
    """1 where that fits, else the number nearest to it."""
    least: int | float | None = schema.get("minimum")
    most: int | float = schema.get("maximum", 1)
    step: int | float = schema.get("multipleOf", 1)
    if least is None:
        return min(1, most)
    return least + step if schema.get("exclusiveMinimum") else max(least, min(1, most))


def _text(schema: Schema) -> str:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", 1 << 20)
    for text in _TEXTS:
        fitting = text[:longest].ljust(shortest, "x")
        if _matches(schema.get("pattern", ""), fitting):
            return fitting
    return NAME


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:  # what Go's engine reads and this one does not, as flags amid an expression
        return False
