"""Every place where the code can be changed, and how: mutmut's operators and a few that it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

Operator = tuple[type, Callable[[Any], Iterable[cst.CSTNode]]]


@dataclass(frozen=True)
class Point:
    """One change of one file."""

    path: str
    """Of the file, from the repository's root."""
    inside: str
    """The function or class, dotted; empty at the top of the module."""
    operator: str
    change: str
    """What was and what comes instead, in a line; tells the points of one place apart."""
    lines: range
    """Of the statement that is changed."""
    code: Callable[[], str]
    """The whole file as changed."""

    @property
    def name(self) -> str:
        """Stays the same while the place does, whatever moves around it."""
        return f"{self.path.removeprefix('platform_def/')} {self.inside or '(module)'}: {self.change}"


def one_side(node: cst.BooleanOperation) -> Iterator[cst.BaseExpression]:
    """`a and b` becomes `a`, and `b`: half of a condition is ignored."""
    yield node.left
    yield node.right


def condition_ignored(node: cst.If) -> Iterator[cst.If]:
    """`if a` becomes `if True` and `if False`."""
    for value in ("True", "False"):
        yield node.with_changes(test=cst.Name(value), whitespace_before_test=cst.SimpleWhitespace(" "))


def filter_ignored(node: cst.CompFor) -> Iterator[cst.CompFor]:
    """`for a in b if c` becomes `for a in b`."""
    for each in node.ifs:
        yield node.with_changes(ifs=[other for other in node.ifs if other is not each])


def union_turned(node: cst.BinaryOperation) -> Iterator[cst.BinaryOperation]:
    """`a | b` becomes `b | a`: of two mappings the other one wins."""
    if isinstance(node.operator, cst.BitOr):
        yield node.with_changes(left=node.right, right=node.left)


def merge_turned(node: cst.Dict | cst.List | cst.Tuple) -> Iterator[cst.BaseExpression]:
    """`{**a, **b}` becomes `{**b, **a}`: of two mappings the other one wins."""
    if len(node.elements) > 1 and any(isinstance(each, cst.StarredDictElement) for each in node.elements):
        yield node.with_changes(elements=_ordered(node.elements[::-1]))


def _ordered(elements: Sequence[Any]) -> list[Any]:
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return [each.with_changes(comma=comma) for each in elements]


OPERATORS: tuple[Operator, ...] = (
    *mutation_operators,
    (cst.BooleanOperation, one_side),
    (cst.If, condition_ignored),
    (cst.CompFor, filter_ignored),
    (cst.BinaryOperation, union_turned),
    (cst.Dict, merge_turned),
)

_MESSAGES = re.compile(r"[Pp]roblem$|Error$")
"""Calls in which the wording is for people: that there is a text, and which facts it names, is the tests' matter."""
_WORD = re.compile(r"[A-Za-z][a-z']*[,;:.]?")
"""A word as a sentence has it: no name of a field, no option, no address, nothing to fill in."""
_TOKEN = re.compile(r"\w+|[<>=!]=|\W")
_TYPING = frozenset({"cast", "TypeVar", "NewType", "isinstance", "len"})
"""Calls that do nothing at run time, or nothing but fail when their arguments are wrong."""


def points(root: Path, folders: Iterable[str]) -> Iterator[Point]:
    """All points of the Python files in some folders, in order."""
    for folder in folders:
        for file in sorted((root / folder).rglob("*.py")):
            yield from _points(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))


def _points(path: str, text: str) -> Iterator[Point]:
    finder = _Finder(path, MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True))
    finder.wrapper.visit(finder)
    seen: Counter[tuple[str, str]] = Counter()
    for point in finder.found:
        seen[point.inside, point.change] += 1
        nth = seen[point.inside, point.change]
        change = point.change if nth == 1 else f"{point.change} ({nth})"
        yield Point(point.path, point.inside, point.operator, change, point.lines, point.code)


class _Finder(cst.CSTVisitor):
    """Walks a module; what has no effect at run time is left out: annotations, aliases of types, docstrings."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, path: str, wrapper: MetadataWrapper):
        self.path = path
        self.wrapper = wrapper
        self.found: list[Point] = []
        self.inside: list[str] = []
        self.statements: list[range] = []
        self.messages = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _without_effect(node):
            return False
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self.statements.append(self._lines(node))
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.inside.append(node.name.value)
        self.messages += _is_message(node)
        self._mutate(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if _without_effect(original_node):
            return
        if isinstance(original_node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self.statements.pop()
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.inside.pop()
        self.messages -= _is_message(original_node)

    def _lines(self, node: cst.CSTNode) -> range:
        """Of a statement; of one with a body those of its head."""
        place = self.get_metadata(PositionProvider, node)
        body = getattr(node, "body", None)
        if isinstance(node, cst.BaseCompoundStatement) and isinstance(body, cst.IndentedBlock):
            return range(place.start.line, max(place.start.line, self._first(body) - 1) + 1)
        return range(place.start.line, place.end.line + 1)

    def _first(self, body: cst.IndentedBlock) -> int:
        return int(self.get_metadata(PositionProvider, body.body[0]).start.line)

    def _mutate(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.BaseString) and (self.messages or _is_prose(self.wrapper.module.code_for_node(node))):
            return
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _TYPING:
            return
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                for changed in operator(node):
                    self._add(node, changed, operator.__name__.removeprefix("operator_"))

    def _add(self, node: cst.CSTNode, changed: cst.CSTNode, operator: str) -> None:
        module = self.wrapper.module
        was, now = _text(module, node), _text(module, changed)
        if was == now:
            return

        def code() -> str:
            replaced = module.deep_replace(node, changed)
            assert isinstance(replaced, cst.Module)
            return replaced.code

        lines = self.statements[-1] if self.statements else range(0)
        self.found.append(Point(self.path, ".".join(self.inside), operator, difference(was, now), lines, code))


def _without_effect(node: cst.CSTNode) -> bool:
    """Annotations, decorators, imports, docstrings, `if TYPE_CHECKING`, aliases of types."""
    if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom):
        return True
    if isinstance(node, cst.Expr):
        return isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)
    if isinstance(node, cst.If):
        return isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    if isinstance(node, cst.Assign) and isinstance(name := node.targets[0].target, cst.Name):
        return re.fullmatch(r"[A-Z][a-z]\w*", name.value) is not None or name.value == "__all__"
    return False


def _is_message(node: cst.CSTNode) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Name | cst.Attribute)
        and _MESSAGES.search(node.func.value if isinstance(node.func, cst.Name) else node.func.attr.value) is not None
    )


def _is_prose(code: str) -> bool:
    """Whether a text is a sentence: its wording, too, is for people, wherever it stands."""
    words = code.strip("\"'rbf").split()
    return len(words) >= 5 and sum(_WORD.fullmatch(word) is not None for word in words) > 0.7 * len(words)


def _text(module: cst.Module, node: cst.CSTNode) -> str:
    """The code of a node in one line; of a statement with a body its head alone."""
    code = f"if {module.code_for_node(node.test)}" if isinstance(node, cst.If) else module.code_for_node(node)
    return " ".join(code.split())


def difference(was: str, now: str) -> str:
    """`a.b[c → d].e`: what two texts have in common stands once, and far from the change not at all."""
    old, new = _TOKEN.findall(was), _TOKEN.findall(now)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = "".join(old[:start]), "".join(old[len(old) - end :])
    gone, come = "".join(old[start : len(old) - end]), "".join(new[start : len(new) - end])
    return f"{_end(before)}⟦{_start(gone, 80)} → {_start(come, 80)}⟧{_start(after)}"


def _end(text: str, most: int = 30) -> str:
    return text if len(text) <= most else f"…{text[-most:]}"


def _start(text: str, most: int = 20) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
