"""The fields of a kind as sections of its page: one for each type of ours, or two levels of what is kept as data.

Core types are named, never opened: Kubernetes' own reference says what is in them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_origin

from platform_def.crds.core.definitions import definition_name
from platform_def.crds.hints import Either, Noted, OneOfValues, fields, plain
from platform_def.crds.model import Api
from platform_def.crds.schema import QUANTITY, Ref, Schema, Shape
from platform_def.crds.structure import Structure, object_schema
from platform_def.crds.typed_dict import is_typed_dict
from platform_def.explain.api import ApiField, ResourceSchemas
from platform_def.explain.api_resources import ServedVersion
from platform_def.reference.words import constraint_sentences, prose, reference_sentence, rule_sentences

LEVELS = 3
"""Of schemas kept as data: `spec`, its fields, and theirs."""
DEEPER = "More inside."
_ENVELOPE = ("apiVersion", "kind", "metadata")
_SCALARS: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", object: "any value"}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field; its type and meaning are Markdown."""

    name: str
    type: str
    meaning: str


@dataclass(slots=True)
class Section:
    """The object itself, or a type of ours."""

    title: str = ""
    """Empty for the object itself."""
    about: str = ""
    rows: list[FieldRow] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def sections(served: ServedVersion, taken: set[str]) -> list[Section]:
    """The object first, then each type where it is first named; `taken`: lower-case headings that the page has."""
    api = served.api
    if api is None:
        raise ValueError(f"{served.full_name} is no custom kind")
    return [_data_section(served, api)] if api.data else _TypeWalk(served, api, taken).sections()


@cache
def field_signatures(served: ServedVersion) -> Mapping[str, str]:
    """Every field outside of core types, by path, with what its schema says; for comparing versions and releases."""
    schemas = ResourceSchemas(served)
    root = schemas.field("", schemas.root, required=False, depth=100, within_core=False)
    return {path: f"{each.type} {each.required} {each.constraints}" for path, each in _flat(root, "", 100)}


def _flat(holder: ApiField, path: str, levels: int) -> Iterator[tuple[str, ApiField]]:
    for each in holder.fields:
        if path or each.name not in _ENVELOPE:
            full = f"{path}.{each.name}" if path else each.name
            yield full, each
            if levels > 1:
                yield from _flat(each, full, levels - 1)


def _data_section(served: ServedVersion, api: Api[Any]) -> Section:
    schemas = ResourceSchemas(served)
    root = schemas.field("", schemas.root, required=False, depth=LEVELS + 1, within_core=False)
    found = Section(rules=_rules_of_object(api))
    refs = {re.sub(r"\[\]|\{\}", "", path): ref for path, ref in api.references.items() if isinstance(ref, Ref)}
    for path, each in _flat(root, "", LEVELS):
        deeper = f" {DEEPER}" if path.count(".") == LEVELS - 1 and each.fields else ""
        words = _meaning(each.required, each.description, each.constraints, refs.get(path))
        found.rows.append(FieldRow(path, _type_words(each.type), f"{words}{deeper}".strip()))
    return found


def _type_words(name: str) -> str:
    """`list of Container` for `[]Container`."""
    for mark, words in (("[]", "list of "), ("map[string]", "map of ")):
        if name.startswith(mark):
            return words + _type_words(name.removeprefix(mark))
    return {"Object": "object", "any": "any value"}.get(name, name)


def _meaning(required: bool, description: str, constraints: Mapping[str, object], ref: Ref | None) -> str:
    said = prose(description)
    ended = f"{said}." if said and said[-1] not in ".:!?)`" else said
    parts = ["**Required.**" if required else "", ended, *constraint_sentences(constraints)]
    return " ".join(part for part in [*parts, reference_sentence(ref) if ref else ""] if part)


def _rules_of_object(api: Api[Any]) -> list[str]:
    schema = object_schema(api)
    found = rule_sentences(schema)
    name = (api.metadata or {}).get("properties", {}).get("name", {})
    return found + [f"Of its name: {sentence}" for sentence in constraint_sentences(name)]


@cache
def _structure(core: str, *, embedded_metadata: bool) -> Structure:
    return Structure(core, embedded_metadata=embedded_metadata)


class _TypeWalk:
    """Goes through the types of one kind, each once, in the order in which they are named."""

    def __init__(self, served: ServedVersion, api: Api[Any], taken: set[str]):
        self._api, self._schemas = api, ResourceSchemas(served)
        self._structure = _structure(api.core, embedded_metadata=api.embedded_metadata)
        self._titles: dict[type, str] = {}
        self._taken = taken
        self._todo: list[type] = []

    def sections(self) -> list[Section]:
        """The object, then its types."""
        api = self._api
        top: object = api.top or (api.spec if api.top_level else None)
        found = [Section(rules=_rules_of_object(api))]
        if is_typed_dict(top):
            found[0].rows = [row for row in self._rows(top) if row.name not in _ENVELOPE]
        else:
            needed = set(object_schema(api).get("required", ()))
            parts = {"spec": api.spec} | ({"status": api.status} if api.status else {})
            found[0].rows = [self._row(name, hint, "", name in needed) for name, hint in parts.items()]
        while self._todo:
            cls = self._todo.pop(0)
            told = cls is api.spec or cls is top
            about = inspect.cleandoc(cls.__doc__) if cls.__doc__ and not told else ""
            found.append(Section(self._titles[cls], prose(about), list(self._rows(cls))))
        return found

    def _rows(self, cls: type) -> Iterator[FieldRow]:
        for each in fields(cls):
            yield self._row(each.name, each.hint, each.doc, each.required)

    def _row(self, name: str, hint: object, doc: str, required: bool) -> FieldRow:
        schema = self._structure.of(hint, name)
        return FieldRow(name, self._type(hint), _meaning(required, doc, self._schemas.constraints(schema), _ref(hint)))

    def _type(self, hint: object) -> str:
        """The type in words, with links to the types that have a section."""
        hint = plain(hint)
        if isinstance(hint, Noted):
            shape = next((note.value for note in hint.notes if isinstance(note, Shape)), None)
            return _shape_words(shape) if shape is not None else self._type(hint.base)
        if isinstance(hint, Either):
            return " or ".join(self._type(member) for member in hint.members if member not in (None, type(None)))
        if isinstance(hint, OneOfValues):
            return _SCALARS[type(hint.values[0])]
        if get_origin(hint) in (list, dict):
            return f"{'list' if get_origin(hint) is list else 'map'} of {self._type(get_args(hint)[-1])}"
        return self._class(hint) if is_typed_dict(hint) else _SCALARS.get(hint, "object")

    def _class(self, cls: type) -> str:
        if definition_name(cls):
            return cls.__name__
        if cls not in self._titles:
            self._titles[cls] = self._free(cls.__name__)
            self._todo.append(cls)
        title = self._titles[cls]
        return f"[{title}](#{re.sub(r'[^a-z0-9-]', '', title.lower().replace(' ', '-'))})"

    def _free(self, title: str) -> str:
        """A heading that no other section has: types of one name are told apart by version, or by a number."""
        names = [title, f"{title} ({self._api.version})", *(f"{title} {number}" for number in range(2, 100))]
        found = next(name for name in names if name.lower() not in self._taken)
        self._taken.add(found.lower())
        return found


def _ref(hint: object) -> Ref | None:
    """The reference in a hint, be it that of a list's items."""
    hint = plain(hint)
    if isinstance(hint, Noted):
        return next((note for note in hint.notes if isinstance(note, Ref)), None) or _ref(hint.base)
    if isinstance(hint, Either):
        return next((found for member in hint.members if member is not None and (found := _ref(member))), None)
    return _ref(get_args(hint)[-1]) if get_origin(hint) in (list, dict) else None


def _shape_words(shape: Schema) -> str:
    if "x-kubernetes-int-or-string" in shape:
        return "Quantity" if shape.get("pattern") == QUANTITY["pattern"] else "integer or string"
    return "any value" if "type" not in shape else str(shape["type"])
