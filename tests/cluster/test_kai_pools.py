"""KAI for one node pool, as a stack renders it: it keeps to that pool's nodes, and the others have their scheduler.

Real: the API server, the cluster's own scheduler and controllers, the training operator, and KAI's seven programs, as in
test_kai.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.kai import FOLDER, KaiCluster, start_kai
from tests.cluster.operated import operated
from tests.cluster.queue_stack import NODES, machines
from tests.cluster.queueing import job_of
from tests.cluster.stacks import rendered_stack

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(
        not FOLDER, reason="$PLATFORM_DEF_KAI names no folder with KAI's programs (tests/cluster/kai.py)"
    ),
    pytest.mark.own_network,
]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, scheduler: kai-scheduler, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  training-operator: {kinds: [PyTorchJob]}
  kai-scheduler: {nodePoolLabel: pool, workloads: {scheduler: {replicas: 2}}}
teams:
  - {name: vision, queue: vision, quota: {gpus: {train: 8}}, borrow: {gpus: 0}}
  - {name: free}
jobs:
  - {template: pytorch-ddp, name: own, team: vision, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: pytorch-ddp, name: any, team: free, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: pytorch-ddp, name: other, team: free, pool: spare, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "training-operator", "kai-scheduler")
TRAIN = NODES["train"]


@pytest.fixture(scope="module")
def pool_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("kai-pool"), STACK, name="kai-pool")


@pytest.fixture(scope="module")
def running(pool_stack: RenderedStack, programs: Mapping[str, Path]) -> Iterator[KaiCluster]:
    """The cluster with all programs; the scheduler elects a leader, by the Lease of its partition."""
    objects = [item.manifest for name in COMPONENTS for item in pool_stack.components[name].objects]
    with operated(programs, objects, machines(), start_kai) as cluster:
        yield cluster


@pytest.fixture
def gangs(running: KaiCluster, request: pytest.FixtureRequest) -> Iterator[KaiCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def anywhere(made: Manifest) -> Manifest:
    """The same, whose pods any node would do for."""
    changed = deepcopy(made)
    for role in changed["spec"]["pytorchReplicaSpecs"].values():
        role["template"]["spec"].pop("nodeSelector", None)  # the roles share one template
    return changed


def test_a_gang_of_the_pool_is_placed_by_kai_on_the_pool_s_nodes(gangs: KaiCluster, pool_stack: RenderedStack) -> None:
    whole = anywhere(job_of(pool_stack, "any", "whole", workers=TRAIN))
    gangs.submit(whole)
    gangs.wait_for_nodes(whole, TRAIN)

    assert sorted(gangs.nodes(whole)) == [f"train-{number}" for number in range(TRAIN)]
    assert {each["spec"]["schedulerName"] for each in gangs.pods_of(whole)} == {"kai-scheduler"}
    assert gangs.group(whole)["metadata"]["labels"]["pool"] == "train"


def test_a_gang_that_the_pool_has_no_room_for_stays_whole_though_other_nodes_do(
    gangs: KaiCluster, pool_stack: RenderedStack
) -> None:
    large = anywhere(job_of(pool_stack, "any", "large", workers=TRAIN + 1))
    gangs.submit(large)
    gangs.wait(lambda: len(gangs.pods_of(large)) == TRAIN + 1 and bool(gangs.refused(large)), "it is refused", large)
    before = gangs.nodes(large)
    gangs.submit(*machines({"train": TRAIN + 1})[TRAIN:])
    gangs.wait_for_nodes(large, TRAIN + 1)

    assert before == []
    assert all(each.startswith("train-") for each in gangs.nodes(large))


def test_a_job_of_another_pool_is_placed_by_the_cluster_s_own_scheduler(
    gangs: KaiCluster, pool_stack: RenderedStack
) -> None:
    other = job_of(pool_stack, "other", "other", workers=NODES["spare"])
    gangs.submit(other)
    gangs.wait_for_nodes(other, NODES["spare"])

    assert sorted(gangs.nodes(other)) == ["spare-0", "spare-1"]
    assert {each["spec"]["schedulerName"] for each in gangs.pods_of(other)} == {"default-scheduler"}
    assert gangs.group(other) == {}


def test_a_queue_has_its_part_of_the_pool_and_no_more(gangs: KaiCluster, pool_stack: RenderedStack) -> None:
    first, second = (job_of(pool_stack, "own", name, workers=2) for name in ("first", "second"))
    gangs.submit(first)
    gangs.wait_for_nodes(first, 2)
    gangs.submit(second)
    gangs.wait(lambda: gangs.held_back(second), "the queue holds it back", second)

    assert gangs.group(second)["spec"]["queue"] == "vision"
    assert gangs.nodes(second) == []


def test_pods_for_kai_without_the_pool_s_label_are_seen_by_nobody(gangs: KaiCluster, pool_stack: RenderedStack) -> None:
    unseen = job_of(pool_stack, "any", "unseen", workers=2)
    for role in unseen["spec"]["pytorchReplicaSpecs"].values():
        role["template"]["metadata"]["labels"].pop("pool", None)
    gangs.submit(unseen)
    gangs.wait(lambda: bool(gangs.group(unseen)), "its gang is made", unseen)
    later = job_of(pool_stack, "any", "later", workers=TRAIN)
    gangs.submit(later)
    gangs.wait_for_nodes(later, TRAIN)

    assert gangs.nodes(unseen) == []
    assert gangs.refused(unseen) == ""
