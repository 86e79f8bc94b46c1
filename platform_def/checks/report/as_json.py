"""Findings for a program."""

from __future__ import annotations

from dataclasses import asdict, fields

from platform_def.checks.report.answer import Answer
from platform_def.checks.report.encode import encoded
from platform_def.checks.rule import Finding

_TOLD = [field.name for field in fields(Finding) if field.name not in ("asked", "key", "waived", "uncovered")]


def json(answer: Answer) -> str:
    """`findings` that count, those `waived` with the reason, a `summary`, what is `unreadable`, the `coverage`.

    Keys are sorted; `file` is null and `line` 0 where unknown.
    """
    counts = {"error": answer.count("error"), "warning": answer.count("warning"), "waived": len(answer.waived)}
    left = [{"where": str(each.where or ""), "text": each.text, "hint": each.hint} for each in answer.unreadable]
    coverage = {
        "objects": len(answer.objects),
        "kindsWithoutSchema": answer.uncovered,
        "rulesLeftOut": list(answer.rules_left_out),
        "documentsLeftOut": answer.files_left_out,
        "renderedBy": list(answer.rendered_by),
        "filesWithoutObjects": list(answer.no_objects),
        "valuesWithVariables": dict(answer.filled_in_later),
    }
    document = {
        "findings": [_plain(finding) for finding in answer.counting],
        "waived": [{**_plain(finding), "reason": finding.waived} for finding in answer.waived],
        "summary": counts,
        "unreadable": left,
        "coverage": coverage,
    }
    return encoded(document, sort_keys=True)


def _plain(finding: Finding) -> dict[str, object]:
    group, kind, namespace, name = finding.key
    told = {field: getattr(finding, field) for field in _TOLD}
    asked = finding.asked and asdict(finding.asked)
    return {**told, "asked": asked, "key": {"group": group, "kind": kind, "namespace": namespace, "name": name}}
