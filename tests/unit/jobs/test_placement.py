"""Where a job's pods run: amounts that the pool's plugin understands, and demands that no pool can meet."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool, offered
from platform_def.jobs.placement import Demand, demand_problems, place
from tests.unit.built import stack_of


def pool(mode: str | None = None, **more: Any) -> NodePool:
    gpu: dict[str, Any] = {"model": "t4", "perNode": 4}
    if mode:
        gpu["sharing"] = {"mode": mode, "replicas": 4}
    return NodePool.from_file({"name": "p", "nodes": 2, "gpu": gpu | more})


def platform(nodes: NodePool, *components: str) -> Platform:
    return stack_of({key: {} for key in components}, node_pools=(nodes,), resources=frozenset(offered(nodes)))


def pod(nodes: NodePool, *components: str, gpus: int = 1) -> dict[str, Any]:
    placement = place("p", gpus=gpus, rdma=False, platform=platform(nodes, *components))
    return dict(placement.pod({"name": "main"}, shared_memory="1Gi"))


def texts(nodes: NodePool, *, gpus: int, pods: int = 1) -> list[str]:
    demand = Demand("p", pods, gpus, "gpusPerWorker", rdma=False, owner="")
    return [problem.text for problem in demand_problems(demand, platform(nodes))]


def test_a_virtual_gpu_is_a_share_of_cores_and_memory() -> None:
    limits = pod(pool("vgpu"))["containers"][0]["resources"]["limits"]

    assert limits == {"tencent.com/vcuda-core": "25", "tencent.com/vcuda-memory": "14"}


def test_virtual_gpus_do_without_the_nvidia_runtime() -> None:
    assert "runtimeClassName" not in pod(pool("vgpu"))
    assert pod(pool())["runtimeClassName"] == "nvidia"


def test_virtual_gpus_are_placed_by_their_scheduler_where_the_stack_has_it() -> None:
    assert pod(pool("vgpu"), "gpu-admission")["schedulerName"] == "gpu-admission"
    assert "schedulerName" not in pod(pool("vgpu"))
    assert "schedulerName" not in pod(pool(), "gpu-admission")
    assert "schedulerName" not in pod(pool("vgpu"), "gpu-admission", gpus=0)


def test_shares_of_virtual_gpus_are_counted_not_cores() -> None:
    assert texts(pool("vgpu"), gpus=1, pods=32) == []
    assert texts(pool("vgpu"), gpus=1, pods=33) == ["33 pods with 1 GPUs are 33, pool p has 32"]
    assert texts(pool("vgpu"), gpus=17) == ["a node of pool p offers 16, not 17"]


def test_a_node_of_whole_and_cut_cards_gives_either() -> None:
    """A program uses one MIG device, and as many whole cards as it likes."""
    cards = {"0": {"3g.40gb": 2}, "1": {"1g.10gb": 7}, "2-7": {}}
    mixed = pool(model="a100-80gb", perNode=8, mig={"strategy": "mixed", "cards": cards})

    def of_profile(gpus: int, profile: str) -> list[str]:
        demand = Demand("p", 1, gpus, "gpusPerWorker", rdma=False, owner="", profile=profile)
        return [problem.text for problem in demand_problems(demand, platform(mixed))]

    assert (texts(mixed, gpus=6), of_profile(1, "3g.40gb")) == ([], [])
    assert texts(mixed, gpus=7) == ["a node of pool p offers 6, not 7"]
    assert of_profile(2, "3g.40gb") == ["pool p: 2 are MIG devices, of which a program uses one"]
    assert of_profile(1, "2g.20gb") == ["pool p has no MIG devices of profile 2g.20gb"]


@pytest.mark.parametrize("mode", ["vgpu", "mps", "time-slicing"])
def test_several_shares_for_one_pod_are_refused(mode: str) -> None:
    assert texts(pool(mode), gpus=2) == ["pool p shares its cards: 2 may be slices of one card"]


def test_dividing_unknown_memory_is_refused() -> None:
    (text,) = texts(pool("vgpu", model="odd"), gpus=1)

    assert text == "pool p divides the memory of its cards, and that of model odd is not known"


MIXED = {"strategy": "mixed", "layout": {"1g.10gb": 4, "3g.40gb": 1}}


def test_a_profile_of_mig_devices_is_asked_for_by_its_name() -> None:
    nodes = pool(model="h100-80gb", mig=MIXED)
    placement = place("p", gpus=1, rdma=False, platform=platform(nodes), profile="3g.40gb")

    assert placement.limits() == {"nvidia.com/mig-3g.40gb": "1"}


def test_libraries_of_the_node_come_before_what_a_container_has() -> None:
    nodes = pool(model="k80", hostLibraries={"driver": "/opt/nvidia"})
    placement = place("p", gpus=0, rdma=False, platform=platform(nodes))
    own = placement.pod({"name": "main", "env": [{"name": "LD_LIBRARY_PATH", "value": "/app"}]}, shared_memory="1Gi")

    assert own["containers"][0]["env"] == [
        {"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64:/usr/local/nvidia/lib:/app"}
    ]
    assert [volume["name"] for volume in own["volumes"]] == ["shared-memory", "nvidia-driver"]


def test_jobs_keep_to_nodes_whose_label_names_the_model() -> None:
    nodes = pool(modelLabel={"key": "example.com/gpu", "values": ["Tesla-K80", "Tesla-P100"]})
    terms = pod(nodes)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]

    assert terms == [
        {"matchExpressions": [{"key": "example.com/gpu", "operator": "In", "values": ["Tesla-K80", "Tesla-P100"]}]}
    ]
