"""What `platformctl explain api` says of a resource or one of its fields, offline, as `kubectl explain` does online.

Custom resources come from the API types, core kinds and core types inside others from the Kubernetes schemas, whose
descriptions are read where they are installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from platform_def.crds.core.definitions import META, NEWEST, definitions, referenced
from platform_def.crds.core.expand import EMBEDDED_METADATA, SHAPES, RecursiveTypeError, expanded
from platform_def.crds.schema import INT_OR_STRING, QUANTITY, Schema
from platform_def.crds.structure import object_schema
from platform_def.errors import ConfigError, nearest
from platform_def.explain.api_resources import FoundApi, ServedVersion, find_resource

_OBJECT_META = f"{META}.ObjectMeta"
_ENVELOPE: Schema = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
_OPAQUE = ("Quantity", "IntOrString", "RawExtension")
"""Core types that the JSON schemas describe less well than CRDs do."""
_CONSTRAINTS = (
    "format", "nullable", "enum", "default", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    "oneOf", "anyOf", "allOf", "not", "example", "x-kubernetes-validations", "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ApiField:
    """A field, or a whole object."""

    name: str
    """Empty for the object itself."""
    type: str
    """As kubectl writes it: `string`, `[]Container`, `map[string]Quantity`."""
    required: bool
    description: str
    constraints: Mapping[str, object]
    """Keywords of OpenAPI and Kubernetes; those of a list's items under `items`, of a map's values under `values`."""
    fields: tuple[ApiField, ...]
    """One level, or all; those of the items of a list, of the values of a map."""

    def row(self) -> dict[str, object]:
        """As JSON."""
        row: dict[str, object] = {"name": self.name} if self.name else {}
        row |= {"type": self.type, "required": self.required}
        row |= {"description": self.description} if self.description else {}
        row |= {"constraints": dict(self.constraints)} if self.constraints else {}
        return row | ({"fields": [inner.row() for inner in self.fields]} if self.fields else {})


@dataclass(frozen=True, slots=True)
class Explained:
    """A field of a resource, and where it was found."""

    found: FoundApi
    path: str
    """Empty for the whole resource."""
    field: ApiField

    @property
    def other_releases(self) -> list[str]:
        """Further releases that serve this very version."""
        served = self.found.served
        return sorted({row.source for row in self.found.alike if row.version == served.version} - {served.source})

    @property
    def other_versions(self) -> list[str]:
        """Further versions of the kind, in whatever release."""
        return sorted({row.version for row in self.found.alike} - {self.found.served.version})

    @property
    def deprecated(self) -> str:
        """Why not to use this version; empty where nothing is said against it."""
        api = self.found.served.api
        return (api.deprecation_warning or "yes") if api and api.deprecated else ""

    def row(self) -> dict[str, object]:
        """As JSON."""
        served = self.found.served
        head: dict[str, object] = {"group": served.group, "version": served.version, "kind": served.kind}
        head |= {"resource": served.plural, "release": served.source, "otherReleases": self.other_releases}
        head |= {"otherVersions": self.other_versions, "namesakes": list(self.found.namesakes), "path": self.path}
        return head | ({"deprecated": self.deprecated} if self.deprecated else {}) | self.field.row()


def explain_api(path: str, *, api_version: str = "", release: str = "", recursive: bool = False) -> Explained:
    """The resource or field at `pytorchjobs.spec.elasticPolicy`; items of lists and keys of maps are left out.

    `release` is `<component>-<version>`, or `kubernetes-1.36` for core kinds. Raises ConfigError for what is not known.
    """
    plain = re.sub(r"\[[^\]]*\]", "", path).strip(".")
    found = find_resource(plain, api_version=api_version, release=release)
    schemas = ResourceSchemas(found.served)
    try:
        names, schema, required = _at(schemas, found)
    except ConfigError as error:
        if hint := _elsewhere(found):
            raise ConfigError(error.problems[0].text, hint=hint) from None
        raise
    depth = 100 if recursive else 1
    field = schemas.field(names[-1] if names else "", schema, required=required, depth=depth)
    return Explained(found, ".".join(names), field)


def _at(schemas: ResourceSchemas, found: FoundApi) -> tuple[list[str], Schema, bool]:
    """The names on the way, the schema at its end, and whether the last field is required."""
    names: list[str] = []
    schema, required, rest = schemas.root, False, found.path
    while rest:
        holder = schemas.element(schema)
        inner = schemas.fields(holder)
        name = max((name for name in inner if rest == name or rest.startswith(f"{name}.")), key=len, default=None)
        if name is None:
            raise _absent(found, schemas, schema, names=names, step=rest.partition(".")[0])
        schema, required, rest = inner[name], name in holder.get("required", ()), rest[len(name) + 1 :]
        names.append(name)
    return names, schema, required


def _absent(found: FoundApi, schemas: ResourceSchemas, schema: Schema, *, names: list[str], step: str) -> ConfigError:
    where = ".".join([found.served.kind, *names])
    holder = schemas.element(schema)
    known = set(schemas.fields(holder))
    if not known:
        kind = schemas.type_name(schema)
        kept = "x-kubernetes-preserve-unknown-fields" in holder
        note = "whatever stands in it is kept, nothing is said of it" if kept else ""
        return ConfigError(f"{where} is <{kind}> and has no field '{step[:64]}'", hint=note)
    groups = set() if names else {row.group for row in found.alike if row.group}
    hint = nearest(step, known | groups)
    if "additionalProperties" in schema and "did you mean" not in hint:
        hint = f"the keys of a map are left out; {hint}"
    return ConfigError(f"{where} has no field '{step[:64]}'", hint=hint)


def _elsewhere(found: FoundApi) -> str:
    """A hint where another release or version has the field that this one lacks."""
    for row in reversed(found.alike):
        try:
            _at(ResourceSchemas(row), FoundApi(row, found.path, (), ()))
        except ConfigError:
            continue
        more = f" --api-version {row.api_version}" if row.version != found.served.version else ""
        return f"{row.source} has it: --release {row.source}{more}"
    return ""


@cache
def _types(version: str) -> Mapping[int, str]:
    """Core types by the identity of their fields."""
    known = definitions(version)
    return {id(schema["properties"]): name for name, schema in known.items() if "properties" in schema}


@cache
def _expanded_types(version: str, *, embedded_metadata: bool) -> Mapping[int, str]:
    """Core types as they stand in CRDs, by the identity of their fields."""
    found = {id(EMBEDDED_METADATA["properties"]): _OBJECT_META}
    for name in definitions(version):
        try:
            schema = expanded(name, version, embedded_metadata=embedded_metadata)
        except RecursiveTypeError:
            continue
        if "properties" in schema:
            found[id(schema["properties"])] = name
    return found


class ResourceSchemas:
    """The schema of one resource, and what is known of the core types in it."""

    def __init__(self, served: ServedVersion):
        api = served.api
        version = (api.core if api else served.release) or f"1.{NEWEST}"
        self._raw = definitions(version)
        self._core = dict(_types(version))
        """Core types by the identity of their fields, which schemas made of them share."""
        if api is None:
            self.root = self._opened(self._core_kind(served))
            return
        if api.core:
            self._core |= _expanded_types(api.core, embedded_metadata=api.embedded_metadata)
        schema = object_schema(api)
        own = schema.get("properties", {})
        metadata = self._metadata(own.get("metadata", {}))
        self.root = {**schema, "properties": {**_ENVELOPE, **own, "metadata": metadata}}

    def _core_kind(self, served: ServedVersion) -> Schema:
        wanted = {"group": served.group, "kind": served.kind, "version": served.version}
        return next(
            schema for schema in self._raw.values() if wanted in schema.get("x-kubernetes-group-version-kind", ())
        )

    def _metadata(self, asked: Schema) -> Schema:
        """An object's metadata, with what its API asks of it; a CRD leaves the fields out."""
        whole = self._raw[_OBJECT_META]
        more = asked.get("properties", {})
        if not more:
            return {**whole, **asked}
        fields = {name: {**schema, **more.get(name, {})} for name, schema in whole["properties"].items()}
        self._core[id(fields)] = _OBJECT_META
        return {**whole, **asked, "properties": fields}

    def _opened(self, schema: Schema) -> Schema:
        """A schema whose reference is followed, and that has one type."""
        if target := referenced(schema):
            inner = SHAPES[target] if target.endswith(_OPAQUE) else self._opened(self._raw[target])
            about = {key: self._raw[target][key] for key in ("description",) if key in self._raw[target]}
            return {**inner, **about, **{key: value for key, value in schema.items() if key != "$ref"}}
        kind = schema.get("type")
        if isinstance(kind, list):
            return {**schema, "type": next((word for word in kind if word != "null"), "object")}
        return schema

    def fields(self, schema: Schema) -> dict[str, Schema]:
        """The fields of an object by name, each with a description where there is one."""
        found: dict[str, Schema] = {}
        properties = schema.get("properties", {})
        core = self._raw.get(self._core.get(id(properties), ""), {}).get("properties", {})
        for name, raw in sorted(properties.items()):
            own = self._opened(raw)
            about = self._opened(core[name]).get("description", "") if name in core else ""
            found[name] = {"description": about, **own}
        return found

    def inner(self, schema: Schema) -> Schema | None:
        """Items of a list, values of a map; None for anything else."""
        part = schema.get("items", schema.get("additionalProperties"))
        return self._opened(part) if isinstance(part, dict) else None

    def element(self, schema: Schema) -> Schema:
        """What is left behind all lists and maps."""
        while (inner := self.inner(schema)) is not None:
            schema = inner
        return schema

    def type_name(self, schema: Schema) -> str:
        """`[]Container`, `map[string]string`, `Object`."""
        inner = self.inner(schema)
        if inner is not None:
            return ("[]" if "items" in schema else "map[string]") + self.type_name(inner)
        if "properties" in schema:
            return self._core.get(id(schema["properties"]), "Object").rpartition(".")[2]
        if "x-kubernetes-int-or-string" in schema:
            return "Quantity" if schema.get("pattern") == QUANTITY["pattern"] else "IntOrString"
        kind = str(schema.get("type", "any"))
        return "Object" if kind == "object" else kind

    def field(
        self,
        name: str,
        schema: Schema,
        *,
        required: bool,
        depth: int,
        within_core: bool = True,
        open_: tuple[str, ...] = (),
    ) -> ApiField:
        """A field with `depth` levels of fields in it; a type that contains itself is opened once.

        `within_core`: core types are opened as well.
        """
        element, kind = self.element(schema), self.type_name(schema)
        below: Iterator[tuple[str, Schema]] = iter(())
        core = self._core.get(id(element.get("properties")), "")
        if depth and core not in open_ and (within_core or not core):
            below = iter(self.fields(element).items())
        needed = set(element.get("required", ()))
        path = (*open_, core) if core else open_
        fields = tuple(
            self.field(each, inner, required=each in needed, depth=depth - 1, within_core=within_core, open_=path)
            for each, inner in below
        )
        return ApiField(name, kind, required, schema.get("description", ""), self.constraints(schema), fields)

    def constraints(self, schema: Schema) -> dict[str, object]:
        """Keywords of a value and of its items and values, without what the type's name says already."""
        found = {key: schema[key] for key in _CONSTRAINTS if key in schema}
        if found.get("anyOf") == INT_OR_STRING["anyOf"]:
            del found["anyOf"]
        if found.get("pattern") == QUANTITY["pattern"] and "x-kubernetes-int-or-string" in schema:
            del found["pattern"]
        inner = self.inner(schema)
        if inner is not None and (more := self.constraints(inner)):
            found["items" if "items" in schema else "values"] = more
        return found
