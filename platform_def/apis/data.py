"""Schemas kept as compact data, for kinds that nobody here authors: equal parts once, core types by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import orjson

from platform_def.apis.core.expand import expanded
from platform_def.apis.schema import Schema

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
