"""`replace:` has the real engines delete and recreate what the API server refuses to change; claims and data stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over

pytestmark = pytest.mark.cluster

STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
components:
  store: {{path: apps/store, namespace: store}}
"""
LABELS = {"app": "store"}
CLAIM: Manifest = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data-store-0"}}


def store(size: str) -> Sequence[Manifest]:
    """A StatefulSet whose pod has a claim of this size."""
    pod = {
        "terminationGracePeriodSeconds": 1,
        "containers": [
            {
                "name": "store",
                "image": "registry.example.com/store:1.0.0",
                "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }
        ],
    }
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "store"},
            "spec": {
                "clusterIP": "None",
                "selector": LABELS,
                "ports": [{"name": "data", "port": 80, "protocol": "TCP"}],
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "store"},
            "spec": {
                "serviceName": "store",
                "selector": {"matchLabels": LABELS},
                "template": {"metadata": {"labels": LABELS}, "spec": pod},
                "volumeClaimTemplates": [claim],
            },
        },
    ]


def there(api: Api, item: Manifest) -> Manifest:
    """An object in the namespace of the component, as the cluster has it."""
    reply = api.read(item | {"metadata": item["metadata"] | {"namespace": "store"}})
    assert reply.status == 200, reply.message
    body: Manifest = reply.body
    return body


def size_of(item: Manifest) -> str:
    """What the pods of a StatefulSet claim."""
    (claim,) = item["spec"]["volumeClaimTemplates"]
    return str(claim["spec"]["resources"]["requests"]["storage"])


@pytest.mark.parametrize("engine", ["flux", pytest.param("argocd", marks=pytest.mark.thorough)])
def test_claim_templates_that_the_server_refuses_arrive_with_consent(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text, own = STACK.replace("ENGINE", engine), {"store": store("1Gi")}
    with handed_over(empty_cluster, "stored", tmp_path, start, text=text, own=own) as story:
        api, repository = story.api, story.repository
        story.engine.wait(repository, repository.revision)
        _, program = own["store"]
        before, claim = there(api, program), there(api, CLAIM)
        assert size_of(before) == "1Gi"

        repository.write("store", store("2Gi"))
        repository.edit("components:\n", "replace: {StatefulSet/store: larger claims}\ncomponents:\n")
        revision = repository.commit("Larger claims")
        (wanted,) = (each for each in repository.manifests("store") if each["kind"] == "StatefulSet")
        refusal = api.apply(wanted, dry_run=True, manager=story.engine.manager).refusal
        assert "updates to statefulset spec for fields other than" in refusal

        story.follow(revision)
        after = there(api, program)
        assert size_of(after) == "2Gi"
        assert after["metadata"]["uid"] != before["metadata"]["uid"]
        assert there(api, CLAIM)["metadata"]["uid"] == claim["metadata"]["uid"], "claims stay, with their data"
        until(lambda: there(api, program)["status"].get("readyReplicas") == 1, seconds=30, what="its pod runs")

        story.engine.look_again(repository)
        assert there(api, program)["metadata"]["uid"] == after["metadata"]["uid"], "what is as Git has it stays"
