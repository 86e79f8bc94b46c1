"""A text's documents one by one: an error in one of them does not hide the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from platform_def.errors import Problem, Source
from platform_def.yaml import quick
from platform_def.yaml.errors import YamlError
from platform_def.yaml.nodes import JsonValue, Node
from platform_def.yaml.reader import MANIFEST, exact_reader, load_all

_MARK = re.compile(r"^---(?=[ \t\r]|$)", re.MULTILINE)
_FIRST = re.compile(r"^(?!---|#|%)[ \t]*[^\s#]", re.MULTILINE)
"""Where the first line begins that holds something."""
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Document:
    """One document and where its text begins."""

    value: JsonValue
    text: str
    line: int
    """The line of the file at which `text` begins, from 1."""

    def line_of(self, path: Sequence[str | int]) -> int:
        """The line of the file where a path's value stands, or the nearest one around it that is there."""
        if not path and (start := _FIRST.search(self.text)):
            return self.line + self.text.count("\n", 0, start.start())
        if self._places is not None:
            return self.line + self._places.line_of(path)
        return self.line - 1 + deepest(self._node, path) if self._node else self.line

    @cached_property
    def _places(self) -> quick.PlacedValues | None:
        """The document with its lines, where its text is in the simple style."""
        return quick.places(self.text, depth=MANIFEST.depth)

    @cached_property
    def _node(self) -> Node | None:
        """The document with its lines: read once, for large ones take a second."""
        reader = exact_reader(self.text, "", MANIFEST, strict=False)
        return next((node for node in reader.documents() if node.value is not None), None)


def load_each(text: str | bytes, *, file: str) -> tuple[list[Document], list[Problem]]:
    """The filled documents of a text, and what keeps the others from being read."""
    found: list[Document] = []
    problems: list[Problem] = []
    for line, part in _parts(text):
        try:
            values = load_all(part, file=file)
        except YamlError as error:
            problems += [_moved(problem, line - 1) for problem in error.problems]
        else:
            found += [Document(value, part if isinstance(part, str) else part.decode(), line) for value in values]
    return found, problems


def _parts(text: str | bytes) -> Iterator[tuple[int, str | bytes]]:
    """The text cut before each `---`, each part with its first line; whole where it is no text or has directives."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            yield 1, text
            return
    starts = [] if _DIRECTIVE.search(text) else [mark.start() for mark in _MARK.finditer(text)]
    line = 1
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        if end > start:
            yield line, text[start:end]
        line += text.count("\n", start, end)


def _moved(problem: Problem, lines: int) -> Problem:
    where = problem.where
    return replace(problem, where=Source(where.file, where.line + lines)) if where and where.line else problem


def deepest(node: Node, path: Sequence[str | int]) -> int:
    """The line of a path's value, or of the nearest one around it that is there."""
    line = node.line
    for step in path:
        value = node.value
        if isinstance(value, dict) and isinstance(step, str) and step in value:
            line, node = node.key_lines.get(step, value[step].line), value[step]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            node = value[step]
            line = node.line
        else:
            break
    return line
