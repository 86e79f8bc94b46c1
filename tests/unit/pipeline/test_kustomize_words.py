"""What kustomize says when it refuses a folder is told by what concerns the file, and no longer than can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError, ExitError
from platform_def.pipeline.kustomize import kustomization

FOLDER = Path("/repository/overlays/a/training-operator")


def said(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    def refuse(folder: Path) -> str:
        raise ExitError(f"kubectl kustomize .: exit code 1\n  error: {text}")

    monkeypatch.setattr(kustomization, "kustomize_build", refuse)
    with pytest.raises(ConfigError) as caught:
        kustomization.build(FOLDER, shown="overlays/a/training-operator")
    return caught.value.problems[0].text


def test_of_an_error_below_other_folders_the_innermost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "accumulating components: recursed accumulation of path '/x': \"recursed accumulation of path '/x/y': no {}\""
    )

    assert said(monkeypatch, text.format('such field: "patchs"')) == 'kustomize refuses it: no such field: "patchs'


def test_folders_are_named_as_the_repository_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "'overlays/a/training-operator/base'" in said(monkeypatch, f"missing '{FOLDER}/base'")


def test_an_error_that_quotes_a_whole_object_is_cut_in_its_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, f"map{'x' * 1_000_000}: json: unsupported type")

    assert text.startswith("kustomize refuses it: kubectl kustomize .: exit code 1\n  error: mapxx")
    assert text.endswith("x: json: unsupported type")
    assert len(text) < 2000
