"""What breaks under an engine is whole again once the fault ends, from the manifests as they are and with nothing by hand."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines import state
from tests.cluster.engines.argocd import NEWEST, OLDEST, ArgoCd
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES, GATED
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import Delivered, handed_over

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]

CASES = (
    ("argocd", NEWEST, "1.36"),
    ("argocd", OLDEST, "1.35"),
    (GATED, NEWEST, "1.36"),
    (GATED, OLDEST, "1.35"),
    ("flux", "flux", "1.36"),
)
"""Engines with their forms, their programs, and Kubernetes: Argo CD compares anew by another policy where the cluster cannot change
objects by one."""
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "VERSION"}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
components:
  training-operator: {{workloads: {{training-operator: {{replicas: 1}}}}}}
  cert-manager: {{selfSignedIssuer: first}}
  issuers: {{path: apps/issuers}}
"""
OWN: Manifest = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "ClusterIssuer",
    "metadata": {"name": "own"},
    "spec": {"selfSigned": {}},
}
CHANGED = {"selfSigned": {"crlDistributionPoints": ["http://lists.example.com/own"]}}
"""What a commit makes of that issuer."""
DEFINITION: Manifest = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "clusterissuers.cert-manager.io"},
}
STALLS, STALL_SECONDS, BREATH_SECONDS = 6, 4.0, 1.0
"""How often, and how long, etcd answers nobody, and how long it does in between."""
VISIT_SECONDS = 20
"""Until every part is asked to look once more: one that is about to holds up those that need it."""


@pytest.fixture(params=CASES, ids="-".join)
def there(
    request: pytest.FixtureRequest, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> Iterator[Delivered[Any]]:
    """A cluster on which everything is ready."""
    engine, program, version = request.param
    start = lambda cluster: (  # noqa: E731 - it is passed on
        ArgoCd(cluster, programs, program=program) if engine != "flux" else ENGINES[engine](cluster, programs)
    )
    text = STACK.replace("ENGINE", engine).replace("VERSION", version)
    own = {"issuers": [OWN]}
    with handed_over(empty_cluster, "mended", tmp_path, start, text=text, own=own) as found:
        found.engine.wait(found.repository, found.repository.revision)
        yield found


def test_after_each_fault_the_cluster_is_again_as_git_has_it(there: Delivered[Any]) -> None:
    api_server_dies(there)
    etcd_is_slow(there)
    webhook_has_no_backend(there)
    repository_is_gone(there)
    definition_is_deleted(there)


def api_server_dies(there: Delivered[Any]) -> None:
    """In the middle of a sync."""
    changed = there.repository.change("replicas: 1", "replicas: 2")
    there.engine.look()
    there.control_plane.kill_api_server()
    there.control_plane.restart_api_server()
    whole(there, changed)


def etcd_is_slow(there: Delivered[Any]) -> None:
    """So slow that requests and leases run out of time, while a commit is synced."""
    sandbox = there.control_plane.sandbox
    changed = there.repository.change("replicas: 2", "replicas: 3")
    there.engine.look()
    for _ in range(STALLS):
        sandbox.pause("etcd")
        time.sleep(STALL_SECONDS)
        sandbox.resume("etcd")
        time.sleep(BREATH_SECONDS)
    until(there.control_plane.is_ready, seconds=60, what="the API server answers")
    whole(there, changed)


def webhook_has_no_backend(there: Delivered[Any]) -> None:
    """Objects that it must admit cannot be made or changed meanwhile; those that are there stay."""
    there.stand_ins.fall_silent()
    there.repository.write("issuers", [OWN | {"spec": CHANGED}])
    revision = there.repository.change("first", "second")
    there.engine.look()
    there.engine.until(lambda: "failed calling webhook" in there.engine.told(), seconds=180, what="it is told")
    assert there.api.read(issuer("second")).status == 404
    assert there.api.read(issuer("first")).status == 200
    there.engine.until(lambda: misses_webhook(there, "issuers-main"), seconds=180, what="so it is of what would change")
    there.stand_ins.answer()
    # Nobody asks the engine to look once more.
    changed = lambda: there.api.read(OWN).body["spec"] == CHANGED  # noqa: E731 - it is passed on
    there.engine.until(changed, seconds=180, what="what was to be changed is")
    whole(there, revision)
    assert there.api.read(issuer("second")).status == 200


def misses_webhook(there: Delivered[Any], part: str) -> bool:
    """Whether the engine says of a part that no webhook answered, or Argo CD's log that it may not say so."""
    told = [line for line in there.engine.told().splitlines() if line.startswith(part)]
    log = there.control_plane.folder / "argocd-application-controller.log"
    refused = log.exists() and f"{part} is compared again: " in log.read_text()
    return refused or any("failed calling webhook" in line for line in told)


def repository_is_gone(there: Delivered[Any]) -> None:
    """What is there stays, and the next commit is found."""
    before = state.objects(there.api)
    there.repository.vanish()
    there.engine.look()
    there.engine.until(lambda: not there.engine.has_source(), seconds=180, what="the repository is missed")
    after = state.objects(there.api)
    assert state.names(state.changed(before, after)) == []
    assert before.keys() == after.keys()
    there.repository.serve()
    there.engine.look()
    there.engine.until(there.engine.has_source, seconds=180, what="the repository is found again")
    whole(there, there.repository.change("replicas: 3", "replicas: 1"))


def definition_is_deleted(there: Delivered[Any]) -> None:
    """By hand, and with it every object of its kind."""
    path = there.api.path(DEFINITION) or ""
    uid = there.api.get(path).body["metadata"]["uid"]
    assert there.api.request("DELETE", path).status == 200

    def made_anew() -> bool:
        there.engine.visit()
        found = there.api.get(path)
        return found.status == 200 and found.body["metadata"]["uid"] != uid and is_there(there, issuer("second"))

    until(made_anew, seconds=300, what="the definition and its objects are back", every=VISIT_SECONDS)
    whole(there, there.repository.revision)


def whole(there: Delivered[Any], revision: str) -> None:
    """The engine comes to a revision, and nothing of Git is missing."""
    there.engine.look()
    there.engine.wait(there.repository, revision)
    assert [each for each in there.repository.manifests() if not is_there(there, each)] == []


def is_there(there: Delivered[Any], item: Manifest) -> bool:
    """Whether an object is stored."""
    return bool(there.api.read(item).status == 200)


def issuer(name: str) -> Manifest:
    """One of cert-manager's."""
    return {"apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": {"name": name}}
