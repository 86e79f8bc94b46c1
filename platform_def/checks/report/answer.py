"""What a run of the checks has to tell, whatever the form: findings, and what was and what could not be covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from platform_def.checks.fault import Severity
from platform_def.checks.report.causes import Cause, causes
from platform_def.checks.rule import Finding
from platform_def.errors import Problem


@dataclass(frozen=True)
class Looked:
    """An object that was looked at."""

    file: str
    object: str
    document: int = 0
    """Which object of the file it is, from 1; 0 where the file is the object's own."""


@dataclass(frozen=True)
class Answer:
    """The findings of a run, those that are let pass among them."""

    findings: Sequence[Finding]
    objects: Sequence[Looked] = ()
    """Everything that was looked at."""
    unreadable: Sequence[Problem] = ()
    """What could not be read, and was not checked."""
    rules_left_out: Sequence[str] = ()
    """Rules that ask for what only a stack says, where there is none."""
    files_left_out: int = 0
    """Documents that tools read and no API server does."""
    rendered_by: Sequence[str] = ()
    """Commands that check what the tools make of them."""
    no_objects: Sequence[str] = ()
    """Files with documents that are nothing of Kubernetes."""
    filled_in_later: Mapping[str, int] = field(default_factory=dict)
    """By file, how many values were not judged because they hold variables."""
    line_of: Callable[[Finding], int] | None = None
    """The line of a finding, where it costs something to find: who shows one asks. None: findings have theirs."""

    def shown(self, finding: Finding) -> Finding:
        """A finding as a reader gets it, with its line."""
        return replace(finding, line=self.line_of(finding)) if self.line_of else finding

    @property
    def located(self) -> Answer:
        """The same with the lines of all findings, for programs."""
        return replace(self, findings=[*map(self.shown, self.findings)], line_of=None) if self.line_of else self

    @cached_property
    def counting(self) -> list[Finding]:
        """Those that are not waived, in order."""
        return sorted((each for each in self.findings if not each.waived), key=lambda each: each.order)

    @cached_property
    def causes(self) -> list[Cause]:
        """Those that are not waived, each cause once with all its places, in order."""
        return causes(self.counting)

    @cached_property
    def waived(self) -> list[Finding]:
        """Those that are waived, in order."""
        return sorted((each for each in self.findings if each.waived), key=lambda each: each.order)

    @cached_property
    def uncovered(self) -> dict[str, int]:
        """Kinds whose fields were not checked because no schema is available, with the number of objects; sorted."""
        kinds = Counter(f"{each.key[1]}.{each.key[0]}" if each.key[0] else each.key[1] for each in self._uncovered)
        return dict(sorted(kinds.items()))

    @property
    def _uncovered(self) -> set[Finding]:
        return {each for each in self.findings if each.uncovered}

    def count(self, severity: Severity) -> int:
        """How many findings of a severity count."""
        return sum(each.severity == severity for each in self.counting)

    def fails(self, lowest: Severity) -> bool:
        """Whether a finding that is not waived is at least as severe as `lowest`."""
        return any(is_as_bad(each, lowest) for each in self.counting)


def is_as_bad(finding: Finding, lowest: Severity) -> bool:
    """Whether a finding is at least as severe as `lowest`."""
    return finding.severity in ("error", lowest)
