"""Volcano, as a stack renders it, starts jobs whole or not at all, packs nodes and keeps queues, on a real API server.

Real: the API server with its admission, job controller, training operator, and Volcano's scheduler, controllers and
webhooks with their own accounts, rights and files. Played: kubelets (kwok), nodes, the way from Services to programs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from platform_def.components.queues.volcano.metrics import EXPORTED
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fed import unfed
from tests.cluster.gangs import METRICS, SCHEDULER, GangCluster, start_volcano, volcano_job
from tests.cluster.operated import operated
from tests.cluster.pods import start_operator
from tests.cluster.queue_stack import GPUS, NODES, machines, small_pod
from tests.cluster.queueing import job_of
from tests.cluster.scrape import faults, page_at
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  training-operator: {}
  volcano: {certificates: volcano}
teams:
  - {name: vision, queue: vision, quota: {gpus: 8}}
  - {name: free, queue: free}
jobs:
  - {template: pytorch-ddp, name: own, team: vision, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: pytorch-ddp, name: any, team: free, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: volcano-job, name: torch, team: free, pool: spare, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4, framework: pytorch}
  - {template: volcano-job, name: servers, team: free, pool: spare, image: "registry.example.com/train:1", command: [train], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4, framework: tensorflow, servers: 1, serverCpu: "1", serverMemory: 1Gi}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "training-operator", "volcano")
TRAIN = NODES["train"]
SCHEDULER_SERVICE = "volcano-scheduler-service"


@pytest.fixture(scope="module")
def gang_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("gangs"), STACK, name="gangs")


@pytest.fixture(scope="module")
def running(gang_stack: RenderedStack, programs: Mapping[str, Path]) -> Iterator[GangCluster]:
    """The cluster with all programs."""
    objects = [item.manifest for name in COMPONENTS for item in gang_stack.components[name].objects]
    with operated(programs, objects, machines(), _started) as cluster:
        yield cluster


def _started(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> GangCluster:
    cluster = start_volcano(control_plane, programs, objects)
    start_operator(control_plane, programs, objects)
    return cluster


@pytest.fixture
def gangs(running: GangCluster, request: pytest.FixtureRequest) -> Iterator[GangCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean() as cluster:
        yield cluster


def test_a_gang_that_does_not_fit_starts_none_of_its_pods_until_it_does(
    gangs: GangCluster, gang_stack: RenderedStack, programs: Mapping[str, Path]
) -> None:
    large = job_of(gang_stack, "any", "large", workers=TRAIN + 1)
    gangs.submit(large)
    gangs.wait(lambda: len(gangs.pods_of(large)) == TRAIN + 1 and bool(gangs.refused(large)), "it is refused", large)
    before, pages = gangs.nodes(large), [page_at(gangs.control_plane, METRICS)]
    gangs.submit(*machines({"train": TRAIN + 1})[TRAIN:])
    gangs.wait_for_nodes(large, TRAIN + 1)
    pages.append(page_at(gangs.control_plane, METRICS))

    assert before == []
    assert len({*gangs.nodes(large)}) == TRAIN + 1
    # While a gang waits, the scheduler counts it as its alert and its table expect.
    assert faults(pages[0], [EXPORTED], program=programs["vc-scheduler"]) == []
    assert unfed("volcano", {SCHEDULER_SERVICE: pages}, engine=programs["prometheus-engine"]) == []


def test_of_two_gangs_for_the_same_nodes_one_runs_whole_and_the_other_waits_whole(
    gangs: GangCluster, gang_stack: RenderedStack
) -> None:
    one, other = (job_of(gang_stack, "any", name, workers=TRAIN - 1) for name in ("one", "other"))
    gangs.submit(one, other)
    gangs.wait(lambda: "Running" in map(gangs.phase, (one, other)), "one of them runs")
    first, second = (one, other) if gangs.phase(one) == "Running" else (other, one)
    gangs.wait(lambda: bool(gangs.refused(second)), "the other is refused", second)

    assert (len(gangs.nodes(first)), len(gangs.nodes(second))) == (TRAIN - 1, 0)
    gangs.finish(first)
    gangs.wait_for_nodes(second, TRAIN - 1)


def test_a_queue_holds_back_what_is_beyond_its_quota_though_nodes_are_free(
    gangs: GangCluster, gang_stack: RenderedStack
) -> None:
    first, second = (job_of(gang_stack, "own", name, workers=2) for name in ("first", "second"))
    gangs.submit(first)
    gangs.wait_for_nodes(first, 2)
    gangs.submit(second)
    gangs.wait(lambda: gangs.held_back(second), "the queue holds it back", second)

    assert gangs.group(second)["spec"]["queue"] == "vision"
    assert gangs.pods_of(second) == []


def test_an_owner_takes_back_what_it_lent_a_whole_job_at_a_time(gangs: GangCluster, gang_stack: RenderedStack) -> None:
    borrower = job_of(gang_stack, "any", "borrower", workers=TRAIN)
    gangs.submit(borrower)
    gangs.wait_for_nodes(borrower, TRAIN)
    owner = job_of(gang_stack, "own", "owner", workers=2)
    gangs.submit(owner)
    gangs.wait_for_nodes(owner, 2)
    gangs.wait(lambda: gangs.nodes(borrower) == [], "the borrower has nothing left", borrower)


def test_pods_with_one_gpu_fill_a_node_before_the_next(gangs: GangCluster) -> None:
    found = gangs.place_singly([pod(f"small-{number}") for number in range(GPUS)])

    assert len({*found}) == 1


def test_a_job_of_volcano_s_own_starts_whole(gangs: GangCluster) -> None:
    sizes = (("too-large", 3), ("fitting", 2))
    large, small = (
        volcano_job(name, pods=count, gpus=GPUS, queue="free", home="team-free", pool="spare") for name, count in sizes
    )
    gangs.submit(large)
    gangs.wait(lambda: bool(gangs.refused(large)), "it is refused", large)
    before = gangs.nodes(large)
    gangs.submit(small)
    gangs.wait_for_nodes(small, 2)

    assert before == gangs.nodes(large) == []


def test_pods_of_a_rendered_job_of_volcano_s_own_know_their_rank(gangs: GangCluster, gang_stack: RenderedStack) -> None:
    found = rendered(gang_stack, "torch")
    gangs.submit(found)
    gangs.wait_for_nodes(found, 2)
    said = [variables(pod) for pod in gangs.pods_of(found)]
    gangs.finish(found)
    gangs.wait(lambda: state(gangs, found) == "Completed", "it is complete", found)

    name = found["metadata"]["name"]
    assert sorted((each["RANK"], each["WORLD_SIZE"], each["MASTER_ADDR"]) for each in said) == [
        (rank, "2", f"{name}-master-0.{name}") for rank in ("0", "1")
    ]


def test_a_rendered_job_with_servers_is_complete_when_its_chief_is(
    gangs: GangCluster, gang_stack: RenderedStack
) -> None:
    found = rendered(gang_stack, "servers")
    gangs.submit(found)
    gangs.wait_for_nodes(found, 4)
    cluster = json.loads(variables(gangs.pods_of(found)[0])["TF_CONFIG"])["cluster"]
    gangs.finish(found, "chief")
    gangs.wait(lambda: state(gangs, found) == "Completed", "it is complete", found)
    gangs.wait(lambda: len(gangs.pods_of(found)) == 1, "workers and servers are gone", found)

    assert {role: len(hosts) for role, hosts in cluster.items()} == {"chief": 1, "ps": 1, "worker": 2}


def test_without_a_right_it_cannot_bind_pods(running: GangCluster, gang_stack: RenderedStack) -> None:
    bound = job_of(gang_stack, "any", "bound", workers=2)
    with running.without(SCHEDULER, "pods/binding", "create"):
        running.submit(bound)
        running.wait(lambda: bool(running.programs[SCHEDULER].forbidden()), "the scheduler is refused", bound)

        assert running.nodes(bound) == []


def rendered(stack: RenderedStack, which: str) -> Manifest:
    """A job of the stack as it is."""
    (found,) = stack.jobs[which]
    return found.manifest


def state(gangs: GangCluster, job: Manifest) -> str:
    """How far a Job of Volcano is, as its controllers say."""
    return str(gangs.control_plane.api.read(job).body.get("status", {}).get("state", {}).get("phase", ""))


def variables(pod: Manifest) -> dict[str, str]:
    """What a pod's program is told."""
    return {each["name"]: each.get("value", "") for each in pod["spec"]["containers"][0]["env"]}


def pod(name: str) -> Manifest:
    """A pod with a GPU of pool spare, in the queue of team free."""
    made = small_pod(name, "volcano")
    made["metadata"]["annotations"] = {"scheduling.volcano.sh/queue-name": "free"}
    return made
