"""Objects of this repository's stacks, for tests that need few of them: who asks reads what is found, and no other stack."""

from __future__ import annotations

from functools import cache

from platform_def.components.catalogue import BUILT_IN
from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.cluster.stacks import DIST, Stacks, dist_stacks
from tests.proofs.rendering import noted
from tests.renders.store import Store


@noted
def in_dist(*folders: str) -> list[Manifest]:
    """The objects below folders of dist/, such as `cloud-gpu/kueue`, in the order of their files."""
    files = [file for folder in folders for file in sorted((DIST / folder).rglob("*.yaml"))]
    return [each for file in files for each in load_all(file.read_bytes(), file=file.name) if isinstance(each, dict)]


@noted
def of_components(stack: str) -> list[Manifest]:
    """The objects of all components of a stack of dist/: without its jobs and what delivers it."""
    parts = sorted(each.name for each in (DIST / stack).iterdir() if each.is_dir() and each.name[0] != "_")
    return in_dist(*(f"{stack}/{part}" for part in parts))


@noted
def in_stack(name: str) -> list[Manifest]:
    """The objects of `dist/NAME`, or of `coverage/NAME` as it is rendered now."""
    return _stacks()[name]


@noted
def with_part(part: str) -> list[str]:
    """The stacks of dist/ that have this part."""
    return [each for each in dist_stacks() if (DIST / each / part).is_dir()]


@noted
def in_catalogue(name: str) -> bool:
    """Whether a component of this name is in the catalogue."""
    return name in BUILT_IN


@cache
def _stacks() -> Stacks:
    return Stacks(Store())
