"""Findings for a person: by object or by cause, errors first; then what was covered and what could not be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from platform_def.checks.report.answer import Answer
from platform_def.checks.report.causes import Cause, FindingPlace
from platform_def.checks.rule import Finding
from platform_def.errors import visible

_COMMANDS, _FILES, _PLACES, _STACKS = 5, 4, 20, 8
"""The most commands, places of a cause, and stacks of a place that are listed."""


def text(answer: Answer) -> str:
    """What is found, errors first; empty without findings that count.

    An object, and below it a line a finding with its hint; a cause that has several places, and below it the places.
    """
    alone = [cause for cause in answer.causes if len(cause.places) == 1]
    shared = [cause for cause in answer.causes if len(cause.places) > 1]
    blocks = [(group[0].first, _of_object(group, answer.shown)) for group in _by_object(alone)]
    blocks += [(cause.first, _of_cause(cause, answer.shown)) for cause in shared]
    blocks.sort(key=lambda block: (block[0].severity, block[0].order))
    return "".join(f"{line}\n" for _, lines in blocks for line in lines)


def _by_object(causes: Iterable[Cause]) -> list[list[FindingPlace]]:
    """The places of each object, errors first."""
    found: dict[object, list[FindingPlace]] = {}
    for (place,) in (cause.places for cause in causes):
        first = place.first
        found.setdefault((first.file or first.component, first.document, first.key, first.object), []).append(place)
    return [sorted(places, key=lambda each: each.first.severity) for places in found.values()]


def _of_object(places: list[FindingPlace], shown: Callable[[Finding], Finding]) -> Iterator[str]:
    named = _object(places[0].first)
    if named:
        yield visible(named)
    for place in places:
        indent = "  " if named else ""
        yield from line(shown(place.first), indent=indent).split("\n")
        if place.stacks:
            yield visible(f"{indent}  {_stacks(place)}")


def _of_cause(cause: Cause, shown: Callable[[Finding], Finding]) -> Iterator[str]:
    first, path = cause.first, f"{cause.path}: " if cause.path else ""
    yield visible(f"{first.severity}: {path}{first.text} [{first.rule}]")
    if first.hint:
        yield visible(f"  hint: {first.hint}")
    for place in cause.places[:_PLACES]:
        found = shown(place.first)
        said = ": ".join(filter(None, (found.place, _object(found), "" if path else found.path)))
        yield visible(f"  {said}{f' ({_stacks(place)})' if place.stacks else ''}")
    if len(cause.places) > _PLACES:
        yield f"  and in {len(cause.places) - _PLACES} more places, which -o json names"


def _object(finding: Finding) -> str:
    return f"{finding.object} (document {finding.document})" if finding.object and finding.document else finding.object


def _stacks(place: FindingPlace) -> str:
    more = f" and {len(place.stacks) - _STACKS} more" if len(place.stacks) > _STACKS else ""
    return f"stacks {', '.join(place.stacks[:_STACKS])}{more}"


def line(finding: Finding, *, indent: str = "") -> str:
    """`error: <file>:<line>: <path>: <text> [<rule>]`, and the hint below."""
    path = f"{finding.path}: " if finding.path else ""
    where = f"{place}: " if (place := finding.place) else ""
    hint = f"\n{indent}  hint: {finding.hint}" if finding.hint else ""
    return visible(f"{indent}{finding.severity}: {where}{path}{finding.text} [{finding.rule}]{hint}")


def summary(answer: Answer) -> str:
    """`2 errors, 1 warning, 3 waived`; `no findings` without any. A cause counts once, whatever its places."""
    severities = [cause.first.severity for cause in answer.causes]
    counts = [_counted(severities.count(severity), severity) for severity in ("error", "warning")]
    waived = f"{len(answer.waived)} waived" if answer.waived else ""
    return ", ".join(filter(None, (*counts, waived))) or "no findings"


def uncovered(answer: Answer) -> Iterator[str]:
    """What could not be covered, a line each; nothing where everything was."""
    if answer.uncovered:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in answer.uncovered.items())
        yield visible(f"fields not checked, no schema available: {kinds}")
    if answer.unreadable:
        yield f"not covered, unreadable: {_counted(len(answer.unreadable), 'document')}"
    if answer.rules_left_out:
        yield f"not covered without a stack: {', '.join(answer.rules_left_out)}"
    if answer.files_left_out:
        yield f"left out, for only tools read it: {_counted(answer.files_left_out, 'document')}"
    if answer.no_objects:
        yield visible(f"left out, for they hold no Kubernetes objects: {_named(answer.no_objects)}")
    if answer.filled_in_later:
        values = _counted(sum(answer.filled_in_later.values()), "value")
        yield visible(
            f"not checked, {values} with variables that are filled in later: {_named([*answer.filled_in_later])}"
        )
    yield from _rendered_by(answer.rendered_by)


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - _FILES} more, which -o json names" if len(files) > _FILES else ""
    return f"{', '.join(files[:_FILES])}{more}"


def _rendered_by(commands: Sequence[str]) -> Iterator[str]:
    if commands:
        yield "not checked is what these tools make of it:"
        yield from (visible(f"  {command}") for command in commands[:_COMMANDS])
    if len(commands) > _COMMANDS:
        yield f"  and {len(commands) - _COMMANDS} more, which -o json names"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""
