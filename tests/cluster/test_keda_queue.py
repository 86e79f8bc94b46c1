"""Jobs that KEDA makes by the length of a queue of messages wait in their team's queue of Kueue, on a real API server.

Real: KEDA's operator and webhooks, and Kueue, each with its own account, rights, certificate and flags, the job controller
and the scheduler. Played: RabbitMQ's management API, kubelets (kwok), nodes, the way from Services to programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.queue_stack import machines
from tests.cluster.queueing import QueueCluster, plain_job, queue_cluster
from tests.cluster.scaling import Scaling, start_broker, start_keda
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [Secret team-speech/rabbit]}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  keda: {externalMetrics: false}
  kueue: {}
external:
  messageQueue: {system: rabbitmq, brokers: ["127.0.0.1:5672"], management: "http://127.0.0.1:15672", tls: false, credentials: rabbit}
teams: [{name: speech, queue: speech, quota: {gpus: 3}, borrow: {gpus: 0}}]
jobs:
  - {template: queue-workers, name: transcribe, team: speech, pool: train, image: "registry.example.com/speech:1", cpu: "1", memory: 1Gi, source: recordings, workers: 3, messagesPerWorker: 2, pollingSeconds: 1}
"""
MOST = 3
"""GPUs of the queue, and Jobs that KEDA has at once."""


@pytest.fixture(scope="module")
def queues(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Scaling, QueueCluster]]:
    """The cluster with KEDA and Kueue."""
    folder = tmp_path_factory.mktemp("keda-queue")
    stack = rendered_stack(folder / "repository", STACK, name="scaling")
    components = ("namespaces", "nvidia-device-plugin", "keda", "kueue")
    objects = [item.manifest for name in components for item in stack.components[name].objects]
    (job,) = stack.jobs.values()
    waiting = folder / "waiting"
    waiting.write_text("0")
    nodes = machines({"train": 2})
    with queue_cluster(binaries, programs, objects, machines=nodes, folder=folder / "front") as cluster:
        with cluster.control_plane.explaining():
            start_broker(cluster.control_plane, waiting)
            operator = start_keda(cluster.control_plane, programs, objects)
        yield Scaling(cluster.control_plane, operator, objects, waiting, [item.manifest for item in job]), cluster


@pytest.fixture
def scaling(queues: tuple[Scaling, QueueCluster], request: pytest.FixtureRequest) -> Iterator[Scaling]:
    """The shared cluster without Jobs; its logs are shown when the test fails."""
    found, cluster = queues
    show_logs(request, found.control_plane)
    with cluster.clean():
        # Of its namespace nothing may be left that holds quota.
        cluster.made += found.job
        try:
            yield found
            assert found.operator.forbidden() == []
        finally:
            found.clear()
            found.operator.log.write_text("")


def test_a_job_beyond_the_quota_is_suspended_until_one_before_it_ends(
    scaling: Scaling, queues: tuple[Scaling, QueueCluster]
) -> None:
    _, cluster = queues
    other = cluster.submit(plain_job("other", "speech", gpus=1, queue="speech", pool="train"))
    cluster.wait_for_pods(other, 1)
    scaling.submit(100)
    scaling.wait(lambda: len(_made(scaling)) == MOST, "KEDA makes the most that may run")
    scaling.wait(lambda: len(scaling.running()) == MOST, "as many pods run as the queue has GPUs")
    (held,) = (each for each in _made(scaling) if each["spec"]["suspend"])
    scaling.wait(lambda: bool(cluster.condition(held, "QuotaReserved")[2]), "Kueue says why the last one waits")
    waiting = cluster.condition(held, "QuotaReserved")
    scaling.tell(0)
    cluster.finish(other)
    cluster.wait_for_pods(held, 1)

    assert {each["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] for each in _made(scaling)} == {"speech"}
    assert waiting[:2] == ("False", "Pending")
    assert "insufficient" in waiting[2]


def test_what_is_let_in_runs_on_the_pool_of_its_queue(scaling: Scaling) -> None:
    scaling.submit(2)
    scaling.wait(lambda: len(scaling.running()) == 1, "a pod runs for two messages")
    (pod,) = scaling.running()

    assert pod["spec"]["nodeName"].startswith("train-")
    assert not any(each["spec"]["suspend"] for each in scaling.jobs())


def _made(scaling: Scaling) -> list[Manifest]:
    """Jobs that KEDA has made."""
    return [each for each in scaling.jobs() if each["metadata"]["name"].startswith("transcribe")]
