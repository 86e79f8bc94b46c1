"""What a TypedDict says of its fields: types with their annotations, and the docstrings below them.

The annotations are evaluated from their text with stand-ins for `Annotated` and `Literal`: typing's own caches take
`Literal["b", "a"]` for `Literal["a", "b"]`, so that the order of an enum would depend on what was imported before.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType, UnionType
from typing import Annotated, ForwardRef, Literal, NotRequired, Required, Union, get_args, get_origin, is_typeddict


class _Either:
    """Lets a stand-in be a member of a union."""

    def __or__(self, other: object) -> Either:
        return Either((self, other))

    def __ror__(self, other: object) -> Either:
        return Either((other, self))


@dataclass(frozen=True, slots=True, eq=False)
class Noted(_Either):
    """`Annotated[base, *notes]`."""

    base: object
    notes: tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice(_Either):
    """`Literal[*values]`."""

    values: tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Either(_Either):
    """`A | B`."""

    members: tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Presence(_Either):
    """`Required[T]` or `NotRequired[T]`."""

    required: bool
    hint: object


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a TypedDict."""

    name: str
    hint: object
    required: bool
    doc: str


class _AnnotatedWord:
    def __getitem__(self, items: tuple[object, ...]) -> Noted:
        return Noted(items[0], items[1:])


class _LiteralWord:
    def __getitem__(self, items: object) -> Choice:
        return Choice(items if isinstance(items, tuple) else (items,))


class _PresenceWord:
    def __init__(self, *, required: bool):
        self.required = required

    def __getitem__(self, hint: object) -> Presence:
        return Presence(self.required, hint)


class _NullableWord:
    def __getitem__(self, hint: object) -> Either:
        return Either((hint, None))


_WORDS: Mapping[str, object] = {
    "Annotated": _AnnotatedWord(),
    "Literal": _LiteralWord(),
    "Nullable": _NullableWord(),
    "Required": _PresenceWord(required=True),
    "NotRequired": _PresenceWord(required=False),
}


def fields(cls: type) -> Iterator[Field]:
    """The fields of a TypedDict in their order; raises TypeError for any other class."""
    if not is_typeddict(cls):
        raise TypeError(f"{cls!r} is not a TypedDict")
    required: frozenset[str] = cls.__required_keys__  # type: ignore[attr-defined]
    docs = field_docs(cls.__module__).get(cls.__name__, {})
    for name, annotation in cls.__annotations__.items():
        hint, needed = plain(_evaluated(annotation, cls)), name in required
        if isinstance(hint, Presence):
            needed, hint = hint.required, hint.hint
        yield Field(name, hint, needed, docs.get(name, ""))


def _evaluated(annotation: object, cls: type) -> object:
    if not isinstance(annotation, ForwardRef):
        return annotation
    module = annotation.__forward_module__ or cls.__module__
    names = vars(sys.modules[module] if isinstance(module, str) else module)
    return eval(annotation.__forward_code__, names, dict(_WORDS))  # noqa: S307 - a type's own annotation


def plain(hint: object) -> object:
    """A typing object in terms of the stand-ins; anything else as it is."""
    origin = get_origin(hint)
    if origin is Annotated:
        return Noted(hint.__origin__, hint.__metadata__)  # type: ignore[attr-defined]
    if origin in (Required, NotRequired):
        return Presence(origin is Required, get_args(hint)[0])
    if origin is Literal:
        return Choice(get_args(hint))
    if origin in (Union, UnionType):
        return Either(get_args(hint))
    return hint


@cache
def field_docs(module: str) -> Mapping[str, Mapping[str, str]]:
    """Class → field → the docstring below it, joined to one line; empty where the source is not at hand."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return MappingProxyType({})
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            inherited = [found[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in found]
            found[node.name] = {name: doc for docs in inherited for name, doc in docs.items()} | dict(_docs(node))
    return MappingProxyType(found)


def _docs(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for line, after in zip(node.body, node.body[1:], strict=False):
        match line, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                yield name, " ".join(doc.split())
