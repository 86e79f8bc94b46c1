"""The pods that objects make."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, claims, devices_asked, is_extended, pods_of

POD = {"containers": [{"name": "main"}], "initContainers": [{"name": "first"}]}


def made(api: str, kind: str, spec: Any) -> list[Pods]:
    return list(
        pods_of(RenderedObject({"apiVersion": api, "kind": kind, "metadata": {}, "spec": spec}, "a", "main", "h"))
    )


@pytest.mark.parametrize(
    ("api", "kind", "spec", "count"),
    [
        ("apps/v1", "Deployment", {"replicas": 3}, 3),
        ("apps/v1", "Deployment", {}, 1),
        ("apps/v1", "DaemonSet", {}, None),
        ("batch/v1", "Job", {"parallelism": 4}, 4),
        ("apps/v1", "Deployment", {"replicas": "3"}, None),
    ],
)
def test_the_number_of_pods_is_what_the_object_says(api: str, kind: str, spec: dict[str, Any], count: int) -> None:
    [pods] = made(api, kind, {**spec, "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD}})

    assert (pods.count, pods.labels, pods.path) == (count, {"app": "web"}, ("spec", "template", "spec"))
    assert pods.core


def test_a_pod_is_one() -> None:
    [pods] = made("v1", "Pod", POD)

    assert (pods.count, pods.path, pods.long_running) == (1, ("spec",), False)


def test_a_custom_resource_may_have_several_templates() -> None:
    roles = {"Master": {"template": {"spec": POD}}, "Worker": {"replicas": 2, "template": {"spec": POD}}}
    found = made("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": roles})

    assert [(pods.path[2], pods.count, pods.core) for pods in found] == [("Master", 1, False), ("Worker", 2, False)]
    assert [path[-2:] for path, _ in found[0].containers()] == [("initContainers", 0), ("containers", 0)]


def test_claims_are_told_with_their_place() -> None:
    [pods] = made("v1", "Pod", {**POD, "volumes": [{"name": "a"}, {"persistentVolumeClaim": {"claimName": "data"}}]})

    assert list(claims(pods)) == [(("spec", "volumes", 1, "persistentVolumeClaim", "claimName"), "data")]


def test_devices_are_what_plugins_offer() -> None:
    resources = {"requests": {"cpu": 1, "rdma/hca": 1}, "limits": {"nvidia.com/gpu": 2, "hugepages-2Mi": "1Gi"}}

    assert devices_asked({"resources": resources}) == {"nvidia.com/gpu": 2, "rdma/hca": 1}
    assert not is_extended("attachable-volumes.kubernetes.io/csi")
