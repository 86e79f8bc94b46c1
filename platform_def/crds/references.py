"""Which fields of a kind name other objects, as a tree to walk an object by: from its types, or from the core table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any, get_args, get_origin

from platform_def.crds.core.definitions import definition_name
from platform_def.crds.core.references import ANNOTATIONS, KINDS, TYPES, Fields
from platform_def.crds.data import core_types
from platform_def.crds.hints import Either, Noted, fields, plain
from platform_def.crds.index import labels
from platform_def.crds.model import Api
from platform_def.crds.schema import Ref
from platform_def.crds.typed_dict import is_typed_dict

ITEMS, VALUES = "[]", "{}"
"""Steps from a list to each item, and from a map to each value."""

_STEP = re.compile(r'\["([^"]+)"\]|(\[\]|\{\}|[^.\[\]{}]+)')


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """What the value at one place names, and where below it further names stand."""

    ref: Ref | None = None
    below: Mapping[str, Names] = field(default_factory=dict)
    """By field, `ITEMS` or `VALUES`; places without names are left out."""


@cache
def names_of_core(group: str, kind: str) -> Names:
    """Where an object of a core kind names others; of any other kind, what its labels and annotations name."""
    return _merged(_envelope(), _grown(KINDS.get((group, kind), {})))


@cache
def names_of(api: Api[Any]) -> Names:
    """Where an object of a custom kind names others."""
    said = _merged(_envelope(), _grown(api.references))
    if api.data:
        found = ((path, name) for path, name in core_types(api.data.file, api.data.key) if name in TYPES)
        return _together([said, *(_under(path, _of_core_type(name)) for path, name in found)])
    top = api.top or (api.spec if api.top_level else None)
    typed = _Walk().of(top or api.spec) or Names()
    return _merged(said, typed if top else _under(("spec",), typed))


@cache
def _envelope() -> Names:
    by_label = {label: Ref(kind, group=group) for label, (kind, group) in labels().items()}
    known = (("annotations", ANNOTATIONS), ("labels", by_label))
    return _together(_under(("metadata", part, key), Names(ref)) for part, refs in known for key, ref in refs.items())


@cache
def _of_core_type(name: str) -> Names:
    return _grown(TYPES[name])


def _grown(table: Fields) -> Names:
    leaves = ((path, Names(what) if isinstance(what, Ref) else _of_core_type(what)) for path, what in table.items())
    return _together(_under(steps(path), leaf) for path, leaf in leaves)


def steps(path: str) -> tuple[str, ...]:
    """The steps of `a.b[].c{}`; a key that holds dots stands in brackets: `annotations["example.com/name"]`."""
    return tuple(key or step for key, step in _STEP.findall(path))


def _under(path: tuple[str, ...], leaf: Names) -> Names:
    for step in reversed(path):
        leaf = Names(below={step: leaf})
    return leaf


def _together(trees: Iterable[Names]) -> Names:
    return reduce(_merged, trees, Names())


def _merged(one: Names, other: Names) -> Names:
    """Both laid over each other, the first one's names winning; branches are shared, so none is changed."""
    below = {**one.below}
    for step, branch in other.below.items():
        below[step] = _merged(below[step], branch) if step in below else branch
    return Names(one.ref or other.ref, below)


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
