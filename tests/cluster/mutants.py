"""Objects with one thing wrong, or just different: what a check and an API server must agree on.

Every field of an example is removed, retyped, put out of range, misspelt, pointed elsewhere or doubled, one at a time.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.cluster.client import Manifest

Path = tuple[str | int, ...]
_TEXTS = ("", "Not Valid!", "x" * 300)
_NUMBERS = (-1, 0, 99_999_999)
_KEPT = frozenset({("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")})
"""Without these an object cannot be sent."""


class Mutant(NamedTuple):
    """One changed object."""

    example: str
    how: str
    """`removed spec.replicas`, for a report."""
    manifest: Manifest


def mutants(examples: Mapping[str, Manifest]) -> Iterator[Mutant]:
    """Every mutant of every example, each once."""
    for name, manifest in examples.items():
        seen = {json.dumps(manifest, sort_keys=True)}
        for how, changed in _changed(manifest):
            text = json.dumps(changed, sort_keys=True)
            if text not in seen:
                seen.add(text)
                yield Mutant(name, how, changed)


def _changed(manifest: Manifest) -> Iterator[tuple[str, Manifest]]:
    for path, value in _places(manifest, ()):
        shown = ".".join(map(str, path))
        for how, other in _others(value):
            yield f"{how} {shown}", _put(manifest, path, other)
        yield f"removed {shown}", _without(manifest, path)
        if isinstance(path[-1], str):
            yield f"misspelt {shown}", _renamed(manifest, path)
        elif isinstance(path[-1], int):
            yield f"doubled {shown}", _doubled(manifest, path)


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        if (*path, step) not in _KEPT:
            yield (*path, step), inner
        yield from _places(inner, (*path, step))


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield from (("retyped", "yes"), ("turned", not value))
    elif isinstance(value, int):
        yield from (("retyped", "text"), *((f"set to {number}", number) for number in _NUMBERS))
    elif isinstance(value, str):
        yield "retyped", 7
        yield from ((f"set to '{text[:20]}'", text) for text in _TEXTS)
        yield "pointed elsewhere", f"{value}-other"
    elif isinstance(value, dict):
        yield from (("retyped", "text"), ("retyped as a list", [value]), ("emptied", {}))
    elif isinstance(value, list):
        yield from (("retyped", "text"), ("retyped as a map", {"a": "b"}), ("emptied", []))


def _put(manifest: Manifest, path: Path, value: Any) -> Manifest:
    changed = copy.deepcopy(manifest)
    at(changed, path[:-1])[path[-1]] = value
    return changed


def _without(manifest: Manifest, path: Path) -> Manifest:
    changed = copy.deepcopy(manifest)
    del at(changed, path[:-1])[path[-1]]
    return changed


def _renamed(manifest: Manifest, path: Path) -> Manifest:
    changed = copy.deepcopy(manifest)
    around = at(changed, path[:-1])
    around[f"{path[-1]}X"] = around.pop(path[-1])
    return changed


def _doubled(manifest: Manifest, path: Path) -> Manifest:
    changed = copy.deepcopy(manifest)
    around = at(changed, path[:-1])
    around.append(copy.deepcopy(around[path[-1]]))
    return changed


def at(value: Any, path: Path) -> Any:
    """What stands at a path."""
    for step in path:
        value = value[step]
    return value
