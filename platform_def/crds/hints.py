"""What a TypedDict says of its fields: types with their annotations, and the docstrings below them.

The annotations are evaluated from their text with stand-ins for `Annotated` and `Literal`: typing's own caches take
`Literal["b", "a"]` for `Literal["a", "b"]`, so that the order of an enum would depend on what was imported before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType, UnionType
from typing import Annotated, ForwardRef, Literal, NotRequired, Required, Union, get_args, get_origin

from platform_def.crds.docstrings import field_docs
from platform_def.crds.typed_dict import is_light, is_typed_dict


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
class OneOfValues(_Either):
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
    def __getitem__(self, items: object) -> OneOfValues:
        return OneOfValues(items if isinstance(items, tuple) else (items,))


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
    """The fields of a TypedDict in their order, those of its bases first; raises TypeError for any other class."""
    if not is_typed_dict(cls):
        raise TypeError(f"{cls!r} is not a TypedDict")
    found: dict[str, Field] = {}
    if is_light(cls):
        inherited = [field for base in cls.__bases__ if is_light(base) for field in fields(base)]
        found = {field.name: field for field in inherited}
        required = frozenset(cls.__annotations__ if cls.__total__ else ())  # type: ignore[attr-defined]
    else:
        required = cls.__required_keys__  # type: ignore[attr-defined]
    docs = field_docs(cls.__module__).get(cls.__name__, {})
    for name, annotation in cls.__annotations__.items():
        hint, needed = plain(_evaluated(annotation, cls)), name in required
        if isinstance(hint, Presence):
            needed, hint = hint.required, hint.hint
        found[name] = Field(name, hint, needed, docs.get(name, ""))
    yield from found.values()


def _evaluated(annotation: object, cls: type) -> object:
    module: object = cls.__module__
    if isinstance(annotation, ForwardRef):
        module, annotation = annotation.__forward_module__ or module, annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    names = vars(sys.modules[module] if isinstance(module, str) else module)
    return eval(_code(annotation), names, dict(_WORDS))  # noqa: S307 - a type's own annotation


@cache
def _code(text: str) -> CodeType:
    return compile(text.strip(), "<annotation>", "eval")


def plain(hint: object) -> object:
    """A typing object in terms of the stand-ins; anything else as it is."""
    origin = get_origin(hint)
    if origin is Annotated:
        return Noted(hint.__origin__, hint.__metadata__)  # type: ignore[attr-defined]
    if origin in (Required, NotRequired):
        return Presence(origin is Required, get_args(hint)[0])
    if origin is Literal:
        return OneOfValues(get_args(hint))
    if origin in (Union, UnionType):
        return Either(get_args(hint))
    return hint
