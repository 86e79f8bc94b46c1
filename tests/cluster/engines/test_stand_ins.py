"""What stands for people and programs finds what to do in the objects of a platform."""

from __future__ import annotations

from tests.cluster.client import Manifest
from tests.cluster.engines.prepared import devices
from tests.cluster.engines.stand_ins import existing_claims


def workload(kind: str, namespace: str, *claims: str) -> Manifest:
    """An object with a pod that has volumes of these claims."""
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    pod = {"spec": {"volumes": [*volumes, {"name": "own", "emptyDir": {}}]}}
    return {"kind": kind, "metadata": {"name": "served", "namespace": namespace}, "spec": {"template": pod}}


def test_claims_that_no_object_is_are_made_by_a_person() -> None:
    brought = {"kind": "PersistentVolumeClaim", "metadata": {"name": "home", "namespace": "vision"}}
    definition = {"kind": "CustomResourceDefinition", "metadata": {"name": "served"}, "spec": {"claimName": "any"}}

    found = existing_claims(
        [workload("Deployment", "vision", "home", "models"), brought, workload("Job", "language", "home"), definition]
    )

    assert found == {("vision", "models"), ("language", "home")}


def test_nodes_have_the_devices_that_containers_ask_for() -> None:
    server = {"resources": {"limits": {"nvidia.com/gpu": "2", "memory": "4Gi"}, "requests": {"cpu": "1"}}}
    claim = {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}
    rule = {"rules": [{"resources": ["pods/log"], "verbs": ["get"]}]}

    assert devices([workload("Job", "vision"), {"spec": {"containers": [server]}}, claim, rule]) == {"nvidia.com/gpu"}
