"""Functions over lists and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

from platform_def.manifests.cel.functions.function import Function, UnjudgedError

_NUMBERS = ("int", "uint", "double", "duration")
_ORDERED = (*_NUMBERS, "bool", "string", "timestamp", "bytes")
_SINCE = 24


def _is_sorted(values: list[Any]) -> bool:
    return all(not later < earlier for earlier, later in pairwise(values))


def _sum(zero: Any) -> Callable[[list[Any]], Any]:
    return lambda values: sum(values, type(values[0])() if values else zero)


def _smallest(values: list[Any]) -> Any:
    return min(values)


def _largest(values: list[Any]) -> Any:
    return max(values)


def _first(values: list[Any], value: object) -> int:
    return values.index(value) if value in values else -1


def _last(values: list[Any], value: object) -> int:
    return len(values) - 1 - values[::-1].index(value) if value in values else -1


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UnjudgedError(f"the expression {pattern} is not understood here: {error}") from error


def _find(text: str, pattern: str) -> str:
    found = _compiled(pattern).search(text)
    return found.group() if found else ""


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    found = [each.group() for each in _compiled(pattern).finditer(text)]
    return found if most < 0 else found[:most]


SEQUENCES: tuple[Function, ...] = (
    *(Function("isSorted", (f"list({kind})",), "bool", _is_sorted, _SINCE) for kind in _ORDERED),
    *(
        Function("sum", (f"list({kind})",), kind, _sum(timedelta() if kind == "duration" else 0), _SINCE)
        for kind in _NUMBERS
    ),
    *(Function("min", (f"list({kind})",), kind, _smallest, _SINCE) for kind in _ORDERED),
    *(Function("max", (f"list({kind})",), kind, _largest, _SINCE) for kind in _ORDERED),
    Function("indexOf", ("list(A)", "A"), "int", _first, _SINCE),
    Function("lastIndexOf", ("list(A)", "A"), "int", _last, _SINCE),
    Function("find", ("string", "string"), "string", _find, _SINCE),
    Function("findAll", ("string", "string"), "list(string)", _find_all, _SINCE),
    Function("findAll", ("string", "string", "int"), "list(string)", _find_all, _SINCE),
)
