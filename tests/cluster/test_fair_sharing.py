"""Kueue, as a stack with `fairSharing` renders it, divides what nobody owns by weight, on a real API server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.queue_stack import machines
from tests.cluster.queueing import QueueCluster, plain_job, queue_cluster
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 3, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  kueue: {fairSharing: true, weights: {heavy: 2}}
teams:
  - {name: heavy, queue: heavy}
  - {name: light, queue: light}
"""
GPUS, SLOTS = 2, 6
"""A job's GPUs, and how many such jobs the pool has room for."""
FAIR = {"heavy": 4, "light": 2}
"""What weights of 2 and 1 make of these."""


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[QueueCluster]:
    """The cluster with Kueue."""
    stack = rendered_stack(tmp_path_factory.mktemp("sharing") / "repository", STACK, name="sharing")
    objects = [
        item.manifest
        for name in ("namespaces", "nvidia-device-plugin", "kueue")
        for item in stack.components[name].objects
    ]
    folder = tmp_path_factory.mktemp("pki") / "front-proxy"
    with queue_cluster(binaries, programs, objects, machines=machines({"train": 3}), folder=folder) as cluster:
        yield cluster


@pytest.fixture
def queues(running: QueueCluster, request: pytest.FixtureRequest) -> Iterator[QueueCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def test_who_has_more_than_its_weight_gives_back_what_the_other_is_due(queues: QueueCluster) -> None:
    first = submit(queues, "heavy", SLOTS)
    wait_for_shares(queues, first, [])
    second = submit(queues, "light", SLOTS)
    wait_for_shares(queues, first[: FAIR["heavy"]], second[: FAIR["light"]], others=[*first, *second])

    stopped = [job for job in first if queues.condition(job, "Preempted")[0] == "True"]
    assert {queues.condition(job, "Preempted")[1] for job in stopped} == {"InCohortFairSharing"}
    assert len(stopped) == SLOTS - FAIR["heavy"]


def test_what_gets_free_goes_to_who_has_the_smaller_share_not_to_who_came_first(queues: QueueCluster) -> None:
    heavy, light = submit(queues, "heavy", FAIR["heavy"]), submit(queues, "light", FAIR["light"])
    wait_for_shares(queues, heavy, light)
    (early,) = submit(queues, "light", 1, first=FAIR["light"])
    queues.wait_for(early, "QuotaReserved", status="False")
    (late,) = submit(queues, "heavy", 1, first=FAIR["heavy"])
    queues.wait_for(late, "QuotaReserved", status="False")
    queues.finish(heavy[0])
    queues.wait_for_pods(late, 1)

    assert queues.pods(early) == []


def submit(queues: QueueCluster, team: str, count: int, *, first: int = 0) -> list[Manifest]:
    """Jobs of a team, of one pod each."""
    names = [f"{team}-{number}" for number in range(first, first + count)]
    return [queues.submit(plain_job(name, team, gpus=GPUS, queue=team)) for name in names]


def wait_for_shares(
    queues: QueueCluster, heavy: list[Manifest], light: list[Manifest], *, others: list[Manifest] | None = None
) -> None:
    """Wait until as many jobs of each team run as these lists have, whichever of `others` they are."""
    among = others or [*heavy, *light]
    wanted = {"team-heavy": len(heavy), "team-light": len(light)}

    def runs() -> dict[str, int]:
        return {
            home: sum(len(queues.pods(job)) for job in among if job["metadata"]["namespace"] == home) for home in wanted
        }

    queues.wait(lambda: runs() == wanted, f"{wanted} run")
