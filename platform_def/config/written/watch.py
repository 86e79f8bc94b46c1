"""Configurations that note which of their parts are read, as `Platform` notes its facts.

A part is a field, a field of a map of fields, or a field of an item of a list or of an entry of a map. So who reads an
item that is right, or the name of one that is wrong, has read nothing that is noted.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from platform_def.config.model import Model
from platform_def.config.reads import note

M = TypeVar("M", bound=Model)
V = TypeVar("V")
Path = tuple[str | int, ...]
Names = Mapping[Path, str]
"""What is noted when a part is read, by its path: fields by their names in Python, items by index, entries by key.

An item whose own path is here is read with any of its fields but `name`. Where the path of its `name` is here too, the
list holds an item that may be called anything: who looks through the whole list has read it.
"""
NAME = "name"


def watched(value: M, names: Names) -> M:
    """The same value; `observed()` sees when one of these parts is read, under the name that goes with it."""
    if names:
        object.__setattr__(value, "__class__", watching(type(value), names))
    return value


def watching(kind: type[M], names: Names) -> type[M]:
    """The class of values that note when these parts are read."""
    if not names:
        return kind
    made: type[M] = _class(getattr(kind, "__unwatched__", kind), frozenset(names.items()))
    return made


@cache
def _class(kind: type[Any], names: frozenset[tuple[Path, str]]) -> type[Any]:
    inherited = cast("Callable[[object, str], object]", kind.__getattribute__)
    whole = {str(path[0]): name for path, name in names if len(path) == 1}
    parts = {str(path[0]): _below(path[0], dict(names)) for path, _ in names if len(path) > 1}

    def read(self: Model, name: str) -> object:
        value = inherited(self, name)
        if name in whole:
            note(whole[name])
        return _watched_within(value, parts[name]) if name in parts else value

    body = {
        "__getattribute__": read,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__unwatched__": kind,
    }
    return types.new_class(kind.__name__, (kind,), exec_body=lambda space: space.update(body))


def _below(step: str | int, names: Names) -> dict[Path, str]:
    """The paths that begin with a step, without it."""
    return {path[1:]: name for path, name in names.items() if path[:1] == (step,) and len(path) > 1}


def _watched_within(value: object, names: Names) -> object:
    if isinstance(value, Model):
        return watched(value.model_copy(), names)  # it may be the default, which all values of the class share
    if isinstance(value, tuple):
        of_items = _by_step(names)
        return _Items([_item(item, of_items.get(index, {})) for index, item in enumerate(value)], _unnamed(names))
    if isinstance(value, Mapping):
        return _Entries(value, names)
    for name in names.values():
        note(name)
    return value


def _by_step(names: Names) -> dict[str | int, dict[Path, str]]:
    """The paths by their first step, without it."""
    found: dict[str | int, dict[Path, str]] = {}
    for path, name in names.items():
        found.setdefault(path[0], {})[path[1:]] = name
    return found


def _item(value: V, names: Names) -> V:
    """An item or an entry whose own path is `()`."""
    if not isinstance(value, Model):
        for name in names.values():
            note(name)
        return value
    found = {path: name for path, name in names.items() if path and path != (NAME,)}
    if () in names:
        found |= {(field,): names[()] for field in type(value).model_fields if field != NAME}
    return watched(value, found)


def _unnamed(names: Names) -> tuple[str, ...]:
    return tuple(sorted(name for path, name in names.items() if path[1:] == (NAME,)))


def names_of(entries: Mapping[str, object]) -> list[str]:
    """The names of a map's entries, sorted, those that are left out too: to read names alone is not noted."""
    return entries.names() if isinstance(entries, _Entries) else sorted(entries)


class _Items(tuple[V, ...]):
    """A list with items that may be called anything: to look through all of it is noted."""

    _unnamed: tuple[str, ...]

    def __new__(cls, items: list[V], unnamed: tuple[str, ...]) -> _Items[V]:
        made = super().__new__(cls, items)
        made._unnamed = unnamed
        return made

    def __iter__(self) -> Iterator[V]:
        yield from super().__iter__()
        for each in self._unnamed:
            note(each)


class _Entries(Mapping[str, V]):
    """A map whose entries in doubt are noted where they are asked for, those that are left out too."""

    def __init__(self, entries: Mapping[str, V], names: Names):
        self._entries = entries
        self._names = _by_step(names)
        self._lacking = {str(path[0]): name for path, name in names.items() if path[0] not in entries}

    def __getitem__(self, key: str) -> V:
        names = {**self._names.get(key, {})}
        doubt = names.pop((), self._lacking.get(key))
        if doubt:
            note(doubt)
        return _item(self._entries[key], names)

    def __iter__(self) -> Iterator[str]:
        yield from self._entries
        self._miss()

    def names(self) -> list[str]:
        """Those of all entries."""
        return sorted({*self._entries, *self._lacking})

    def __len__(self) -> int:
        self._miss()
        return len(self._entries)

    def _miss(self) -> None:
        for each in self._lacking.values():
            note(each)
