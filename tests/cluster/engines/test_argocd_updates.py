"""With gates updates and removals come in order under the real Argo CD too, whatever one commit changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines.argocd import APPLICATIONS, NAMESPACE, ArgoCd
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.refusing import definitions_refused
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import CHAIN, CHAIN_STACK, Delivered, handed_over, removes_a_chain_at_once
from tests.cluster.samples import crd

pytestmark = pytest.mark.cluster

OLDER, NEWER = "release: 1.19.6, ", ""
# Argo CD reads all schemas anew for each definition that comes: components with few and small ones spare minutes.
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.35"}}
delivery: {{engine: argocd, order: gates, repository: "{SAMPLE}"}}
components:
  node-feature-discovery: {{workloads: {{nfd-master: {{replicas: 1}}}}}}
  cert-manager: {{{OLDER}selfSignedIssuer: self-signed}}
  widgets: {{path: apps/widgets, namespace: widgets}}
{CHAIN_STACK}"""
CERT_MANAGER: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "cert-manager", "namespace": "cert-manager"},
}
FEATURES: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "nfd-master", "namespace": "node-feature-discovery"},
}
WIDGET: Manifest = {
    "apiVersion": "test.example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "one", "namespace": "widgets"},
}
COLOUR = {"colour": {"type": "string"}}
SIZE = {"size": {"type": "integer"}}


def widgets(properties: Manifest, **spec: object) -> Sequence[Manifest]:
    """A kind with these fields, and a widget that uses them."""
    return [crd("Widget", properties), WIDGET | {"spec": spec}]


@pytest.fixture
def there(empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path) -> Iterator[Delivered[ArgoCd]]:
    """A cluster on which everything is Synced and Healthy."""
    own = {"widgets": widgets(SIZE, size=1), **CHAIN}
    with handed_over(empty_cluster, "updated", tmp_path, argo_cd, text=STACK, own=own) as found:
        found.engine.wait(found.repository, found.repository.revision)
        yield found


def test_a_commit_with_new_definitions_and_objects_of_them_is_synced_in_order(there: Delivered[ArgoCd]) -> None:
    api, argocd, repository = there.api, there.engine, there.repository
    before = {name: state(api, item) for name, item in (("program", CERT_MANAGER), ("widget", WIDGET))}
    with definitions_refused(api):
        repository.write("widgets", widgets(SIZE | COLOUR, size=1, colour="red"))
        repository.change("replicas: 1", "replicas: 2")
        revision = repository.change(OLDER, NEWER)
        argocd.look()
        argocd.until(partial(runs_twice, api), seconds=180, what="what needs nothing new goes on")
        argocd.until(
            partial(waits, argocd, "cert-manager-main", "cert-manager-crds"), seconds=60, what="a program waits"
        )
        # It cannot be compared yet: the field is not known.
        argocd.until(lambda: "widgets-main waits for widgets-crds" in argocd.root(), seconds=60, what="an object waits")
        assert {name: state(api, item) for name, item in (("program", CERT_MANAGER), ("widget", WIDGET))} == before

    argocd.wait(repository, revision)
    assert spec(api, WIDGET) == {"size": 1, "colour": "red"}
    assert state(api, CERT_MANAGER) != before["program"]
    updated_in_order(argocd, revision)
    removes_a_chain_at_once(there)


@pytest.mark.thorough
def test_a_person_lets_a_part_go_on_before_what_it_needs(there: Delivered[ArgoCd]) -> None:
    api, argocd, repository = there.api, there.engine, there.repository
    before = state(api, CERT_MANAGER)
    with definitions_refused(api):
        revision = repository.change(OLDER, NEWER)
        argocd.look()
        until(partial(waits, argocd, "cert-manager-main", "cert-manager-crds"), seconds=180, what="it waits")
        note = {"metadata": {"annotations": {"platform-def/ready": "yes"}}}
        path = f"{APPLICATIONS}/cert-manager-crds"
        assert api.request("PATCH", path, note, content="application/merge-patch+json").status == 200
        argocd.until(lambda: state(api, CERT_MANAGER) != before, seconds=240, what="it goes on")
    argocd.wait(repository, revision)


def updated_in_order(argocd: ArgoCd, revision: str) -> None:
    """No part that was changed went on before those that it needs were done with the same commit."""
    parts = argocd.parts()
    done = {
        name: datetime.fromisoformat(last["deployedAt"])
        for name, each in parts.items()
        if (last := each["status"]["history"][-1])["revision"] == revision
    }
    waited = 0
    for name in done:
        for need in [each for each in argocd.needs(name) if each in done]:
            began = datetime.fromisoformat(marked(argocd.api, name))
            assert done[need] <= began, f"{name} went on before {need} was done"
            waited += 1
    assert waited >= 2


def marked(api: Api, name: str) -> str:
    """When the marker of a part was last written."""
    marker = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": NAMESPACE}}
    return max(str(each["time"]) for each in api.read(marker).body["metadata"]["managedFields"])


def runs_twice(api: Api) -> bool:
    """Whether the change of a part that needs nothing new has arrived."""
    return bool(spec(api, FEATURES)["replicas"] == 2)


def waits(argocd: ArgoCd, name: str, need: str) -> bool:
    """Whether an Application's operation says that it waits for another one."""
    operation = (argocd.applications()[name].get("status") or {}).get("operationState") or {}
    results = (operation.get("syncResult") or {}).get("resources") or ()
    return any(f"{name} waits for {need}" in each.get("message", "") for each in results)


def state(api: Api, item: Manifest) -> tuple[str, int]:
    """What tells an object from a later one, and from itself with another `spec`."""
    metadata = api.read(item).body["metadata"]
    return metadata["uid"], metadata["generation"]


def spec(api: Api, item: Manifest) -> Manifest:
    found: Manifest = api.read(item).body["spec"]
    return found
