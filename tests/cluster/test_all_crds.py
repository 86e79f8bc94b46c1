"""A real API server establishes every CRD that the project can write, all those that go together in one apply."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import cast

import pytest

from platform_def.pipeline.crds import export_crds
from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.cluster.definitions import APPROVAL, condition_problems
from tests.cluster.snapshots import Boot
from tests.cluster.stored import lost_fields
from tests.cluster.waves import apply_in_waves, refusals, wait_until_served

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

UNAPPROVED = ".metacontroller.k8s.io: "
"""Upstream uses Kubernetes' own domain without its approval, and says so in the annotation: the server reports it."""


def sets() -> Iterator[list[Manifest]]:
    """CRDs of which no two share a name: releases, channels and operators that exclude each other come one by one."""
    found: dict[str, list[Manifest]] = {}
    for path, text in export_crds():
        for crd in cast(list[Manifest], load_all(text.encode(), file=path)):
            same = found.setdefault(crd["metadata"]["name"], [])
            if crd not in same:
                same.append(crd)
    for together in zip_longest(*found.values()):
        yield [crd for crd in together if crd]


def test_every_crd_is_established_structural_and_kept_entire(boot: Boot) -> None:
    problems = []
    for together in sets():
        api = boot().api
        results = apply_in_waves(api, together)
        wait_until_served(api, [result.stored for result in results if result.stored])
        problems += refusals(results)
        for result in results:
            found = condition_problems(api.read(result.sent).body)
            problems += [line for line in found if not (APPROVAL in line and UNAPPROVED in line)]
            problems += [f"{result.key}: {path} was lost" for path in lost_fields(result.sent, result.stored or {})]

    assert not problems, "CRDs are not good:\n" + "\n".join(sorted(problems))
