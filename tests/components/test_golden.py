"""One golden a component: its objects with default configuration, CRDs by name alone. Refresh with `make golden`."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from platform_def.components.catalogue import BUILT_IN
from platform_def.reference.sample import rendered
from platform_def.yaml import dump_all

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", BUILT_IN)
def test_defaults_render_as_before(name: str) -> None:
    objects = rendered(name).objects
    crds = sorted(item.manifest["metadata"]["name"] for item in objects if item.part == "crds")
    rest = [item.manifest for item in objects if item.part != "crds"]
    text = "".join(f"# CRD {crd}\n" for crd in crds) + dump_all(rest)
    golden = FOLDER / name.replace("-", "_") / "golden.yaml"
    if os.environ.get("GOLDEN_UPDATE"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)

    before = golden.read_text() if golden.exists() else ""

    assert text == before, "".join(
        difflib.unified_diff(before.splitlines(True), text.splitlines(True), "golden", "now")
    )
