"""The docstrings below the fields of classes, which Python itself drops: read from a module's source.

Parsing all of the project's API modules would take a third of the time that all their CRDs take. These are formatted by
ruff, so their lines tell enough; modules of other packages are parsed.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

Docs = Mapping[str, Mapping[str, str]]
"""Class → field → what stands below it, joined to one line."""
_OURS = "platform_def.apis."
_CLASS = re.compile(r"^class (\w+)(?:\(([^\n]*)\))?:\n((?:[ \n][^\n]*\n|\n)*)", re.MULTILINE)
_FIELD = re.compile(
    r'^    (\w+): [^\n]*\n(?:     [^\n]*\n|    [\])}][^\n]*\n)*    (r"""[\s\S]*?"""|"""[^\\]*?""")\n', re.MULTILINE
)
"""A hint of one line or several, and what stands below it; escapes only where the text is raw."""


@cache
def field_docs(module: str) -> Docs:
    """What a module says of the fields of its classes; empty where the source is not at hand."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return MappingProxyType({})
    return scanned(source) if module.startswith(_OURS) else parsed(source)


def parsed(source: str) -> Docs:
    """From any source."""
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return _with_bases(
        (node.name, [base.id for base in node.bases if isinstance(base, ast.Name)], dict(_of_class(node)))
        for node in classes
    )


def scanned(source: str) -> Docs:
    """The same from source as ruff formats it, several times as fast."""
    return _with_bases(
        (name, re.findall(r"\b\w+\b", bases), {field: _joined(text) for field, text in _FIELD.findall(body)})
        for name, bases, body in _CLASS.findall(source)
    )


def _with_bases(classes: Iterator[tuple[str, list[str], dict[str, str]]]) -> Docs:
    found: dict[str, dict[str, str]] = {}
    for name, bases, own in classes:
        inherited = {field: doc for base in bases for field, doc in found.get(base, {}).items()}
        found[name] = inherited | own
    return MappingProxyType(found)


def _of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for line, after in zip(node.body, node.body[1:], strict=False):
        match line, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                yield name, " ".join(doc.split())


def _joined(literal: str) -> str:
    return " ".join(literal.removeprefix("r")[3:-3].split())
