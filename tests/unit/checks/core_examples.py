"""Objects of the core kinds with many of their fields, each one that a real API server takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from platform_def.manifests.rendered import Manifest
from platform_def.yaml import load_all


def _read() -> Mapping[str, Manifest]:
    file = Path(__file__).with_suffix(".yaml")
    found = cast(list[Manifest], load_all(file.read_bytes(), file=file.name))
    return {f"{each['kind']} {each['metadata']['name']}": each for each in found}


EXAMPLES = _read()
"""By kind and name."""
