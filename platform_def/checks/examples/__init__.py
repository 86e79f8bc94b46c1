"""What breaks each rule and what keeps it: `<id>.yaml`, a list of cases, from the plainest to the rarest.

Each is shown by `platformctl explain check` and on the rule's page, and a test runs it: what breaks the rule gives
findings of that rule and no error of another, what keeps it gives none of either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from platform_def.yaml import load

FOLDER = Path(__file__).parent
_FIELDS = {"case", "given", "breaking", "keeping", "kubernetes"}

Files = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """One class of what a rule covers: manifests, or files of a repository where the rule asks a stack."""

    case: str
    """What is wrong, in a line: the class that it covers."""
    breaking: str | Files
    keeping: str | Files
    kubernetes: str = ""
    """The minor version that it is about; empty where any does."""


@cache
def cases(check: str) -> tuple[Case, ...]:
    """The cases of a check, by its id; none where it has no file."""
    file = FOLDER / f"{check}.yaml"
    if not file.is_file():
        return ()
    return tuple(map(_case, cast(list[dict[str, Any]], load(file.read_bytes(), file=file.name))))


def _case(plain: dict[str, Any]) -> Case:
    """`given` stands in front of both, so that only what differs is written twice."""
    unknown = {*plain} - _FIELDS
    if unknown or not isinstance(plain.get("case"), str):
        raise ValueError(f"a case has {', '.join(sorted(_FIELDS))}, not {unknown or plain}")
    given = plain.get("given")
    both = (_with(given, plain["breaking"]), _with(given, plain["keeping"]))
    return Case(str(plain["case"]), *both, kubernetes=str(plain.get("kubernetes", "")))


def _with(given: object, own: object) -> str | Files:
    if isinstance(own, dict):
        return {**(given if isinstance(given, dict) else {}), **own}
    return f"{given}---\n{own}" if given else str(own)
