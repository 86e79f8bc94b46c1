"""What can still be judged of values that are wrong in part: the wrong ones are taken out, and the fields that they
may have meant are in doubt.

So one run reports what is wrong with a value and what is wrong beside it, and draws no conclusion from the wrong value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from platform_def.config.model import Model
from platform_def.config.written.explain import details_of, fields_at, place_in_file, told
from platform_def.config.written.provenance import Path, Traced
from platform_def.config.written.watch import watching
from platform_def.errors import Problem

M = TypeVar("M", bound=Model)
_NAMED = re.compile(r"`(\w+):")
"""A field in a hint: "write `placement: {…}`"."""


@dataclass(frozen=True)
class Salvaged(Generic[M]):
    """A value without its wrong parts."""

    value: M | None
    """None where nothing is left of it."""
    problems: tuple[Problem, ...]
    doubts: frozenset[Path]
    """Paths, as files write them, of one or two steps: what the wrong parts belong to, or may have meant."""


def salvage(
    model: type[M],
    raw: Mapping[str, JsonValue],
    traced: Traced,
    *,
    under: Path = (),
    defaults: Mapping[str, JsonValue] | None = None,
) -> Salvaged[M]:
    """Validate what a file holds; `defaults` stand in for required fields that are missing or wrong as a whole."""
    plain: dict[str, Any] = dict(raw)
    problems: list[Problem] = []
    doubts: set[Path] = set()
    spare = dict(defaults or {})
    while True:  # each time something is taken out, or a default is used up
        try:
            found = _asked(model, doubts).from_file(plain)
            return Salvaged(model.from_file(plain) if doubts else found, tuple(problems), frozenset(doubts))
        except ValidationError as error:
            details = list(details_of(error))
            sure = [detail for detail in details if _is_sure(detail)] if doubts else details
            problems += (each for each in told(sure, model, traced, under=under) if each not in problems)
            plain = deepcopy(plain)
            places = [place_in_file(detail, traced, under) for detail in details]
            for detail, place in zip(details, places, strict=True):
                doubts |= set(_in_doubt(model, detail, place, plain))
            taken = [_take_out(plain, place, spare) for place in places]
        if not any(taken):
            return Salvaged(None, tuple(problems), frozenset(doubts))


def _asked(model: type[M], doubts: set[Path]) -> type[M]:
    """The model, which notes what of it is read that is in doubt."""
    return watching(model, {name: name for name in {python_name(model, str(path[0])) for path in doubts}})


def _is_sure(detail: ErrorDetails) -> bool:
    """Whether an error that is found only once something is taken out follows from nothing in doubt."""
    context = detail.get("ctx", {})
    return not detail["loc"] and "reads" in context and not context["reads"]


def python_name(model: type[Model], field: str) -> str:
    """The name in Python of a field that files call `field`."""
    return next((name for name, info in model.model_fields.items() if (info.alias or name) == field), field)


def _in_doubt(model: type[Model], detail: ErrorDetails, place: Path, plain: Mapping[str, Any]) -> Iterator[Path]:
    if detail["type"] != "extra_forbidden":
        if place:
            yield place[:2]
        return
    holder = _at(plain, place[:-1])
    present = holder.keys() if isinstance(holder, dict) else ()
    name = str(place[-1])
    known = {*fields_at(model, detail["loc"][:-1])}
    meant = get_close_matches(name, known.difference(present))
    if len(place) == 1:
        meant += known.intersection(_NAMED.findall(getattr(model, "elsewhere", {}).get(name, "")))
    for each in meant:
        yield (*place[:-1], each)[:2]


def _at(plain: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        if isinstance(plain, dict):
            plain = plain.get(str(step))
        elif isinstance(plain, list) and isinstance(step, int):
            plain = plain[step]
        else:
            return None
    return plain


def _take_out(plain: dict[str, Any], place: Path, spare: dict[str, JsonValue]) -> bool:
    """Take out the value at a place, or the nearest around it; a list goes as a whole: items keep their places."""
    if len(place) == 1 and place[0] not in plain and place[0] in spare:
        plain[str(place[0])] = spare.pop(str(place[0]))
        return True
    for length in range(len(place), 0, -1):
        holder = _at(plain, place[: length - 1])
        if isinstance(holder, dict) and str(place[length - 1]) in holder:
            del holder[str(place[length - 1])]
            return True
    return False
