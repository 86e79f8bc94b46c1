"""Findings at several versions of Kubernetes: a row each, with a column for every version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from platform_def.checks.fault import Severity
from platform_def.checks.report.answer import is_as_bad
from platform_def.checks.report.encode import encoded
from platform_def.checks.rule import Finding
from platform_def.errors import visible

_WIDEST = 72


@dataclass(frozen=True)
class VersionRow:
    """One finding as the versions have it."""

    finding: Finding
    """At the first version that has it, with its line."""
    verdicts: dict[str, Finding]
    """By version; a version without it has none."""


def table(rows: Sequence[VersionRow], versions: Sequence[str]) -> str:
    """Object and rule, then `error`, `warning` or `-` for each version; place, text and hint below."""
    if not rows:
        return ""
    labels = [visible(f"{row.finding.object}  {row.finding.rule}") for row in rows]
    width = min(max(map(len, labels)), _WIDEST)
    lines = [f"{'':{width}}  " + "  ".join(f"{version:7}" for version in versions).rstrip()]
    for label, row in zip(labels, rows, strict=True):
        verdicts = (row.verdicts[each].severity if each in row.verdicts else "-" for each in versions)
        lines.append(f"{label:{width}}  " + "  ".join(f"{each:7}" for each in verdicts).rstrip())
        path = f"{row.finding.path}: " if row.finding.path else ""
        lines.append(visible(f"  {row.finding.place}: {path}{row.finding.text}"))
        if row.finding.hint:
            lines.append(visible(f"  hint: {row.finding.hint}"))
    return "\n".join(lines) + "\n"


def table_json(rows: Sequence[VersionRow], versions: Sequence[str]) -> str:
    """`versions`, `rows` with `verdicts` by version, and a `summary` by version; keys sorted."""
    plain = [
        {
            "rule": row.finding.rule,
            "object": row.finding.object,
            "file": row.finding.file,
            "line": row.finding.line,
            "path": row.finding.path,
            "verdicts": {
                each: {"severity": found.severity, "text": found.text, "hint": found.hint}
                for each, found in row.verdicts.items()
            },
        }
        for row in rows
    ]
    return encoded({"versions": list(versions), "rows": plain, "summary": counts(rows, versions)}, sort_keys=True)


def counts(rows: Sequence[VersionRow], versions: Sequence[str]) -> dict[str, dict[Severity, int]]:
    """How many errors and warnings each version has."""
    return {
        version: {
            severity: sum(version in row.verdicts and row.verdicts[version].severity == severity for row in rows)
            for severity in ("error", "warning")
        }
        for version in versions
    }


def fails(rows: Sequence[VersionRow], lowest: Severity) -> bool:
    """Whether any version has a finding that is at least as severe as `lowest`."""
    return any(is_as_bad(found, lowest) for row in rows for found in row.verdicts.values())
