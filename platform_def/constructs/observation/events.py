"""Which comparisons of an expression count events, and for how long one event keeps them true.

`increase(x[10m]) > 0` is true for ten minutes after an event. An alert that waits as long fires where events go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

_MORE = frozenset({">", ">=", "!="})
_PARTS = ("expr", "lhs", "rhs", "param")


def windows(node: Any) -> Iterator[timedelta]:
    """The window of each comparison of a counter's growth with a number. A share of events, or a number of them each
    second, is no event: it is compared for as long as it lasts."""
    if type(node).__name__ == "BinaryExpr" and str(node.op) in _MORE:
        limit = bare(node.rhs)
        if type(limit).__name__ == "NumberLiteral":
            yield from _grown(node.lhs, at_all=limit.val == 0)
    for child in (*(getattr(node, each, None) for each in _PARTS), *getattr(node, "args", ())):
        if child is not None:
            yield from windows(child)


def _grown(node: Any, *, at_all: bool) -> Iterator[timedelta]:
    """Windows of what a side of a comparison adds up; `rate` is an event only where it is compared with 0."""
    node = bare(node)
    kind = type(node).__name__
    if kind == "AggregateExpr":
        yield from _grown(node.expr, at_all=at_all)
    elif kind == "Call" and (node.func.name == "increase" or (at_all and node.func.name in ("rate", "irate"))):
        yield from (each.range for each in node.args if type(each).__name__ == "MatrixSelector")
    elif kind == "BinaryExpr" and str(node.op) == "or":
        yield from _grown(node.lhs, at_all=at_all)
        yield from _grown(node.rhs, at_all=at_all)


def bare(node: Any) -> Any:
    """An expression without its parentheses."""
    while type(node).__name__ == "ParenExpr":
        node = node.expr
    return node


def text(span: timedelta) -> str:
    """A window as Prometheus writes it: `10m`, `1h30m`."""
    minutes, seconds = divmod(round(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number)
