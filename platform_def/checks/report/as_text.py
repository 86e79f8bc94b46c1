"""Findings for a person: errors, then warnings, each by file."""

from __future__ import annotations

from collections.abc import Iterable

from platform_def.checks.fault import Severity
from platform_def.checks.rule import Finding


def text(findings: Iterable[Finding]) -> str:
    """One line a finding and its hint below; empty without findings."""
    found = sorted(findings, key=lambda finding: (finding.severity, finding.order))
    return "".join(f"{line(finding)}\n" for finding in found)


def line(finding: Finding) -> str:
    """`error: <place>: <path>: <text> [<rule>]`, and the hint."""
    path = f"{finding.path}: " if finding.path else ""
    hint = f"\n  hint: {finding.hint}" if finding.hint else ""
    return f"{finding.severity}: {finding.place}: {path}{finding.text} [{finding.rule}]{hint}"


def summary(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 warning`; `no findings` without any."""
    severities = [finding.severity for finding in findings]
    return ", ".join(filter(None, (_counted(severities, "error"), _counted(severities, "warning")))) or "no findings"


def _counted(severities: list[Severity], severity: Severity) -> str:
    count = severities.count(severity)
    return f"{count} {severity}{'' if count == 1 else 's'}" if count else ""
