"""A language model on several nodes, as the template `llm` renders it, becomes groups of pods that start together; so
do the roles of a DisaggregatedSet.

Real: the API server with its admission, StatefulSets, LeaderWorkerSet's controller and webhooks, Volcano's programs, all
with their own accounts, rights and files. The Go proxy's newest LeaderWorkerSet is 0.9, which has the kinds of 0.10 that
are used here. Played: kubelets (kwok), nodes, the way from Services to programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest

from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.leader_workers import INDEX, METRICS, GroupCluster, group_cluster
from tests.cluster.queue_stack import machines
from tests.cluster.scrape import faults, page_at
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME, DISAGGREGATED = "team-language", "disaggregatedset.x-k8s.io"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  volcano: {certificates: volcano}
  lws: {}
teams: [{name: language, queue: language, quota: {gpus: 16}}]
serving:
  - {template: llm, name: large, team: language, model: hf://meta-llama/Llama-3.1-70B-Instruct, pool: train, gpus: 4, nodes: 2, replicas: 2, contextLength: 8192, cpu: "8", memory: 64Gi}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "volcano", "lws")


@pytest.fixture(scope="module")
def group_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("lws"), STACK, name="groups")


@pytest.fixture(scope="module")
def model(group_stack: RenderedStack) -> list[Manifest]:
    """What serves the model."""
    return [item.manifest for item in group_stack.components["large"].objects]


@pytest.fixture(scope="module")
def running(group_stack: RenderedStack, programs: Mapping[str, Path]) -> Iterator[GroupCluster]:
    """The cluster with all programs."""
    objects = [item.manifest for name in COMPONENTS for item in group_stack.components[name].objects]
    with group_cluster(programs, objects, machines({"train": 4})) as cluster:
        yield cluster


@pytest.fixture
def cluster(running: GroupCluster, request: pytest.FixtureRequest) -> Iterator[GroupCluster]:
    """The shared cluster without models; its logs are shown when the test fails."""
    show_logs(request, running.gangs.control_plane)
    with running.clean():
        yield running


def variables(pod: Manifest) -> dict[str, str]:
    (container,) = pod["spec"]["containers"]
    return {each["name"]: each["value"] for each in container["env"]}


def arguments(pod: Manifest) -> list[str]:
    """As the kubelet writes them: with the values of variables."""
    (container,) = pod["spec"]["containers"]
    found: list[str] = container["args"]
    for name, value in variables(pod).items():
        found = [each.replace(f"$({name})", value) for each in found]
    return found


def test_every_replica_is_a_leader_and_a_worker_that_meet_under_the_leaders_name(
    cluster: GroupCluster, model: list[Manifest]
) -> None:
    made = cluster.submit(model)
    cluster.gangs.wait(lambda: len(cluster.running(made)) == 4, "two pods of each replica run")
    pods = cluster.running(made)

    assert sorted(pods) == ["large-0", "large-0-1", "large-1", "large-1-1"]
    for group in "01":
        leader, worker = pods[f"large-{group}"], pods[f"large-{group}-1"]
        address = variables(leader)["LWS_LEADER_ADDRESS"]
        host, subdomain, home = address.split(".")
        assert (host, home) == (leader["metadata"]["name"], HOME)
        assert (leader["spec"]["hostname"], leader["spec"]["subdomain"]) == (host, subdomain)
        # The name is known where a Service without an address of its own has the pod, ready or not.
        found = cluster.gangs.control_plane.api.get(f"/api/v1/namespaces/{HOME}/services/{subdomain}").body["spec"]
        assert (found["clusterIP"], found["publishNotReadyAddresses"]) == ("None", True)
        assert found["selector"].items() <= leader["metadata"]["labels"].items()
        for rank, pod in enumerate((leader, worker)):
            assert arguments(pod)[5:9] == [
                "--distributed-executor-backend=mp",
                "--nnodes=2",
                f"--node-rank={rank}",
                f"--master-addr={address}",
            ]
            assert variables(pod)["LWS_GROUP_SIZE"] == "2"
    assert len({pod["spec"]["nodeName"] for pod in pods.values()}) == 4


def test_what_the_controller_counts_is_what_its_table_says(
    cluster: GroupCluster, model: list[Manifest], programs: Mapping[str, Path]
) -> None:
    made = cluster.submit(model)
    cluster.gangs.wait(lambda: len(cluster.running(made)) == 4, "two pods of each replica run")
    control_plane = cluster.gangs.control_plane
    page = page_at(control_plane, METRICS, https=True, token=control_plane.pki.token)

    assert faults(page, [CONTROLLER_RUNTIME], program=programs["lws"]) == []
    assert unfed("lws", [page], engine=programs["prometheus-engine"]) == []


def test_requests_go_to_leaders_alone(cluster: GroupCluster, model: list[Manifest]) -> None:
    made = cluster.submit(model)
    cluster.gangs.wait(lambda: len(cluster.running(made)) == 4, "two pods of each replica run")
    path = f"/api/v1/namespaces/{HOME}/services/large"
    service = cluster.gangs.control_plane.api.get(path).body["spec"]
    reached = {
        name: pod
        for name, pod in cluster.running(made).items()
        if service["selector"].items() <= pod["metadata"]["labels"].items()
    }

    assert service["clusterIP"] != "None"
    assert sorted(reached) == ["large-0", "large-1"]
    assert {pod["metadata"]["labels"][INDEX] for pod in reached.values()} == {"0"}
    for pod in reached.values():
        (container,) = pod["spec"]["containers"]
        assert [each["name"] for each in container["ports"]] == [service["ports"][0]["targetPort"]]


def test_a_replica_starts_whole_or_not_at_all_in_the_queue_of_its_team(
    cluster: GroupCluster, model: list[Manifest]
) -> None:
    larger = deepcopy(model)
    (wanted,) = (item for item in larger if item["kind"] == "LeaderWorkerSet")
    wanted["spec"]["leaderWorkerTemplate"]["size"] = 3
    wanted["spec"]["replicas"] = 2
    made = cluster.submit(larger)
    cluster.gangs.wait(lambda: len(cluster.pods(made)) == 6, "all pods are made")
    cluster.gangs.wait(lambda: len(cluster.running(made)) == 3 and len(cluster.groups(made)) == 2, "one replica runs")
    groups = cluster.groups(made)
    waiting = [pod for pod in cluster.pods(made).values() if "nodeName" not in pod["spec"]]

    assert {group["spec"]["queue"] for group in groups.values()} == {"language"}
    assert {group["spec"]["minMember"] for group in groups.values()} == {3}
    assert {pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] for pod in waiting} < {*groups}
    assert len(waiting) == 3
    assert {pod["spec"]["schedulerName"] for pod in cluster.pods(made).values()} == {"volcano"}


def test_a_program_that_ends_has_its_whole_replica_made_again_and_no_other(
    cluster: GroupCluster, model: list[Manifest]
) -> None:
    made = cluster.submit(model)
    cluster.gangs.wait(lambda: len(cluster.running(made)) == 4, "two pods of each replica run")
    before = {name: pod["metadata"]["uid"] for name, pod in cluster.running(made).items()}
    cluster.restart(cluster.running(made)["large-0-1"])

    def replaced() -> set[str]:
        return {name for name, pod in cluster.running(made).items() if pod["metadata"]["uid"] != before[name]}

    cluster.gangs.wait(lambda: replaced() == {"large-0", "large-0-1"}, "the whole replica is started again")
    assert len(cluster.running(made)) == 4


def roles(model: list[Manifest], **strategy: object) -> Manifest:
    """A service whose prompts are read by one group and answered by another, each as the model's replicas are."""
    (group,) = (item for item in model if item["kind"] == "LeaderWorkerSet")
    spec = {**group["spec"], "replicas": 1, **strategy}
    notes = {"annotations": group["metadata"]["annotations"]}
    return {
        "apiVersion": "disaggregatedset.x-k8s.io/v1",
        "kind": "DisaggregatedSet",
        "metadata": {"name": "split", "namespace": HOME},
        "spec": {"roles": [{"name": name, "metadata": notes, "spec": spec} for name in ("prefill", "decode")]},
    }


def groups_of(cluster: GroupCluster) -> dict[str, Manifest]:
    """The sets that the service became, by role."""
    found = cluster.gangs.list(f"/apis/leaderworkerset.x-k8s.io/v1/namespaces/{HOME}/leaderworkersets")
    labels = ((each, each["metadata"].get("labels", {})) for each in found)
    return {
        known[f"{DISAGGREGATED}/role"]: each for each, known in labels if known.get(f"{DISAGGREGATED}/name") == "split"
    }


def test_the_roles_of_a_service_are_groups_that_run_and_have_a_name_each(
    cluster: GroupCluster, model: list[Manifest]
) -> None:
    cluster.gangs.submit(roles(model))
    cluster.gangs.wait(lambda: {*groups_of(cluster)} == {"prefill", "decode"}, "each role has its set")
    sets = groups_of(cluster).values()
    cluster.gangs.wait(lambda: all(len(cluster.running(each)) == 2 for each in sets), "two pods of each role run")

    def named() -> int:
        found = cluster.gangs.list(f"/api/v1/namespaces/{HOME}/services")
        return sum(each["metadata"].get("labels", {}).get(f"{DISAGGREGATED}/name") == "split" for each in found)

    cluster.gangs.wait(lambda: named() == 2, "each role has a Service")
    queues = {each["spec"]["queue"] for found in sets for each in cluster.groups(found).values()}
    assert queues == {"language"}


def test_a_role_cannot_hold_back_its_own_rollout(cluster: GroupCluster, model: list[Manifest]) -> None:
    held = roles(model, rolloutStrategy={"rollingUpdateConfiguration": {"partition": 1}})
    refusal = cluster.gangs.control_plane.api.apply(held, dry_run=True).refusal

    assert '"vdisaggregatedset.kb.io" denied the request' in refusal
    assert "partition is not supported by DisaggregatedSet" in refusal


def test_without_the_right_to_make_sets_no_role_runs(running: GroupCluster, model: list[Manifest]) -> None:
    with running.without("leaderworkersets", "create"):
        running.gangs.submit(roles(model))
        running.gangs.wait(lambda: running.refused("leaderworkersets"), "it is refused")

        assert groups_of(running) == {}


@pytest.mark.parametrize("resource", ["statefulsets", "podgroups", "services"])
def test_without_a_right_of_its_role_no_replica_runs_whole(
    running: GroupCluster, model: list[Manifest], resource: str
) -> None:
    with running.without(resource, "create"):
        made = running.submit(model)
        running.gangs.wait(lambda: running.refused(resource), "it is refused")

        assert not any(name.endswith("-1-1") for name in running.running(made))
