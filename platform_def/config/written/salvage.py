"""What can still be judged of values that are wrong in part: the wrong ones are taken out, and the fields that they
may have meant are in doubt.

So one run reports what is wrong with a value and what is wrong beside it, and draws no conclusion from the wrong value.
"""

from __future__ import annotations

import re
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from platform_def.config.model import Model
from platform_def.config.written.explain import details_of, dotted, fields_at, models_in, place_in_file, shapes, told
from platform_def.config.written.provenance import Path, Traced
from platform_def.config.written.watch import NAME, watching
from platform_def.errors import Problem

M = TypeVar("M", bound=Model)
MOST_SALVAGED = 100
"""Errors of one field; people make fewer, and each item costs a validation of its own."""
_NAMED = re.compile(r"`(\w+):")
"""A field in a hint: "write `placement: {…}`"."""


@dataclass(frozen=True)
class Salvaged(Generic[M]):
    """A value without its wrong parts."""

    value: M | None
    """None where nothing is left of it."""
    problems: tuple[Problem, ...]
    doubts: frozenset[Path]
    """Paths, as files write them, of what the wrong parts belong to, or may have meant: fields, fields of these, and
    fields of items and entries. The path of an item is that of all its fields but the name; that of its `name` says
    that it may be called anything."""
    plain: Mapping[str, JsonValue] = field(default_factory=dict, compare=False)
    """The value as a file would hold it."""


def salvage(
    model: type[M],
    raw: Mapping[str, JsonValue],
    traced: Traced,
    *,
    under: Path = (),
    defaults: Mapping[str, JsonValue] | None = None,
) -> Salvaged[M]:
    """Validate what a file holds; `defaults` replace required fields that are missing or wrong as a whole.

    An item of a list keeps its place and, where it has one, its name.
    """
    search = _Search(model, dict(raw), traced, under, dict(defaults or {}))
    while True:  # each time something is taken out, or a default is used up
        try:
            return search.found()
        except ValidationError as error:
            details = list(details_of(error))
        if not search.take_out(details):
            return Salvaged(None, tuple(search.problems), frozenset(search.doubts))


@dataclass
class _Search(Generic[M]):
    """What is left of a value so far."""

    model: type[M]
    plain: dict[str, Any]
    traced: Traced
    under: Path
    spare: dict[str, JsonValue]
    """Defaults that have not been used."""
    problems: list[Problem] = field(default_factory=list)
    doubts: set[Path] = field(default_factory=set)
    parts: set[Path] = field(default_factory=set)
    """Those that were salvaged each for itself."""

    def found(self) -> Salvaged[M]:
        """The value, once it is right. Conflicts are asked for while what is in doubt is watched."""
        names = {in_python(self.model, path): dotted(path) for path in self.doubts}
        found = watching(self.model, names).from_file(self.plain)
        value = self.model.from_file(self.plain) if names else found
        return Salvaged(value, tuple(self.problems), frozenset(self.doubts), self.plain)

    def take_out(self, details: Sequence[ErrorDetails]) -> bool:
        """Take out what these errors are about; whether anything was there."""
        self.plain, certain = deepcopy(self.plain), not self.doubts
        placed = [(detail, place_in_file(detail, self.traced, self.under)) for detail in details]
        crowded = _crowded(place for _, place in placed)
        parts = dict.fromkeys(
            part for detail, place in placed if place[:1] not in crowded and (part := _part(self.model, detail, place))
        )
        new = {part for part in parts if part not in self.parts and self._salvage(part)}
        self.parts |= new
        rest = [(detail, place) for detail, place in placed if _part(self.model, detail, place) not in new]
        sure = [detail for detail, _ in rest if certain or _is_sure(detail)]
        found = told(sure, self.model, self.traced, under=self.under)
        self.problems = [*dict.fromkeys((*self.problems, *found))]
        for detail, place in rest:
            self.doubts |= set() if place[:1] in crowded else {*_in_doubt(self.model, detail, place, self.plain)}
        self.doubts |= crowded
        removed = [self._remove(place) for place in (*crowded, *(each for _, each in rest if each[:1] not in crowded))]
        return any(removed) or bool(new)

    def _salvage(self, part: Path) -> bool:
        """Salvage a part for itself, so that all is found that is wrong there; whether anything is."""
        kind = _kind(self.model, part, _at(self.plain, part))
        if kind is None:
            return False
        spare = _at(self.spare, part)
        defaults = spare if isinstance(spare, dict) else None
        found = salvage(kind, _at(self.plain, part), self.traced, under=(*self.under, *part), defaults=defaults)
        self.problems += found.problems
        self.doubts |= {(*part, *path[:1]) for path in found.doubts}
        if found.value is None:
            self.doubts.add(part)
            self._remove(part)
        else:
            _at(self.plain, part[:-1])[part[-1]] = found.plain
        return bool(found.problems)

    def _remove(self, place: Path) -> bool:
        """Take out the value at a place, or the nearest around it, which is in doubt then."""
        if len(place) == 1 and place[0] not in self.plain and place[0] in self.spare:
            self.plain[str(place[0])] = self.spare.pop(str(place[0]))
            return True
        for length in range(len(place), 0, -1):
            holder, step = _at(self.plain, place[: length - 1]), place[length - 1]
            if isinstance(holder, dict) and str(step) in holder:
                del holder[str(step)]
                if length < len(place):
                    self.doubts.add(place[: min(length, 2)])
                return True
            if length == 2 and isinstance(holder, list) and self._replace(holder, place[:2]):
                return True
        return False

    def _replace(self, items: list[Any], place: Path) -> bool:
        """Leave nothing of an item but its name, or where it cannot keep that, a name that no other has."""
        index, kind = int(place[1]), _held(self.model, place[0])
        old = items[index]
        unnamed = {NAME: f"unknown-{index}"}
        named = [{NAME: old[NAME]}] if isinstance(old, dict) and NAME in old else []
        choices: list[dict[str, Any]] = [{}] if typing.get_origin(kind) is dict else [*named, unnamed]
        for each in choices[choices.index(old) + 1 :] if old in choices else choices:
            if _valid(kind, each):
                items[index] = each
                self.doubts |= {place, *([(*place, NAME)] if each == unnamed else [])}
                return True
        return False


def _crowded(places: Iterable[Path]) -> frozenset[Path]:
    """Fields with very many wrong items or entries: those are in doubt as a whole, and none of them is salvaged."""
    counts = Counter(place[:1] for place in places)
    return frozenset(head for head, count in counts.items() if head and count > MOST_SALVAGED)


def _is_sure(detail: ErrorDetails) -> bool:
    """Whether an error that is found only once something is taken out follows from nothing in doubt."""
    context = detail.get("ctx", {})
    return not detail["loc"] and "reads" in context and not context["reads"]


def python_name(model: type[BaseModel], field: str) -> str:
    """The name in Python of a field that files call `field`."""
    return next((name for name, info in model.model_fields.items() if (info.alias or name) == field), field)


def in_python(model: type[Model], path: Path) -> Path:
    """A path as files write it, with the names that its fields have in Python."""
    head = python_name(model, str(path[0]))
    at = 1 if _held(model, path[0]) is None else 2
    info = model.model_fields.get(head)
    if info is None or len(path) <= at:
        return (head, *path[1:])
    names = [python_name(kind, str(path[at])) for kind in models_in(info.annotation)]
    return (head, *path[1:at], next((name for name in names if name != path[at]), path[at]))


def _in_doubt(model: type[Model], detail: ErrorDetails, place: Path, plain: Mapping[str, Any]) -> Iterator[Path]:
    if detail["loc"][-1:] == ("[key]",):  # an entry may have been meant by any name
        yield place[:1]
    elif detail["type"] == "extra_forbidden":
        yield from _meant(model, detail, place, plain)
    elif place:
        yield place[:3]
        if not detail["loc"] and len(place) == 2:
            yield from _namesakes(place, plain)


def _meant(model: type[Model], detail: ErrorDetails, place: Path, plain: Mapping[str, Any]) -> Iterator[Path]:
    """Fields that an unknown one may have meant."""
    holder = _at(plain, place[:-1])
    present = holder.keys() if isinstance(holder, dict) else ()
    name = str(place[-1])
    known = {*fields_at(model, detail["loc"][:-1])}
    meant = get_close_matches(name, known.difference(present))
    if len(place) == 1:
        meant += known.intersection(_NAMED.findall(getattr(model, "elsewhere", {}).get(name, "")))
    for each in meant:
        yield (*place[:-1], each)[:3]


def _namesakes(place: Path, plain: Mapping[str, Any]) -> Iterator[Path]:
    """Items that have the name of the one at a place: any of them may be the one that is to get another."""
    items = plain.get(str(place[0]))
    names = [each.get(NAME) if isinstance(each, dict) else None for each in items] if isinstance(items, list) else []
    for index, name in enumerate(names):
        if name is not None and name == names[int(place[1])]:
            yield (place[0], index)


def _held(model: type[Model], head: str | int) -> object:
    """What the items of a list or the entries of a map are, by the name of the field; None for other fields."""
    info = model.model_fields.get(python_name(model, str(head)))
    for shape in shapes(info.annotation) if info else ():
        if typing.get_origin(shape) in (list, tuple):
            return typing.get_args(shape)[0]
        if typing.get_origin(shape) in (dict, Mapping):
            return typing.get_args(shape)[1]
    return None


def _part(model: type[Model], detail: ErrorDetails, place: Path) -> Path:
    """The field, item or entry that an error is in; empty for one of the model itself, and for a wrong key."""
    if detail["loc"][-1:] in ((), ("[key]",)) or not place:
        return ()
    return place[:1] if _held(model, place[0]) is None else place[:2]


def _kind(model: type[Model], part: Path, raw: object) -> type[Model] | None:
    """The model of a part that is a map; None where it has none, or may have several."""
    info = model.model_fields.get(python_name(model, str(part[0])))
    held = info.annotation if info and len(part) == 1 else _held(model, part[0])
    fitting = [each for each in models_in(held) if _fits(each, raw)] if isinstance(raw, dict) else []
    return fitting[0] if len(fitting) == 1 and issubclass(fitting[0], Model) else None


def _fits(kind: type[Any], raw: Mapping[str, Any]) -> bool:
    """Whether a map may be of this model, by what it says that it is (`driver: nfs`)."""
    required = {info.alias or name: info.annotation for name, info in kind.model_fields.items() if info.is_required()}
    said = {name: typing.get_args(each) for name, each in required.items() if typing.get_origin(each) is Literal}
    return all(raw.get(name) in choices for name, choices in said.items())


def _valid(kind: object, raw: dict[str, Any]) -> bool:
    """Whether an item may be so."""
    with suppress(ValidationError):
        return raw == {} or (isinstance(kind, type) and issubclass(kind, Model) and bool(kind.from_file(raw)))
    return False


def _at(plain: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        if isinstance(plain, dict):
            plain = plain.get(str(step))
        elif isinstance(plain, list) and isinstance(step, int):
            plain = plain[step]
        else:
            return None
    return plain
