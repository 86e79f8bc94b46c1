"""Python source as `ruff format` would leave it: brackets break from the outside in, collections one item a line.

An expression is text (it never breaks) or a `Group` (brackets around items that may break).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

WIDTH = 120


@dataclass(frozen=True, slots=True)
class Group:
    """Brackets around items; `literal` for lists, dicts and tuples, which never share a line once broken."""

    opening: str
    items: tuple[Expression, ...]
    closing: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and its value: `"a": 1` or `name=1`."""

    key: str
    value: Expression


Expression = str | Group | Pair


def call(name: str, items: Iterable[Expression]) -> Group:
    """`name(item, …)`."""
    return Group(f"{name}(", tuple(items), ")")


def subscript(name: str, items: Iterable[Expression]) -> Group:
    """`name[item, …]`."""
    return Group(f"{name}[", tuple(items), "]")


def flat(expression: Expression) -> str:
    """The expression on one line."""
    if isinstance(expression, str):
        return expression
    if isinstance(expression, Pair):
        return f"{expression.key}{flat(expression.value)}"
    body = ", ".join(map(flat, expression.items))
    comma = "," if expression.literal and expression.opening == "(" and len(expression.items) == 1 else ""
    return f"{expression.opening}{body}{comma}{expression.closing}"


def laid_out(prefix: str, expression: Expression, *, indent: int = 0, suffix: str = "") -> str:
    """The lines of `prefix` + `expression` + `suffix`, the first one indented by `indent` blanks."""
    pad = " " * indent
    line = f"{pad}{prefix}{flat(expression)}{suffix}"
    if isinstance(expression, Pair):
        return (
            line if _fits(line) else laid_out(prefix + expression.key, expression.value, indent=indent, suffix=suffix)
        )
    if isinstance(expression, str) or not expression.items or _fits(line):
        return line
    inner = " " * (indent + 4)
    body = f"{inner}{', '.join(map(flat, expression.items))}"
    if expression.literal or not _fits(body) or len(expression.items) == 1:
        single = len(expression.items) == 1 and not expression.literal
        comma = "" if single and (_fits(body) or expression.closing == "]") else ","
        body = "\n".join(laid_out("", item, indent=indent + 4, suffix=comma) for item in expression.items)
    return f"{pad}{prefix}{expression.opening}\n{body}\n{pad}{expression.closing}{suffix}"


def _fits(line: str) -> bool:
    return len(line) <= WIDTH


def text(value: str) -> str:
    """A string literal as the formatter leaves it: raw where that saves escapes, else in the quotes that need fewer."""
    if "\\" in value and value.isprintable() and not value.endswith("\\") and not ('"' in value and "'" in value):
        quote = "'" if '"' in value else '"'
        return f"r{quote}{value}{quote}"
    quote = "'" if value.count('"') > value.count("'") else '"'
    return quote + "".join(f"\\{char}" if char == quote else escaped(char) for char in value) + quote


_SHORT = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def escaped(char: str) -> str:
    """A character of a string literal, as an escape where it can't be seen."""
    if char in _SHORT or char.isprintable():
        return _SHORT.get(char, char)
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def literal(value: object) -> Expression:
    """Any JSON value as a Python expression."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return Group(
            "{", tuple(Pair(f"{text(key)}: ", literal(item)) for key, item in value.items()), "}", literal=True
        )
    if isinstance(value, list):
        return Group("[", tuple(map(literal, value)), "]", literal=True)
    return repr(value)
