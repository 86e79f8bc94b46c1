"""The mutants that no test notices, each under the reason why none can or should: survivors.yaml."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from platform_def.yaml import load

LISTED = Path(__file__).with_name("survivors.yaml")


class Entry(TypedDict):
    """Mutants that survive for one reason."""

    why: str
    mutants: list[str]


def listed() -> dict[str, str]:
    """The reason for each mutant, by its name."""
    entries = TypeAdapter(list[Entry]).validate_python(load(LISTED.read_text(encoding="utf-8")))
    return {name: entry["why"] for entry in entries for name in entry["mutants"]}


def stale(names: Iterable[str]) -> list[str]:
    """What is listed and no longer a change of the code as it is."""
    known = set(names)
    return [name for name in listed() if name not in known]
