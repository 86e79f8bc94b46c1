"""The words in which an API type says what a CRD's schema must hold.

A custom resource is a TypedDict in Kubernetes' own spelling. Python types give the types (`str`, `list[T]`,
`dict[str, T]`, `Literal`, `T | None` for nullable); everything else is an annotation: `Annotated[Int32, Minimum(1)]`.
Annotations compare by identity: typing's caches must never take `Default(1)` for `Default(True)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar

Schema = dict[str, Any]
"""An OpenAPI v3 schema as JSON; read-only for its recipients."""
Manifest = dict[str, Any]
"""A whole Kubernetes object as JSON."""


class Keyword:
    """One keyword of a schema and its value; subclasses name the keyword."""

    name: ClassVar[str]

    def __init__(self, value: object):
        self.value = value

    def put(self, schema: Schema) -> None:
        """Write the keyword into `schema`."""
        schema[self.name] = self.value


class Shape(Keyword):
    """The schema of the value as it stands, instead of what follows from the Python type."""

    name = ""
    value: Schema

    def put(self, schema: Schema) -> None:
        """Replace the whole schema."""
        schema.clear()
        schema.update(self.value)


class Flag(Keyword):
    """A keyword that is only ever true."""

    def __init__(self) -> None:
        super().__init__(value=True)


class Many(Keyword):
    """A keyword whose value is a list."""

    def __init__(self, *values: object):
        super().__init__(list(values))


class Doc(Keyword):
    """Description, where there is no attribute docstring to hold it."""

    name = "description"


class Title(Keyword):
    """Short title."""

    name = "title"


class Example(Keyword):
    """An example value."""

    name = "example"


class Format(Keyword):
    """Format of a string or number: `date-time`, `int32` …"""

    name = "format"


class Minimum(Keyword):
    """Smallest number."""

    name = "minimum"


class Maximum(Keyword):
    """Largest number."""

    name = "maximum"


class ExclusiveMinimum(Flag):
    """`Minimum` itself is refused."""

    name = "exclusiveMinimum"


class ExclusiveMaximum(Flag):
    """`Maximum` itself is refused."""

    name = "exclusiveMaximum"


class MultipleOf(Keyword):
    """The number is a multiple of this one."""

    name = "multipleOf"


class MinLength(Keyword):
    """Fewest characters."""

    name = "minLength"


class MaxLength(Keyword):
    """Most characters."""

    name = "maxLength"


class Pattern(Keyword):
    """RE2 expression that the text must contain a match of."""

    name = "pattern"


class MinItems(Keyword):
    """Fewest items of a list."""

    name = "minItems"


class MaxItems(Keyword):
    """Most items of a list."""

    name = "maxItems"


class MinProperties(Keyword):
    """Fewest keys of a map."""

    name = "minProperties"


class MaxProperties(Keyword):
    """Most keys of a map."""

    name = "maxProperties"


class Enum(Many):
    """The values allowed, where `Literal` can't say them (numbers with a fraction, mixed types)."""

    name = "enum"


class Default(Keyword):
    """What the API server writes where the field is left out."""

    name = "default"


class AnyOf(Many):
    """At least one of these value validations holds."""

    name = "anyOf"


class OneOf(Many):
    """Exactly one of these value validations holds."""

    name = "oneOf"


class AllOf(Many):
    """All of these value validations hold."""

    name = "allOf"


class Not(Keyword):
    """This value validation does not hold."""

    name = "not"


class Requires(Many):
    """Further required keys: of a map, or keys that the type does not declare."""

    value: list[str]

    def put(self, schema: Schema) -> None:
        """Add to what the type itself requires."""
        schema["required"] = [*schema.get("required", ()), *self.value]


class Preserve(Flag):
    """Unknown fields are kept instead of dropped."""

    name = "x-kubernetes-preserve-unknown-fields"


class EmbeddedResource(Flag):
    """The value is a whole Kubernetes object."""

    name = "x-kubernetes-embedded-resource"


class ListType(Keyword):
    """How server-side apply merges the list: `atomic` or `set`; for `map` see `ListMap`."""

    name = "x-kubernetes-list-type"


class ListMap(Keyword):
    """A list whose items are told apart by the named keys."""

    def __init__(self, *keys: str):
        super().__init__(list(keys))

    def put(self, schema: Schema) -> None:
        """Write list type and keys."""
        schema["x-kubernetes-list-type"] = "map"
        schema["x-kubernetes-list-map-keys"] = self.value


class MapType(Keyword):
    """How server-side apply merges the object: `atomic` or `granular`."""

    name = "x-kubernetes-map-type"


class Other(Keyword):
    """Any further keyword by its name."""

    def __init__(self, key: str, value: object):
        super().__init__(value)
        self.key = key

    def put(self, schema: Schema) -> None:
        """Write the keyword."""
        schema[self.key] = self.value


class Cel(Keyword):
    """A validation rule in CEL; several are kept in their order."""

    value: Mapping[str, object]

    def __init__(
        self,
        rule: str,
        message: str = "",
        *,
        message_expression: str = "",
        reason: str = "",
        field_path: str = "",
        optional_old_self: bool | None = None,
    ):
        said = {
            "rule": rule,
            "message": message,
            "messageExpression": message_expression,
            "reason": reason,
            "fieldPath": field_path,
            "optionalOldSelf": optional_old_self,
        }
        super().__init__({key: value for key, value in said.items() if value not in ("", None)})

    def put(self, schema: Schema) -> None:
        """Add the rule behind those that are there."""
        schema["x-kubernetes-validations"] = [*schema.get("x-kubernetes-validations", ()), self.value]


class Bare(Flag):
    """Descriptions inside are left out: the value stands so often in a CRD that they would make it too large."""

    name = ""

    def put(self, schema: Schema) -> None:
        """Take all descriptions away."""
        bare = _undescribed(schema, {})
        schema.clear()
        schema.update(bare)


def _undescribed(schema: Schema, done: dict[int, Schema]) -> Schema:
    if id(schema) not in done:
        bare = {key: value for key, value in schema.items() if key != "description"}
        if "properties" in bare:
            bare["properties"] = {name: _undescribed(inner, done) for name, inner in bare["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(bare.get(key), dict):
                bare[key] = _undescribed(bare[key], done)
        done[id(schema)] = bare
    return done[id(schema)]


class Ref:
    """The field holds the name of another object; not part of the CRD."""

    def __init__(
        self,
        kind: str,
        *,
        group: str = "",
        kind_field: str = "",
        group_field: str = "",
        namespace: str = "",
        key: str = "",
        items: str = "",
        optional: bool | str = False,
        weak: bool = False,
        qualified: bool = False,
        listed: bool = False,
        host: bool = False,
    ):
        """Says which object the field names; `kind_field`, `group_field`, `namespace` and `key` are names of siblings.

        `kind_field`, `group_field`: where the kind and the group (or apiVersion) stand; left out of an object, `kind`
        and `group` hold. `namespace`: where the other object's namespace stands; without it, or left out, the other
        object is in the same namespace, or belongs to the cluster. `key`: where a key of the other object's data
        stands; `items`: a list of which each item has one as its `key`. `optional`: the other object may be missing; a
        text names the boolean sibling that says so. `weak`: this object works without the other for a while, so no
        order follows. `qualified`: the name may be `namespace/name`. `listed`: several names with commas between them,
        each perhaps with `@` and more behind it. `host`: the address of a Service, `name`, `name.namespace` or
        `name.namespace.svc…`, perhaps as a URL; other addresses lead out of the cluster.
        """
        self.kind = kind
        self.group = group
        self.kind_field = kind_field
        self.group_field = group_field
        self.namespace = namespace
        self.key = key
        self.items = items
        self.optional = optional
        self.weak = weak
        self.qualified = qualified
        self.listed = listed
        self.host = host


INT_OR_STRING: Schema = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY: Schema = {
    **INT_OR_STRING,
    "pattern": rf"^(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?$",
}

T = TypeVar("T")
Nullable: TypeAlias = T | None
"""The field may be null."""
Int32 = Annotated[int, Format("int32")]
Int64 = Annotated[int, Format("int64")]
Float32 = Annotated[float, Format("float")]
Double = Annotated[float, Format("double")]
Time = Annotated[str, Format("date-time")]
"""A moment as RFC 3339 text."""
Bytes = Annotated[str, Format("byte")]
"""Base64 text."""
IntOrString = Annotated[int | str, Shape(INT_OR_STRING)]
Quantity = Annotated[int | str, Shape(QUANTITY)]
"""`500m`, `4Gi`, 2; a fraction is written as text."""
Number = Annotated[int | float, Shape({"type": "number"})]
AnyValue = Annotated[object, Shape({"x-kubernetes-preserve-unknown-fields": True})]
"""Any JSON value."""
OpenObject = Annotated[dict[str, Any], Shape({"type": "object", "x-kubernetes-preserve-unknown-fields": True})]
"""An object with whatever fields."""
EmptyObject = Annotated[dict[str, object], Shape({"type": "object"})]
"""An object without known fields: the API server drops what is in it."""
ServiceHost = Annotated[str, Ref("Service", host=True, weak=True)]
"""The address of a Service: `name`, `name.namespace` or `name.namespace.svc…`, with scheme and port or without."""
