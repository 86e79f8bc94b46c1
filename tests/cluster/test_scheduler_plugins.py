"""The scheduler plugins, as a stack renders them, start jobs whole or not at all and fill nodes, on a real API server.

Real: the API server with its admission, job controller, training operator, MPI operator, and the plugins' scheduler
and controller with their own accounts, rights and files. Played: kubelets (kwok) and nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest

from platform_def.components.queues.scheduler_plugins.component import CONTROLLER, SCHEDULER
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.coscheduling import BINARIES, PluginCluster, start_plugins
from tests.cluster.operated import operated
from tests.cluster.queue_stack import GPUS, NODES, machines, small_pod
from tests.cluster.queueing import job_of
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  training-operator: {kinds: [PyTorchJob]}
  mpi-operator: {}
  scheduler-plugins: {retrySeconds: 10}
teams:
  - {name: free}
jobs:
  - {template: pytorch-ddp, name: any, team: free, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
  - {template: horovod, name: ring, team: free, pool: train, image: "registry.example.com/horovod:1", command: [python, train.py], cpu: "1", memory: 1Gi, workers: 2, gpusPerWorker: 4}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "training-operator", "mpi-operator", "scheduler-plugins")
TRAIN, ALL = NODES["train"], sum(NODES.values())
# An operator that owns what it makes must be allowed to hold the owner back; clusters ask for it by this plug-in.
FLAGS = ("--enable-admission-plugins=OwnerReferencesPermissionEnforcement",)


@pytest.fixture(scope="module")
def plugin_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("plugins"), STACK, name="plugins")


@pytest.fixture(scope="module")
def running(plugin_stack: RenderedStack, programs: Mapping[str, Path]) -> Iterator[PluginCluster]:
    """The cluster with all programs."""
    objects = [item.manifest for name in COMPONENTS for item in plugin_stack.components[name].objects]
    with operated(programs, objects, machines(), start_plugins, flags=FLAGS) as cluster:
        yield cluster


@pytest.fixture
def gangs(running: PluginCluster, request: pytest.FixtureRequest) -> Iterator[PluginCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


# With one node too few the pool is full; with more than the cluster has the plug-in refuses before it looks at nodes.
@pytest.mark.parametrize("workers", [TRAIN + 1, ALL + 1])
def test_a_gang_that_does_not_fit_starts_none_of_its_pods_until_it_does(
    gangs: PluginCluster, plugin_stack: RenderedStack, workers: int
) -> None:
    large = job_of(plugin_stack, "any", f"large-{workers}", workers=workers)
    gangs.submit(large)
    gangs.wait(lambda: len(gangs.pods_of(large)) == workers and bool(gangs.refused(large)), "it is refused", large)
    before = gangs.nodes(large)
    gangs.submit(*machines({"train": workers})[TRAIN:])
    gangs.wait_for_nodes(large, workers)
    gangs.wait(lambda: gangs.phase(large) == "Running", "the controller says that it runs", large)

    assert before == []
    assert len({*gangs.nodes(large)}) == workers
    assert gangs.status(large)["running"] == workers


def test_of_two_gangs_for_the_same_nodes_one_runs_whole_and_the_other_waits_whole(
    gangs: PluginCluster, plugin_stack: RenderedStack
) -> None:
    one, other = (job_of(plugin_stack, "any", name, workers=TRAIN - 1) for name in ("one", "other"))
    gangs.submit(one, other)
    gangs.wait(lambda: "Running" in map(gangs.phase, (one, other)), "one of them runs")
    first, second = (one, other) if gangs.phase(one) == "Running" else (other, one)
    gangs.wait(lambda: bool(gangs.refused(second)), "the other is refused", second)

    assert (len(gangs.nodes(first)), len(gangs.nodes(second))) == (TRAIN - 1, 0)
    gangs.finish(first)
    gangs.wait_for_nodes(second, TRAIN - 1)


def test_an_mpi_job_s_launcher_and_workers_are_one_gang(gangs: PluginCluster, plugin_stack: RenderedStack) -> None:
    (found,) = plugin_stack.jobs["ring"]
    ring: Manifest = deepcopy(found.manifest)
    ring["metadata"]["name"] = "ring"
    ring["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = TRAIN + 1
    ring["spec"]["runPolicy"].setdefault("schedulingPolicy", {})["minAvailable"] = TRAIN + 1
    gangs.submit(ring)
    gangs.wait(lambda: bool(gangs.refused(ring)), "it is refused", ring)
    before = gangs.nodes(ring)
    gangs.submit(*machines({"train": TRAIN + 1})[TRAIN:])
    gangs.wait_for_nodes(ring, TRAIN + 2)

    assert before == []
    assert gangs.group(ring)["spec"]["minMember"] == TRAIN + 1


def test_pods_with_one_gpu_fill_a_node_before_the_next(gangs: PluginCluster) -> None:
    found = gangs.place_singly([small_pod(f"small-{number}", SCHEDULER) for number in range(GPUS)])

    assert len({*found}) == 1


def test_without_its_right_nobody_says_how_far_a_gang_is(running: PluginCluster, plugin_stack: RenderedStack) -> None:
    silent = job_of(plugin_stack, "any", "silent", workers=2)
    with running.without(CONTROLLER, "podgroups/status", "patch"):
        running.submit(silent)
        running.wait_for_nodes(silent, 2)
        running.wait(lambda: bool(running.programs[CONTROLLER].forbidden()), "the controller is refused", silent)

        assert running.phase(silent) == ""


def test_without_the_right_to_read_gangs_the_scheduler_places_nothing_until_it_has_it(
    running: PluginCluster, plugin_stack: RenderedStack, programs: Mapping[str, Path]
) -> None:
    unread, after = (job_of(plugin_stack, "any", name, workers=2) for name in ("unread", "after"))
    with running.without(SCHEDULER, "podgroups", "list"):
        running.restart(programs[BINARIES[SCHEDULER]])
        running.submit(unread)
        running.wait(lambda: bool(running.scheduler.forbidden()), "the scheduler is refused", unread)
        running.wait(lambda: len(running.pods_of(unread)) == 2, "the operator has made the pods", unread)

        assert running.nodes(unread) == []
    with running.clean():
        running.submit(after)
        running.wait_for_nodes(after, 2)
