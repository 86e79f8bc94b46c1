"""With `order: gates` the real Argo CD brings the sample stack `onprem-gpu` to an empty cluster, no part before what it needs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.both_forms import GATES, policies, stays_as_git_has_it
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.story import handed_over
from tests.cluster.stacks import REPOSITORY

pytestmark = pytest.mark.cluster

BEGAN, DONE = "deployStartedAt", "deployedAt"


def test_an_empty_cluster_is_synced_in_order_and_then_follows_git(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    text = (REPOSITORY / "stacks/onprem-gpu.yaml").read_text(encoding="utf-8")
    gated = text.replace("  engine: argocd\n", "  engine: argocd\n  order: gates\n")
    with handed_over(empty_cluster, "onprem-gpu", tmp_path, argo_cd, text=gated) as there:
        there.engine.wait(there.repository, there.repository.revision)
        assert policies(there.api) == GATES
        in_order(there.engine)
        stays_as_git_has_it(there)


def in_order(argocd: ArgoCd) -> None:
    """No part began before those that it waits for were done."""
    parts = argocd.parts()
    first = {name: each["status"]["history"][0] for name, each in parts.items()}
    waited = {name: argocd.needs(name) for name in parts}
    assert any(waited.values())
    for name, needs in waited.items():
        for need in needs:
            done, began = (datetime.fromisoformat(first[each][when]) for each, when in ((need, DONE), (name, BEGAN)))
            assert done <= began, f"{name} began before {need} was done"
