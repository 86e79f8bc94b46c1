"""Every template's page: what a user asks, and examples that are right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from platform_def.jobs.templates import BUILT_IN, template
from platform_def.pipeline.synth import Options, render
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


@pytest.mark.parametrize(
    "name", ["chainer-operator", "kuberay-operator", "mpi-operator", "mxnet-operator", "trainer", "training-operator"]
)
def test_the_example_of_an_operator_goes_from_a_data_set_to_a_model(name: str, tmp_path: Path) -> None:
    text = (PAGES.parent / "components" / f"{name}.md").read_text()
    (block,) = re.findall(r"## Example\n.*?```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "example.yaml").write_text(f"apiVersion: platform-def/v1\n{block}")
    rendered = render(Options(root=tmp_path))

    assert [each.text for found in rendered.findings.values() for each in found if each.severity == "error"] == []
    (stack,) = rendered.stacks
    loads, trains = (stack.jobs[each] for each in ("photos", "classifier"))
    (claim,) = (item.manifest["metadata"]["name"] for item in loads if item.manifest["kind"] == "PersistentVolumeClaim")
    assert name in stack.components
    assert any(claim in str(item.manifest) and "/data/classifier" in str(item.manifest) for item in trains)
