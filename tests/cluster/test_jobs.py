"""A job that fills its pool runs, on every kind of pool; with one pod more it waits, and synth refuses it.

Real: the API server with all admission and quotas, scheduler, training operator with its own account, its webhook.
Played: kubelets (kwok), nodes and ResourceSlices as the plugins would make them, the way from Services to programs.

Virtual GPUs have schedulers of their own, which run here as their Deployments say, with their own accounts. Their
extenders, which choose cards, do not run. For gpu-manager's the scheduler's sums over nodes are proven, the choice of
cards is not. Of HAMi's it is proven that it takes the job and asks its extender, which would also bind. That shares fit
by number is proven by the job's copy without HAMi's scheduler and without the amounts that HAMi alone knows. Webhooks
but the operator's are left out: HAMi's, for pods that do not name its scheduler, is not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.config.pools import offered
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.synth import Options, render
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import start_kubernetes
from tests.cluster.gpu_modes import MODES, Mode, machines, write_overfull, write_stacks
from tests.cluster.pods import Program, second_scheduler, start_operator
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.training import TrainingCluster, changed_job, extended_resources
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = pytest.mark.cluster

OPERATOR = ("namespaces", "training-operator")

each_mode = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)


@dataclass(frozen=True)
class Bench:
    """The cluster, and the stacks that take turns on it."""

    training: TrainingCluster
    operator: Program
    stacks: Mapping[str, RenderedStack]
    programs: Mapping[str, Path]

    def job(self, mode: Mode) -> Manifest:
        """The job of a mode as rendered."""
        (job,) = (item.manifest for item in self.stacks[mode.name].jobs["full"])
        return job

    @contextmanager
    def holding(self, mode: Mode) -> Iterator[TrainingCluster]:
        """The cluster with a mode's stack, its nodes, and its own scheduler where it has one."""
        objects = _objects(self.stacks[mode.name], without="training-operator")
        scheduler: Program | None = None
        with ExitStack() as context:
            context.enter_context(self.training.holding([*objects, *machines(mode)], mode.home))
            if mode.scheduler:
                own = second_scheduler(self.training.control_plane, self.programs, objects, mode.scheduler)
                scheduler = context.enter_context(own)
            yield self.training
            for program in (self.operator, scheduler):
                assert not program or program.forbidden() == []


@pytest.fixture(scope="module")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, RenderedStack]:
    """The stacks of all modes; none has an error."""
    root = tmp_path_factory.mktemp("modes")
    write_stacks(root)
    rendered = render(Options(root=root))
    errors = [finding for found in rendered.findings.values() for finding in found if finding.severity == "error"]
    assert not errors
    return {stack.name: stack for stack in rendered.stacks}


@pytest.fixture(scope="module")
def running(
    stacks: Mapping[str, RenderedStack], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Bench]:
    """The cluster with the training operator of the first stack; all stacks have the same."""
    crds = {crd["metadata"]["name"]: crd for stack in stacks.values() for crd in crds_of(_objects(stack))}
    first = next(iter(stacks.values()))
    operator = [item.manifest for name in OPERATOR for item in first.components[name].objects]
    with ControlPlane(binaries, data=snapshot(binaries, list(crds.values()))) as control_plane:
        with control_plane.explaining():
            start_kubernetes(control_plane, programs)
            results = apply_in_waves(control_plane.api, operator)
            assert not refusals(results)
            started = start_operator(control_plane, programs, operator)
        yield Bench(TrainingCluster(control_plane), started, stacks, programs)


@pytest.fixture
def bench(running: Bench, request: pytest.FixtureRequest) -> Bench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.training.control_plane)
    return running


@each_mode
def test_the_pool_table_knows_what_a_node_offers(mode: Mode, stacks: Mapping[str, RenderedStack]) -> None:
    (pool,) = stacks[mode.name].platform.node_pools

    found = {**offered(pool), **{name: mode.offers[name] for name in pool.rdma.resources()}}
    assert found == (mode.offers or {"nvidia.com/gpu": mode.published})


@each_mode
def test_synth_refuses_one_pod_more_than_fits(mode: Mode, tmp_path: Path) -> None:
    write_overfull(tmp_path, mode)

    with pytest.raises(ConfigError, match=mode.refusal.format(pool=mode.name)):
        render(Options(root=tmp_path))


@pytest.mark.own_network
@each_mode
def test_a_job_that_fills_the_pool_runs_there_to_its_end(mode: Mode, bench: Bench) -> None:
    job = _runnable(bench.job(mode), mode)
    with bench.holding(mode) as training:
        training.run(job)
        pods = training.wait_for_pods(job, mode.workers)
        training.wait_for_condition(job, "Running")
        used, claimed = training.used(mode.home), training.claimed(mode.home)
        training.finish(pods)
        training.wait_for_condition(job, "Succeeded")

    on_node = Counter(pod["spec"]["nodeName"] for pod in pods)
    assert set(on_node) == {node["metadata"]["name"] for node in machines(mode) if node["kind"] == "Node"}
    asked = extended_resources(pods[0])
    if not mode.asks:
        assert {pod["spec"]["schedulerName"] for pod in pods} == {mode.scheduler or "default-scheduler"}
    assert all(extended_resources(pod) == asked for pod in pods)
    if mode.published:
        assert claimed == [(node, f"gpu-{number}") for node in sorted(on_node) for number in range(mode.published)]
    else:
        assert claimed == []
        assert all(amount * max(on_node.values()) <= mode.offers[name] for name, amount in asked.items())
    counted = {name: amount * mode.workers for name, amount in asked.items() if name in used}
    assert counted
    assert counted == {name: amount for name, amount in used.items() if amount}


@pytest.mark.own_network
@each_mode
def test_one_pod_more_waits_and_the_scheduler_says_for_what(mode: Mode, bench: Bench) -> None:
    job = changed_job(_runnable(bench.job(mode), mode), "too-many", more=1)
    with bench.holding(mode) as training:
        training.run(job)
        training.wait_for_pods(job, mode.workers)
        message = training.wait_for_event(job, "FailedScheduling", mode.shortage)
        waiting = training.wait_for_pods(job, 1, phase="Pending")

    assert message.startswith(f"{waiting[0]['spec']['schedulerName']}: 0/")
    assert "nodeName" not in waiting[0]["spec"]


@pytest.mark.own_network
def test_hamis_scheduler_takes_the_job_as_rendered_and_asks_its_extender(bench: Bench) -> None:
    (mode,) = (mode for mode in MODES if mode.asks)
    job = bench.job(mode)
    with bench.holding(mode) as training:
        training.run(job)
        message = training.wait_for_event(job, "FailedScheduling", "https://127.0.0.1:443/filter")
        pods = training.wait_for_pods(job, mode.workers, phase="Pending")

    assert message.startswith(f"{mode.scheduler}:")
    assert all(set(extended_resources(pod)) == {*mode.offers, *mode.asks} for pod in pods)


def _runnable(job: Manifest, mode: Mode) -> Manifest:
    """The job; where an extender binds, that does not run here, its copy for the cluster's own scheduler."""
    return changed_job(job, "copy", without=mode.asks) if mode.asks else job


def _objects(stack: RenderedStack, *, without: str = "") -> list[Manifest]:
    """The objects of a stack's components."""
    return [
        item.manifest
        for component in stack.components.values()
        if component.name != without
        for item in component.objects
    ]
