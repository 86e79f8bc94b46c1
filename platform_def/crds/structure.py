"""From types to the structural schema that a CRD holds."""

from __future__ import annotations

from functools import cache
from typing import get_args, get_origin

from platform_def.crds.core.definitions import definition_name
from platform_def.crds.core.expand import expanded
from platform_def.crds.data import data_schema
from platform_def.crds.hints import Either, Field, Noted, OneOfValues, fields, plain
from platform_def.crds.lacks import without
from platform_def.crds.model import Api
from platform_def.crds.schema import Keyword, Schema, Shape

_SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_ENVELOPE: Schema = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}


def object_schema(api: Api[object]) -> Schema:
    """The `openAPIV3Schema` of one version of a custom kind; shared, read-only."""
    if api.data:
        kept = data_schema(api.data.file, api.data.key, api.core, embedded_metadata=api.embedded_metadata)
        return without(kept, api.lacks)
    shaped = any(isinstance(rule, Shape) for rule in api.rules)
    schema: Schema = {} if shaped else _typed(api)
    for rule in api.rules:
        rule.put(schema)
    return without(schema, api.lacks)


def _typed(api: Api[object]) -> Schema:
    structure = _structure(api.core, embedded_metadata=api.embedded_metadata)
    top = api.top or (api.spec if api.top_level else None)
    if top:
        schema = dict(structure.typed_dict(top))
    else:
        parts = {"spec": api.spec} | ({"status": api.status} if api.status else {})
        schema = {"type": "object", "properties": {name: structure.of(part, name) for name, part in parts.items()}}
    schema["properties"] = {**_ENVELOPE, **schema.get("properties", {})}
    if api.metadata:
        schema["properties"]["metadata"] = api.metadata
    if required := {*schema.get("required", ()), *api.required}:
        schema["required"] = sorted(required)
    return {**schema, "description": api.doc} if api.doc else schema


@cache
def _structure(core: str, *, embedded_metadata: bool) -> Structure:
    return Structure(core, embedded_metadata=embedded_metadata)


class Structure:
    """Schemas of types, with core types as of one Kubernetes version; each TypedDict is walked once."""

    def __init__(self, core: str, *, embedded_metadata: bool = False):
        self._core, self._embedded_metadata = core, embedded_metadata
        self._done: dict[type, Schema] = {}
        self._open: list[type] = []

    def of(self, hint: object, path: str = "") -> Schema:
        """Schema of any type; raises TypeError naming `path` where a type has none."""
        hint = plain(hint)
        if isinstance(hint, Noted):
            return self._noted(hint, path)
        if isinstance(hint, Either):
            return self._nullable(hint, path)
        if isinstance(hint, OneOfValues):
            return _choice(hint, path)
        origin = get_origin(hint)
        if origin is list:
            return {"type": "array", "items": self.of(get_args(hint)[0], f"{path}[]")}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(get_args(hint)[1], f"{path}{{}}")}
        if hint is object:
            return {"x-kubernetes-preserve-unknown-fields": True}
        if hint in _SCALARS:
            return {"type": _SCALARS[hint]}
        if not isinstance(hint, type):
            raise TypeError(f"{path}: no schema follows from {hint!r}")
        return self._reference(hint, path)

    def _noted(self, hint: Noted, path: str) -> Schema:
        shaped = any(isinstance(note, Shape) for note in hint.notes)
        schema = {} if shaped else dict(self.of(hint.base, path))
        for note in hint.notes:
            if isinstance(note, Keyword):
                note.put(schema)
        return schema

    def typed_dict(self, cls: type) -> Schema:
        """Schema of a TypedDict."""
        if cls in self._done:
            return self._done[cls]
        if cls in self._open:
            raise TypeError(f"{cls.__qualname__} contains itself: a structural schema can't")
        self._open.append(cls)
        own = list(fields(cls))
        schema: Schema = {"type": "object", "properties": {field.name: self._field(field, cls) for field in own}}
        if required := [field.name for field in own if field.required]:
            schema["required"] = sorted(required)
        self._open.pop()
        self._done[cls] = schema
        return schema

    def _field(self, field: Field, cls: type) -> Schema:
        schema = self.of(field.hint, f"{cls.__qualname__}.{field.name}")
        return {**schema, "description": field.doc} if field.doc else schema

    def _reference(self, cls: type, path: str) -> Schema:
        name = definition_name(cls)
        if name is None:
            return self.typed_dict(cls)
        if not self._core:
            raise TypeError(f"{path}: {cls.__name__} is a core type, and the API names no Kubernetes version (core=)")
        return expanded(name, self._core, embedded_metadata=self._embedded_metadata)

    def _nullable(self, hint: Either, path: str) -> Schema:
        rest = [member for member in hint.members if member not in (None, type(None))]
        if len(rest) != 1 or len(rest) == len(hint.members):
            raise TypeError(f"{path}: a union is only for None; else write IntOrString or a Shape")
        return {**self.of(rest[0], path), "nullable": True}


def _choice(hint: OneOfValues, path: str) -> Schema:
    kinds = {_SCALARS.get(type(value), "") for value in hint.values}
    if len(kinds) != 1 or "" in kinds:
        raise TypeError(f"{path}: a Literal for a CRD holds values of one type")
    return {"type": kinds.pop(), "enum": list(hint.values)}
