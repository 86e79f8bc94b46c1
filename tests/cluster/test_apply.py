"""A real API server takes every object of every stack, strictly, and has nothing to change when given them again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.snapshots import Boot
from tests.cluster.taken import problems

pytestmark = pytest.mark.cluster


def test_a_stack_is_accepted_kept_entire_and_unchanged_when_applied_again(
    stack: str,
    manifests: Mapping[str, list[Manifest]],
    known_crds: list[Manifest],
    boot: Boot,
    binaries: Mapping[str, Path],
) -> None:
    assert problems(manifests[stack], known_crds=known_crds, boot=boot, servers=binaries) == []
