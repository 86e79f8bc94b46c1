"""Helm charts among manifests: their templates are no objects until Helm has filled them in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from platform_def.errors import Problem

CHART = "Chart.yaml"
_PLAIN = "crds"
"""The folder of a chart from which Helm takes definitions as they are."""


@dataclass(frozen=True)
class Charts:
    """What Helm reads of a tree, and nobody applies as it is."""

    files: frozenset[Path]
    """All of a chart but its `crds/`: templates, values, and the chart's own file."""
    folders: tuple[Path, ...]
    """The charts that a user renders: those inside of others are rendered with them."""


def charts_among(files: Iterable[Path]) -> Charts:
    """What belongs to charts among the files of a tree."""
    given = list(files)
    charts = {file.parent for file in given if file.name == CHART}
    unrendered = frozenset(file for file in given if _is_filled_in(file, charts))
    return Charts(unrendered, tuple(sorted(chart for chart in charts if charts.isdisjoint(chart.parents))))


def _is_filled_in(file: Path, charts: set[Path]) -> bool:
    chart = next((folder for folder in file.parents if folder in charts), None)
    return chart is not None and file.relative_to(chart).parts[0] != _PLAIN


def not_rendered(problem: Problem, text: bytes, *, command: str) -> Problem:
    """The problem of a text that is no YAML; where it looks like a template, with the command that renders it."""
    return replace(problem, hint=f"a template? render it: {command}") if b"{{" in text else problem
