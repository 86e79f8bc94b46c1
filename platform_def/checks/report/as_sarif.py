"""Findings as SARIF 2.1.0, which code hosts and editors read: rules with their words, results with file and line."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from platform_def import __version__
from platform_def.checks.about import About
from platform_def.checks.catalogue import checks
from platform_def.checks.report.answer import Answer
from platform_def.checks.report.causes import FindingPlace, causes
from platform_def.checks.report.encode import encoded
from platform_def.checks.rule import Finding
from platform_def.errors import Problem, Source

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(answer: Answer) -> str:
    """One run; what was let pass is a suppressed result with its reason, what could not be read a notification."""
    used = {each.rule for each in answer.findings}
    rules = [check for check in checks().values() if check.id in used]
    places = {rule.id: index for index, rule in enumerate(rules)}
    invocation = {
        "executionSuccessful": not answer.unreadable,
        "toolExecutionNotifications": [_notification(each) for each in answer.unreadable],
    }
    run = {
        "tool": {"driver": {"name": "platformctl", "version": __version__, "rules": [_rule(each) for each in rules]}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, places) for each in _places(answer)],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return encoded(document)


def _places(answer: Answer) -> Iterator[FindingPlace]:
    """A result each: what several stacks share is one, with the others as related locations."""
    for cause in [*answer.causes, *causes(answer.waived)]:
        yield from cause.places


def _rule(check: About) -> dict[str, object]:
    return {
        "id": check.id,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.why},
        "help": {"text": f"{check.why}\n\n{check.fix}"},
        "defaultConfiguration": {"level": check.severity},
        "properties": {"tags": ["kubernetes"]},
    }


def _result(place: FindingPlace, places: dict[str, int]) -> dict[str, object]:
    finding = place.first
    path = f"{finding.path}: " if finding.path else ""
    item = f"{finding.object}: " if finding.object else ""
    hint = f" ({finding.hint})" if finding.hint else ""
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "level": finding.severity,
        "message": {"text": f"{item}{path}{finding.text}{hint}"},
        "locations": [dict(_location(finding))],
        "partialFingerprints": {"object/v1": f"{finding.rule} {'/'.join(finding.key)} {finding.path}"},
    }
    if finding.rule in places:
        result["ruleIndex"] = places[finding.rule]
    if len(place.findings) > 1:
        result["relatedLocations"] = [dict(_location(each)) for each in place.findings[1:]]
    if finding.waived:
        result["suppressions"] = [{"kind": "external", "justification": finding.waived}]
    return result


def _location(finding: Finding) -> Iterator[tuple[str, object]]:
    if finding.where:
        yield "physicalLocation", _physical(finding.where)
    name = ".".join(filter(None, (finding.object, finding.path)))
    if name:
        yield "logicalLocations", [{"fullyQualifiedName": name, "kind": "object"}]


def _physical(where: Source) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": quote(where.file, errors="replace")}}
    return place | ({"region": {"startLine": where.line}} if where.line else {})


def _notification(problem: Problem) -> dict[str, object]:
    hint = f" ({problem.hint})" if problem.hint else ""
    told: dict[str, object] = {"level": "error", "message": {"text": f"{problem.text}{hint}"}}
    return told | ({"locations": [{"physicalLocation": _physical(problem.where)}]} if problem.where else {})
