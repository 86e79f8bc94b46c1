"""The quota of a member holds: in a queue below the team's in the real Kueue, and in their namespace on the API server.

Real: the API server with its admission and quotas, scheduler, job controller, Kueue. Played: kubelets (kwok), nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.synth import Options, render
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.queue_stack import machines
from tests.cluster.queueing import QueueCluster, plain_job, queue_cluster
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

GPU, TEAM, OWN, ADA = "nvidia.com/gpu", "vision", "team-vision-li", "team-speech-ada"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  kueue: {}
  kubeflow-roles: {}
teams:
  - {name: vision, queue: vision, quota: {gpus: 4}, members: [{name: li@example.com, quota: {gpus: 2}}]}
  - {name: speech, queue: speech, quota: {gpus: 2}, borrow: {gpus: 4}, members: [{name: ada@example.com, quota: {gpus: 6}}]}
jobs:
  - {template: gpu-job, name: mine, team: vision, member: li@example.com, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, gpusPerWorker: GPUS}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "kubeflow-roles", "kueue")


@pytest.fixture(scope="module")
def member_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, with a job that has all of the member's quota."""
    return rendered_stack(tmp_path_factory.mktemp("members"), STACK.replace("GPUS", "2"), name="members")


@pytest.fixture(scope="module")
def running(
    member_stack: RenderedStack,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[QueueCluster]:
    """The cluster with Kueue."""
    objects = [item.manifest for name in COMPONENTS for item in member_stack.components[name].objects]
    folder = tmp_path_factory.mktemp("pki") / "front-proxy"
    with queue_cluster(binaries, programs, objects, machines=machines({"train": 2}), folder=folder) as cluster:
        yield cluster


@pytest.fixture
def queues(running: QueueCluster, request: pytest.FixtureRequest) -> Iterator[QueueCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def test_what_a_member_starts_beyond_their_quota_waits_though_cards_are_idle(
    queues: QueueCluster, member_stack: RenderedStack
) -> None:
    ((mine,),) = member_stack.jobs.values()
    first = queues.submit(mine.manifest)
    queues.wait_for_pods(first, 1)
    second = queues.submit(plain_job("second", TEAM + "-li", gpus=1, queue=OWN))
    told = f"insufficient unused quota for {GPU} in flavor train"
    queues.wait(lambda: told in queues.condition(second, "QuotaReserved")[2], "Kueue says what it waits for", second)

    assert (first["metadata"]["namespace"], queues.pods(second)) == (OWN, [])
    queues.wait(lambda: queues.used(OWN)["train", GPU] == (2, 2), "the member's queue counts")
    queues.finish(first)
    queues.wait_for_pods(second, 1)


def test_what_a_member_runs_counts_to_the_share_of_the_team(queues: QueueCluster, member_stack: RenderedStack) -> None:
    ((mine,),) = member_stack.jobs.values()
    of_member = queues.submit(mine.manifest)
    queues.wait_for_pods(of_member, 1)
    fitting, beyond = (plain_job(f"of-{gpus}", TEAM, gpus=gpus, queue=TEAM) for gpus in (2, 3))
    queues.submit(beyond)
    waits(queues, beyond)
    queues.submit(fitting)
    queues.wait_for_pods(fitting, 1)

    assert (queues.pods(beyond), len(queues.pods(of_member))) == ([], 1)
    queues.finish(of_member)
    queues.finish(fitting)
    queues.wait_for_pods(beyond, 1)


def test_a_member_waits_where_the_team_uses_all_that_it_has(queues: QueueCluster, member_stack: RenderedStack) -> None:
    of_team = queues.submit(plain_job("of-team", TEAM, gpus=4, queue=TEAM))
    queues.wait_for_pods(of_team, 1)
    ((mine,),) = member_stack.jobs.values()
    of_member = queues.submit(mine.manifest)
    waits(queues, of_member)

    assert (queues.pods(of_member), len(queues.pods(of_team))) == ([], 1)
    queues.finish(of_team)
    queues.wait_for_pods(of_member, 1)


def test_a_member_borrows_what_the_team_may_until_the_share_that_it_belongs_to_takes_it_back(
    queues: QueueCluster,
) -> None:
    borrower = queues.submit(plain_job("borrower", "speech-ada", gpus=1, pods=6, queue=ADA))
    queues.wait_for_pods(borrower, 6)
    in_rest = queues.submit(plain_job("in-rest", TEAM + "-li", gpus=2, queue=OWN))
    queues.wait_for_pods(in_rest, 1)
    before = queues.condition(borrower, "Evicted")[0]
    owner = queues.submit(plain_job("owner", TEAM, gpus=2, queue=TEAM))
    queues.wait_for_pods(owner, 1)

    assert before != "True"
    assert queues.pods(borrower) == []
    assert "vision" in queues.condition(borrower, "Preempted")[2]
    assert len(queues.pods(in_rest)) == 1
    waits(queues, borrower)


def waits(queues: QueueCluster, job: Manifest) -> None:
    """Kueue says that a job waits for devices of the pool."""
    told = f"quota for {GPU} in flavor train"
    queues.wait(lambda: told in queues.condition(job, "QuotaReserved")[2], "Kueue says what it waits for", job)


def test_the_api_server_refuses_a_pod_beyond_the_quota_of_the_members_namespace(queues: QueueCluster) -> None:
    api = queues.control_plane.api

    def pod(gpus: int) -> Manifest:
        limits = {"limits": {GPU: gpus}}
        container = {"name": "main", "image": "registry.example.com/train:1", "resources": limits}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"pod-{gpus}", "namespace": OWN},
            "spec": {"containers": [container]},
        }

    quota = f"/api/v1/namespaces/{OWN}/resourcequotas/gpus"
    until(lambda: "used" in api.get(quota).body.get("status", {}), seconds=START_SECONDS, what="the quota counts")
    refused, taken = api.apply(pod(3)).refusal, api.apply(pod(2)).refusal

    assert f"exceeded quota: gpus, requested: requests.{GPU}=3" in refused
    assert taken == ""
    api.request("DELETE", f"{api.path(pod(2))}?gracePeriodSeconds=0")


def test_synth_refuses_a_job_that_the_quota_never_holds(tmp_path: Path) -> None:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "members.yaml").write_text(STACK.replace("GPUS", "3"))

    with pytest.raises(ConfigError, match=r"li@example\.com of team vision has a quota of 2"):
        render(Options(root=tmp_path))
