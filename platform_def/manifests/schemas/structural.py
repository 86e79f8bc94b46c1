"""The structural schema of a CRD as a JSON schema that refuses what the API server refuses in Strict mode.

The server first refuses unknown fields, fills in defaults (also for nulls), then validates; the converted schema says
all of that of the object as it was written. Nulls are judged as in server-side apply, which drops none.
"""

from __future__ import annotations

from platform_def.crds.schema import QUANTITY, Schema
from platform_def.manifests.schemas import formats
from platform_def.manifests.schemas.bounds import MAP_KEYS, bound
from platform_def.manifests.schemas.core import OBJECT_META
from platform_def.manifests.schemas.validator import compiled

_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED = "x-kubernetes-embedded-resource"
_INT_OR_STRING = "x-kubernetes-int-or-string"
_COPIED = frozenset(
    {
        "enum",
        "minimum",
        "maximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    }
)
_JUNCTORS = ("allOf", "anyOf", "oneOf")
_TEXT = {"type": "string", "minLength": 1}
_METADATA = {"$ref": f"#/$defs/{OBJECT_META}"}
_BARE = "bare"
_NO_FIELDS: Schema = {"properties": {}, "additionalProperties": False, "items": {"$ref": f"#/$defs/{_BARE}"}}
"""What `additionalProperties: true` leaves of a value: no field inside it is known.

Without `properties` the validator would not say which field it refuses.
"""


def resource_schema(schema: Schema, metadata: dict[str, Schema], minor: int) -> Schema:
    """The schema of a whole custom resource; `metadata` holds the definition of ObjectMeta and what it needs."""
    whole = _Conversion(minor).node(schema, embedded=True) if schema else {"properties": {"metadata": _METADATA}}
    return {**whole, "$defs": {**metadata, _BARE: _NO_FIELDS}}


def value_schema(node: Schema, minor: int) -> Schema:
    """The schema of a value that is no resource of its own: a part of one, or a file."""
    return {**_Conversion(minor).node(node), "$defs": {OBJECT_META: {"type": "object"}, _BARE: _NO_FIELDS}}


def not_negative(schema: Schema, path: list[str]) -> Schema:
    """The same for a kind whose subresource `scale` reads a number at `path`, which only the server's code limits."""
    properties = schema.get("properties", {})
    name, *deeper = path
    field = properties.get(name, schema.get("additionalProperties"))
    if not isinstance(field, dict):
        return schema
    limited = not_negative(field, deeper) if deeper else {**field, "minimum": max(0, field.get("minimum", 0))}
    return {**schema, "properties": {**properties, name: limited}}


_TYPE_ALONE = frozenset({"type", "default", "description"})
_SCALARS = {"boolean": bool, "integer": int, "string": str}


def passes(node: Schema, value: object, minor: int) -> bool:
    """Whether a default passes the level of a structural schema that it stands in, and holds nothing unknown to it."""
    if _TYPE_ALONE.issuperset(node) and type(value) is _SCALARS.get(str(node.get("type"))):
        return True  # most are such, and a validator takes its time to be made
    try:
        return compiled(value_schema(node, minor)).is_valid(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        return True  # no schema in its shape, or a pattern that only the server can read


class _Conversion:
    def __init__(self, minor: int):
        self._minor = minor

    def node(self, node: Schema, *, embedded: bool = False, keep: bool = False) -> Schema:
        """One level of the structure; `keep`: the list around it keeps unknown fields."""
        if len(node) == 1 and not embedded and node.get("type") in _SCALARS:  # most are
            return {"type": [node["type"]]}
        schema = self._values(node)
        if node.get(_INT_OR_STRING):
            schema["type"] = ["integer", "string"]
        elif "type" in node:
            schema["type"] = [node["type"]]
        if node.get("nullable") and "type" in schema:
            schema["type"].append("null")
        keep = bool(keep or node.get(_PRESERVE))
        if node.get("type") == "object" or "properties" in node:
            self._object(node, schema, keep=keep)
        if embedded or node.get(_EMBEDDED):
            self._resource(node, schema)
        if "items" in node:
            schema["items"] = self.node(node["items"], keep=keep and node.get("type") == "array")
            _list_type(node, schema)
        self._junctors(node, node, schema)
        return schema

    def _object(self, node: Schema, schema: Schema, *, keep: bool) -> None:
        properties = node.get("properties", {})
        required = _missed(node.get("required", ()), properties)
        schema["properties"] = {name: self._property(child) for name, child in properties.items()}
        if required:
            schema["required"] = required
        values = node.get("additionalProperties")
        if isinstance(values, dict):
            schema["additionalProperties"] = self._property(values)
        elif values is True and not keep:
            schema["additionalProperties"] = {"$ref": f"#/$defs/{_BARE}"}
        elif not keep:
            schema["additionalProperties"] = False

    def _property(self, node: Schema) -> Schema:
        """A value that may be null where a default takes its place."""
        schema = self.node(node)
        if "default" in node and "type" in schema and "null" not in schema["type"]:
            schema["type"].append("null")
            if "enum" in schema:
                schema["enum"] = [*schema["enum"], None]
        return schema

    def _resource(self, node: Schema, schema: Schema) -> None:
        properties = schema.setdefault("properties", {})
        metadata = node.get("properties", {}).get("metadata", {})
        schema["properties"] = {
            **properties,
            "apiVersion": {**properties.get("apiVersion", {}), **_TEXT},
            "kind": {**properties.get("kind", {}), **_TEXT},
            "metadata": {**self._validation(metadata, {}), **_METADATA},
        }
        schema["required"] = [*dict.fromkeys([*schema.get("required", ()), "apiVersion", "kind"])]

    def _values(self, node: Schema) -> Schema:
        """Keywords on the value itself."""
        schema: Schema = {key: value for key, value in node.items() if key in _COPIED and value != []}
        for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if node.get(exclusive) is True and limit in schema:
                schema[exclusive] = schema.pop(limit)
        if schema.get("pattern") == QUANTITY["pattern"]:
            del schema["pattern"]
            schema["format"] = f"server:{formats.QUANTITY}"
        name = node.get("format")
        if name and node.get("type") in ("integer", "number"):
            bound(schema, name)
        elif name and node.get("type") in (None, "string"):
            checked = formats.converted(name, self._minor)
            schema |= {"format": checked} if checked else {}
        return schema

    def _junctors(self, node: Schema, structure: Schema, schema: Schema) -> None:
        for key in _JUNCTORS:
            if key in node and not (node.get(_INT_OR_STRING) and all(set(each) == {"type"} for each in node[key])):
                schema[key] = [self._validation(each, structure) for each in node[key]]
        if "not" in node:
            schema["not"] = self._validation(node["not"], structure)

    def _validation(self, node: Schema, structure: Schema) -> Schema:
        """A value validation, which closes nothing; `structure` is the level it speaks of and holds the defaults."""
        schema = self._values(node)
        if "type" in node:
            schema["type"] = node["type"]
        properties = structure.get("properties", {})
        if "properties" in node:
            schema["properties"] = {
                name: self._validation(child, properties.get(name, {})) for name, child in node["properties"].items()
            }
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), dict):
                below = structure.get(key)
                schema[key] = self._validation(node[key], below if isinstance(below, dict) else {})
        required = _missed(node.get("required", ()), properties)
        required += _defaulted_wrongly(schema.get("properties", {}), properties)
        if required:
            schema["required"] = [*dict.fromkeys(required)]
        self._junctors(node, structure, schema)
        return schema


def _missed(required: list[str], properties: Schema) -> list[str]:
    """The required fields that no default fills in."""
    return [name for name in required if "default" not in properties.get(name, {})]


def _defaulted_wrongly(validations: Schema, properties: Schema) -> list[str]:
    """Fields whose default does not pass: left out, they count as that default, so they must be there with another."""
    return [
        name
        for name, validation in validations.items()
        if "default" in properties.get(name, {}) and not compiled(validation).is_valid(properties[name]["default"])
    ]


def _list_type(node: Schema, schema: Schema) -> None:
    if node.get("x-kubernetes-list-type") == "set":
        schema["uniqueItems"] = True
    if node.get("x-kubernetes-list-type") == "map":
        fields = node["items"].get("properties", {})
        schema[MAP_KEYS] = {
            key: fields.get(key, {}).get("default") for key in node.get("x-kubernetes-list-map-keys", ())
        }
