"""The types that a structural schema gives to expressions, as descriptors of messages: what Google's checker knows.

An object with known fields is a message; what the schema leaves open (`x-kubernetes-int-or-string`) is of any type, and
what Kubernetes hides from expressions (a field without a type) is not there. Messages cannot hold lists of lists nor
maps of lists; inside of those any type goes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from platform_def.crds.schema import Schema
from platform_def.manifests.cel.environment import type_of
from platform_def.manifests.cel.functions.function import OPAQUE
from platform_def.manifests.cel.names import written
from platform_def.manifests.loose import mapping

if TYPE_CHECKING:
    from cel_expr_python.cel import Type
    from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool

_PACKAGE = "object"
_FILE = "object.proto"
_ANY = ".google.protobuf.Value"
_MESSAGES = {"duration": ".google.protobuf.Duration", "timestamp": ".google.protobuf.Timestamp", "dyn": _ANY}
_SCALARS = {
    "bool": "TYPE_BOOL",
    "int": "TYPE_INT64",
    "double": "TYPE_DOUBLE",
    "string": "TYPE_STRING",
    "bytes": "TYPE_BYTES",
}
_TEXTS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
_METADATA: Schema = {"type": "object", "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}}}
_RESOURCE: Mapping[str, Schema] = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": _METADATA}


class Types:
    """The types of one schema; `word` names those that are to be used, then `pool` holds them."""

    def __init__(self) -> None:
        from google.protobuf.descriptor_pb2 import FileDescriptorProto

        needed = [f"google/protobuf/{name}.proto" for name in ("struct", "timestamp", "duration")]
        self._file: FileDescriptorProto = FileDescriptorProto(
            name=_FILE, package=_PACKAGE, syntax="proto2", dependency=needed
        )
        self._words: dict[tuple[int, bool], str | None] = {}

    def word(self, node: Schema, *, resource: bool = False) -> str | None:
        """The type of a level (`string`, `list(object.T3)`); None where expressions do not see it."""
        key = (id(node), resource)
        if key not in self._words:
            self._words[key] = self._word(node, resource=resource or node.get("x-kubernetes-embedded-resource") is True)
        return self._words[key]

    def message(self, fields: Mapping[str, str]) -> str:
        """A type with these fields, each of a type that was named before."""
        name = f"T{len(self._file.message_type)}"
        message = self._file.message_type.add(name=name)
        message.options.deprecated_legacy_json_field_conflicts = True  # nothing is read from JSON
        for number, (field, word) in enumerate(fields.items(), 1):
            self._field(message, field, word, number, fields)
        return f"{_PACKAGE}.{name}"

    def pool(self) -> DescriptorPool:
        """Everything that was named, for an environment."""
        from google.protobuf import descriptor_pool

        pool = descriptor_pool.DescriptorPool()
        for known in (*_needed(), *_opaque()):
            pool.AddSerializedFile(known)
        pool.AddSerializedFile(self._file.SerializeToString())
        return pool

    def _word(self, node: Schema, *, resource: bool) -> str | None:
        if node.get("x-kubernetes-int-or-string"):
            return "dyn"
        kind, below = node.get("type"), node.get("additionalProperties")
        if kind == "array":
            inner = self.word(node["items"]) if isinstance(node.get("items"), dict) else None
            return f"list({inner})" if inner else None
        if kind == "object" or resource:
            if isinstance(below, dict) and not resource:
                inner = self.word(below)
                return f"map(string,{inner})" if inner else None
            properties = {**mapping(node.get("properties")), **(_RESOURCE if resource else {})}
            return self.message(dict(self._fields(properties)))
        if kind == "string":
            return _TEXTS.get(str(node.get("format")), "string")
        return {"boolean": "bool", "number": "double", "integer": "int"}.get(str(kind))

    def _fields(self, properties: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, child in properties.items():
            word = self.word(child) if isinstance(child, dict) else None
            if word:
                yield from ((field, word) for field in written(name))

    def _field(self, message: DescriptorProto, name: str, word: str, number: int, taken: Collection[str] = ()) -> None:
        from google.protobuf.descriptor_pb2 import FieldDescriptorProto

        field = message.field.add(name=name, number=number)
        field.label = FieldDescriptorProto.LABEL_OPTIONAL
        if word.startswith("map("):
            word = self._entry(message, name, word.partition(",")[2][:-1], taken)
            if word != "dyn":
                field.label = FieldDescriptorProto.LABEL_REPEATED
        elif word.startswith("list("):
            field.label = FieldDescriptorProto.LABEL_REPEATED
            word = _open(word[len("list(") : -1])
        if word in _SCALARS:
            field.type = getattr(FieldDescriptorProto, _SCALARS[word])
        else:
            field.type = FieldDescriptorProto.TYPE_MESSAGE
            field.type_name = _MESSAGES.get(word, f".{word}")

    def _entry(self, message: DescriptorProto, field: str, word: str, taken: Collection[str]) -> str:
        """The type of a map's entries, whose name descriptors prescribe; any type, where another field has the name."""
        name = f"{_camel(field)}Entry"
        if name in taken or any(each.name == name for each in message.nested_type):
            return "dyn"
        entry = message.nested_type.add(name=name)
        entry.options.map_entry = True
        self._field(entry, "key", "string", 1)
        self._field(entry, "value", _open(word), 2)
        return f"{_PACKAGE}.{message.name}.{name}"


def _open(word: str) -> str:
    """What stands for a type where messages can hold no list and no map."""
    return "dyn" if word.startswith(("list(", "map(")) else word


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def variable(word: str) -> Type:
    """A type by its word, messages included, as environments declare variables."""
    from cel_expr_python import cel

    if word.startswith("list("):
        return cel.Type.List(variable(word[len("list(") : -1]))
    if word.startswith("map("):
        return cel.Type.Map(cel.Type.STRING, variable(word.partition(",")[2][:-1]))
    return cel.Type(word) if word.startswith(f"{_PACKAGE}.") else type_of(word)


def word_of(name: str) -> str:
    """The word of a type by the library's name for it (`LIST<STRING>`); `dyn` where there is none."""
    if name.startswith("LIST<"):
        return f"list({word_of(name[len('LIST<') : -1])})"
    if name.startswith("MAP<STRING, "):
        return f"map(string,{word_of(name[len('MAP<STRING, ') : -1])})"
    known = {**dict.fromkeys(_SCALARS), **dict.fromkeys(("timestamp", "duration", "null"))}
    return (
        name.lower() if name.lower() in known else name if name.startswith(f"{_PACKAGE}.") or name in OPAQUE else "dyn"
    )


@cache
def _opaque() -> tuple[bytes, ...]:
    """The library's own types, as messages without fields."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    found = []
    for name in sorted(OPAQUE):
        package, _, short = name.rpartition(".")
        file = FileDescriptorProto(name=f"{name}.proto", package=package, syntax="proto2")
        file.message_type.add(name=short)
        found.append(file.SerializeToString())
    return tuple(found)


@cache
def _needed() -> tuple[bytes, ...]:
    from google.protobuf import duration_pb2, struct_pb2, timestamp_pb2

    return tuple(module.DESCRIPTOR.serialized_pb for module in (struct_pb2, timestamp_pb2, duration_pb2))
