"""A cluster that is lost and made again from Git comes back with its data and its passwords, as docs/backup.md says how.

Real: both API servers, the controllers of claims and StatefulSets, the program that makes the Secret. Played: the
kubelet, and the storage, whose volume outlives the first cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, WORKLOAD_CONTROLLERS, start_kubernetes
from tests.cluster.engines.conftest import nodes
from tests.cluster.generators import generate
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = pytest.mark.cluster

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
storage: {fast: {driver: existing, default: true}}
components: {mysql: {}}
"""
SECONDS = 120.0
HOME = "mysql"
CLAIM = f"/api/v1/namespaces/{HOME}/persistentvolumeclaims/data-mysql-0"
SECRETS = "/api/v1/secrets?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dplatform-def"
VOLUMES = "/api/v1/persistentvolumes"
NOTES = ("uid", "resourceVersion", "creationTimestamp", "managedFields")
"""Of an object that is exported, what belongs to the cluster that it was in."""
CLASS: Manifest = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "fast"},
    "provisioner": "disks.example.com",
    "reclaimPolicy": "Retain",
}
VOLUME: Manifest = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "disk-1"},
    "spec": {
        "storageClassName": "fast",
        "persistentVolumeReclaimPolicy": "Retain",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "30Gi"},
        "csi": {"driver": "disks.example.com", "volumeHandle": "disk-1"},
    },
}
OTHER: Manifest = {
    **VOLUME,
    "metadata": {"name": "disk-0"},
    "spec": {
        **VOLUME["spec"],
        "capacity": {"storage": "20Gi"},
        "csi": {"driver": "disks.example.com", "volumeHandle": "disk-0"},
    },
}
"""An empty disk that fits the claim better, so that a claim which is free to choose takes this one."""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """What Git has of the platform."""
    stack = rendered_stack(tmp_path_factory.mktemp("data"), STACK, name="data")
    return [item.manifest for item in stack.objects()]


@contextmanager
def cluster(programs: Mapping[str, Path]) -> Iterator[ControlPlane]:
    """A cluster with its storage's class, and nothing of a platform."""
    with ControlPlane(programs) as control_plane:
        binder = "persistentvolume-binder-controller"
        start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, *WORKLOAD_CONTROLLERS, binder))
        for each in nodes(1):
            assert control_plane.api.request("POST", "/api/v1/nodes", each).status == 201
        assert not control_plane.api.apply(CLASS).refusal
        yield control_plane


def bring(control_plane: ControlPlane, objects: Sequence[Manifest]) -> str:
    """What an engine does, and the Job's pod; what the generator said."""
    refused = refusals(apply_in_waves(control_plane.api, objects))
    assert not refused, "\n".join(refused)
    return generate(control_plane, objects, "generator")


def volume_of_the_claim(api: Api) -> str:
    def bound() -> str:
        claim = api.get(CLAIM).body
        return str(claim["spec"]["volumeName"]) if claim.get("status", {}).get("phase") == "Bound" else ""

    until(lambda: bool(bound()), seconds=SECONDS, what="the server's claim is bound")
    return bound()


def exported(items: Sequence[Manifest], kind: str) -> list[Manifest]:
    """As the page says: without what belongs to the lost cluster; a volume still names its claim."""
    made = []
    for each in items:
        metadata = {key: value for key, value in each["metadata"].items() if key not in (*NOTES, "finalizers")}
        whole = {"apiVersion": "v1", "kind": kind, **each, "metadata": metadata}
        whole.pop("status", None)
        if kind == "PersistentVolume":
            claim = {key: each["spec"]["claimRef"][key] for key in ("apiVersion", "kind", "namespace", "name")}
            whole["spec"] = {**each["spec"], "claimRef": claim}
        made.append(whole)
    return made


def test_a_cluster_made_again_from_git_has_its_volumes_and_passwords(
    programs: Mapping[str, Path], objects: list[Manifest]
) -> None:
    with cluster(programs) as lost:
        assert not lost.api.apply(VOLUME).refusal
        assert "made Secret" in bring(lost, objects)
        assert volume_of_the_claim(lost.api) == "disk-1"
        secrets = exported(lost.api.get(SECRETS).body["items"], "Secret")
        volumes = exported(lost.api.get(VOLUMES).body["items"], "PersistentVolume")
    assert [each["metadata"]["name"] for each in secrets] == ["mysql-root"]

    with cluster(programs) as again:
        api = again.api
        homes = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}]
        for each in [*homes, OTHER, *volumes, *secrets]:
            assert not api.apply(each).refusal
        assert "made Secret" not in bring(again, objects)
        assert volume_of_the_claim(api) == "disk-1"
        assert [each["data"] for each in api.get(SECRETS).body["items"]] == [each["data"] for each in secrets]


def test_without_the_export_another_password_is_made_for_another_volume(
    programs: Mapping[str, Path], objects: list[Manifest]
) -> None:
    with cluster(programs) as again:
        for each in (OTHER, VOLUME):
            assert not again.api.apply(each).refusal

        assert "made Secret" in bring(again, objects)
        assert volume_of_the_claim(again.api) == "disk-0"
