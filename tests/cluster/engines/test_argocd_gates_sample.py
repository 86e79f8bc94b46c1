"""With `order: gates` the real Argo CD brings the sample stack `onprem-gpu` to an empty cluster, no part before what it needs.

`test_argocd_gates.py` asks the same of a small stack, each time that anything of it changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.engines.both_forms import OLDER, ORDERING, comes_in_order_and_stays
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.story import handed_over
from tests.cluster.stacks import REPOSITORY

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]


def test_an_empty_cluster_is_synced_in_order_and_then_follows_git(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    text = (REPOSITORY / "stacks/onprem-gpu.yaml").read_text(encoding="utf-8")
    gated = text.replace("  engine: argocd\n", "  engine: argocd\n  order: gates\n")
    with handed_over(empty_cluster, "onprem-gpu", tmp_path, argo_cd, text=gated) as there:
        comes_in_order_and_stays(there, sorted([*OLDER, *ORDERING]))
