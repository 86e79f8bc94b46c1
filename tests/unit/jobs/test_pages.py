"""Every template's page: what a user asks, and examples that are right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from platform_def.jobs.templates import BUILT_IN, template
from platform_def.yaml import load
from tests.unit.jobs.platforms import PLATFORM

PAGES = Path(__file__).parents[3] / "docs" / "jobs"
every_template = pytest.mark.parametrize("name", sorted(BUILT_IN))


def test_every_template_has_its_page_and_no_other_is_there() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(BUILT_IN)


@every_template
def test_a_page_says_what_a_user_asks(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text()

    for heading in ("When to want it", "What it needs", "Parameters", "Example", "See that it works", "Remove it"):
        assert f"## {heading}\n" in text


@every_template
def test_the_examples_of_a_page_are_right(name: str) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (PAGES / f"{name}.md").read_text(), re.DOTALL)
    jobs: list[Any] = [job for block in blocks for job in load(block)]  # type: ignore[union-attr]

    assert name in {job["template"] for job in jobs}
    for job in jobs:
        config = template(job["template"]).config_model().from_file(job)
        assert [problem.text for problem in config.problems(PLATFORM)] == []
