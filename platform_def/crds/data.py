"""Schemas kept as compact data, for kinds that are not written here: equal parts once, core types by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from platform_def.crds.core.expand import expanded
from platform_def.crds.schema import Schema, Shape

SHARED, CORE = "$shared", "$core"
"""A node `{"$shared": 3}` stands for part 3 of the file, `{"$core": name}` for a core type."""


@cache
def _document(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(file.read_bytes())
    return found


@cache
def data_schema(file: Path, key: str, core: str, *, embedded_metadata: bool = False) -> Schema:
    """The schema `key` of a data file with everything spelled out; shared, read-only."""
    document = _document(file)
    parts: list[Any] = document["shared"]
    done: dict[int, Any] = {}

    def whole(node: Any) -> Any:
        if isinstance(node, list):
            return [whole(item) for item in node]
        if not isinstance(node, dict):
            return node
        if SHARED in node:
            index = node[SHARED]
            if index not in done:
                done[index] = whole(parts[index])
            return done[index]
        if CORE in node:
            return expanded(node[CORE], core, embedded_metadata=embedded_metadata)
        return {name: whole(value) for name, value in node.items()}

    schema: Schema = whole(document["schemas"][key])
    return schema


def core_types(file: Path, key: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where core types stand in the schema `key`: the steps down to it (`[]`, `{}` for items and values), its name."""
    document = _document(file)
    parts: list[Any] = document["shared"]

    def plain(node: Any) -> Any:
        return plain(parts[node[SHARED]]) if isinstance(node, dict) and SHARED in node else node

    def found(node: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
        node = plain(node)
        if not isinstance(node, dict):
            return
        if CORE in node:
            yield path, node[CORE].rpartition(".")[2]
            return
        for name, inner in (plain(node.get("properties")) or {}).items():
            yield from found(inner, (*path, name))
        yield from found(node.get("items"), (*path, "[]"))
        yield from found(node.get("additionalProperties"), (*path, "{}"))

    yield from found(document["schemas"][key], ())


class Kept(Shape):
    """The schema `key` of a data file, for a part that is not written here, or whose core types are older ones."""

    def __init__(self, file: Path, key: str, core: str = ""):
        super().__init__({})
        self._source = (file, key, core)

    def put(self, schema: Schema) -> None:
        """Replace the whole schema."""
        schema.clear()
        schema.update(data_schema(*self._source))
