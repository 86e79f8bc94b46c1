"""The page of a benchmark's figures: a section for each benchmark, with ratios, commit and machine."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def write(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    found: Callable[..., None] = import_module("page").write_section
    return found


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    of = import_module("timing").Figures
    return {"synth, cold": of(3.0, 2.0, 100.0), "kustomize": of(2.0, 4.0, 50.0)}


RATIOS = {"cold / kustomize": ("synth, cold", "kustomize")}


def test_section_has_figures_ratios_commit_and_machine(
    tmp_path: Path, write: Callable[..., None], figures: dict[str, Any]
) -> None:
    page = tmp_path / "speed.md"
    write(page, "synth", figures, RATIOS)
    lines = page.read_text().splitlines()

    assert lines[0] == "# Speed"
    assert "| synth, cold | 3.00 | 2.00 | 100 |" in lines
    assert "| cold / kustomize | 1.50 | 0.50 | 2.00 |" in lines
    assert any(line.startswith("Commit `") and " cores" in line and ", load " in line for line in lines)


def test_section_takes_the_place_of_its_former_one_and_leaves_others(
    tmp_path: Path, write: Callable[..., None], figures: dict[str, Any]
) -> None:
    page = tmp_path / "speed.md"
    write(page, "synth", figures, RATIOS)
    write(page, "check -f", figures, {})
    both = page.read_text()
    write(page, "synth", figures, RATIOS)

    assert page.read_text() == both
    assert [line for line in both.splitlines() if line.startswith("#")] == ["# Speed", "## synth", "## check -f"]
    write(page, "synth", {"synth, cold": figures["kustomize"]}, {})
    assert "| synth, cold | 2.00 | 4.00 | 50 |" in page.read_text()
    assert page.read_text().count("| kustomize |") == 1
