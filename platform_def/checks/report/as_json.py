"""Findings for a program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import orjson

from platform_def.checks.rule import Finding


def json(findings: Iterable[Finding]) -> str:
    """`{"findings": [...], "summary": {"error": n, "warning": n}}`, keys sorted; `file` is null where unknown."""
    found = sorted(findings, key=lambda finding: finding.order)
    counts = {severity: sum(finding.severity == severity for finding in found) for severity in ("error", "warning")}
    document = {"findings": [_plain(finding) for finding in found], "summary": counts}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode() + "\n"


def _plain(finding: Finding) -> dict[str, object]:
    group, kind, namespace, name = finding.key
    return {**asdict(finding), "key": {"group": group, "kind": kind, "namespace": namespace, "name": name}}
