"""The exact reader, over libyaml's events: iterative and bounded, so that no text exhausts the stack or the memory."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from platform_def.errors import Problem, Source
from platform_def.yaml import scalars
from platform_def.yaml.errors import YamlError
from platform_def.yaml.nodes import Limits, Node

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_PROBLEMS = 100
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONFLICT_MARK = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?:[ \r].*)?$", re.MULTILINE)
"""A line that git leaves where two changes met. It is never YAML, so it is looked for where reading fails."""
_STRICT_TAGS = frozenset(scalars.CORE + name for name in ("str", "int", "float", "bool", "null"))


@dataclass(slots=True)
class _Frame:
    """A collection that is being read; `key` is the map's key whose value comes next."""

    node: Node
    anchor: str | None
    values_before: int
    key: str | None = None
    merges: bool = False

    @property
    def wants_key(self) -> bool:
        return self.key is None and isinstance(self.node.value, dict)


class Reader:
    """Reads the documents of one text and gathers its problems; `strict` refuses what a user should not type."""

    def __init__(self, text: str, file: str, limits: Limits, *, strict: bool) -> None:
        self.text, self.file, self.limits, self.strict = text, file, limits, strict
        self.problems: list[Problem] = []
        self.found: list[Node] = []
        self.frames: list[_Frame] = []
        self.anchors: dict[str, tuple[Node, int]] = {}  # with how many values it has; none as long as it is unfinished
        self.values = 0
        self.aliased = 0

    def report(self, line: int, text: str, *, hint: str = "") -> None:
        """Notes a problem and goes on; YamlError once there are more than anyone reads."""
        self.problems.append(Problem(text, Source(self.file, line), hint))
        if len(self.problems) >= _MOST_PROBLEMS:
            raise YamlError(self.problems)

    def finish(self) -> None:
        """Raises YamlError when there were problems."""
        if self.problems:
            raise YamlError(self.problems)

    def documents(self) -> list[Node]:
        """The documents so far as they can be read; YamlError at once where reading cannot go on."""
        for event in self._events():
            line = event.start_mark.line + 1 if event.start_mark else 0
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event, line)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event, line)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end()
            elif isinstance(event, yaml.AliasEvent):
                self._alias(str(event.anchor), line)
            elif isinstance(event, yaml.DocumentStartEvent):
                self.anchors.clear()
        return self.found

    def _events(self) -> Iterator[yaml.Event]:
        if odd := _UNPRINTABLE.search(self.text):
            line = self.text.count("\n", 0, odd.start()) + 1
            hint = 'write it as an escape in "double quotes"'
            raise self._stop(line, f"the character U+{ord(odd[0]):04X} is not allowed", hint=hint)
        parser = yaml.CSafeLoader(self.text)
        try:
            while event := parser.get_event():
                yield event
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            raise self._syntax(mark.line if mark else 0, problem.problem or "", problem.context or "") from None
        except yaml.YAMLError as problem:
            raise self._stop(0, str(problem)) from None
        finally:
            parser.dispose()

    def _stop(self, line: int, text: str, *, hint: str = "") -> YamlError:
        self.report(line, text, hint=hint)
        return YamlError(self.problems)

    def _syntax(self, row: int, problem: str, context: str) -> YamlError:
        if mark := _CONFLICT_MARK.search(self.text):
            where = Source(self.file, self.text.count("\n", 0, mark.start()) + 1)
            hint = "choose between the sides, and take the marks out"
            return YamlError(Problem("a merge conflict of git that is not settled", where, hint))
        line = "".join(self.text.split("\n")[row : row + 1])
        if "\t" in line[: len(line) - len(line.lstrip())]:
            return self._stop(row + 1, "a tab in the indentation", hint="indent with spaces")
        return self._stop(row + 1, f"{context}: {problem}" if context else problem)

    def _count(self, line: int, number: int = 1) -> None:
        self.values += number
        if self.values > self.limits.values or self.aliased > self.limits.aliased:
            limit = self.limits.values if self.values > self.limits.values else self.limits.aliased
            raise self._stop(line, f"more than {limit} values", hint="do aliases multiply them?")

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._count(line)
        plain = event.tag is None and event.implicit[0]
        frame = self.frames[-1] if self.frames else None
        if frame and frame.wants_key:
            self._key(frame, event, line, plain)
            node = Node(scalars.resolve(event.value) if plain else event.value, line)
        else:
            node = Node(self._value(event, line, plain), line)
            self._place(node)
        if event.anchor:
            self.anchors[event.anchor] = (node, 1)

    def _value(self, event: yaml.ScalarEvent, line: int, plain: bool) -> scalars.Scalar:
        text: str = event.value
        value: scalars.Scalar = text
        if plain:
            value = scalars.resolve(text)
        elif event.tag is not None:
            value = self._tagged(event.tag, text, line)
        if isinstance(value, float) and not math.isfinite(value):
            self.report(line, f"{text} is not a number that JSON knows", hint=f'for a string write "{text}"')
        if self.strict and isinstance(value, str) and _CONTROL.search(value):
            self.report(line, "a control character in a string")
        return value

    def _tagged(self, tag: str, text: str, line: int) -> scalars.Scalar:
        if self._refused(tag, _STRICT_TAGS, line):
            return text
        try:
            return scalars.tagged(tag, text)
        except ValueError as problem:
            self.report(line, str(problem))
            return None

    def _refused(self, tag: str | None, allowed: frozenset[str], line: int) -> bool:
        refused = self.strict and tag is not None and tag not in allowed
        if refused:
            shown = str(tag).replace(scalars.CORE, "!!")
            self.report(line, f"the tag {shown} is not allowed", hint="write plain YAML without tags")
        return refused

    def _key(self, frame: _Frame, event: yaml.ScalarEvent, line: int, plain: bool) -> None:
        text: str = event.value
        if text == "<<" and (plain or event.tag == f"{scalars.CORE}merge"):
            frame.key, frame.merges = text, True
            if self.strict:
                self.report(line, "merge keys are not supported", hint="use extends: to share values between stacks")
            return
        key = self._plain_key(text, line) if plain else text
        if event.tag is not None:
            key = str(self._tagged(event.tag, text, line))
        self._take_key(frame, key, line)

    def _take_key(self, frame: _Frame, key: str, line: int) -> None:
        frame.key = key
        if self.strict and _CONTROL.search(key):
            self.report(line, "a control character in a key")
        if key in frame.node.key_lines:
            first = frame.node.key_lines[key]
            self.report(line, f"the key {key!r} is here twice; the first is at line {first}")
        else:
            frame.node.key_lines[key] = line

    def _plain_key(self, text: str, line: int) -> str:
        if self.strict and (not text or scalars.resolve(text) != text):
            self.report(line, f"the key {text or 'null'} is not a string", hint=f'put it in quotes: "{text}":')
            return text
        try:
            return scalars.key(text)
        except ValueError as problem:
            self.report(line, str(problem), hint="put the key in quotes")
            return text

    def _begin(self, event: yaml.CollectionStartEvent, line: int) -> None:
        self._count(line)
        mapping = isinstance(event, yaml.MappingStartEvent)
        self._refused(event.tag, frozenset({scalars.CORE + ("map" if mapping else "seq")}), line)
        if len(self.frames) >= self.limits.depth:
            raise self._stop(line, f"nested deeper than {self.limits.depth} levels")
        if self.frames and self.frames[-1].wants_key:
            raise self._stop(line, "a key must be a string, not a list or a map", hint="put the key in quotes")
        node = Node({} if mapping else [], line)
        if event.anchor:
            self.anchors[event.anchor] = (node, 0)
        self.frames.append(_Frame(node, event.anchor, self.values))

    def _end(self) -> None:
        frame = self.frames.pop()
        if frame.anchor and self.anchors[frame.anchor][0] is frame.node:
            self.anchors[frame.anchor] = (frame.node, self.values - frame.values_before + 1)
        self._place(frame.node)

    def _alias(self, name: str, line: int) -> None:
        if name not in self.anchors:
            raise self._stop(line, f"the alias *{name} has no anchor before it")
        node, size = self.anchors[name]
        if self.frames and self.frames[-1].wants_key:
            if self.strict or not isinstance(node.value, str):
                raise self._stop(line, "an alias as a key", hint="write the key out")
            self._take_key(self.frames[-1], node.value, line)
            return
        if not size:
            raise self._stop(line, f"the alias *{name} contains itself")
        self.aliased += size
        self._count(line, size)
        self._place(Node(node.value, line, node.key_lines))

    def _place(self, node: Node) -> None:
        if not self.frames:
            self.found.append(node)
            return
        frame = self.frames[-1]
        into = frame.node.value
        if isinstance(into, list):
            into.append(node)
        elif isinstance(into, dict) and frame.key is not None:
            if frame.merges:
                self._merge(into, node)
            else:
                into[frame.key] = node
            frame.key, frame.merges = None, False

    def _merge(self, into: dict[str, Node], other: Node) -> None:
        """Puts in what `other` has: over what stands before, under what comes after, the first of a list strongest."""
        parts = other.value if isinstance(other.value, list) else [other]
        for part in reversed(parts):
            if isinstance(part.value, dict):
                into.update(part.value)
            else:
                self.report(other.line, "a merge key takes a map or a list of maps")
