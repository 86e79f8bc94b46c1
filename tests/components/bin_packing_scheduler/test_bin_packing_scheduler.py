"""A second scheduler that prefers nodes in use, and jobs that ask for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from platform_def.components.queues.bin_packing_scheduler.component import NAME, BinPackingScheduler
from platform_def.config.capability import Provision
from platform_def.config.pools import NodePool
from platform_def.yaml import load
from tests.unit.built import built, platform, setting
from tests.unit.pipeline.repository import HEAD, stack, write

POOL = NodePool.from_file({"name": "train", "gpu": {"model": "a100-80gb", "perNode": 8}})


def profile(*pools: NodePool, **config: Any) -> dict[str, Any]:
    objects = built(BinPackingScheduler, platform(node_pools=pools), **config)
    text = objects.one("ConfigMap")["data"]["config.yaml"]
    found: dict[str, Any] = load(text.encode(), file="config")  # type: ignore[assignment]
    (only,) = found["profiles"]
    return dict(only)


def weights(made: dict[str, Any]) -> dict[str, int]:
    (plugin,) = made["pluginConfig"]
    assert plugin["args"]["scoringStrategy"]["type"] == "MostAllocated"
    return {each["name"]: each["weight"] for each in plugin["args"]["scoringStrategy"]["resources"]}


def test_devices_of_the_pools_count_most() -> None:
    assert weights(profile(POOL)) == {"nvidia.com/gpu": 10, "cpu": 1, "memory": 1}
    assert weights(profile(weight=3))["nvidia.com/gpu"] == 3


def test_what_prefers_even_use_is_off() -> None:
    assert profile()["plugins"]["score"]["disabled"] == [{"name": "NodeResourcesBalancedAllocation"}]


def test_the_program_is_of_the_cluster_s_version() -> None:
    objects = built(BinPackingScheduler, platform(kubernetes="1.34"))

    assert objects.container("Deployment")["image"] == "registry.k8s.io/kube-scheduler:v1.34.0"


def test_jobs_with_gpus_ask_for_it(tmp_path: Path) -> None:
    text = f"""{HEAD}nodePools:
  - {{name: train, nodes: 2, selector: {{pool: train}}, gpu: {{model: a100-80gb, perNode: 8}}}}
components: {{nvidia-device-plugin: {{}}, training-operator: {{}}, bin-packing-scheduler: {{}}}}
jobs:
  - {{template: pytorch-ddp, name: one, pool: train, image: "a.example/a:1", command: [a]}}
  - {{template: pytorch-ddp, name: two, gpusPerWorker: 0, image: "a.example/a:1", command: [a]}}
"""
    jobs = stack(write(tmp_path, {"stacks/a.yaml": text})).jobs
    asked = {
        name: item.manifest["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"].get("schedulerName")
        for name, (item,) in jobs.items()
    }

    assert asked == {"one": NAME, "two": None}


def test_a_pod_has_one_scheduler() -> None:
    at = setting(BinPackingScheduler)
    gang = Provision("gangScheduler", "volcano", {"implementation": "volcano", "scheduler": "volcano"})
    other = type(at)(at.name, at.config, platform(provisions=(gang,)))

    (problem,) = BinPackingScheduler.problems(other)
    assert "jobs are scheduled by volcano" in problem.text
