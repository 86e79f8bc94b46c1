"""Argo CD's real controller counts Applications and syncs under the names and labels that its alerts and dashboard ask for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.components.delivery.argo_cd.metrics import EXPORTED
from tests.cluster.engines.argocd import NEWEST
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over
from tests.cluster.fed import unfed
from tests.cluster.scrape import faults

pytestmark = pytest.mark.cluster

SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
components:
  kubeflow-roles: {{}}
"""


def test_what_the_controller_counts_is_what_its_table_says(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path, programs: Mapping[str, Path]
) -> None:
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=SMALL) as there:
        there.engine.wait(there.repository, there.repository.revision)
        page = there.engine.page()

    # The newest release says more of each Application; alerts ask for what all have.
    assert [each for each in faults(page, [EXPORTED], program=programs[NEWEST]) if "table does not" not in each] == []
    applications = page.samples["argocd_app_info"]
    assert {each["sync_status"] for each in applications} == {"Synced"}
    assert {each["phase"] for each in page.samples["argocd_app_sync_total"]} >= {"Succeeded"}
    assert unfed("argo-cd", {"argocd-metrics": [page]}, engine=programs["prometheus-engine"]) == []
