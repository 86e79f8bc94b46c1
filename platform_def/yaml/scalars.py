"""What a scalar means: the rules of sigs.k8s.io/yaml, with which kubectl, kustomize, Argo CD and Flux read.

They are neither YAML 1.1 nor 1.2: plain `y`, `on`, `017`, `0o17` and `1_000` are no strings, dates, `1:30` and `=` are.
Nothing else in this program decides what a scalar is. Fuzzed against kubectl in tests/unit/yaml.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from decimal import Decimal
from struct import pack, unpack

Scalar = bool | int | float | str | None

CORE = "tag:yaml.org,2002:"

WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
"""Plain scalars that are looked up whole."""

SUSPECT = frozenset("yYnNtTfFoO~.+-0123456789")
"""A plain scalar that starts with none of these is a string."""

_NUMERIC = frozenset("+-.0123456789")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# After a leading point Go's own syntax holds: an underscore only between two digits.
_POINT = re.compile(r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?")
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))"
)
# Go's reader cuts off the prefix and then reads a sign, which so may stand behind it.
_LATE_SIGN = re.compile(r"0b(?P<sign>[-+])(?P<bin>[01]+)")
_LONGEST_DECIMAL = len(str(2**64))
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_TAGS: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
}


def resolve(text: str) -> Scalar:
    """The value of a plain scalar; nan and inf come back as floats and are the caller's to refuse."""
    if not text or text[0] not in SUSPECT:
        return text or None
    if text in WORDS:
        return WORDS[text]
    return narrow(_number(text)) if text[0] in _NUMERIC else text


def narrow(value: int | float | str) -> int | float | str:
    """A number after its passage through JSON: a whole float becomes an integer, an integer beyond int64 a float.

    Whole floats beyond 2^53 stay floats: no reader keeps them as exact integers.
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= 2**53 else value
    return float(value) if isinstance(value, int) and value >= 2**63 else value


def key(text: str) -> str:
    """The name of a plain key in JSON (`on:` is `true`, `1.50:` is `1.5`); ValueError where Kubernetes refuses it."""
    value = WORDS[text] if text in WORDS else _number(text) if text[0] in _NUMERIC else text
    if value is None or (isinstance(value, int) and value >= 2**63):
        raise ValueError("a key must be a string")
    if isinstance(value, bool):
        return "true" if value else "false"
    return _float_key(value) if isinstance(value, float) else str(value)


def tagged(tag: str, text: str) -> Scalar:
    """The value of a scalar with a tag, a string if the tag is not YAML's own; ValueError when it does not fit."""
    name = tag.removeprefix(CORE)
    if name == "binary" and tag != name:
        try:
            return base64.b64decode(text.translate({10: None, 13: None}), validate=True).decode()
        except (binascii.Error, ValueError):
            raise ValueError("!!binary does not hold a text in base64") from None
    if tag == name or name not in _TAGS:
        return text
    value = resolve(text)
    if not isinstance(value, _TAGS[name]) or (isinstance(value, bool) and name != "bool"):
        raise ValueError(f"!!{name} does not fit {text[:40]!r}")
    return value


def _number(text: str) -> int | float | str:
    digits = text.replace("_", "")
    if text[0] == ".":
        return _finite(digits, text) if _POINT.fullmatch(text) else text
    spelled = _INTEGER.fullmatch(digits) or _LATE_SIGN.fullmatch(digits)
    whole = _integer(spelled) if spelled else None
    if whole is not None:
        return whole
    return _finite(digits, text) if _FLOAT.fullmatch(digits) else text


def _integer(spelled: re.Match[str]) -> int | None:
    """The integer, if Go's 64 bits hold it; without a sign they may be unsigned ones."""
    base = str(spelled.lastgroup)
    if base == "dec" and len(spelled["dec"]) > _LONGEST_DECIMAL:
        return None
    value = int(spelled["sign"] + spelled[base], _BASES[base])
    return value if -(2**63) <= value < (2**63 if spelled["sign"] else 2**64) else None


def _finite(digits: str, text: str) -> float | str:
    value = float(digits)
    return text if math.isinf(value) else value


def _float_key(value: float) -> str:
    """A float as Go's FormatFloat(…, 'g', -1, 32) prints it: the fewest digits that name it among 32-bit floats."""
    if math.isnan(value):
        return ".nan"
    try:
        single = unpack("f", pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    if single == 0:
        return "-0" if math.copysign(1, single) < 0 else "0"
    short = next(s for s in (f"{single:.{n}e}" for n in range(17)) if unpack("f", pack("f", float(s)))[0] == single)
    mantissa, exponent = short.split("e")
    if -4 <= int(exponent) < 6:
        return format(Decimal(short), "f")
    return f"{mantissa}e{int(exponent):+03d}"
