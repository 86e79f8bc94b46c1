"""KAI, as a stack renders it, starts jobs whole or not at all, fills nodes and keeps queues, on a real API server.

Real: the API server with its admission, job controller, training operator, and KAI's operator with the six programs
that it makes, all with their own accounts and rights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.components.queues.kai_scheduler.metrics import (
    BINDER,
    PLACED,
    QUEUE,
    QUEUE_CONTROLLER,
    QUEUES,
    SCHEDULED,
)
from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.manifests.rendered import RenderedStack
from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.kai import BINARIES, FOLDER, HOME, METRICS, OPERATOR, SCHEDULER, KaiCluster, start_kai
from tests.cluster.operated import operated
from tests.cluster.queue_stack import GPUS, NODES, machines, small_pod
from tests.cluster.queueing import job_of
from tests.cluster.scrape import Page, faults
from tests.cluster.stacks import rendered_stack
from tests.cluster.whole import whole

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
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  training-operator: {kinds: [PyTorchJob]}
  kai-scheduler: {gpuSharing: true}
teams:
  - {name: vision, queue: vision, quota: {gpus: 8}, borrow: {gpus: 0}}
  - {name: idle, queue: idle}
  - {name: free}
jobs:
  - {template: pytorch-ddp, name: own, team: vision, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: pytorch-ddp, name: lent, team: idle, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: pytorch-ddp, name: any, team: free, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "training-operator", "kai-scheduler")
TRAIN = NODES["train"]
UNHEARD = "leader_election_master_status controller_runtime_webhook_*"
"""What has not happened to these programs: one pod elects no leader, and none of them serves a webhook here."""


@pytest.fixture(scope="module")
def kai_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("kai"), STACK, name="kai")


@pytest.fixture(scope="module")
def running(kai_stack: RenderedStack, programs: Mapping[str, Path]) -> Iterator[KaiCluster]:
    """The cluster with all programs."""
    objects = [item.manifest for name in COMPONENTS for item in kai_stack.components[name].objects]
    with operated(programs, objects, machines(), start_kai) as cluster:
        yield cluster


@pytest.fixture
def gangs(running: KaiCluster, request: pytest.FixtureRequest) -> Iterator[KaiCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def test_a_gang_that_does_not_fit_starts_none_of_its_pods_until_it_does(
    gangs: KaiCluster, kai_stack: RenderedStack
) -> None:
    large = job_of(kai_stack, "any", "large", workers=TRAIN + 1)
    gangs.submit(large)
    gangs.wait(lambda: len(gangs.pods_of(large)) == TRAIN + 1 and bool(gangs.refused(large)), "it is refused", large)
    before = gangs.nodes(large)
    gangs.submit(*machines({"train": TRAIN + 1})[TRAIN:])
    gangs.wait_for_nodes(large, TRAIN + 1)

    assert before == []
    assert len({*gangs.nodes(large)}) == TRAIN + 1
    assert gangs.group(large)["spec"]["queue"] == "default-queue"


def test_of_two_gangs_for_the_same_nodes_one_runs_whole_and_the_other_waits_whole(
    gangs: KaiCluster, kai_stack: RenderedStack
) -> None:
    one, other = (job_of(kai_stack, "any", name, workers=TRAIN - 1) for name in ("one", "other"))
    gangs.submit(one, other)
    gangs.wait(lambda: TRAIN - 1 in (len(gangs.nodes(one)), len(gangs.nodes(other))), "one of them runs")
    first, second = (one, other) if gangs.nodes(one) else (other, one)
    gangs.wait(lambda: bool(gangs.refused(second)), "the other is refused", second)

    assert (len(gangs.nodes(first)), len(gangs.nodes(second))) == (TRAIN - 1, 0)
    gangs.finish(first)
    gangs.wait_for_nodes(second, TRAIN - 1)


def test_a_queue_holds_back_what_is_beyond_its_limit_though_nodes_are_free(
    gangs: KaiCluster, kai_stack: RenderedStack
) -> None:
    first, second = (job_of(kai_stack, "own", name, workers=2) for name in ("first", "second"))
    gangs.submit(first)
    gangs.wait_for_nodes(first, 2)
    gangs.submit(second)
    gangs.wait(lambda: gangs.held_back(second), "the queue holds it back", second)

    assert gangs.group(second)["spec"]["queue"] == "vision"
    assert gangs.nodes(second) == []


def test_an_owner_takes_back_what_it_lent_a_whole_job_at_a_time(gangs: KaiCluster, kai_stack: RenderedStack) -> None:
    borrower = job_of(kai_stack, "lent", "borrower", workers=TRAIN)
    gangs.submit(borrower)
    gangs.wait_for_nodes(borrower, TRAIN)
    owner = job_of(kai_stack, "own", "owner", workers=2)
    gangs.submit(owner)
    gangs.wait_for_nodes(owner, 2)
    gangs.wait(lambda: gangs.nodes(borrower) == [], "the borrower has nothing left", borrower)


def test_pods_with_one_gpu_fill_a_node_before_the_next(gangs: KaiCluster) -> None:
    found = gangs.place_singly([pod(f"small-{number}") for number in range(GPUS)])

    assert len({*found}) == 1


def test_its_webhook_refuses_a_part_of_a_card_that_is_none(gangs: KaiCluster) -> None:
    strange = pod("strange")
    strange["metadata"]["annotations"] = {"gpu-fraction": "1.5"}
    strange["spec"]["containers"][0].pop("resources")
    gangs.wait(
        lambda: "gpu-fraction" in gangs.control_plane.api.apply(strange, dry_run=True).refusal, "the webhook judges"
    )


def test_monitors_find_the_services_that_the_operator_makes(running: KaiCluster) -> None:
    services = running.list(f"/api/v1/namespaces/{HOME}/services")
    found = {}
    for monitor in whole("kai-scheduler").monitors:
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        (end,) = monitor["spec"]["endpoints"]
        found[monitor["metadata"]["name"]] = [
            (service["metadata"]["name"], port["targetPort"])
            for service in services
            if wanted <= service["metadata"].get("labels", {}).items()
            for port in service["spec"]["ports"]
            if port.get("name") == end["port"]
        ]

    assert found == {name: [(name, 8080)] for name in METRICS}


def test_its_programs_serve_what_its_tables_panels_and_alerts_expect(
    gangs: KaiCluster, kai_stack: RenderedStack, programs: Mapping[str, Path]
) -> None:
    borrower, owner = job_of(kai_stack, "lent", "holds", workers=TRAIN), job_of(kai_stack, "own", "takes", workers=2)
    gangs.submit(borrower)
    gangs.wait_for_nodes(borrower, TRAIN)
    before = gangs.pages()
    gangs.submit(owner)
    gangs.wait_for_nodes(owner, 2)
    used = "kai_queue_allocated_gpus"
    gangs.wait(
        lambda: by_queue(gangs.pages()[QUEUE_CONTROLLER], used).get("vision") == 2 * GPUS, "its cards are counted"
    )
    after = gangs.pages()

    tables = {
        OPERATOR: [CONTROLLER_RUNTIME],
        SCHEDULER: [SCHEDULED],
        QUEUE_CONTROLLER: [QUEUES, CONTROLLER_RUNTIME],
        BINDER: [CONTROLLER_RUNTIME],
    }
    binaries = {name: Path(FOLDER) / BINARIES.get(name, "operator") for name in tables}
    assert {
        name: faults(after[name], each, program=binaries[name], silent=UNHEARD) for name, each in tables.items()
    } == {name: [] for name in tables}
    assert by_queue(after[QUEUE_CONTROLLER], "kai_queue_deserved_gpus")["vision"] == 2 * GPUS
    assert placed(after) - placed(before) == len(gangs.nodes(owner))
    assert by_queue(after[SCHEDULER], "kai_queue_fair_share_gpu")["vision"] == 2 * GPUS
    pages = {name: [before[name], after[name]] for name in METRICS}
    assert unfed("kai-scheduler", pages, engine=programs["prometheus-engine"]) == []


def test_without_a_right_nobody_binds_pods(running: KaiCluster, kai_stack: RenderedStack) -> None:
    bound = job_of(kai_stack, "any", "bound", workers=2)
    (role,) = (
        item.manifest
        for item in kai_stack.components["kai-scheduler"].objects
        if (item.kind, item.name) == ("ClusterRole", "kai-binder")
    )
    binder = running.programs["binder"]
    with rights.without(running.control_plane.api, role, "pods/binding", {"create"}):
        running.submit(bound)
        running.wait(lambda: bool(binder.forbidden()), "the binder is refused", bound)
        found = running.nodes(bound)
    running.clear()
    for program in running.programs.values():  # others say it again
        program.log.write_text("")

    assert found == []


def test_what_the_operator_makes_stays_as_it_is_told(running: KaiCluster) -> None:
    made = running.control_plane.api.get(f"/apis/apps/v1/namespaces/kai-scheduler/deployments/{SCHEDULER}").body
    (container,) = made["spec"]["template"]["spec"]["containers"]

    assert container["image"] == "ghcr.io/kai-scheduler/kai-scheduler/scheduler:v0.17.0"
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["limits"] == {"cpu": "4", "memory": "4Gi"}


def placed(pages: Mapping[str, Page]) -> float:
    """How many pods the scheduler says it has placed."""
    (value,) = pages[SCHEDULER].values[PLACED]
    return float(value)


def by_queue(page: Page, metric: str) -> dict[str, float]:
    """What a page says of each queue."""
    pairs = zip(page.samples[metric], page.values[metric], strict=True)
    return {labels[QUEUE]: float(value) for labels, value in pairs}


def pod(name: str) -> Manifest:
    """A pod with a GPU of pool spare, in the queue of team idle."""
    made = small_pod(name, "kai-scheduler")
    made["metadata"]["labels"] = {"kai.scheduler/queue": "idle"}
    # It places no pod that mounts a ConfigMap which is not there, as the cluster's authority is not here.
    made["spec"]["automountServiceAccountToken"] = False
    return made
