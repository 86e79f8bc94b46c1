"""Files of the repository that jobs are made from: read once, told with their own lines, and noticed when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from platform_def.pipeline.resolve import documents
from tests.unit.pipeline.repository import stack, synthesise, write

HEAD = (
    'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\ncomponents: {argo-workflows: {ui: {enabled: false}}}\n'
)
STACK = HEAD + "teams: [{name: vision}]\njobs:\n  - {template: workflow, name: one, team: vision, file: FILE}\n"
WORKFLOW = """apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: one-}
spec:
  entrypoint: main
  templates:
    - name: main
      container: {image: "registry.example.com/one:1"}
"""


def refused(root: Path) -> str:
    with pytest.raises(PlatformError) as raised:
        synthesise(root)
    return str(raised.value)


def with_file(root: Path, file: str = "flows/one.yaml", text: str = WORKFLOW) -> Path:
    return write(root, {"stacks/a.yaml": STACK.replace("FILE", file), "flows/one.yaml": text})


def test_a_file_becomes_the_jobs_object(tmp_path: Path) -> None:
    (item,) = stack(with_file(tmp_path)).jobs["one"]

    assert (item.kind, item.namespace) == ("Workflow", "team-vision")
    assert "registry.example.com/one:1" in stack(tmp_path).images


def test_what_is_wrong_in_it_is_told_at_its_own_line(tmp_path: Path) -> None:
    text = refused(with_file(tmp_path, text=WORKFLOW.replace("entrypoint: main", "entrypoint: mian")))

    assert "error: flows/one.yaml:5: jobs[0] (one): has no template 'mian'" in text
    assert "hint: did you mean 'main'?" in text


def test_text_that_is_no_yaml_is_told_at_its_own_line(tmp_path: Path) -> None:
    text = refused(with_file(tmp_path, text=WORKFLOW.replace("entrypoint: main", "entrypoint: [main")))

    assert "error: flows/one.yaml:" in text
    assert "jobs[0] (one): flows/one.yaml: " in text


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("flows/two.yaml", "stacks/a.yaml:6: jobs[0] (one): flows/two.yaml: is not there, or is no file"),
        ("flows", "stacks/a.yaml:6: jobs[0] (one): flows: is not there, or is no file"),
        ("outside/one.yaml", "stacks/a.yaml:6: jobs[0] (one): outside/one.yaml: is outside the repository"),
    ],
)
def test_a_file_lies_in_the_repository(tmp_path: Path, file: str, text: str) -> None:
    root = with_file(tmp_path / "root", file)
    write(tmp_path / "elsewhere", {"one.yaml": WORKFLOW})
    (root / "outside").symlink_to(tmp_path / "elsewhere")

    assert text in refused(root)


def test_a_file_is_no_larger_than_what_a_server_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert documents.LARGEST_BYTES == 1048576
    monkeypatch.setattr(documents, "LARGEST_BYTES", 100)
    text = refused(with_file(tmp_path))

    assert f"flows/one.yaml: has {len(WORKFLOW)} bytes, more than the 100 that an API server takes" in text


def test_a_run_reads_the_file_and_says_so(tmp_path: Path) -> None:
    from platform_def.pipeline.synth import Options, render

    told: list[str] = []
    render(Options(with_file(tmp_path), jobs=1, beside=told.extend))

    assert "flows/one.yaml" in told


def test_another_content_is_not_taken_from_the_cache(tmp_path: Path) -> None:
    def name() -> str:
        (made,) = synthesise(tmp_path, cache=tmp_path / "cache", code="a").stacks
        return made.jobs["one"][0].name

    with_file(tmp_path)
    first = name()
    assert name() == first
    with_file(tmp_path, text=WORKFLOW.replace("one:1", "one:2"))
    assert name() != first
