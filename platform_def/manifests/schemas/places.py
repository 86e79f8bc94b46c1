"""Where a schema has what: the fields at a place of an object, and the place to which a misplaced field belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from platform_def.crds.schema import Schema
from platform_def.manifests.paths import dotted

_DEEPEST = 4
_MOST = 4000
"""How many fields are looked at: a schema may lead back to itself."""
_COMMON = frozenset(
    {"name", "namespace", "kind", "type", "key", "value", "labels", "annotations", "spec", "status", "metadata"}
)
"""Fields that stand nearly everywhere, so that one place says nothing."""

Path = Sequence[str | int]


def fields_at(schema: Schema, path: Path) -> Sequence[str]:
    """Names of the fields that the schema knows at a path of the object."""
    return sorted(
        name for name, field in node_at(schema, path).get("properties", {}).items() if isinstance(field, dict)
    )


def node_at(schema: Schema, path: Path) -> Schema:
    """The schema of what stands at a path of the object."""
    node = _followed(schema, schema)
    for step in path:
        if isinstance(step, int):
            below = node.get("items", {})
        else:
            below = node.get("properties", {}).get(step, node.get("additionalProperties"))
        node = _followed(below if isinstance(below, dict) else {}, schema)
    return node


def place_of(name: str, schema: Schema, path: Path) -> str:
    """Where a field belongs that is unknown at a path: the nearest place below it, else around it; empty: nowhere."""
    if name in _COMMON:
        return ""
    for depth in range(len(path), -1, -1):
        base = path[:depth]
        if depth < len(path) and name in fields_at(schema, base):
            return dotted([*base, name])
        if depth == len(path) or depth == len(path) - 1:
            found = next((each for each in _below(node_at(schema, base), schema) if each[-1] == name), None)
            if found:
                return dotted([*base, *found]).replace("[0]", "[]")
    return ""


def _below(node: Schema, root: Schema) -> Iterator[tuple[str | int, ...]]:
    """The paths of fields below a place, the nearest first; a list counts by its first item."""
    level: list[tuple[tuple[str | int, ...], Schema]] = [((), node)]
    seen = 0
    for _ in range(_DEEPEST):
        deeper = []
        for path, each in level:
            for name, field in each.get("properties", {}).items():
                seen += 1
                if seen > _MOST:
                    return
                yield (*path, name)
                inner = _followed(field if isinstance(field, dict) else {}, root)
                listed = inner.get("items")
                step: tuple[str | int, ...] = (name, 0) if isinstance(listed, dict) else (name,)
                deeper.append(((*path, *step), _followed(listed, root) if isinstance(listed, dict) else inner))
        level = deeper


def _followed(node: Schema, root: Schema) -> Schema:
    while "$ref" in node or "else" in node:
        reference = node.get("$ref")
        node = root.get("$defs", {}).get(reference.rpartition("/")[2], {}) if reference else node["else"]
    return node
