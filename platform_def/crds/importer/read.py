"""Schemas into types: what the vocabulary has no words for is kept as the schema itself, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from platform_def.crds import schema as vocabulary
from platform_def.crds.importer.hint import (
    ChoiceHint,
    FieldHint,
    Hint,
    HintNote,
    Listed,
    Mapped,
    NotedHint,
    Nullable,
    Struct,
    Word,
)
from platform_def.crds.importer.naming import camel, singular
from platform_def.crds.importer.normal import Digests, undescribed
from platform_def.crds.importer.recognise import Core, Recogniser
from platform_def.crds.schema import Keyword, Schema

NOTES: dict[str, str] = {
    value.name: name
    for name, value in vars(vocabulary).items()
    if isinstance(value, type) and issubclass(value, Keyword) and getattr(value, "name", None)
}
"""Keyword of a schema → the word that says it."""
FLAGS = {
    name for name, value in vars(vocabulary).items() if isinstance(value, type) and issubclass(value, vocabulary.Flag)
}
MANY = {
    name for name, value in vars(vocabulary).items() if isinstance(value, type) and issubclass(value, vocabulary.Many)
}
SHAPES: tuple[tuple[Schema, str], ...] = (
    (vocabulary.QUANTITY, "Quantity"),
    (vocabulary.INT_OR_STRING, "IntOrString"),
)
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
PYTHON: dict[str, type] = {"string": str, "integer": int, "boolean": bool}
FORMATS = {
    ("integer", "int32"): "Int32",
    ("integer", "int64"): "Int64",
    ("number", "float"): "Float32",
    ("number", "double"): "Double",
    ("string", "date-time"): "Time",
    ("string", "byte"): "Bytes",
}
RULE_OPTIONS = {
    "messageExpression": "message_expression",
    "reason": "reason",
    "fieldPath": "field_path",
    "optionalOldSelf": "optional_old_self",
}


@dataclass(slots=True)
class SchemaReader:
    """Reads the schemas of one module; equal structures become one `Struct`."""

    recogniser: Recogniser
    descriptions: bool
    digests: Digests = field(default_factory=Digests)
    structs: dict[str, Struct] = field(default_factory=dict)
    core: Core = field(default_factory=Core)
    modules: set[str] = field(default_factory=set)
    """Core modules in use."""

    def choose(self, schema: Schema, preferred: Core) -> None:
        """Read what follows with the core version that fits `schema`, `preferred` where it does."""
        self.core = self.recogniser.core_of(schema, preferred)

    def hint(self, schema: Schema, *, name: str, wanted: tuple[str, ...]) -> Hint:
        """Type of a schema in a field `name`; `wanted` are names for a structure, best first."""
        if (known := self._core_type(schema, name)) is not None:
            return known
        own = {key: value for key, value in schema.items() if key != "description"}
        for shape, word in SHAPES:
            if shape.items() <= own.items():
                return _noted(Word(word), own, known=shape)
        kind = own.get("type")
        if "x-kubernetes-int-or-string" in own or (kind is not None and not isinstance(kind, str)):
            return self._as_it_is(schema)
        if kind is None:
            open_value = own.get("x-kubernetes-preserve-unknown-fields") is True and not own.keys() & {
                "properties",
                "items",
            }
            return (
                _noted(Word("AnyValue"), own, known=("x-kubernetes-preserve-unknown-fields",))
                if open_value and "additionalProperties" not in own
                else self._as_it_is(schema)
            )
        if kind == "object":
            return self._object(schema, own, name, wanted)
        if (
            kind == "array"
            and isinstance(own.get("items"), dict)
            and not own.keys() & {"properties", "additionalProperties"}
        ):
            item = self.hint(own["items"], name=name, wanted=tuple(map(singular, wanted)))
            return _noted(Listed(item), own, known=("type", "items"))
        if kind in SCALARS and not own.keys() & {"properties", "items", "additionalProperties"}:
            return _scalar(own, kind)
        return self._as_it_is(schema)

    def _core_type(self, schema: Schema, name: str) -> Hint | None:
        """A core type, if need be with further keywords around it."""
        for known in (schema, {k: v for k, v in schema.items() if k not in _AROUND}):
            if found := self.recogniser.type_of(known, self.core, name):
                self.modules.add(found.module)
                return _noted(Word(f"{found.module}.{found.name}"), schema, known=(*known, "description"))
        return None

    def _object(self, schema: Schema, own: Schema, name: str, wanted: tuple[str, ...]) -> Hint:
        if "items" in own or ("properties" in own and "additionalProperties" in own):
            return self._as_it_is(schema)
        if "properties" in own:
            struct = self.struct(schema, wanted)
            loose = [key for key in own.get("required", ()) if key not in own["properties"]]
            return _noted(struct, own | {"required": loose}, known=("type", "properties"))
        if isinstance(own.get("additionalProperties"), dict):
            value = self.hint(own["additionalProperties"], name=name, wanted=tuple(map(singular, wanted)))
            return _noted(Mapped(value), own, known=("type", "additionalProperties"))
        if own.get("x-kubernetes-preserve-unknown-fields") is True:
            return _noted(Word("OpenObject"), own, known=("type", "x-kubernetes-preserve-unknown-fields"))
        return _noted(Word("EmptyObject"), own, known=("type",))

    def struct(self, schema: Schema, wanted: tuple[str, ...]) -> Struct:
        """The structure of an object with properties."""
        digest = f"{self.digests.fields(schema)} {self.core}"
        if digest not in self.structs:
            struct = self.structs[digest] = Struct(wanted)
            required = {*schema.get("required", ())}
            struct.members = [
                FieldHint(
                    name, self.hint(inner, name=name, wanted=_names(name, wanted)), name in required, self.doc(inner)
                )
                for name, inner in schema["properties"].items()
            ]
        return self.structs[digest]

    def doc(self, schema: Schema) -> str:
        """Description of a field, on one line."""
        return " ".join(str(schema.get("description", "")).split()) if self.descriptions else ""

    def _as_it_is(self, schema: Schema) -> Hint:
        kept = {k: v for k, v in schema.items() if k != "description"} if self.descriptions else undescribed(schema)
        kind = SCALARS.get(str(schema.get("type")), "object")
        return NotedHint(Word(kind), (HintNote("Shape", (kept,)),))


_AROUND = frozenset(
    {"default", "nullable", "x-kubernetes-validations", "title", "example", "minProperties", "maxProperties"}
)


def _scalar(own: Schema, kind: str) -> Hint:
    values = own.get("enum")
    wanted = PYTHON.get(kind)
    if values and wanted and all(type(v) is wanted for v in values) and len(set(values)) == len(values):
        return _noted(ChoiceHint(tuple(values)), own, known=("type", "enum"))
    if word := FORMATS.get((kind, own.get("format", ""))):
        return _noted(Word(word), own, known=("type", "format"))
    return _noted(Word(SCALARS[kind]), own, known=("type",))


def _noted(value: Hint, schema: Schema, *, known: Iterable[str]) -> Hint:
    """`value` with all keywords of `schema` beside those that it says itself."""
    rest = {key: item for key, item in schema.items() if key not in {*known, "description"}}
    if rest.pop("nullable", None):
        value = Nullable(value)
    said = tuple(note for key in sorted(rest, key=_rank) for note in notes(key, rest))
    return NotedHint(value, said) if said else value


def _rank(key: str) -> tuple[bool, str]:
    return key == "x-kubernetes-validations", key


def notes(key: str, rest: Schema) -> list[HintNote]:
    """The annotations that say one keyword of `rest`."""
    value = rest[key]
    if key == "required":
        return [HintNote("Requires", tuple(value))] if value else []
    if key == "x-kubernetes-list-type" and value == "map" and "x-kubernetes-list-map-keys" in rest:
        return [HintNote("ListMap", tuple(rest["x-kubernetes-list-map-keys"]))]
    if key == "x-kubernetes-list-map-keys" and rest.get("x-kubernetes-list-type") == "map":
        return []
    if key == "x-kubernetes-validations" and all(_sayable(rule) for rule in value):
        return [_rule(rule) for rule in value]
    word = NOTES.get(key)
    if word in FLAGS and value is True:
        return [HintNote(word)]
    if word in MANY and isinstance(value, list):
        return [HintNote(word, tuple(value))]
    return [HintNote(word, (value,))] if word and word not in FLAGS | MANY else [HintNote("Other", (key, value))]


def _sayable(rule: Schema) -> bool:
    return "rule" in rule and rule.keys() <= {"rule", "message", *RULE_OPTIONS} and "" not in rule.values()


def _rule(rule: Schema) -> HintNote:
    message = (rule["message"],) if "message" in rule else ()
    return HintNote(
        "Cel", (rule["rule"], *message), tuple((RULE_OPTIONS[k], v) for k, v in rule.items() if k in RULE_OPTIONS)
    )


def _names(name: str, above: tuple[str, ...]) -> tuple[str, ...]:
    """Names for the structure in a field: the field's, then with ever more of what it is in before it."""
    own = camel(name)
    longer = tuple(parent.removesuffix("Spec") + own for parent in above)
    return longer if own in ("Spec", "Status", "Metadata", "Template") else (own, *longer)
