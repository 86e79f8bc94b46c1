"""Types to be written: what a schema becomes before its structures have names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from platform_def.crds.importer.layout import Expression, Pair, call, escaped, literal, subscript


@dataclass(frozen=True, slots=True)
class Word:
    """A name as it stands: `str`, `Int32`, `core_v1.PodSpec`."""

    text: str


@dataclass(frozen=True, slots=True)
class Alias:
    """A type that the module gives a name."""

    name: str
    value: Hint


@dataclass(frozen=True, slots=True)
class ChoiceHint:
    """`Literal[…]`."""

    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """`list[…]`."""

    item: Hint


@dataclass(frozen=True, slots=True)
class Mapped:
    """`dict[str, …]`."""

    value: Hint


@dataclass(frozen=True, slots=True)
class Nullable:
    """A value that may be null."""

    value: Hint


@dataclass(frozen=True, slots=True)
class HintNote:
    """A call in an annotation: `Minimum(1)`."""

    name: str
    values: tuple[object, ...] = ()
    options: tuple[tuple[str, object], ...] = ()

    @property
    def expression(self) -> Expression:
        """The call."""
        pairs = [Pair(f"{key}=", literal(value)) for key, value in self.options]
        return call(self.name, [*map(literal, self.values), *pairs])


@dataclass(frozen=True, slots=True)
class NotedHint:
    """`Annotated[…]`."""

    value: Hint
    notes: tuple[HintNote, ...]


@dataclass(slots=True)
class FieldHint:
    """One field of a structure."""

    name: str
    hint: Hint
    required: bool
    doc: str


@dataclass(slots=True, eq=False)
class Struct:
    """A TypedDict to be written; equal structures are one."""

    wanted: tuple[str, ...]
    """Names it would like, best first."""
    members: list[FieldHint] = field(default_factory=list)
    name: str = ""


Hint = Word | Alias | ChoiceHint | Listed | Mapped | Nullable | NotedHint | Struct


def expression(hint: Hint) -> Expression:
    """The type as source, once its structures are named."""
    match hint:
        case Word():
            return hint.text
        case Struct() | Alias():
            return hint.name
        case ChoiceHint():
            return subscript("Literal", map(literal, hint.values))
        case Listed():
            return subscript("list", [expression(hint.item)])
        case Mapped():
            return subscript("dict", ["str", expression(hint.value)])
        case Nullable():
            return subscript("Nullable", [expression(hint.value)])
        case NotedHint():
            return subscript("Annotated", [expression(hint.value), *(note.expression for note in hint.notes)])


def words(hint: Hint) -> set[str]:
    """Names that the source of a type uses."""
    match hint:
        case Word():
            return {hint.text.partition("[")[0].partition(".")[0]}
        case Struct() | Alias():
            return {hint.name}
        case ChoiceHint():
            return {"Literal"}
        case Listed():
            return words(hint.item) | {"list"}
        case Mapped():
            return words(hint.value) | {"dict", "str"}
        case Nullable():
            return words(hint.value) | {"Nullable"}
        case NotedHint():
            return words(hint.value) | {"Annotated"} | {note.name for note in hint.notes}


def structs(hint: Hint) -> Iterator[Struct]:
    """The structures that a type is directly made of."""
    if isinstance(hint, Struct):
        yield hint
    inner = getattr(hint, "item", None) or getattr(hint, "value", None)
    if inner is not None:
        yield from structs(inner)


def embeds_core(hint: Hint) -> bool:
    """Whether a core type is somewhere in it."""
    if isinstance(hint, Word):
        return "." in hint.text
    if isinstance(hint, Struct):
        return any(embeds_core(member.hint) for member in hint.members)
    inner = getattr(hint, "item", None) or getattr(hint, "value", None)
    return inner is not None and embeds_core(inner)


def docstring(doc: str) -> str:
    """The inside of a docstring with its quotes; one line of text."""
    if "\\" in doc and '"""' not in doc and not doc.endswith(("\\", '"')) and doc.isprintable():
        return f'r"""{doc}"""'
    safe = "".join(escaped(char) for char in doc).replace('"""', '\\"\\"\\"')
    return f'"""{safe} """' if safe.endswith('"') else f'"""{safe}"""'
