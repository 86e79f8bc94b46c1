"""What `rdma: true` brings a job on each way to a fabric, and what it cannot have."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import PodSecurity, Team
from platform_def.constructs.render import render
from platform_def.jobs.kubeflow.insightface import InsightFaceConfig
from platform_def.jobs.kubeflow.pytorch_ddp import PyTorchDdp, PyTorchDdpConfig
from platform_def.jobs.placement import Demand, demand_problems, place
from tests.unit.built import stack_of

RAILS = [
    {"name": "rail0", "interface": "ens1", "range": "10.56.0.0/16"},
    {"name": "rail1", "interface": "ens2", "range": "10.57.0.0/16"},
]


def pool(rdma: object, **more: Any) -> NodePool:
    gpu = {"model": "a100-80gb", "perNode": 8}
    return NodePool.from_file({"name": "train", "nodes": 2, "gpu": gpu, "rdma": rdma, **more})


def functions(count: int = 8, networks: list[dict[str, Any]] = RAILS, **changes: Any) -> dict[str, Any]:
    return {"kind": "roce", "mode": "sriov", "functions": count, "networks": networks, **changes}


def platform(nodes: NodePool, *, namespace: str = "sriov-cni", level: PodSecurity = "privileged") -> Platform:
    return Platform(
        node_pools=(nodes,),
        teams=(Team(name="vision", pod_security=level),),
        provisions=stack_of({"sriov-cni": {"namespace": namespace}}).provisions,
        resources=frozenset({"nvidia.com/gpu", "rdma/hca_shared", "rdma/sriov_*"}),
    )


def template(nodes: NodePool, **facts: Any) -> dict[str, Any]:
    config = PyTorchDdpConfig(
        template="pytorch-ddp", name="a", pool="train", image="x/y:1", command=["train.py"], workers=2, rdma=True
    )
    (made,) = render(lambda scope: PyTorchDdp(scope, config=config, platform=platform(nodes, **facts))).objects
    found: dict[str, Any] = made.manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    return found


def variables(made: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in made["spec"]["containers"][0]["env"]}


def texts(nodes: NodePool, *, gpus: int = 8, pods: int = 2, level: PodSecurity = "privileged") -> list[str]:
    demand = Demand("train", pods, gpus, "gpusPerWorker", rdma=True, team="vision")
    return [problem.text for problem in demand_problems(demand, platform(nodes, level=level))]


def test_a_job_gets_a_function_of_every_network_of_its_pool() -> None:
    made = template(pool(functions()), namespace="fabric")
    limits = made["spec"]["containers"][0]["resources"]["limits"]

    assert {name: limits[name] for name in limits if name.startswith("rdma/")} == {
        "rdma/sriov_rail0": "1",
        "rdma/sriov_rail1": "1",
    }
    assert made["metadata"]["annotations"] == {
        "k8s.v1.cni.cncf.io/networks": "fabric/train-rail0, fabric/train-rail1",
        "sidecar.istio.io/inject": "false",
    }


def test_functions_are_no_reason_to_leave_the_clusters_network() -> None:
    made = template(pool(functions()))

    assert "hostNetwork" not in made["spec"]
    assert variables(made)["NCCL_SOCKET_IFNAME"] == "eth0"
    assert made["spec"]["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["IPC_LOCK"]},
    }


def test_networks_that_no_router_joins_are_not_crossed() -> None:
    routed = [{**rail, "gateway": f"10.{56 + index}.0.1"} for index, rail in enumerate(RAILS)]

    assert variables(template(pool(functions())))["NCCL_CROSS_NIC"] == "0"
    assert "NCCL_CROSS_NIC" not in variables(template(pool(functions(networks=routed))))
    assert "NCCL_CROSS_NIC" not in variables(template(pool(functions(networks=RAILS[:1]))))


def test_shared_roce_is_used_through_the_nodes_network() -> None:
    spec = template(pool("roce"))["spec"]

    assert spec["hostNetwork"] is True
    assert spec["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert "NCCL_SOCKET_IFNAME" not in variables({"spec": spec})


def test_shared_infiniband_needs_no_addresses() -> None:
    made = template(pool("infiniband"))

    assert "hostNetwork" not in made["spec"]
    assert "k8s.v1.cni.cncf.io/networks" not in made["metadata"]["annotations"]
    assert "NCCL_IB_GID_INDEX" not in variables(made)


def test_pods_that_take_no_adapters_stay_in_the_clusters_network() -> None:
    placement = place("train", gpus=8, rdma=True, platform=platform(pool("roce")))

    assert "hostNetwork" not in placement.pod({"name": "launcher"}, shared_memory="1Gi", accelerated=False)


def test_jobs_without_rdma_are_attached_to_no_network() -> None:
    placement = place("train", gpus=8, rdma=False, platform=platform(pool(functions())))

    assert placement.annotations == {}
    assert placement.limits() == {"nvidia.com/gpu": "8"}


def test_a_job_that_fits_is_accepted() -> None:
    assert texts(pool(functions())) == []
    assert texts(pool(functions(1)), gpus=1, pods=2) == []
    assert texts(pool("roce")) == []


def test_every_pod_needs_a_function() -> None:
    assert texts(pool(functions(2)), gpus=1, pods=5) == ["5 pods use the fabric, and pool train has functions for 4"]


def test_in_the_nodes_network_a_node_holds_one_pod_of_a_job() -> None:
    (text,) = texts(pool("roce"), gpus=1, pods=3)

    assert text == "3 pods use the fabric through the network of their node, one a node, and there are 2"
    assert texts(pool("infiniband"), gpus=1, pods=3) == []


@pytest.mark.parametrize(
    ("rdma", "memlock", "why"),
    [
        (functions(), False, "IPC_LOCK"),
        (functions(), True, ""),
        ("roce", True, "the node's network"),
        ("infiniband", False, "IPC_LOCK"),
        ("infiniband", True, ""),
    ],
)
def test_baseline_teams_may_do_what_needs_no_privilege(rdma: object, memlock: bool, why: str) -> None:
    found = texts(pool(rdma, memlockUnlimited=memlock), level="baseline")

    assert found == ([f"RDMA needs {why}, which Pod Security level 'baseline' of team vision forbids"] if why else [])


def test_a_resource_that_nothing_offers_is_named() -> None:
    demand = Demand("train", 2, 8, "gpusPerWorker", rdma=True, team=None)
    for rdma, names in (("roce", "rdma/hca_shared"), (functions(), "rdma/sriov_rail0, rdma/sriov_rail1")):
        bare = Platform(node_pools=(pool(rdma),), resources=frozenset({"nvidia.com/gpu"}))
        (problem,) = demand_problems(demand, bare)

        assert problem.text == f"nothing in the stack offers {names}"
        assert problem.missing == names.partition(",")[0]


def test_parameter_servers_meet_at_an_address_that_only_the_nodes_network_has() -> None:
    config = InsightFaceConfig(
        template="insightface",
        name="faces",
        pool="train",
        image="x/y:1",
        workers=1,
        servers=1,
        rdma=True,
        interface="ens1f0",
        dataset={"claim": "faces"},  # type: ignore[arg-type]
    )
    found = {
        name: [problem.text for problem in config.problems(platform(pool(rdma, nodes=nodes)))]
        for name, rdma, nodes in (
            ("functions", functions(), 2),
            ("roce", "roce", 3),
            ("too few nodes", "roce", 2),
            ("infiniband", "infiniband", 3),
            ("infiniband, host", {"kind": "infiniband", "hostNetwork": True}, 3),
        )
    }

    assert found["roce"] == found["infiniband, host"] == []
    assert "ps-lite connects over the fabric by address" in found["functions"][0]
    assert "ps-lite connects over the fabric by address" in found["infiniband"][0]
    assert found["too few nodes"][0].startswith("3 pods use the fabric through the network of their node")
