"""Argo CD's real controller counts Applications and syncs under the names and labels that its alerts and dashboard ask for.

Two Applications are not the platform's: what they bring belongs to a namespace that is not there, so the API server refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.components.delivery.argo_cd.metrics import EXPORTED
from platform_def.yaml import dump
from tests.cluster.client import Manifest
from tests.cluster.engines.argocd import NAMESPACE, NEWEST, ArgoCd
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.repository import SAMPLE, PlatformRepository
from tests.cluster.engines.story import handed_over
from tests.cluster.fed import unfed
from tests.cluster.scrape import Page, faults

pytestmark = pytest.mark.cluster

SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
components:
  kubeflow-roles: {{}}
"""

ENDS, GOES_ON = "ends", "goes-on"
LOST: Manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "lost", "namespace": "nowhere"}}


def refused(argo_cd: ArgoCd, repository: PlatformRepository) -> Page:
    """What the controller says once a sync of an Application has failed, and one is tried again as the stack's own are."""
    (stacks, *_) = (each for each in repository.manifests("_delivery") if each["kind"] == "Application")
    once = {"automated": {"selfHeal": True}, "retry": {"limit": 1, "backoff": {"duration": "1s"}}}
    for name, policy in ((GOES_ON, stacks["spec"]["syncPolicy"]), (ENDS, once)):
        file = repository.folder / name / "lost.yaml"
        file.parent.mkdir()
        file.write_text(dump(LOST), encoding="utf-8")
        repository.commit("An object in a namespace that is not there")
        spec = {
            "project": "default",
            "source": {"repoURL": repository.url, "targetRevision": repository.revision, "path": name},
            "destination": {"server": "https://kubernetes.default.svc"},
            "syncPolicy": policy,
        }
        kind = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}
        reply = argo_cd.api.apply({**kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec})
        assert not reply.refusal, reply.refusal
    argo_cd.until(lambda: "Failed" in phases(argo_cd.page(), ENDS), seconds=120, what="a sync fails")
    argo_cd.until(lambda: "Retrying attempt" in argo_cd.told(), seconds=120, what="another one is tried again")
    return argo_cd.page()


def phases(page: Page, name: str) -> set[str]:
    """What has become of an Application's syncs that have ended."""
    return {each["phase"] for each in page.samples.get("argocd_app_sync_total", ()) if each["name"] == name}


def test_what_the_controller_counts_is_what_its_table_says(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path, programs: Mapping[str, Path]
) -> None:
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=SMALL) as there:
        there.engine.wait(there.repository, there.repository.revision)
        early = there.engine.page()
        page = refused(there.engine, there.repository)

    # The newest release says more of each Application; alerts ask for what all have.
    assert [each for each in faults(page, [EXPORTED], program=programs[NEWEST]) if "table does not" not in each] == []
    states = {each["name"]: (each["sync_status"], each["health_status"]) for each in page.samples["argocd_app_info"]}
    assert [states.pop(each) for each in (ENDS, GOES_ON)] == [("OutOfSync", "Missing")] * 2
    assert {*states.values()} == {("Synced", "Healthy")}
    assert {each: phases(page, each) for each in (ENDS, GOES_ON, "platform")} == {
        ENDS: {"Failed"},
        GOES_ON: set(),  # ArgoCdOutOfSync says so, for it is not counted before it ends
        "platform": {"Succeeded"},
    }
    assert unfed("argo-cd", {"argocd-metrics": [early, page]}, engine=programs["prometheus-engine"]) == []
