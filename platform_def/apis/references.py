"""Which fields of a kind name other objects, as a tree to walk an object by: from its types, or from the core table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_origin

from platform_def.apis.core.definitions import definition_name
from platform_def.apis.core.references import ANNOTATIONS, KINDS, LABELS, TYPES, Fields
from platform_def.apis.data import core_types
from platform_def.apis.hints import Either, Noted, fields, plain
from platform_def.apis.model import Api
from platform_def.apis.schema import Ref
from platform_def.apis.typed_dict import is_typed_dict

ITEMS, VALUES = "[]", "{}"
"""Steps from a list to each item, and from a map to each value."""


@dataclass(eq=False)
class Names:
    """What the value at one place names, and where below it further names stand."""

    ref: Ref | None = None
    below: dict[str, Names] = field(default_factory=dict)
    """By field, `ITEMS` or `VALUES`; places without names are left out."""

    def at(self, step: str) -> Names:
        """The place one step below, made if it is not there."""
        return self.below.setdefault(step, Names())


@cache
def names_of_core(group: str, kind: str) -> Names:
    """Where an object of a core kind names others; of any other kind, what its labels and annotations name."""
    return _grown(KINDS.get((group, kind), {}), envelope=True)


@cache
def names_of(api: Api[Any]) -> Names:
    """Where an object of a custom kind names others."""
    root = _grown(api.references, envelope=True)
    if api.data:
        for path, core in core_types(api.data.file, api.data.key):
            if core in TYPES:
                _graft(root, path, _of_core_type(core))
        return root
    top = api.top or (api.spec if api.top_level else None)
    parts: Mapping[str, object] = {"": top} if top else {"spec": api.spec}
    for step, hint in parts.items():
        found = _Walk().of(hint)
        if found:
            _merge(root.at(step) if step else root, found)
    return root


@cache
def _of_core_type(name: str) -> Names:
    return _grown(TYPES[name])


def _grown(table: Fields, *, envelope: bool = False) -> Names:
    root = Names()
    for path, what in table.items():
        if isinstance(what, Ref):
            place = root
            for step in _steps(path):
                place = place.at(step)
            place.ref = what
        else:
            _graft(root, _steps(path), _of_core_type(what))
    if envelope:
        for part, known in (("annotations", ANNOTATIONS), ("labels", LABELS)):
            for key, ref in known.items():
                root.at("metadata").at(part).at(key).ref = ref
    return root


def _steps(path: str) -> tuple[str, ...]:
    """`a.b[].c` in steps; what follows `parameters.` is one key, dots and all."""
    head, mark, key = path.partition("parameters.")
    steps = [step for part in head.split(".") if part for step in _split(part)]
    return (*steps, "parameters", key) if mark else tuple(steps)


def _split(part: str) -> Iterator[str]:
    name = part.rstrip("[]{}")
    yield name
    rest = part[len(name) :]
    yield from (rest[index : index + 2] for index in range(0, len(rest), 2))


def _graft(root: Names, path: tuple[str, ...], branch: Names) -> None:
    """Hang a shared branch below a place that has nothing of its own yet; else merge it."""
    *before, last = path
    for step in before:
        root = root.at(step)
    if last in root.below:
        _merge(root.below[last], branch)
    else:
        root.below[last] = branch


def _merge(into: Names, other: Names) -> None:
    into.ref = into.ref or other.ref
    for step, branch in other.below.items():
        if step in into.below:
            _merge(into.below[step], branch)
        else:
            into.below[step] = branch


class _Walk:
    """Finds the names in types; each class is walked once."""

    def __init__(self) -> None:
        self._done: dict[type, Names | None] = {}

    def of(self, hint: object) -> Names | None:
        """The places below a type; None where there are none."""
        hint = plain(hint)
        if isinstance(hint, Noted):
            return self._noted(hint)
        if isinstance(hint, Either):
            found = (self.of(member) for member in hint.members if member is not None)
            return next((names for names in found if names), None)
        origin = get_origin(hint)
        if origin in (list, dict):
            inner = self.of(get_args(hint)[-1])
            return Names(below={ITEMS if origin is list else VALUES: inner}) if inner else None
        return self._class(hint) if isinstance(hint, type) and is_typed_dict(hint) else None

    def _noted(self, hint: Noted) -> Names | None:
        ref = next((note for note in hint.notes if isinstance(note, Ref)), None)
        return Names(ref) if ref else self.of(hint.base)

    def _class(self, cls: type) -> Names | None:
        core = definition_name(cls)
        if core is not None:
            name = core.rpartition(".")[2]
            return _of_core_type(name) if name in TYPES else None
        if cls not in self._done:
            self._done[cls] = None
            below = {each.name: names for each in fields(cls) if (names := self.of(each.hint))}
            self._done[cls] = Names(below=below) if below else None
        return self._done[cls]
