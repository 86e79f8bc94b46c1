"""What reading yields: plain JSON data, or nodes that remember their lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

JsonValue = Union[None, bool, int, float, str, "list[JsonValue]", "dict[str, JsonValue]"]
NodeValue = Union[None, bool, int, float, str, "list[Node]", "dict[str, Node]"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a text may cost: nesting, values after aliases are expanded, and how many of them aliases may add."""

    depth: int
    values: int
    aliased: int


@dataclass(slots=True)
class Node:
    """A value and the line it starts at, from 1; `key_lines` of a map says where each key stands."""

    value: NodeValue
    line: int
    key_lines: dict[str, int] = field(default_factory=dict)

    def plain(self) -> JsonValue:
        """The value without lines, as new lists and dicts that share nothing, even where the text used aliases."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value
