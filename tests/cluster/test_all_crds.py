"""A real API server establishes every CRD that the project can write, all those that go together in one apply."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import pytest

from platform_def.pipeline.crds import export_crds
from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.cluster.definitions import check_crds
from tests.cluster.snapshots import Boot

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


def sets() -> Iterator[list[Manifest]]:
    """CRDs of which no two share a name: releases, channels and operators that exclude each other come one by one."""
    found: dict[str, list[Manifest]] = {}
    for path, text in export_crds():
        for crd in load_all(text.encode(), file=path):
            assert isinstance(crd, dict)
            same = found.setdefault(crd["metadata"]["name"], [])
            if crd not in same:
                same.append(crd)
    for together in zip_longest(*found.values()):
        yield [crd for crd in together if crd]


def test_every_crd_is_established_structural_and_kept_entire(boot: Boot) -> None:
    for together in sets():
        check_crds(boot().api, together)
