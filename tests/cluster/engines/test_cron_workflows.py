"""A cron workflow that an engine brings goes on by the clock while the engine syncs again and again: what Argo's controller writes into it
and makes of it stays, and a change in Git reaches the same object.

Real: the engine, the API server, and Argo's controller 4.0.5 with the rendered configuration. Its workflows have no pods. It runs
as administrator: `test_workflows.py` has it in its pod, under its own account.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.controllers import kubeconfig
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over

pytestmark = pytest.mark.cluster

HOME = "team-vision"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
nodePools:
  - {{name: cpu, nodes: 2, selector: {{pool: cpu}}}}
components:
  argo-workflows: {{}}
teams:
  - {{name: vision}}
jobs:
  - {{template: cron-workflow, name: often, team: vision, file: apps/often/objects.yaml, sync: true}}
"""


def often(words: str) -> Manifest:
    """A CronWorkflow whose workflows wait a second, and say these words in an annotation."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "CronWorkflow",
        "metadata": {"name": "often"},
        "spec": {
            "schedules": ["* * * * *"],
            "workflowMetadata": {"annotations": {"example.com/words": words}},
            "workflowSpec": {"entrypoint": "main", "templates": [{"name": "main", "suspend": {"duration": "1"}}]},
        },
    }


def ended(api: Api, words: str) -> set[str]:
    """Workflows with these words that have ended well."""
    reply = api.get(f"/apis/argoproj.io/v1alpha1/namespaces/{HOME}/workflows")
    assert reply.status == 200, reply.message
    return {
        each["metadata"]["name"]
        for each in reply.body["items"]
        if each["metadata"].get("annotations", {}).get("example.com/words") == words
        and each.get("status", {}).get("phase") == "Succeeded"
    }


@pytest.mark.parametrize("engine", ["flux", pytest.param("argocd", marks=pytest.mark.thorough)])
def test_a_cron_workflow_starts_again_after_each_sync_and_follows_git(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text, own = STACK.replace("ENGINE", engine), {"often": [often("one")]}
    with handed_over(empty_cluster, "clock", tmp_path, start, text=text, own=own) as story:
        api, repository = story.api, story.repository
        story.engine.wait(repository, repository.revision)
        (cron,) = (each for each in repository.manifests("_jobs/often", jobs=True) if each["kind"] == "CronWorkflow")
        controller = [str(programs["workflow-controller-4.0"]), f"--kubeconfig={kubeconfig(story.control_plane)}"]
        story.control_plane.sandbox.start(
            "workflow-controller",
            [*controller, "--namespace=argo", "--executor-image=quay.io/argoproj/argoexec:v4.0.5"],
            log=story.control_plane.folder / "workflow-controller.log",
            env={"LEADER_ELECTION_DISABLE": "true"},
        )
        story.engine.until(lambda: bool(ended(api, "one")), seconds=120, what="it has started")
        first, before = ended(api, "one"), api.read(cron).body

        story.engine.look_again(repository)
        after = api.read(cron).body
        assert after["metadata"]["uid"] == before["metadata"]["uid"]
        assert after["spec"] == before["spec"]
        assert after["status"]["lastScheduledTime"] >= before["status"]["lastScheduledTime"]
        story.engine.until(lambda: bool(ended(api, "one") - first), seconds=120, what="it has started again")
        assert first <= ended(api, "one"), "no sync takes its workflows away"

        repository.write("often", [often("two")])
        story.follow(repository.commit("Other words"))
        assert api.read(cron).body["spec"]["workflowMetadata"] == often("two")["spec"]["workflowMetadata"]
        story.engine.until(lambda: bool(ended(api, "two")), seconds=120, what="the change has come")
        changed = api.read(cron).body
        assert changed["metadata"]["uid"] == before["metadata"]["uid"]
        assert changed["status"]["lastScheduledTime"] > before["status"]["lastScheduledTime"]
