"""Commands that run in the process of the tests leave it as it was."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from platform_def.components.catalogue import catalogue
from platform_def.pipeline.fleet import run
from tests.acceptance.repository import HEAD, SMALL, Repository, installed


@pytest.mark.parametrize("words", ["synth", "list nothing"])
def test_garbage_is_collected_after_a_command_as_before(
    small: Repository, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GROUP", 1)
    small.write({"stacks/b.yaml": SMALL})
    frozen = gc.get_freeze_count()

    small.hear(*words.split())

    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen, "of what was frozen some may be gone"


def test_what_was_installed_for_a_command_is_gone(small: Repository, packages: Path) -> None:
    small.write({"stacks/a.yaml": f"{HEAD}components: {{greeting-operator: {{}}}}\n"})
    with installed(packages):
        small.ask("synth")
        assert "greeting-operator" in catalogue()

    assert "greeting-operator" not in catalogue()
    assert [name for name in sys.modules if name.startswith("greeting_platform")] == []
    assert "unknown component" in small.ask("synth", code=2).err
