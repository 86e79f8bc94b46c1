"""A Ray job that is rendered becomes a Ray cluster and its pods, by the real KubeRay 1.6.2.

Real: the API server with its admission, scheduler, job controller, KubeRay and Kueue, each with the account, rights and
arguments that its component renders. Played: kubelets (kwok), nodes, and Ray, whose dashboard says how jobs do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.operated import operated
from tests.cluster.queueing import front_proxy
from tests.cluster.rays import RayOperatorCluster, start_kuberay
from tests.cluster.stacks import rendered_stack
from tests.cluster.trainers import machines

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  kueue: {}
  kuberay-operator: {release: "1.6.2"}
teams:
  - {name: vision, queue: vision, quota: {gpus: 8}}
  - {name: lab}
jobs:
  - {template: ray, name: alone, team: lab, pool: train, image: "registry.example.com/ray:2.54.0", command: [python, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: ray, name: elastic, team: lab, pool: train, image: "registry.example.com/ray:2.54.0", command: [python, train.py], cpu: "1", memory: 1Gi, workers: 1, gpusPerWorker: 4, elastic: {least: 1, most: 2}}
  - {template: ray, name: queued, team: vision, pool: train, image: "registry.example.com/ray:2.54.0", command: [python, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "kueue", "kuberay-operator")
# An operator that owns what it makes must be allowed to hold the owner back; clusters ask for it by this plug-in.
OWNERS = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement"
HOME = "team-lab"


@pytest.fixture(scope="module")
def ray_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("ray"), STACK, name="ray")


@pytest.fixture(scope="module")
def running(
    ray_stack: RenderedStack, programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RayOperatorCluster]:
    """The cluster with both operators."""
    objects = [item.manifest for name in COMPONENTS for item in ray_stack.components[name].objects]
    flags = (*front_proxy(tmp_path_factory.mktemp("pki") / "front-proxy"), OWNERS)
    with operated(programs, objects, machines(), start_kuberay, flags=flags) as cluster:
        yield cluster


@pytest.fixture
def ray(running: RayOperatorCluster, request: pytest.FixtureRequest) -> Iterator[RayOperatorCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def job(stack: RenderedStack, name: str) -> Manifest:
    """A job as rendered."""
    (found,) = (item.manifest for item in stack.jobs[name] if item.manifest["kind"] == "RayJob")
    return found


def test_a_job_has_its_cluster_is_handed_in_and_gives_all_back(
    ray: RayOperatorCluster, ray_stack: RenderedStack
) -> None:
    made = ray.submit(job(ray_stack, "alone"), "alone")
    status = ray.wait_for(made, "Running")
    ray.wait(lambda: ray.status(made).get("jobStatus") == "RUNNING", "the dashboard is asked", made)
    cluster = status["rayClusterName"]
    head, *workers = ray.pods(cluster)
    (submitter,) = ray.submitters(made)
    ray.says("SUCCEEDED")
    ray.finish(submitter)
    ray.wait_for(made, "Complete")
    ray.wait(lambda: ray.pods(cluster) == [], "the Ray cluster is gone", made)

    assert len(workers) == 2
    assert {pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] for pod in workers} == {"4"}
    assert "nvidia.com/gpu" not in head["spec"]["containers"][0]["resources"]["limits"]
    assert {pod["spec"]["nodeSelector"]["pool"] for pod in workers} == {"train"}
    assert f"http://{cluster}-head-svc.{HOME}.svc.cluster.local:8265/api/jobs/{status['jobId']}" in ray.asked()
    assert "ray job submit" in str(submitter["spec"]["containers"][0])


def test_a_cluster_of_ones_own_has_its_pods_and_its_service(ray: RayOperatorCluster, ray_stack: RenderedStack) -> None:
    spec = job(ray_stack, "alone")["spec"]["rayClusterSpec"]
    metadata = {"name": "shared", "namespace": HOME}
    made = ray.queues.submit({"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": metadata, "spec": spec})
    ray.wait(lambda: ray.status(made).get("state") == "ready", "the Ray cluster is ready", made)

    service = ray.control_plane.api.get(f"/api/v1/namespaces/{HOME}/services/shared-head-svc").body["spec"]
    (head, *workers) = ray.pods("shared")
    assert len(workers) == 2
    assert {each["name"] for each in service["ports"]} >= {"dashboard", "gcs-server", "client"}
    assert {key: head["metadata"]["labels"].get(key) for key in service["selector"]} == service["selector"]
    assert ray.status(made)["availableWorkerReplicas"] == 2


def test_an_autoscaler_has_an_account_that_may_write_its_cluster(
    ray: RayOperatorCluster, ray_stack: RenderedStack
) -> None:
    made = ray.submit(job(ray_stack, "elastic"), "elastic")
    cluster = ray.wait_for(made, "Running")["rayClusterName"]
    head, _ = ray.pods(cluster)

    account = head["spec"]["serviceAccountName"]
    role = ray.control_plane.api.get(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{HOME}/roles/{account}").body
    assert {"rayclusters"} <= {name for rule in role["rules"] for name in rule["resources"]}
    assert [each["name"] for each in head["spec"]["containers"]] == ["ray-head", "autoscaler"]


def test_a_program_that_fails_is_tried_as_often_as_said(ray: RayOperatorCluster, ray_stack: RenderedStack) -> None:
    made = ray.submit(job(ray_stack, "alone"), "failing", backoffLimit=0)
    ray.wait_for(made, "Running")
    ray.says("FAILED")
    ray.wait(lambda: bool(ray.submitters(made)), "the program is handed in", made)
    ray.finish(ray.submitters(made)[0])

    assert ray.wait_for(made, "Failed")["reason"] == "AppFailed"


def test_a_job_of_a_team_with_a_queue_waits_until_there_is_room(
    ray: RayOperatorCluster, ray_stack: RenderedStack
) -> None:
    queued = job(ray_stack, "queued")
    first = ray.submit(queued, "first")
    cluster = ray.wait_for(first, "Running")["rayClusterName"]
    second = ray.submit(queued, "second")
    ray.wait_for(second, "Suspended")
    ray.queues.wait(
        lambda: "insufficient" in ray.queues.condition(second, "QuotaReserved")[2], "Kueue says why it waits", second
    )

    assert len(ray.pods(cluster)) == 3
    assert "rayClusterName" not in ray.status(second)
    ray.says("SUCCEEDED")
    ray.finish(ray.submitters(first)[0])
    ray.wait_for(first, "Complete")
    ray.says("RUNNING")
    ray.wait_for(second, "Running")


@pytest.mark.parametrize(
    ("group", "resource", "verb"),
    [
        ("", "services", "create"),
        ("", "pods", "create"),
        ("batch", "jobs", "create"),
        ("ray.io", "rayclusters", "create"),
        ("ray.io", "rayjobs/status", "update"),
    ],
)
def test_without_one_of_its_rights_a_job_waits_until_it_is_back(
    running: RayOperatorCluster, ray_stack: RenderedStack, group: str, resource: str, verb: str
) -> None:
    refused = f'cannot {verb} resource "{resource}"'
    running.says("RUNNING")
    with running.without(group, resource, verb):
        made = running.submit(job(ray_stack, "alone"), f"no-{resource.partition('/')[0]}")
        running.wait(lambda: any(refused in line for line in running.refused()), refused, made)
        stopped = running.status(made).get("jobDeploymentStatus")
    running.wait_for(made, "Running")
    with running.queues.clean():
        assert stopped != "Running"
