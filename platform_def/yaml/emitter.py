"""Data out: block style, sorted, the same bytes for the same data.

The rule it guards: a string that any YAML reader (PyYAML, kubectl's, a YAML 1.2 one) could take for another type is
quoted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from platform_def.yaml import scalars
from platform_def.yaml.errors import UnwritableError

MAX_DEPTH = 200
MAX_INTEGER = 2**63 - 1
"""Kubernetes' own integers have 64 bits; bounds of such fields stand in CRDs."""
MAX_EXACT = 2**53
"""Whole floats beyond it are no exact integers."""

_FIRST = ("apiVersion", "kind", "metadata")
_LAST = "status"
# Words that some reader takes for a bool, a null or a number, whatever the case of their letters.
_WORDS = frozenset({*(word.lower() for word in scalars.WORDS), "none", "nil", "nan", "inf", "infinity"})
_LONGEST_WORD = 10
_PLAIN = re.compile(r"(?:[A-Za-z_/]|--?[A-Za-z])[ -~]*")
# 500m, 10Gi, 30s, 1.5Gi: no reader's number, date or exponent.
_QUANTITY = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:m|k|s|h|d|ms|Ki|Mi|Gi|Ti|Pi|M|G|T)")
_ASCII = re.compile(r"[ -~]*")
_ODD = "\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
_ESCAPED = re.compile(f"[{_ODD}]")
# A literal block that starts with a blank, or that is nothing but line ends, depends on the reader.
_NO_START = ("", " ", "\t")
_SURROGATE = re.compile("[\ud800-\udfff]")
# What every reader takes as it is: no control character, no line end but \n, no byte order mark, no half of a pair.
_VERBATIM = re.compile("[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
# The longest key that readers accept before a colon is 1024 characters.
_LONGEST_SIMPLE_KEY = 1000


class _BadValueError(Exception):
    """Something cannot be written; where and why is looked up afterwards, so that the usual run pays nothing for it."""


def dump(value: object, *, kubernetes: bool = True) -> str:
    """One document, sorted; `kubernetes`: at the top apiVersion, kind, metadata first, status last.

    UnwritableError (a ValueError) names the path of what cannot be written.
    """
    try:
        return _document(value, kubernetes)
    except (_BadValueError, TypeError):
        raise UnwritableError(_explain(value, "", 0) or "the value cannot be written") from None


def dump_all(values: Iterable[object], *, kubernetes: bool = True) -> str:
    """Several documents, with `---` between them."""
    return "---\n".join(dump(value, kubernetes=kubernetes) for value in values)


def _document(value: Any, kubernetes: bool) -> str:
    # One function on purpose: what it closes over is faster than attributes, and each string is rendered once.
    out: list[str] = []
    add = out.append
    names: dict[str, str] = {}
    texts: dict[str, str] = {}

    def mapping(value: dict[str, Any], order: Iterable[str], lead: str, indent: str, depth: int) -> None:
        for key in order:
            name = names.get(key)
            if name is None:
                name = _key(key, indent)
                if name[0] != "?":
                    names[key] = name
            item = value[key]
            kind = type(item)
            if kind is str:
                text = texts.get(item)
                if text is None:
                    text = _block(item, indent) if "\n" in item else texts.setdefault(item, f" {_flow(item)}\n")
                add(f"{lead}{name}{text}")
            elif kind is dict and item:
                add(f"{lead}{name}\n")
                inner = indent + "  "
                mapping(item, sorted(item), inner, inner, _deeper(depth))
            elif kind is list and item:
                add(f"{lead}{name}\n")
                sequence(item, indent, indent, _deeper(depth))
            else:
                add(f"{lead}{name}{_scalar(item, indent)}")
            lead = indent

    def sequence(value: list[Any], lead: str, indent: str, depth: int) -> None:
        for item in value:
            kind = type(item)
            if kind is dict and item:
                mapping(item, sorted(item), lead + "- ", indent + "  ", _deeper(depth))
            elif kind is list and item:
                sequence(item, lead + "- ", indent + "  ", _deeper(depth))
            else:
                add(f"{lead}-{_scalar(item, indent)}")
            lead = indent

    if type(value) is dict and value:
        mapping(value, _kubernetes_order(value) if kubernetes else sorted(value), "", "", 1)
    elif type(value) is list and value:
        sequence(value, "", "", 1)
    else:
        add(_scalar(value, "").lstrip(" "))
    return "".join(out)


def _kubernetes_order(value: dict[str, Any]) -> list[str]:
    rest = sorted(key for key in value if key not in _FIRST and key != _LAST)
    return [*(key for key in _FIRST if key in value), *rest, *([_LAST] if _LAST in value else [])]


def _deeper(depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise _BadValueError
    return depth + 1


def _key(key: object, indent: str) -> str:
    if not isinstance(key, str):
        raise _BadValueError
    text = _flow(str.__str__(key))
    return f"{text}:" if len(text) < _LONGEST_SIMPLE_KEY else f"? {text}\n{indent}:"


def _scalar(value: object, indent: str) -> str:
    """What follows `key:` or `-` when it is neither a filled list nor a filled map, with the line end."""
    if isinstance(value, str):
        text = str.__str__(value)
        return _block(text, indent) if "\n" in text else f" {_flow(text)}\n"
    if value is None:
        return " null\n"
    if isinstance(value, bool):
        return " true\n" if value else " false\n"
    if isinstance(value, int | float):
        return f" {_number(value)}\n"
    if value == {} and isinstance(value, dict):
        return " {}\n"
    if value == [] and isinstance(value, list):
        return " []\n"
    raise _BadValueError


def _number(value: float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) <= MAX_EXACT):
        if abs(value) > MAX_INTEGER:
            raise _BadValueError
        return int.__repr__(int(value))
    if not math.isfinite(value):
        raise _BadValueError
    text = float.__repr__(value)
    # PyYAML sees a number in 1.0e+16, but a string in 1e+16.
    return text if "." in text else text.replace("e", ".0e")


def _flow(text: str) -> str:
    """A string in one line: plain where it cannot be misread, single quotes where they spare escapes, else double."""
    if _PLAIN.fullmatch(text):
        word = len(text) <= _LONGEST_WORD and text.lstrip("-").lower() in _WORDS
        if not word and ": " not in text and " #" not in text and text[-1] not in ": ":
            return text
    elif _QUANTITY.fullmatch(text):
        return text
    if ("\\" in text or '"' in text) and _ASCII.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    if not text.isascii() and _SURROGATE.search(text):
        raise _BadValueError
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _block(text: str, indent: str) -> str:
    """A string of several lines, as a literal block where that is exact."""
    start = text.lstrip("\n")[:1]
    if start in _NO_START or text[-1] in " \t" or " \n" in text or "\t\n" in text or not _VERBATIM.fullmatch(text):
        return f" {_flow(text)}\n"
    *lines, last = text.split("\n")
    chomp = "-" if last else "+" if not lines[-1] else ""
    if last:
        lines.append(last)
    pad = f"\n{indent}  "
    return f" |{chomp}" + "".join(pad + line if line else "\n" for line in lines) + "\n"


def _explain(value: object, path: str, depth: int) -> str:
    """Why a value cannot be written, with its path; empty when nothing is found."""
    here = path or "the value"
    if depth > MAX_DEPTH:
        return f"{here[:80]}…: nested deeper than {MAX_DEPTH} levels"
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                return f"{here}: the key {key!r} is not a string"
            if found := _explain(key, f"{path}[{key!r}]", depth) or _explain(
                item, f"{path}.{key}".lstrip("."), depth + 1
            ):
                return found
        return ""
    if isinstance(value, list):
        return next(filter(None, (_explain(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(value))), "")
    try:
        _scalar(value, "")
    except _BadValueError:
        return f"{here}: {_reason(value)}"
    return ""


def _reason(value: object) -> str:
    if isinstance(value, str):
        return "half of a surrogate pair is no character"
    if isinstance(value, int):
        return f"{value} is beyond 64 bits and would be rounded"
    if isinstance(value, float):
        return f"{value} is not a number that JSON knows"
    return f"{type(value).__name__} is neither map, list, string, number, bool nor null"
