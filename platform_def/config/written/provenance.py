"""Values that remember the files and lines they came from, and the merging of stack files that keeps this memory.

`extends` merges maps deeply, replaces scalars, merges lists of named things by name; null removes what was inherited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from platform_def.errors import Problem, Source
from platform_def.yaml import Node

Path = tuple[str | int, ...]
Scalar = str | int | float | bool | None


@dataclass(slots=True)
class Traced:
    """A value with the places that set it, oldest first; lists and maps hold values of the same kind."""

    value: Scalar | list[Traced] | dict[str, Traced]
    chain: tuple[Source, ...]
    key_lines: dict[str, Source] = field(default_factory=dict)

    def plain(self) -> JsonValue:
        """The value alone."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        return self.value

    def find(self, path: Sequence[str | int]) -> Traced | None:
        """The value at `path`, or None; list items by index or by their name."""
        here = self
        for step in path:
            found = _step(here, step)
            if found is None:
                return None
            here = found
        return here

    def locate(self, path: Sequence[str | int]) -> Source | None:
        """Where the value at `path` was last set; for what is not there, where the nearest value around it was."""
        here = self
        place = self.chain[-1] if self.chain else None
        for step in path:
            if isinstance(here.value, dict) and isinstance(step, str) and step in here.key_lines:
                place = here.key_lines[step]
            found = _step(here, step)
            if found is not None:
                listed = isinstance(here.value, list)
                here = found
                if not isinstance(here.value, dict | list) or listed:
                    place = here.chain[-1]
        return place


def _step(here: Traced, step: str | int) -> Traced | None:
    if isinstance(here.value, dict):
        return here.value.get(str(step))
    if isinstance(here.value, list):
        if isinstance(step, int) or re.fullmatch("[0-9]{1,9}", step):
            index = int(step)
            return here.value[index] if 0 <= index < len(here.value) else None
        return next((item for item in here.value if _name(item) == step), None)
    return None


def trace(node: Node, file: str) -> Traced:
    """A parsed file as traced values."""
    chain = (Source(file, node.line),)
    if isinstance(node.value, dict):
        lines = {key: Source(file, line) for key, line in node.key_lines.items()}
        return Traced({key: trace(item, file) for key, item in node.value.items()}, chain, lines)
    if isinstance(node.value, list):
        return Traced([trace(item, file) for item in node.value], chain)
    return Traced(node.value, chain)


def merge(base: Traced, over: Traced) -> Traced:
    """`over` laid on `base`; a null takes what it stands over out, and stays where there is nothing (`idle_nulls`)."""
    chain = base.chain + tuple(place for place in over.chain if place not in base.chain)
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        merged = dict(base.value)
        for key, item in over.value.items():
            present = merged.get(key)
            merged[key] = merge(present, item) if present is not None and present.value is not None else item
            if item.value is None and present is not None and present.value is not None:
                merged.pop(key)
        return Traced(merged, chain, base.key_lines | over.key_lines)
    if isinstance(base.value, list) and isinstance(over.value, list) and _named(base.value) and _named(over.value):
        return Traced(list(_merge_named(base.value, over.value)), chain)
    return Traced(over.value, chain, over.key_lines)


def _name(item: Traced) -> str | None:
    name = item.value.get("name") if isinstance(item.value, dict) else None
    return name.value if name is not None and isinstance(name.value, str) else None


def _named(items: list[Traced]) -> bool:
    return bool(items) and all(_name(item) is not None for item in items)


def _merge_named(base: list[Traced], over: list[Traced]) -> Iterator[Traced]:
    changes: dict[str | None, list[Traced]] = {}
    for item in over:
        changes.setdefault(_name(item), []).append(item)
    for item in base:
        for change in changes.pop(_name(item), ()):
            item = merge(item, change)
        yield item
    for added in changes.values():
        yield from added


def idle_nulls(value: Traced, path: Path = ()) -> Iterator[Problem]:
    """Nulls that remove nothing: usually a map left empty by mistake."""
    if isinstance(value.value, dict):
        for key, item in value.value.items():
            if item.value is None:
                where = ".".join(map(str, (*path, key)))
                hint = "write {} for defaults, or take the line out: null removes an inherited value, and there is none"
                yield Problem(f"{where}: has no value", value.key_lines.get(key, item.chain[-1]), hint)
            else:
                yield from idle_nulls(item, (*path, key))
    elif isinstance(value.value, list):
        for index, item in enumerate(value.value):
            yield from idle_nulls(item, (*path, index))
