"""What the hashes of proofs take from elsewhere: keys of the programs, and hashes of the stacks as they are rendered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.cluster.stacks import coverage_stacks, dist_stacks
from tests.cluster.tools import TOOLS, path_of
from tests.proofs.inputs import content
from tests.renders.store import Store


def given(root: Path) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Keys by program and hashes by stack; coverage stacks are rendered where they are not yet."""
    pins = {name: path_of(name).parent.name for name in TOOLS}
    stacks = {f"dist/{name}": content(root / "dist" / name) for name in dist_stacks()}
    coverage, store = [f"coverage/{name}" for name in coverage_stacks()], Store()
    return pins, stacks | {name: store.digest(name, beside=coverage) for name in coverage}
