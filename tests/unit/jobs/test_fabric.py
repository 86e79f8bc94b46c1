"""What `rdma: true` brings a job on each way to a fabric, and what it cannot have."""

from __future__ import annotations

import os
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.people.namespaces.team import network_policy
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import PodSecurity, Team
from platform_def.constructs.render import render
from platform_def.jobs.fabric import FabricChoice, fabric_env
from platform_def.jobs.kubeflow.insightface import InsightFaceConfig
from platform_def.jobs.kubeflow.pytorch_ddp import PyTorchDdp, PyTorchDdpConfig
from platform_def.jobs.placement import Demand, demand_problems, place
from tests.unit.built import stack_of
from tests.unit.jobs.platforms import MINIMAL, configured, container, job, pod
from tests.unit.jobs.platforms import variables as environment

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
    demand = Demand("train", pods, gpus, "gpusPerWorker", rdma=True, owner="vision")
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
    ("fabric", "ports"),
    [({"kind": "roce", "interface": "ens1"}, [{"name": "apart", "containerPort": 9999}]), ("infiniband", None)],
)
def test_workers_of_mpi_by_exec_have_a_port_that_keeps_two_from_one_node(fabric: object, ports: Any) -> None:
    _, config, there = job_on(fabric, "mpi", team={"network": "open"})
    made = job("mpi", there, **config.model_dump(by_alias=True, exclude_unset=True, exclude={"template", "name"}))

    assert container(made, "Worker").get("ports") == ports
    assert "ports" not in container(made, "Launcher")


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
    demand = Demand("train", 2, 8, "gpusPerWorker", rdma=True, owner="")
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


def job_on(fabric: object, template: str, *, nodes: int = 4, team: dict[str, Any] | None = None, **said: Any) -> Any:
    """What is wrong with a job on the pool, by field, and its configuration."""
    there = platform(pool(fabric, nodes=nodes))
    if team is not None:
        there = there.with_facts(teams=(Team.from_file({"name": "vision", "podSecurity": "privileged", **team}),))
    own = {"team": "vision", "pool": "train", "workers": 2, "gpusPerWorker": 8, "rdma": True}
    config = configured(template, **{**MINIMAL[template], **own, **said})
    return {problem.field: problem for problem in config.problems(there)}, config, there


def test_a_pool_says_once_how_jobs_use_its_fabric_and_a_job_may_say_otherwise() -> None:
    fabric = {"kind": "roce", "interface": "ens1f0np0", "hca": ["mlx5_0", "mlx5_1"], "gidIndex": 3}
    inherited = variables(template(pool(fabric)))

    assert inherited["NCCL_SOCKET_IFNAME"] == inherited["GLOO_SOCKET_IFNAME"] == "ens1f0np0"
    assert inherited["NCCL_IB_HCA"] == "=mlx5_0,mlx5_1"
    assert inherited["UCX_NET_DEVICES"] == "mlx5_0:1,mlx5_1:1"
    assert inherited["NCCL_IB_GID_INDEX"] == "3"
    own = FabricChoice("ens2", ("mlx5_7",), 0)
    said = {each["name"]: each["value"] for each in fabric_env(pool(fabric).rdma, own)}
    assert said["NCCL_SOCKET_IFNAME"] == "ens2"
    assert (said["NCCL_IB_HCA"], said["NCCL_IB_GID_INDEX"]) == ("=mlx5_7", "0")


def test_the_pools_interface_reaches_programs_that_go_by_variables_of_their_own() -> None:
    fabric = {"kind": "roce", "interface": "ens1"}
    for name, variable in (("mpi", "OMPI_MCA_btl_tcp_if_include"), ("mxnet", "DMLC_INTERFACE")):
        found, config, there = job_on(fabric, name, team={"network": "open"}, nodes=6)

        assert found == {}
        made = job(name, there, **config.model_dump(by_alias=True, exclude_unset=True, exclude={"template", "name"}))
        assert environment(container(made, "Worker"))[variable] == "ens1"


def test_jobs_without_rdma_do_not_go_by_the_interface_of_the_fabric() -> None:
    _, config, there = job_on({"kind": "roce", "interface": "ens1"}, "mpi", rdma=False)

    assert config.meeting(there) is None


@pytest.mark.parametrize("name", ["pytorch-ddp", "jax", "mxnet", "horovod", "ray"])
def test_in_the_nodes_network_pods_must_know_where_to_meet(name: str) -> None:
    found, _, _ = job_on("roce", name, team={"network": "open"}, nodes=6)

    assert found["interface"].text == (
        "processes would meet at the first interface of their node, or at the address of its name"
    )
    assert found["interface"].hint == (
        "name the fabric's once in pool train: `rdma: {kind: roce, interface: ens1f0np0}`"
    )
    assert job_on("roce", name, team={"network": "open"}, nodes=6, interface="ens1")[0] == {}
    assert job_on({"kind": "roce", "interface": "ens1"}, name, team={"network": "open"}, nodes=6)[0] == {}


def test_a_single_pod_and_pods_in_the_clusters_network_need_no_interface() -> None:
    assert job_on("roce", "pytorch-ddp", workers=1)[0] == {}
    assert job_on("infiniband", "pytorch-ddp")[0] == {}


@pytest.mark.parametrize(
    ("name", "who"),
    [("mpi", "the launcher"), ("horovod", "the launcher"), ("ray", "the head"), ("spark", "the driver")],
)
def test_workers_on_the_nodes_network_must_reach_who_coordinates_them(name: str, who: str) -> None:
    fabric = {"kind": "roce", "interface": "ens1"}
    found, _, _ = job_on(fabric, name)

    assert found["team"].text == (
        f"workers reach {who} from their nodes' addresses, and team vision lets none of them in"
    )
    assert found["team"].hint == "name the nodes' network in the team: `network: {ingressFrom: [10.0.0.0/16]}`"
    closed = {"network": {"ingressFrom": ["10.20.0.0/16"], "egressTo": ["storage"]}}
    assert job_on(fabric, name, team=closed)[0]["team"].text == (
        f"{who} reaches workers at their nodes' addresses, and team vision lets it reach none"
    )
    for network in ({"ingressFrom": ["10.20.0.0/16"]}, {"policy": "open"}):
        assert job_on(fabric, name, team={"network": network})[0] == {}
    assert job_on("infiniband", name)[0] == {}


@pytest.mark.parametrize("name", ["mpi", "ray", "spark"])
def test_a_single_worker_on_the_nodes_network_must_reach_who_coordinates_it_too(name: str) -> None:
    found, _, _ = job_on("roce", name, workers=1)

    assert [*found] == ["team"]
    assert job_on("infiniband", name, workers=1)[0] == {}


@pytest.mark.parametrize(("name", "coordinator"), [("ray", "Head"), ("mpi", "Launcher"), ("horovod", "Launcher")])
def test_the_teams_policy_then_lets_the_workers_nodes_reach_the_head_and_no_other_address(
    name: str, coordinator: str
) -> None:
    network = {"ingressFrom": ["10.20.0.0/16"]}
    _, config, there = job_on({"kind": "roce", "interface": "ens1"}, name, team={"network": network})
    policy = network_policy(there.teams[0], there)
    made = job(name, there, **config.model_dump(by_alias=True, exclude_unset=True, exclude={"template", "name"}))
    worker, head = (pod(made, role) for role in ("Worker", coordinator))

    assert worker["hostNetwork"] is True
    assert "hostNetwork" not in head
    assert admits(policy["ingress"], "10.20.3.4")
    assert not admits(policy["ingress"], "10.21.3.4")
    assert admits(policy["egress"], "10.20.3.4")


def admits(rules: list[Any], address: str) -> bool:
    """Whether a rule of a policy names an address outside the cluster's pods."""
    peers = [peer for rule in rules for peer in (*rule.get("from", ()), *rule.get("to", ()))]
    blocks = [peer["ipBlock"] for peer in peers if "ipBlock" in peer]
    return any(ip_address(address) in ip_network(block["cidr"]) for block in blocks)


def elastic_container(rdma: object) -> dict[str, Any]:
    elastic: dict[str, Any] = {"elastic": {"least": 1, "most": 4}, "dataset": {"claim": "d"}, "checkpoints": "/data/c"}
    _, config, there = job_on(rdma, "pytorch-ddp", **elastic)
    said = config.model_dump(by_alias=True, exclude_unset=True, exclude={"template", "name"})
    return container(job("pytorch-ddp", there, **said))


@pytest.mark.parametrize(
    ("index", "conf", "expected"), [("0", "", "is_host=1"), ("3", "", "is_host=0"), ("0", "a=b", "a=b")]
)
def test_elastic_pods_on_the_nodes_network_know_which_of_them_all_meet_at(
    tmp_path: Path, index: str, conf: str, expected: str
) -> None:
    found = elastic_container({"kind": "roce", "interface": "ens1"})
    torchrun = tmp_path / "torchrun"
    torchrun.write_text('#!/bin/sh\necho "$PET_RDZV_CONF $@"\n')
    torchrun.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "REPLICA_INDEX": index, "PET_RDZV_CONF": conf}
    done = subprocess.run([*found["command"], *found["args"]], env=env, capture_output=True, text=True, check=True)

    assert done.stdout == f"{expected} train.py\n"
    assert environment(found)["PET_LOCAL_ADDR"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    label = "metadata.labels['training.kubeflow.org/replica-index']"
    assert environment(found)["REPLICA_INDEX"] == {"fieldRef": {"fieldPath": label}}


def test_elsewhere_torchrun_finds_that_out_itself() -> None:
    assert elastic_container("infiniband")["command"] == ["torchrun"]


@pytest.mark.parametrize(
    ("name", "said"), [("pytorch-ddp", {}), ("trainjob", {}), ("volcano-job", {"framework": "pytorch"})]
)
def test_a_torchrun_that_can_be_told_waits_as_long_as_the_pod_does(name: str, said: dict[str, Any]) -> None:
    made = container(job(name, **{**MINIMAL[name], **said, "gracePeriodSeconds": 600}))

    assert environment(made)["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] == "600"


@pytest.mark.parametrize(
    ("name", "said", "whose"),
    [
        ("tensorflow", {"strategy": "parameter-server"}, "TensorFlow's"),
        ("volcano-job", {"framework": "tensorflow", "servers": 1}, "TensorFlow's"),
        ("tensorflow-ps", {}, "TensorFlow's"),
        ("paddle", {"strategy": "parameter-server"}, "Paddle's"),
    ],
)
def test_servers_that_exchange_over_tcp_hold_no_adapters(name: str, said: dict[str, Any], whose: str) -> None:
    found, _, _ = job_on("infiniband", name, **said)

    assert found["rdma"].text == f"{whose} servers exchange over TCP, which knows no RDMA"
    assert found["rdma"].hint == "leave it out"


def pod_on(fabric: object, **said: Any) -> dict[str, Any]:
    found, config, there = job_on(fabric, "pytorch-ddp", team={"podSecurity": "baseline"}, **said)
    assert found == {}
    values = config.model_dump(by_alias=True, exclude_unset=True, exclude={"template", "name"})
    return pod(job("pytorch-ddp", there, **values))


def test_adapters_of_aws_come_by_the_share_of_the_node_and_need_no_privilege() -> None:
    for gpus, adapters in ((8, "32"), (2, "8")):
        made = pod_on({"kind": "efa", "devices": 32}, gpusPerWorker=gpus)
        limits = made["containers"][0]["resources"]["limits"]

        assert limits["vpc.amazonaws.com/efa"] == adapters
        assert environment(made["containers"][0])["FI_PROVIDER"] == "efa"
        assert "UCX_NET_DEVICES" not in environment(made["containers"][0])
        assert "hostNetwork" not in made
        assert "add" not in made["containers"][0]["securityContext"].get("capabilities", {})
    assert pod_on("efa")["containers"][0]["resources"]["limits"]["vpc.amazonaws.com/efa"] == "1"


def test_another_device_plugin_names_its_resource_in_the_pool() -> None:
    fabric = {"kind": "infiniband", "resource": "openshift.io/mlnx_rdma", "devices": 4}
    found, config, there = job_on(fabric, "pytorch-ddp")

    assert found == {}
    values = config.model_dump(by_alias=True, exclude_unset=True, exclude={"template", "name"})
    made = container(job("pytorch-ddp", there, **values))
    assert made["resources"]["limits"]["openshift.io/mlnx_rdma"] == "4"
    assert made["securityContext"]["capabilities"] == {"add": ["IPC_LOCK"]}
    assert there.offers_resource("openshift.io/mlnx_rdma")
    assert not there.offers_resource("vpc.amazonaws.com/efa")
