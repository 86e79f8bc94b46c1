"""Queues of members in the real Volcano: below the team's share, which its queue and theirs use together.

Real: the API server with its admission, and Volcano's scheduler, controllers and webhooks. Played: kubelets (kwok), nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.gangs import GangCluster, start_volcano, volcano_job
from tests.cluster.operated import operated
from tests.cluster.queue_stack import machines
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  volcano: {certificates: volcano}
  kubeflow-roles: {}
teams:
  - {name: vision, queue: vision, quota: {gpus: 4}, members: [{name: li@example.com, quota: {gpus: 2}}]}
  - {name: speech, queue: speech, quota: {gpus: 2}, borrow: {gpus: 4}, members: [{name: ada@example.com, quota: {gpus: 6}}]}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "kubeflow-roles", "volcano")


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[GangCluster]:
    """The cluster with Volcano."""
    stack = rendered_stack(tmp_path_factory.mktemp("members"), STACK, name="members")
    objects = [item.manifest for name in COMPONENTS for item in stack.components[name].objects]
    with operated(programs, objects, machines({"train": 2}), start_volcano) as cluster:
        yield cluster


@pytest.fixture
def gangs(running: GangCluster, request: pytest.FixtureRequest) -> Iterator[GangCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean() as cluster:
        yield cluster


def test_what_a_member_starts_beyond_their_quota_is_held_back_though_nodes_are_free(gangs: GangCluster) -> None:
    first, second = of("li-1", "vision-li", pods=2), of("li-2", "vision-li", pods=1)
    gangs.submit(first)
    gangs.wait_for_nodes(first, 2)
    gangs.submit(second)
    gangs.wait(lambda: gangs.held_back(second), "the member's queue holds it back", second)

    assert gangs.group(second)["spec"]["queue"] == "team-vision-li"
    assert gangs.nodes(second) == []
    gangs.finish(first)
    gangs.wait_for_nodes(second, 1)


def test_what_a_member_runs_counts_to_the_share_of_the_team(gangs: GangCluster) -> None:
    of_member, beyond, fitting = of("li", "vision-li", pods=2), of("team-3", "vision", pods=3), of("team-2", "vision")
    gangs.submit(of_member)
    gangs.wait_for_nodes(of_member, 2)
    gangs.submit(beyond)
    gangs.wait(lambda: gangs.held_back(beyond), "the share holds it back", beyond)
    gangs.submit(fitting)
    gangs.wait_for_nodes(fitting, 2)

    assert (gangs.nodes(beyond), len(gangs.nodes(of_member))) == ([], 2)
    gangs.finish(of_member)
    gangs.finish(fitting)
    gangs.wait_for_nodes(beyond, 3)


def test_a_member_waits_where_the_team_uses_all_that_it_has(gangs: GangCluster) -> None:
    of_team, of_member = of("team", "vision", pods=4), of("li", "vision-li", pods=2)
    gangs.submit(of_team)
    gangs.wait_for_nodes(of_team, 4)
    gangs.submit(of_member)
    gangs.wait(lambda: gangs.held_back(of_member), "the share holds it back", of_member)

    assert (gangs.nodes(of_member), len(gangs.nodes(of_team))) == ([], 4)
    gangs.finish(of_team)
    gangs.wait_for_nodes(of_member, 2)


def test_what_a_member_has_borrowed_goes_back_to_the_share_that_owns_it(gangs: GangCluster) -> None:
    borrower, first, owner = of("ada", "speech-ada", pods=6), of("li", "vision-li"), of("team", "vision")
    gangs.submit(borrower)
    gangs.wait_for_nodes(borrower, 6)
    gangs.submit(first)
    gangs.wait_for_nodes(first, 2)
    gangs.submit(owner)
    gangs.wait_for_nodes(owner, 2)
    gangs.wait(lambda: gangs.nodes(borrower) == [], "the borrower has nothing left", borrower)

    assert len(gangs.nodes(first)) == 2


def of(name: str, room: str, *, pods: int = 2) -> Manifest:
    """A Job with one GPU a pod in the queue of a team, or of a member's room; its pods request it, as those of templates
    do: Volcano counts no limits before it has a gang's pods made."""
    queue = f"team-{room}" if "-" in room else room
    made = volcano_job(name, pods=pods, gpus=1, queue=queue, home=f"team-{room}", pool="train")
    (task,) = made["spec"]["tasks"]
    (container,) = task["template"]["spec"]["containers"]
    container["resources"]["requests"] |= container["resources"]["limits"]
    return made
