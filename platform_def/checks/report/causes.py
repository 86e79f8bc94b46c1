"""Findings by their cause: one mistake that shows in many objects or stacks is reported once, with all its places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from platform_def.checks.rule import Finding


@dataclass(frozen=True)
class FindingPlace:
    """One place of an object; the stacks that share it have a finding each, all alike."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding of the first stack."""
        return self.findings[0]

    @property
    def stacks(self) -> tuple[str, ...]:
        """The stacks that share it; empty where there is one only."""
        return tuple(dict.fromkeys(each.stack for each in self.findings)) if len(self.findings) > 1 else ()


@dataclass(frozen=True)
class Cause:
    """What one rule says in the same words of the same field, at one place or many."""

    places: tuple[FindingPlace, ...]

    @property
    def first(self) -> Finding:
        """The finding at the first place."""
        return self.places[0].first

    @property
    def path(self) -> str:
        """The path that all places have in their objects; empty where they differ."""
        paths = {each.first.path for each in self.places}
        return self.first.path if len(paths) == 1 else ""


def causes(findings: Iterable[Finding]) -> list[Cause]:
    """The causes in the order in which their first findings come, places likewise."""
    found: dict[object, dict[object, dict[Finding, None]]] = {}
    for finding in findings:
        cause = (finding.rule, finding.severity, finding.text, finding.hint, _field(finding.path))
        places = found.setdefault(cause, {})
        places.setdefault(_shared(finding), {})[finding] = None
    return [Cause(tuple(FindingPlace(tuple(each)) for each in places.values())) for places in found.values()]


def _field(path: str) -> str:
    """The name of the field: an unknown one is not the cause of another."""
    return re.split(r"[.\]]", re.sub(r"(\[\d+\])+$", "", path))[-1]


def _shared(finding: Finding) -> object:
    """What findings of several stacks have in common when they are of one place: all but the stack's folder."""
    asked = finding.asked if finding.unwritten else None
    file = str(asked or finding.file or finding.component)  # one place of an object has one line
    if finding.stack:
        file = file.removeprefix(f"dist/{finding.stack}/")
    return (file, finding.document, finding.key, finding.path)
