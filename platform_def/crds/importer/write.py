"""Modules of types as source."""

from __future__ import annotations

import builtins
import keyword
import textwrap
import typing
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from platform_def.crds import model
from platform_def.crds import schema as vocabulary
from platform_def.crds.importer.hint import (
    Alias,
    ChoiceHint,
    FieldHint,
    HintNote,
    Listed,
    NotedHint,
    Struct,
    docstring,
    expression,
    structs,
    words,
)
from platform_def.crds.importer.layout import WIDTH, Expression, Group, flat, laid_out, subscript, text
from platform_def.crds.importer.naming import camel
from platform_def.crds.importer.read import SchemaReader

TYPING = ("Annotated", "Any", "Literal", "Required", "TypedDict")
MODEL = ("AGE", "Api", "Column", "DataSchema", "Definition", "Scale", "WebhookConversion")
VOCABULARY = frozenset(
    name
    for name, value in vars(vocabulary).items()
    if name[0].isupper() and getattr(typing, name, None) is not value and len(name) > 1 and not name.isupper()
)
IN_ANNOTATIONS = VOCABULARY | {*TYPING, "bool", "dict", "float", "int", "list", "object", "str"}
RESERVED = IN_ANNOTATIONS | {"DEFINITIONS", "Path", *vars(model), *vars(builtins), *keyword.kwlist}
"""What no structure or constant may be called."""

WORTH_A_NAME = 60
"""Characters of the shortest type that gets a name when it repeats."""


@dataclass(slots=True)
class ModuleWriter:
    """Writes one module."""

    reader: SchemaReader
    title: str
    taken: dict[str, Struct | None] = field(default_factory=lambda: dict.fromkeys(RESERVED))
    aliases: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    constants: list[str] = field(default_factory=list)
    definitions: list[Expression] = field(default_factory=list)
    plain_functional: bool = False
    """A class would do but for what a field's name means in annotations."""
    data_file: str = ""
    """File with the schemas, where they are kept as data."""

    def name_structs(self) -> None:
        """Give every structure the best name that is free."""
        for struct in self.reader.structs.values():
            free = (wanted for wanted in struct.wanted if wanted not in self.taken)
            struct.name = next(free, "") or free_name(struct.wanted[-1], self.taken)
            self.taken[struct.name] = struct

    def share(self) -> None:
        """Give a name to every long type that several fields have."""
        places: dict[str, list[FieldHint]] = defaultdict(list)
        for struct in self.reader.structs.values():
            for member in struct.members:
                if isinstance(member.hint, (ChoiceHint, Listed, NotedHint)) and not any(structs(member.hint)):
                    places[flat(expression(member.hint))].append(member)
        for said, members in places.items():
            if len(members) > 1 and len(said) >= WORTH_A_NAME:
                name = free_name(camel(members[0].name), self.taken)
                self.taken[name] = None
                self.used |= words(members[0].hint)
                self.aliases.append(laid_out(f"{name} = ", expression(members[0].hint)))
                for member in members:
                    member.hint = Alias(name, member.hint)

    def source(self) -> str:
        """The whole module."""
        types = [self.struct(struct) for struct in ordered(self.reader.structs.values())]
        if self.aliases:
            types.insert(0, "\n".join(self.aliases))
        data = [f'_DATA = Path(__file__).with_name("{self.data_file}")'] if self.data_file else []
        constants = "\n\n".join(data + self.constants)
        closing = laid_out("DEFINITIONS = ", Group("(", tuple(self.definitions), ")", literal=True))
        body = "\n\n\n".join([*types, constants])
        gap = "\n\n\n" if body.startswith("class ") else "\n\n"
        whole = f"{self._head()}{gap}{body}\n\n{closing}\n"
        long = any(map(_too_long, whole.splitlines()))
        checks = ["D101"] * ("\nclass " in whole) + ["E501"] * long + ["UP013"] * self.plain_functional
        return whole.replace('"""\n', f'"""\n# ruff: noqa: {", ".join(checks)}\n', 1) if checks else whole

    def _head(self) -> str:
        blocks = [[docstring(self.title)], ["from __future__ import annotations"]]
        standard = ["from pathlib import Path"] if self.data_file else []
        blocks.append([*standard, *_import("typing", self.used & {*TYPING} - {"TypedDict"})])
        core = _import("platform_def.apis.core", self.reader.modules)
        spoken = _import("platform_def.crds.schema", self.used & VOCABULARY)
        typed = _import("platform_def.crds.typed_dict", self.used & {"TypedDict"})
        blocks.append([*core, *_import("platform_def.crds.model", self.used & {*MODEL}), *spoken, *typed])
        return "\n\n".join("\n".join(block) for block in blocks if block)

    def struct(self, struct: Struct) -> str:
        """One TypedDict; in the functional form where a field's name can't stand in a class body."""
        self.used |= {"TypedDict"}.union(*(words(member.hint) for member in struct.members))
        self.used |= {"Required"} if any(member.required for member in struct.members) else set()
        if any(self._odd(member.name) for member in struct.members):
            return self._functional(struct)
        lines = [f"class {struct.name}(TypedDict, total=False):"]
        for member in struct.members:
            hint = expression(member.hint)
            hint = subscript("Required", [hint]) if member.required else hint
            lines.append(laid_out(f"{member.name}: ", hint, indent=4))
            if member.doc:
                lines += _doc_lines(member.doc)
        return "\n".join(lines if struct.members else [*lines, "    pass"])

    def _functional(self, struct: Struct) -> str:
        pairs = []
        plain = (member.name.isidentifier() and not keyword.iskeyword(member.name) for member in struct.members)
        self.plain_functional |= all(plain)
        for member in struct.members:
            hint = member.hint
            if member.doc:
                notes = (HintNote("Doc", (member.doc,)),)
                hint = (
                    NotedHint(hint.value, hint.notes + notes) if isinstance(hint, NotedHint) else NotedHint(hint, notes)
                )
                self.used |= words(hint)
            said = flat(expression(hint))
            pairs.append(f"        {text(member.name)}: {text(f'Required[{said}]' if member.required else said)},\n")
        head = f"{struct.name} = TypedDict(\n    {text(struct.name)},\n"
        return f"{head}    {{\n{''.join(pairs)}    }},\n    total=False,\n)"

    def _odd(self, name: str) -> bool:
        return (
            not (name.isidentifier() and name.isascii())
            or keyword.iskeyword(name)
            or (name.startswith("__") and not name.endswith("__"))
            or name in IN_ANNOTATIONS
            or self.taken.get(name) is not None
            or name in self.reader.modules
        )

    def constant_of(self, wanted: str) -> str:
        """A name for a constant: `wanted`, or something near it that is free."""
        while wanted in self.taken:
            wanted += "_"
        self.taken[wanted] = None
        return wanted

    def use(self, *names: str) -> None:
        """Remember what must be imported."""
        self.used.update(names)


def free_name(wanted: str, taken: Container[str]) -> str:
    """`wanted`, with a number behind it where it is taken."""
    names = (f"{wanted}{number}" for number in count(2))
    return wanted if wanted not in taken else next(name for name in names if name not in taken)


def ordered(found: Iterable[Struct]) -> Iterator[Struct]:
    """Each structure behind those that it is made of."""
    done: set[Struct] = set()

    def visit(struct: Struct) -> Iterator[Struct]:
        if struct not in done:
            done.add(struct)
            for member in struct.members:
                for inner in structs(member.hint):
                    yield from visit(inner)
            yield struct

    for struct in found:
        yield from visit(struct)


def _too_long(line: str) -> bool:
    """Whether a linter says so: of what can't be broken, and of addresses, it doesn't."""
    *before, last = line.split() or [""]
    return len(line) > WIDTH and bool(before) and not ("://" in last and len(line) - len(last) <= WIDTH)


def _doc_lines(doc: str) -> list[str]:
    one = docstring(doc)
    if len(one) + 4 <= WIDTH:
        return [f"    {one}"]
    wrapped = textwrap.wrap(one, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [f"    {line}" for line in wrapped]


def _import_order(name: str) -> tuple[bool, bool, str]:
    return (not name.isupper(), not name[0].isupper(), name.lower())


def _import(module: str, names: set[str]) -> list[str]:
    listed = sorted(names, key=_import_order)
    line = f"from {module} import {', '.join(listed)}"
    if len(line) <= WIDTH:
        return [line] * bool(names)
    return [f"from {module} import (", *(f"    {name}," for name in listed), ")"]
