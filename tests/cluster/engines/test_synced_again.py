"""A job of Kubernetes itself that Argo CD starts stays what it is, and can be compared, however often a person syncs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.engines.argocd import APPLICATIONS, ArgoCd
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over

pytestmark = pytest.mark.cluster

SWEEP = (
    '{template: gpu-job, name: sweep, image: "registry.example.com/torch:2", command: [python, sweep.py], sync: true}'
)
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", nvidiaRuntime: default}}
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
nodePools:
  - {{name: train, nodes: 2, selector: {{pool: train}}, gpu: {{model: v100, perNode: 8}}}}
components:
  nvidia-device-plugin: {{}}
jobs:
  - {SWEEP}
"""
NAME = "sweep-job"
PERSON = {"username": "person"}


def test_a_job_that_a_person_syncs_again_is_compared_as_before(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ArgoCd(cluster, programs)  # noqa: E731 - it is passed on
    with handed_over(empty_cluster, "swept", tmp_path, start, text=STACK) as there:
        argocd, repository = there.engine, there.repository
        argocd.wait(repository, repository.revision)
        (job,) = repository.manifests("_jobs/sweep", jobs=True)
        before = there.api.read(job).body["metadata"]

        sync_by_hand(argocd)
        argocd.look_again(repository)

        after = there.api.read(job).body["metadata"]
        assert (after["uid"], after["generation"]) == (before["uid"], before["generation"])


def sync_by_hand(argocd: ArgoCd) -> None:
    """What the button of its interface does: an operation with the options of the Application."""
    spec = argocd.applications()[NAME]["spec"]
    sync = {"revision": spec["source"]["targetRevision"], "syncOptions": spec["syncPolicy"]["syncOptions"]}
    patch = {"operation": {"initiatedBy": PERSON, "sync": sync}}
    reply = argocd.api.request("PATCH", f"{APPLICATIONS}/{NAME}", patch, content="application/merge-patch+json")
    assert reply.status == 200, reply.message
    argocd.until(lambda: is_done(argocd), seconds=180, what="the sync is over")


def is_done(argocd: ArgoCd) -> bool:
    """Whether that operation was the last one, and has come to its end."""
    state = (argocd.applications()[NAME].get("status") or {}).get("operationState") or {}
    return state.get("phase") == "Succeeded" and state["operation"].get("initiatedBy") == PERSON
