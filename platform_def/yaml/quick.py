"""The fast reader for the block style that kubectl, kustomize and our own emitter write: one expression over all lines.

The rule it guards: it never guesses. Whatever lies outside that style (flow collections, anchors, tags, folded blocks,
comments after values, duplicate keys, any error) makes it give up, and the exact reader decides. Scalars may wrap.
Fuzzed against the exact reader in tests/unit/yaml.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from platform_def.yaml import scalars

# One match a line: indentation, dashes, then a key with its value, or a value alone.
_LINE = re.compile(
    r"""^( *)((?:- )*)(?:([A-Za-z0-9_$/][A-Za-z0-9_$./-]*|"[^"\\\n]*"|'[^'\n]*'):(?: (.*))?|(.*))$""", re.MULTILINE
)
_DOUBLE = re.compile(r'"[^"\\]*"')
_ESCAPED = re.compile(r'"(?:[^"\\\t]|\\(?:["\\bfnrt]|u(?!d[89a-f])[0-9a-f]{4}))*"')
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_NO_PLAIN_START = frozenset("?:,[]{}#&*!|>'\"%@`")
_COMMON = bytes([9, 10, *range(0x20, 0x7F)])
_UNCOMMON = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LONGEST_KEY = 1000
_QUOTES = frozenset("\"'")
_ENDS = (": ", " #", "\t")
"""What may stand in no plain scalar, or ends it."""
_UNKNOWN = object()
_NAMES: dict[str, str] = {}
_VALUES: dict[str, Any] = {}
"""What keys and scalars of earlier lines mean: manifests, and files of one folder, say most things many times."""
_MOST_REMEMBERED = 100_000


class _GiveUpError(Exception):
    """The text is not in the simple style."""


class _Fresh:
    """A value that two places must not share (an empty collection) or that goes on below (a literal block)."""

    def __init__(self, head: str) -> None:
        self.head = head


_FRESH = {head: _Fresh(head) for head in ("{}", "[]", "|", "|-", "|+")}


_Lines = dict[tuple[int, str | int], int]
"""By the identity of a map or a list, and a key or a place in it: the line, from 0, where the value begins."""


class PlacedValues:
    """A document with the lines of what stands in it."""

    def __init__(self, value: Any, lines: _Lines) -> None:
        self._value, self._lines = value, lines

    def line_of(self, path: Iterable[str | int]) -> int:
        """The line of a path's value, counted from 0, or of the nearest one around it that is there."""
        value: Any = self._value
        line = min(self._lines.values(), default=0)
        for step in path:
            found = self._lines.get((id(value), step))
            if found is None:
                break
            line, value = found, value[step]
        return line


def documents(text: str, *, depth: int) -> list[Any] | None:
    """The filled documents of a text in the simple style; None for any other text. `depth` bounds the nesting."""
    return _read(text, depth, None)


def places(text: str, *, depth: int) -> PlacedValues | None:
    """The first document of such a text with its lines; None where there is none, and for any other text."""
    lines: _Lines = {}
    found = _read(text, depth, lines)
    return PlacedValues(found[0], lines) if found else None


def _read(text: str, depth: int, places: _Lines | None) -> list[Any] | None:
    if not text.endswith("\n") or (
        text.encode().translate(None, _COMMON) if text.isascii() else _UNCOMMON.search(text)
    ):
        return None
    try:
        return _Reader(text, depth, places).documents()
    except _GiveUpError:
        return None


class _Reader:
    def __init__(self, text: str, depth: int, places: _Lines | None) -> None:
        self.text, self.depth, self.places = text, depth, places
        self.found: list[Any] = []
        self.stack: list[tuple[int, Any]] = []
        if len(_NAMES) + len(_VALUES) > _MOST_REMEMBERED:
            _NAMES.clear()
            _VALUES.clear()

    def documents(self) -> list[Any]:
        """Walks the lines; `top` is the innermost open collection, `at` its column, `pending` its key without value."""
        # One loop on purpose: a call for every line would double the time.
        stack, names, values, places = self.stack, _NAMES, _VALUES, self.places
        at, pending, resume = -1, None, 0
        top: Any = None
        # The last key, the plain scalar that the next line may go on with, the empty lines after it.
        last, wrapped, blanks = "", "", 0
        for number, (pad, dashes, name, raw, alone) in enumerate(_LINE.findall(self.text)):
            if number < resume:
                continue
            if not name and not dashes:
                if alone == "---" and not pad:
                    stack.clear()
                    at, top, pending, wrapped = -1, None, None, ""
                elif not alone:
                    blanks += 1
                elif alone[0] == "#":
                    wrapped = ""
                elif wrapped and len(pad) > at:
                    wrapped += ("\n" * blanks or " ") + _more(alone)
                    top[-1 if type(top) is list else last] = scalars.resolve(wrapped)
                    blanks = 0
                else:
                    raise _GiveUpError
                continue
            column = len(pad)
            if not stack or (pending is not None and (column > at or (dashes and column == at))):
                top = self._open(top, pending, [] if dashes else {}, column, number)
                at = column
            pending = None
            while at > column or (at == column and not dashes and type(top) is list):
                stack.pop()
                at, top = stack[-1] if stack else (-1, None)
            if at != column or type(top) is not (list if dashes else dict):
                raise _GiveUpError
            if dashes:
                for _ in dashes[2::2]:
                    at += 2
                    top = self._open(top, None, [], at, number)
                if name:
                    at += 2
                    top = self._open(top, None, {}, at, number)
                else:
                    raw = alone
            value = values.get(raw, _UNKNOWN)
            if value is _UNKNOWN:
                value = values[raw] = _value(raw)
            wrapped, blanks = "", 0
            if type(value) is _Fresh:
                value, resume = self._fresh(value.head, number, at)
            elif raw and raw[0] not in _QUOTES:
                wrapped = raw.strip(" ")
            if not name:
                if not raw:
                    raise _GiveUpError
                top.append(value)
                if places is not None:
                    places[id(top), len(top) - 1] = number
                continue
            last = names.get(name, "") or names.setdefault(name, _key(name))
            if last in top:
                raise _GiveUpError
            top[last] = value
            if places is not None:
                places[id(top), last] = number
            if not raw:
                pending = last
        return self.found

    def _open(self, top: Any, key: str | None, fresh: list[Any] | dict[str, Any], column: int, number: int) -> Any:
        if top is None:
            self.found.append(fresh)
        elif key is None:
            top.append(fresh)
            if self.places is not None:
                self.places[id(top), len(top) - 1] = number
        else:
            top[key] = fresh
        self.stack.append((column, fresh))
        if len(self.stack) > self.depth:
            raise _GiveUpError
        return fresh

    def _fresh(self, head: str, number: int, column: int) -> tuple[Any, int]:
        """The value and the line to go on with."""
        if head in ("{}", "[]"):
            return ({} if head == "{}" else []), 0
        if head[0] in _QUOTES:
            return _quoted(self.lines, number + 1, column, head)
        return _literal(self.lines, number + 1, column, head[1:])

    @cached_property
    def lines(self) -> list[str]:
        """The text by lines, without their ends."""
        return self.text.split("\n")[:-1]


def _quoted(lines: list[str], start: int, column: int, head: str) -> tuple[str, int]:
    """A scalar in quotes that goes on below its first line `head`, and the number of the line after it."""
    quote, blanks = head[0], 0
    parts = [head]
    for number in range(start, len(lines)):
        part = lines[number].strip(" ")
        if not part:
            blanks += 1
            continue
        if parts[-1][-1] == "\\" or "\t" in part or len(lines[number]) - len(lines[number].lstrip(" ")) <= column:
            raise _GiveUpError
        parts += ["\n" * blanks or " ", part]
        blanks = 0
        if part[-1] == quote and (_SINGLE if quote == "'" else _ESCAPED).fullmatch(text := "".join(parts)):
            value = text[1:-1].replace("''", "'") if quote == "'" else json.loads(text.replace("\n", "\\n"))
            return value, number + 1
    raise _GiveUpError


def _more(alone: str) -> str:
    """The text of a line that goes on with a plain scalar."""
    text = alone.strip(" ")
    if text[0] in "#-?:" or text[-1] == ":" or any(each in text for each in _ENDS):
        raise _GiveUpError
    return text


def _literal(lines: list[str], start: int, column: int, chomp: str) -> tuple[str, int]:
    """A literal block whose parent stands at `column`, and the number of the line after it."""
    first = next((i for i in range(start, len(lines)) if lines[i]), len(lines))
    indent = len(lines[first]) - len(lines[first].lstrip(" ")) if first < len(lines) else 0
    if indent <= column or len(lines[first]) == indent or lines[first][indent] == "\t":
        raise _GiveUpError
    end, margin = first, " " * indent
    while end < len(lines) and (lines[end].startswith(margin) or not lines[end].strip(" ")):
        end += 1
    while not lines[end - 1].strip(" ") and len(lines[end - 1]) <= indent:
        end -= 1
    after = end
    while after < len(lines) and not lines[after].strip(" "):
        after += 1
    text = "\n".join([line[indent:] for line in lines[start:end]])
    return text + {"": "\n", "-": "", "+": "\n" * (after - end + 1)}[chomp], after


def _key(name: str) -> str:
    if len(name) > _LONGEST_KEY:
        raise _GiveUpError
    if name[0] in "\"'":
        return name[1:-1]
    try:
        return scalars.key(name)
    except ValueError:
        raise _GiveUpError from None


def _value(raw: str) -> Any:
    text = raw.strip(" ")
    if not text:
        if raw:
            raise _GiveUpError
        return None
    if text in _FRESH:
        return _FRESH[text]
    if text[0] == '"':
        if _DOUBLE.fullmatch(text):
            return text[1:-1]
        if _ESCAPED.fullmatch(text):
            return json.loads(text)
        return _Fresh(text)
    if text[0] == "'":
        if _SINGLE.fullmatch(text):
            return text[1:-1].replace("''", "'")
        return _Fresh(text)
    if (
        text[0] not in _NO_PLAIN_START
        and ": " not in text
        and " #" not in text
        and text[-1] != ":"
        and "\t" not in text
    ):
        value = scalars.resolve(text)
        if (text[0] != "-" or text[1:2] not in ("", " ")) and not (
            isinstance(value, float) and not math.isfinite(value)
        ):
            return value
    raise _GiveUpError
