"""Helm charts among manifests: their templates are no objects until Helm has filled them in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from platform_def.errors import Problem
from platform_def.pipeline.kustomize.aside import Aside

CHART = "Chart.yaml"
_PLAIN = "crds"
"""The folder of a chart from which Helm takes definitions as they are."""


def charts_among(files: Iterable[Path]) -> Aside:
    """Of the files of a tree, all of charts but their `crds/`; a chart inside of another is rendered with it."""
    given = frozenset(files)
    charts = {file.parent for file in given if file.name == CHART}
    filled_in = frozenset(file for file in given if _is_filled_in(file, charts))
    return Aside(filled_in, tuple(sorted(chart for chart in charts if charts.isdisjoint(chart.parents))))


def _is_filled_in(file: Path, charts: set[Path]) -> bool:
    chart = next((folder for folder in file.parents if folder in charts), None)
    return chart is not None and file.relative_to(chart).parts[0] != _PLAIN


def not_rendered(problem: Problem, text: bytes, *, command: str) -> Problem:
    """The problem of a text that is no YAML; where it looks like a template, with the command that renders it."""
    return replace(problem, hint=f"a template? render it: {command}") if b"{{" in text else problem
