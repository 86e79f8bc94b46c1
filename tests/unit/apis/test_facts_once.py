"""What is known of a kind is on its `Api`, and nowhere a second time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from platform_def.apis.core import JOB
from platform_def.apis.kubeflow.training_v1 import PYTORCH_JOB
from platform_def.apis.kueue.v1beta2 import LOCAL_QUEUE
from platform_def.crds.index import labels, suspended_by

ROOT = Path(__file__).parents[3] / "platform_def"
FIELD = re.compile(r"/?spec[./](runPolicy[./])?suspend")
WITHOUT_API = {
    "crds/core/generate.py": "writes the Api of Kubernetes' own Job",
    "delivery/drift.py": "AppWrapper, which no component serves, has none",
}
"""Where a field that holds a job back is named though no `Api` is defined there, and why."""


@pytest.mark.parametrize("label", sorted(labels()))
def test_a_label_that_names_objects_is_written_once(label: str) -> None:
    prefix, _, name = label.rpartition("/")
    whole, put_together = ([file for file, text in written() if found == text] for found in (label, f"/{name}"))

    assert len(whole) == 1
    assert not [file for file in put_together if f"{prefix}" in (ROOT / file).read_text(encoding="utf-8")]


def test_the_field_that_holds_a_job_back_is_on_its_api_alone() -> None:
    elsewhere = {file for file, text in written() if FIELD.fullmatch(text) and not file.startswith("apis/")}

    assert elsewhere == WITHOUT_API.keys()


def test_the_index_answers_as_the_apis_say() -> None:
    assert suspended_by("batch", "Job") == JOB.suspended_by == "spec.suspend"
    assert suspended_by("kubeflow.org", "PyTorchJob") == PYTORCH_JOB.suspended_by == "spec.runPolicy.suspend"
    assert suspended_by("", "ConfigMap") == ""
    assert labels()[LOCAL_QUEUE.label] == ("LocalQueue", "kueue.x-k8s.io")


@cache
def written() -> tuple[tuple[str, str], ...]:
    """File and text of each string in the code that is no docstring."""
    return tuple(
        (file.relative_to(ROOT).as_posix(), text)
        for file in sorted(ROOT.rglob("*.py"))
        for text in _strings(ast.parse(file.read_bytes()))
    )


def _strings(tree: ast.Module) -> Iterator[str]:
    said = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in said:
            yield each.value
