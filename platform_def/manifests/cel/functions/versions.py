"""Semantic versions; a `v` before one and parts left out are taken where the caller says so."""

from __future__ import annotations

import re
from typing import TypeAlias

from platform_def.manifests.cel.functions.function import SEMVER, Function

_SINCE = 33
_NUMBER = "(0|[1-9][0-9]*)"
_PART = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_FORM = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)

Key: TypeAlias = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def _key(text: str) -> Key:
    """Orders versions: numbers below words, and a release above all that leads to it."""
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(f"{text} is no semantic version")
    parts = tuple(
        (not part.isdecimal(), int(part) if part.isdecimal() else 0, part)
        for part in (found[4] or "").split(".")
        if part
    )
    return (int(found[1]), int(found[2]), int(found[3]), not parts, parts)


def _semver(text: str, normalize: bool = False) -> str:
    text = _normalized(text) if normalize else text
    _key(text)
    return text.partition("+")[0]


def _normalized(text: str) -> str:
    parts = [_trimmed(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3 and set(parts[-1]) & set("+-"):
        raise ValueError("short version cannot contain PreRelease/Build meta data")
    return ".".join([*parts, "0", "0"][:3])


def _trimmed(part: str) -> str:
    if len(part) < 2:
        return part
    rest = part.lstrip("0")
    return rest if rest[:1].isdecimal() else f"0{rest}"


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        _semver(text, normalize)
    except ValueError:
        return False
    return True


def _compared(one: str, other: str) -> int:
    first, second = _key(one), _key(other)
    return (first > second) - (first < second)


VERSIONS: tuple[Function, ...] = (
    Function("semver", ("string",), SEMVER, _semver, _SINCE, method=False),
    Function("semver", ("string", "bool"), SEMVER, _semver, _SINCE, method=False),
    Function("isSemver", ("string",), "bool", _is_semver, _SINCE, method=False),
    Function("isSemver", ("string", "bool"), "bool", _is_semver, _SINCE, method=False),
    Function("isGreaterThan", (SEMVER, SEMVER), "bool", lambda one, other: _compared(one, other) > 0, _SINCE),
    Function("isLessThan", (SEMVER, SEMVER), "bool", lambda one, other: _compared(one, other) < 0, _SINCE),
    Function("compareTo", (SEMVER, SEMVER), "int", _compared, _SINCE),
    Function("major", (SEMVER,), "int", lambda text: _key(text)[0], _SINCE),
    Function("minor", (SEMVER,), "int", lambda text: _key(text)[1], _SINCE),
    Function("patch", (SEMVER,), "int", lambda text: _key(text)[2], _SINCE),
)
