"""Findings for a person: by object, those with errors first; then what was covered and what could not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from platform_def.checks.report.answer import Answer
from platform_def.checks.rule import Finding
from platform_def.errors import visible

_COMMANDS = 5
"""As many commands are told."""


def text(answer: Answer) -> str:
    """The object, and below it a line a finding with its hint; empty without findings that count."""
    return "".join(f"{line}\n" for group in _groups(answer.counting) for line in _of_object(group))


def _groups(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings of each object, errors first; objects with errors before those with warnings alone."""
    by_object = [list(found) for _, found in groupby(findings, key=_object)]
    groups = [sorted(found, key=lambda each: each.severity) for found in by_object]
    return sorted(groups, key=lambda found: found[0].severity)


def _object(finding: Finding) -> tuple[str, int, tuple[str, str, str, str], str]:
    return (finding.file or finding.component, finding.document, finding.key, finding.object)


def _of_object(findings: list[Finding]) -> Iterator[str]:
    first = findings[0]
    if first.object:
        document = f" (document {first.document})" if first.document else ""
        yield visible(f"{first.object}{document}")
    for finding in findings:
        yield from line(finding, indent="  " if first.object else "").split("\n")


def line(finding: Finding, *, indent: str = "") -> str:
    """`error: <file>:<line>: <path>: <text> [<rule>]`, and the hint below."""
    path = f"{finding.path}: " if finding.path else ""
    where = f"{place}: " if (place := finding.place) else ""
    hint = f"\n{indent}  hint: {finding.hint}" if finding.hint else ""
    return visible(f"{indent}{finding.severity}: {where}{path}{finding.text} [{finding.rule}]{hint}")


def summary(answer: Answer) -> str:
    """`2 errors, 1 warning, 3 waived`; `no findings` without any."""
    counts = [_counted(answer.count(severity), severity) for severity in ("error", "warning")]
    waived = f"{len(answer.waived)} waived" if answer.waived else ""
    return ", ".join(filter(None, (*counts, waived))) or "no findings"


def uncovered(answer: Answer) -> Iterator[str]:
    """What could not be covered, a line each; nothing where everything was."""
    if answer.uncovered:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in answer.uncovered.items())
        yield visible(f"not covered, for want of a schema, the fields of: {kinds}")
    if answer.unreadable:
        yield f"not covered, for it cannot be read: {_counted(len(answer.unreadable), 'document')}"
    if answer.rules_left_out:
        yield f"not covered without a stack: {', '.join(answer.rules_left_out)}"
    if answer.files_left_out:
        yield f"left out, for only tools read it: {_counted(answer.files_left_out, 'document')}"
    yield from _rendered_by(answer.rendered_by)


def _rendered_by(commands: Sequence[str]) -> Iterator[str]:
    if commands:
        yield "not checked is what these tools make of it:"
        yield from (visible(f"  {command}") for command in commands[:_COMMANDS])
    if len(commands) > _COMMANDS:
        yield f"  and {len(commands) - _COMMANDS} more, which -o json names"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""
