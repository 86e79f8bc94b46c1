"""A job that is submitted to one cluster runs on another (MultiKueue), with what the stacks of both render.

Each cluster is an API server with Kubernetes' controllers and a Kueue of its own. The way from one to the other is the
kubeconfig of an account that the worker's stack brings, so its rights are those that jobs are sent by.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.queue_stack import GPUS, machines
from tests.cluster.queueing import QueueCluster, plain_job, queue_cluster
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [Secret kueue-system/east]}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  kueue: KUEUE
teams:
  - {name: vision, queue: vision, quota: {gpus: 8}}
"""
MANAGER, WORKER = "{multiKueue: {workers: {east: east}}}", "{workerAccount: multikueue}"
HOME, ACCOUNT = "kueue-system", "multikueue"
CLUSTER = "/apis/kueue.x-k8s.io/v1beta2/multikueueclusters/east"


@dataclass
class Pair:
    """Two clusters, of which one sends its jobs to the other."""

    manager: QueueCluster
    worker: QueueCluster

    def remote(self, job: Manifest) -> Manifest:
        """The job as the worker has it; empty without."""
        reply = self.worker.control_plane.api.read(job)
        return reply.body if reply.status == 200 else {}

    def local(self, job: Manifest) -> Manifest:
        """The job as people see it, where they submitted it."""
        return self.manager.control_plane.api.read(job).body

    def sent(self, job: Manifest) -> tuple[str, str]:
        """What the manager says of the sending: a state and a message."""
        checks = self.manager.workload(job).get("status", {}).get("admissionChecks", [])
        return next(((each["state"], each["message"]) for each in checks if each["name"] == "multikueue"), ("", ""))


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Both clusters, the one connected with the other."""
    folder = tmp_path_factory.mktemp("clusters")
    with ExitStack() as stack:
        made = {}
        for name, kueue in (("worker", WORKER), ("manager", MANAGER)):
            rendered = rendered_stack(folder / name, STACK.replace("KUEUE", kueue), name=name)
            components = ("namespaces", "nvidia-device-plugin", "kueue")
            objects = [item.manifest for each in components for item in rendered.components[each].objects]
            nodes = machines({"train": 2}) if name == "worker" else []
            made[name] = stack.enter_context(
                queue_cluster(binaries, programs, objects, machines=nodes, folder=folder / f"{name}-proxy")
            )
        pair = Pair(**made)
        _connect(pair)
        yield pair


@pytest.fixture
def clusters(running: Pair, request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Both without jobs; their logs are shown when the test fails."""
    both = (running.manager, running.worker)
    show_logs(request, *(each.control_plane for each in both))
    with running.manager.clean():
        yield running


def test_a_job_runs_where_there_is_room_and_its_end_comes_back(clusters: Pair) -> None:
    job = clusters.manager.submit(plain_job("away", "vision", gpus=GPUS, pods=2, queue="vision"))
    pods = clusters.worker.wait_for_pods(job, 2)
    clusters.manager.wait(lambda: clusters.local(job)["status"].get("active") == 2, "the manager sees both pods", job)
    before = clusters.local(job)
    clusters.worker.finish(job)
    clusters.manager.wait_for(job, "Finished")

    assert {pod["spec"]["nodeSelector"]["pool"] for pod in pods} == {"train"}
    assert clusters.manager.pods(job) == []
    assert before["spec"]["managedBy"] == "kueue.x-k8s.io/multikueue"
    assert clusters.local(job)["status"]["succeeded"] == 2
    clusters.manager.wait(lambda: not clusters.remote(job), "nothing of it is left at the worker", job)


def test_a_job_for_which_the_worker_has_no_room_waits_in_its_queue(clusters: Pair) -> None:
    first = clusters.manager.submit(plain_job("first", "vision", gpus=GPUS, pods=2, queue="vision"))
    clusters.worker.wait_for_pods(first, 2)
    second = clusters.manager.submit(plain_job("second", "vision", gpus=GPUS, pods=1, queue="vision"))
    clusters.manager.wait_for(second, "QuotaReserved", status="False")
    assert clusters.remote(second) == {}
    clusters.worker.finish(first)
    clusters.worker.wait_for_pods(second, 1)

    assert clusters.sent(second)[0] == "Ready"


def test_a_job_that_is_deleted_goes_at_the_worker_too(clusters: Pair) -> None:
    job = clusters.manager.submit(plain_job("gone", "vision", gpus=GPUS, queue="vision"))
    clusters.worker.wait_for_pods(job, 1)
    api = clusters.manager.control_plane.api
    api.request("DELETE", f"{api.path(job)}?propagationPolicy=Background")
    path = f"/apis/kueue.x-k8s.io/v1beta2/namespaces/team-vision/workloads/{clusters.manager.workload(job)['metadata']['name']}"
    api.request("DELETE", path)  # nobody collects garbage here

    clusters.manager.wait(lambda: not clusters.remote(job), "the worker's is deleted")


def _connect(pair: Pair) -> None:
    """Write the Secret that the manager's stack names: a kubeconfig with a token of the worker's account."""
    worker, manager = pair.worker.control_plane, pair.manager.control_plane
    (port,) = manager.sandbox.free_ports(1)
    manager.sandbox.reach(worker.api.socket, port=port)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    reply = worker.api.request("POST", f"/api/v1/namespaces/{HOME}/serviceaccounts/{ACCOUNT}/token", request)
    assert reply.status == 201, reply.message
    authority = base64.b64encode(worker.pki.authority.read_bytes()).decode()
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "east",
                "cluster": {"server": f"https://127.0.0.1:{port}", "certificate-authority-data": authority},
            }
        ],
        "users": [{"name": "east", "user": {"token": reply.body["status"]["token"]}}],
        "contexts": [{"name": "east", "context": {"cluster": "east", "user": "east"}}],
        "current-context": "east",
    }
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "east", "namespace": HOME},
        "stringData": {"kubeconfig": json.dumps(kubeconfig)},
    }
    assert not manager.api.apply(secret).refusal

    def active() -> bool:
        conditions = manager.api.get(CLUSTER).body.get("status", {}).get("conditions", [])
        return any(each["type"] == "Active" and each["status"] == "True" for each in conditions)

    try:
        pair.manager.wait(active, "the manager reaches the worker")
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{manager.api.get(CLUSTER).body.get('status')}\n{manager.logs()}") from error
