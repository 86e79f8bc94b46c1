"""Quantities (`500m`, `4Gi`), exact to the last digit that Kubernetes keeps."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal, localcontext

from platform_def.manifests.cel.functions.function import QUANTITY, Function

_SINCE = 28
_FORM = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?")
_POWERS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DIGITS = 200
_SMALLEST = Decimal("1e-9")
_INT64 = 2**63


def amount(text: str) -> Decimal:
    """The number that a quantity stands for, rounded up to nano; ValueError where it is none."""
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError("quantities must match the regular expression of Kubernetes")
    number, suffix = found[1], found[2] or ""
    with localcontext(prec=_DIGITS):
        value = Decimal(number)
        if suffix.endswith("i"):
            value *= 1024 ** ("KMGTPE".index(suffix[0]) + 1)
        elif suffix[:1] in ("e", "E") and len(suffix) > 1:
            value *= Decimal(10) ** int(suffix[1:])
        elif suffix:
            value *= Decimal(10) ** _POWERS[suffix]
        return value if value == value.to_integral_value() else value.quantize(_SMALLEST, rounding=ROUND_UP)


def _canonical(value: Decimal) -> str:
    return f"{value.normalize():f}" if value else "0"


def _quantity(text: str) -> str:
    return _canonical(amount(text))


def _is_quantity(text: str) -> bool:
    return _FORM.fullmatch(text) is not None


def _compared(one: str, other: str) -> int:
    first, second = Decimal(one), Decimal(other)
    return (first > second) - (first < second)


def _is_integer(text: str) -> bool:
    value = Decimal(text)
    return value == value.to_integral_value() and -_INT64 <= value < _INT64


def _integer(text: str) -> int:
    if not _is_integer(text):
        raise ValueError("cannot convert value to integer")
    return int(Decimal(text))


def _plus(one: str, other: str | int) -> str:
    with localcontext(prec=_DIGITS):
        return _canonical(Decimal(one) + Decimal(other))


def _minus(one: str, other: str | int) -> str:
    with localcontext(prec=_DIGITS):
        return _canonical(Decimal(one) - Decimal(other))


AMOUNTS: tuple[Function, ...] = (
    Function("quantity", ("string",), QUANTITY, _quantity, _SINCE, method=False),
    Function("isQuantity", ("string",), "bool", _is_quantity, _SINCE, method=False),
    Function("sign", (QUANTITY,), "int", lambda text: _compared(text, "0"), _SINCE, method=False),
    Function("isGreaterThan", (QUANTITY, QUANTITY), "bool", lambda one, other: _compared(one, other) > 0, _SINCE),
    Function("isLessThan", (QUANTITY, QUANTITY), "bool", lambda one, other: _compared(one, other) < 0, _SINCE),
    Function("compareTo", (QUANTITY, QUANTITY), "int", _compared, _SINCE),
    Function("asApproximateFloat", (QUANTITY,), "double", lambda text: float(Decimal(text)), _SINCE),
    Function("asInteger", (QUANTITY,), "int", _integer, _SINCE),
    Function("isInteger", (QUANTITY,), "bool", _is_integer, _SINCE),
    Function("add", (QUANTITY, QUANTITY), QUANTITY, _plus, _SINCE),
    Function("add", (QUANTITY, "int"), QUANTITY, _plus, _SINCE),
    Function("sub", (QUANTITY, QUANTITY), QUANTITY, _minus, _SINCE),
    Function("sub", (QUANTITY, "int"), QUANTITY, _minus, _SINCE),
)
