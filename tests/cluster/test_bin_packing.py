"""The second scheduler, as a stack renders it, fills one node before the next; Kubernetes' own spreads the same pods.

Real: the API server, both schedulers, the second with its own account, rights and configuration. Played: kubelets
(kwok), nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.components.queues.bin_packing_scheduler.component import NAME
from tests.cluster.client import Api
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.pods import Program, second_scheduler
from tests.cluster.queue_stack import GPUS, machines, small_pod
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 4}}
components: {bin-packing-scheduler: {}}
"""
WAIT_SECONDS = 120.0


@pytest.fixture(scope="module")
def cluster_of_two(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ControlPlane, Program]]:
    """Two nodes with four GPUs each, and both schedulers at work."""
    stack = rendered_stack(tmp_path_factory.mktemp("packing"), STACK, name="packing")
    objects = [item.manifest for item in stack.objects()]
    nodes = [node for node in machines() if node["metadata"]["labels"]["pool"] == "spare"]
    with ControlPlane(binaries) as control_plane:
        start_kubernetes(control_plane, programs)
        results = apply_in_waves(control_plane.api, [*objects, *nodes])
        assert not refusals(results)
        with second_scheduler(control_plane, programs, objects, NAME) as scheduler:
            yield control_plane, scheduler


@pytest.mark.parametrize(("scheduler", "nodes"), [(NAME, [GPUS]), ("default-scheduler", [2, 2])])
def test_pods_with_one_gpu_fill_a_node_and_do_not_spread(
    cluster_of_two: tuple[ControlPlane, Program], request: pytest.FixtureRequest, scheduler: str, nodes: list[int]
) -> None:
    control_plane, program = cluster_of_two
    show_logs(request, control_plane)
    api = control_plane.api
    for number in range(GPUS):
        assert not api.apply(small_pod(f"small-{number}", scheduler, home="default")).refusal
        # One after the other: what a scheduler has just placed counts for the next.
        until(lambda count=number + 1: len(placed(api)) == count, seconds=WAIT_SECONDS, what="the pod has a node")  # type: ignore[misc]
    found = sorted(Counter(placed(api)).values())
    api.request("DELETE", "/api/v1/namespaces/default/pods?gracePeriodSeconds=0")
    until(lambda: not placed(api), seconds=WAIT_SECONDS, what="the pods are gone")

    assert found == nodes
    assert program.forbidden() == []


def placed(api: Api) -> list[str]:
    """The node of each pod that has one."""
    items = api.get("/api/v1/namespaces/default/pods").body["items"]
    return [item["spec"]["nodeName"] for item in items if item["spec"].get("nodeName")]
