"""A job of several parts, one of which has no GPUs, is let in by the real Kueue, as a stack renders both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.synth import Options, render
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import start_kubernetes
from tests.cluster.pods import start_operator
from tests.cluster.queue_stack import machines
from tests.cluster.queueing import QueueCluster, front_proxy, start_kueue
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  training-operator: {}
  kueue: {}
teams:
  - {name: vision, queue: vision, quota: {gpus: 8}}
jobs:
  - {template: tensorflow, name: train, team: vision, pool: train, strategy: parameter-server, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, serverCpu: "1", serverMemory: 1Gi, workers: 2, gpusPerWorker: 2}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "training-operator", "kueue")


@pytest.fixture(scope="module")
def parts_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack."""
    root = tmp_path_factory.mktemp("parts")
    (root / "stacks").mkdir()
    (root / "stacks/parts.yaml").write_text(STACK)
    (found,) = render(Options(root=root)).stacks
    return found


@pytest.fixture(scope="module")
def queues(
    parts_stack: RenderedStack,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[QueueCluster]:
    """The cluster with both operators."""
    objects = [item.manifest for name in COMPONENTS for item in parts_stack.components[name].objects]
    flags = front_proxy(tmp_path_factory.mktemp("pki") / "front-proxy")
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects)), flags=flags) as control_plane:
        start_kubernetes(control_plane, programs)
        assert not refusals(apply_in_waves(control_plane.api, machines()))
        cluster = start_kueue(control_plane, programs, objects)
        start_operator(control_plane, programs, objects)
        yield cluster


def test_a_job_whose_servers_have_no_gpus_is_let_in(queues: QueueCluster, parts_stack: RenderedStack) -> None:
    ((item,),) = parts_stack.jobs.values()
    job = queues.submit(item.manifest)
    pods = queues.wait_for_pods(job, 4)

    assert {pod["spec"]["nodeSelector"]["pool"] for pod in pods} == {"train"}
    queues.wait(lambda: queues.used("vision")["train", "nvidia.com/gpu"] == (4, 0), "the queue counts")
    assert queues.used("vision")["pods.anywhere", "pods"] == (4, 0)
