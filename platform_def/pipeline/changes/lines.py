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
from platform_def.config.provenance import Path, Traced
from platform_def.errors import Source
from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import DELIVERY, RenderedObject
from platform_def.pipeline.load import Loaded

_SHORTEST = 2
"""A number of one digit, or a letter, says nothing about where it comes from."""


def at_stack(finding: Finding, item: RenderedObject, loaded: Loaded) -> Finding:
    """The finding with the file and line of the stack that its field follows from."""
    where = _cause(finding, item, loaded)
    return replace(finding, file=where.file, line=where.line) if where else finding


def _cause(finding: Finding, item: RenderedObject, loaded: Loaded) -> Source | None:
    own: Path = ("delivery",) if item.component == DELIVERY else ("components", item.component)
    value = _at(item.manifest, steps(finding.path))
    within = loaded.traced.find(own)
    path = _like(within, value, finding) if within else None
    if path is not None:
        return loaded.where(*own, *path)
    if isinstance(value, str) and len(value) >= _SHORTEST:
        path = _like(loaded.traced, value, finding)
        if path is not None:
            return loaded.where(*path)
    named = _like(loaded.traced, item.name, finding, keys=True)
    if named is not None:
        return loaded.where(*named)
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


def _like(within: Traced, wanted: Any, finding: Finding, *, keys: bool = False) -> Path | None:
    """The place of the value; of several the one whose names are most like those of the field."""
    if not isinstance(wanted, str | int) or isinstance(wanted, bool):
        return None
    words = {str(step).lower() for step in steps(finding.path)}
    found = [path for path, each in _values(within, (), keys=keys) if str(each) == str(wanted)]
    return max(found, key=lambda path: len(words.intersection(str(step).lower() for step in path)), default=None)


def _values(traced: Traced, path: Path, *, keys: bool) -> Iterator[tuple[Path, Any]]:
    """Every single value below with its path; with `keys` the keys of maps, and what things are called, alone."""
    if isinstance(traced.value, dict):
        for key, item in traced.value.items():
            if keys:
                yield (*path, key), key
            yield from _values(item, (*path, key), keys=keys)
    elif isinstance(traced.value, list):
        for index, item in enumerate(traced.value):
            yield from _values(item, (*path, index), keys=keys)
    elif not keys or (path and path[-1] == "name"):
        yield path, traced.value
