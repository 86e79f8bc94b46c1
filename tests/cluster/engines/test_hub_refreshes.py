"""JupyterHub as an engine brings it: asked ten times to compare and apply it once more, the engine leaves its Secrets and its
pods' templates as they are, so nobody is signed out and no hub restarts.

Real: the engine, the API server, and the program that makes the Secrets, as its Job's pod would run it. Played: pods.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over
from tests.cluster.generators import generate

pytestmark = pytest.mark.cluster

HOME, HUB, REFRESHES = "jupyterhub", "hub", 10
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
storage:
  home: {{driver: existing, accessModes: [ReadWriteOnce], default: true}}
components:
  jupyterhub: {{access: administrators, pullImages: false}}
teams:
  - {{name: physics}}
"""


def items(api: Api, kinds: str) -> list[Manifest]:
    """Objects of the hub's namespace."""
    found: list[Manifest] = api.get(kinds.replace("NAMESPACE", HOME)).body["items"]
    return found


def state(api: Api) -> dict[str, Any]:
    """What a refresh must leave: Secrets as they were written, templates, and the pods that were made of them."""
    secrets = items(api, "/api/v1/namespaces/NAMESPACE/secrets")
    deployments = items(api, "/apis/apps/v1/namespaces/NAMESPACE/deployments")
    pods = items(api, "/api/v1/namespaces/NAMESPACE/pods")
    return {
        "secrets": {each["metadata"]["name"]: (each["metadata"]["resourceVersion"], each["data"]) for each in secrets},
        "templates": {
            each["metadata"]["name"]: (each["metadata"]["generation"], each["spec"]["template"]) for each in deployments
        },
        "pods": {
            each["metadata"]["name"]: each["metadata"]["uid"]
            for each in pods
            if not each["metadata"].get("generateName", "").startswith("jupyterhub-generator")
        },
    }


@pytest.mark.parametrize("engine", ["flux", pytest.param("argocd", marks=pytest.mark.thorough)])
def test_refreshes_leave_the_secrets_of_the_hub_and_its_pods(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    with handed_over(empty_cluster, "hub", tmp_path, start, text=STACK.replace("ENGINE", engine)) as story:
        api, repository = story.api, story.repository
        story.engine.wait(repository, repository.revision)
        mine = [each for each in repository.manifests(HOME) if each["metadata"]["name"].startswith("hub-generator")]
        generate(story.control_plane, mine, "first")
        story.engine.look_again(repository)
        before = state(api)
        assert HUB in before["secrets"]
        assert before["templates"].keys() >= {HUB, "proxy"}
        assert len(before["pods"]) >= 2

        for _ in range(REFRESHES):
            story.engine.look_again(repository)

        assert state(api) == before
        # Its Job may run again, where it is cleaned up and applied once more.
        generate(story.control_plane, mine, "second")
        assert state(api) == before
        # The engine does apply when it is asked: what somebody changes by hand is put back.
        path = f"/apis/apps/v1/namespaces/{HOME}/deployments/{HUB}"
        by_hand = {"spec": {"template": {"spec": {"serviceAccountName": "default"}}}}
        assert api.request("PATCH", path, by_hand, content="application/strategic-merge-patch+json").status == 200
        story.engine.look_again(repository)
        _, kept = before["templates"][HUB]
        story.engine.until(
            lambda: state(api)["templates"][HUB][1] == kept, seconds=120, what="the hub's template is put back"
        )
