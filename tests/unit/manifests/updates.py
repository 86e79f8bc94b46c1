"""The cases that the table of refused updates is held to; the cluster tests ask a real API server the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from platform_def.config.kubernetes import Kubernetes
from platform_def.manifests.rendered import Manifest
from platform_def.manifests.updates.change import Change, Refused
from platform_def.manifests.updates.table import rows_of
from platform_def.yaml import load

FILE = Path(__file__).with_name("updates.yaml")
Answer = Literal["refused", "taken", "asked", "without effect"]


@dataclass(frozen=True)
class Update:
    """One change of one object, and what becomes of it."""

    case: str
    rows: tuple[str, ...]
    """Those that speak of it; all others are silent."""
    old: Manifest
    new: Manifest
    answer: Answer
    live: Manifest
    """The status with which the API server takes what is asked."""

    def found(self, kubernetes: str = "1.36") -> dict[str, list[Refused]]:
        """What each row of the table says, those that are silent left out."""
        change = Change.of(self.old, self.new, Kubernetes(kubernetes))
        group = str(self.old["apiVersion"]).rpartition("/")[0]
        found = {row.id: list(row.find(change)) for row in rows_of(group, self.old["kind"])}
        return {row: refused for row, refused in found.items() if refused}


def updates() -> Iterator[Update]:
    """Every case."""
    listed: Any = load(FILE.read_bytes())
    for one in listed:
        old, live = one["before"], one.get("live", {})
        title = f"{old['kind']} {old['metadata']['name']}"
        asked: Answer = "without effect" if one.get("without_effect") else "asked"
        kinds: tuple[tuple[str, Answer], ...] = (("breaking", "refused"), ("asking", asked))
        for word, answer in kinds:
            for row, cases in one.get(word, {}).items():
                for case, patch in cases.items():
                    yield Update(f"{title}: {case}", (row,), old, merged(old, patch), answer, live)
        for case, patch in one["keeping"].items():
            yield Update(f"{title}: {case}", (), old, merged(old, patch), "taken", live)


def merged(value: Any, patch: Any) -> Any:
    """A merge patch applied, as RFC 7386 has it."""
    if not isinstance(patch, dict):
        return patch
    made = dict(value) if isinstance(value, dict) else {}
    for key, each in patch.items():
        if each is None:
            made.pop(key, None)
        else:
            made[key] = merged(made.get(key), each)
    return made
