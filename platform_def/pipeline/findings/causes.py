"""The line of a stack that caused a change in an object: the value that the field has now, where the stack says it.

No trace leads from a field of an object back to the stack, so the value is looked for: first in what the stack says of
the object's component, then in all of it. Where it is not there, the line is that of whatever has the object's name, or
of the component.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from platform_def.checks.rule import Finding
from platform_def.config.written.provenance import Path, Traced
from platform_def.errors import Source
from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import DELIVERY, RenderedObject
from platform_def.pipeline.load import Loaded

_SHORTEST = 2
"""A number of one digit, or a letter, says nothing about where it comes from."""
_SHORTEST_PART = 4


def at_stack(finding: Finding, item: RenderedObject, loaded: Loaded) -> Finding:
    """The finding with the file and line of the stack that its field follows from."""
    where = _cause(finding, item, loaded)
    return replace(finding, file=where.file, line=where.line) if where else finding


def asked_in(own: Path, finding: Finding, item: RenderedObject, loaded: Loaded) -> Source | None:
    """The line below a place of the stack that the finding's field follows from, or the place's own."""
    within = loaded.traced.find(own)
    path = _said(within, _at(item.manifest, steps(finding.path)), finding) if within else None
    return loaded.where(*own, *(path or ()))


def _cause(finding: Finding, item: RenderedObject, loaded: Loaded) -> Source | None:
    own: Path = ("delivery",) if item.component == DELIVERY else ("components", item.component)
    value = _at(item.manifest, steps(finding.path))
    within = loaded.traced.find(own)
    if within and (path := _said(within, value, finding)) is not None:
        return loaded.where(*own, *path)
    if (
        isinstance(value, str)
        and len(value) >= _SHORTEST
        and (path := _said(loaded.traced, value, finding)) is not None
    ):
        return loaded.where(*path)
    if (path := _named(loaded.traced, item.name)) is not None:
        return loaded.where(*path)
    return loaded.where(*own) if within else Source(loaded.file)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _said(within: Traced, wanted: Any, finding: Finding) -> Path | None:
    """The place of the value, or of the longest text that is part of it; of several, the one named like the field."""
    if not isinstance(wanted, str | int) or isinstance(wanted, bool):
        return None
    words = {str(step).lower() for step in steps(finding.path)}
    found = [(path, len(part)) for path, part in texts(within, ()) if _is_part(part, str(wanted))]

    def rank(each: tuple[Path, int]) -> tuple[int, int]:
        return each[1], len(words.intersection(str(step).lower() for step in each[0]))

    return max(found, key=rank, default=(None, 0))[0]


def _is_part(part: str, whole: str) -> bool:
    return part == whole or (len(part) >= _SHORTEST_PART and part in whole)


def texts(traced: Traced, path: Path) -> Iterator[tuple[Path, str]]:
    """Every single value below, as text, with its path."""
    if isinstance(traced.value, dict):
        for key, item in traced.value.items():
            yield from texts(item, (*path, key))
    elif isinstance(traced.value, list):
        for index, item in enumerate(traced.value):
            yield from texts(item, (*path, index))
    else:
        yield path, str(traced.value)


def _named(traced: Traced, name: str, path: Path = ()) -> Path | None:
    """The place of the first thing below that is called so: the key of a map, or the item of a list with this name."""
    if isinstance(traced.value, dict):
        if name in traced.value:
            return (*path, name)
        called = traced.value.get("name")
        if called is not None and called.value == name:
            return (*path, "name")
    steps_down = traced.value.items() if isinstance(traced.value, dict) else ()
    listed = enumerate(traced.value) if isinstance(traced.value, list) else ()
    found = (_named(item, name, (*path, step)) for step, item in (*steps_down, *listed))
    return next((each for each in found if each is not None), None)
