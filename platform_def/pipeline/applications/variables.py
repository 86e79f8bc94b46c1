"""Values that hold variables, which Flux (`postBuild`) or envsubst fills in: they are not judged before."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from platform_def.checks.rule import Finding
from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import Manifest

_VARIABLE = re.compile(r"\$(\{[A-Za-z_]\w*([:=+?-][^}]*)?\}|[A-Z_][A-Z0-9_]*\b)")


def left_open(
    findings: Iterable[Finding], objects: Mapping[tuple[str, int], Manifest]
) -> tuple[list[Finding], Mapping[str, int]]:
    """The findings that are not about such a value, and of each file how many values others are about.

    `objects` has each manifest by its file and its number in it.
    """
    kept: list[Finding] = []
    found: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    for finding in findings:
        if holds_variable(_at(objects.get((finding.origin, finding.document)), finding.path)):
            found[finding.origin].add((finding.document, finding.path))
        else:
            kept.append(finding)
    return kept, {file: len(found[file]) for file in sorted(found)}


def holds_variable(value: object) -> bool:
    """Whether a text holds `${NAME}`, with or without a default, or `$NAME`."""
    return isinstance(value, str) and _VARIABLE.search(value) is not None


def _at(value: Any, path: str) -> Any:
    for step in steps(path):
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value
