"""What of the pools' fabrics cannot work in a stack, whoever gives their parts."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import Fabric
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.errors import Problem
from platform_def.pipeline.resolve.fabrics import fabric_problems

PARTS = ("attach", "functions", "networks", "addresses")


def network(name: str = "rail0", **fields: Any) -> dict[str, Any]:
    return {"name": name, "interface": f"{name}np0", "range": "10.56.0.0/24"} | fields


def pool(name: str = "train", *networks: dict[str, Any], nodes: int = 2, **rdma: Any) -> NodePool:
    """A pool whose pods get functions."""
    fabric = {"kind": "roce", "mode": "sriov", "functions": 8, "networks": [*(networks or (network(),))]} | rdma
    return NodePool.from_file({"name": name, "nodes": nodes, "selector": {"pool": name}, "rdma": fabric})


def shared(name: str, **selector: str) -> NodePool:
    return NodePool.from_file({"name": name, "selector": selector, "rdma": "roce"})


def problems(*pools: NodePool, given: tuple[str, ...] = PARTS, **facts: Any) -> list[Problem]:
    provisions = [Provision.of(Fabric.from_file({"part": part, "namespace": "here"}), f"my-{part}") for part in given]
    return list(fabric_problems(Platform(node_pools=pools, provisions=tuple(provisions), **facts)))


def test_a_pool_with_everything_has_no_problem() -> None:
    assert problems(pool()) == []
    assert problems(shared("a"), given=()) == []


def test_each_missing_part_is_told_at_the_pool() -> None:
    found = problems(shared("other", pool="other"), pool(), given=())

    assert [problem.at for problem in found] == [("nodePools", 1, "rdma")] * 4
    assert "the stack lacks a program that attaches pods to networks" in found[0].text


def test_addresses_are_given_out_only_where_a_network_has_some() -> None:
    bare = pool("train", {"name": "ib0", "interface": "ib0"}, kind="infiniband")

    assert problems(bare, given=("attach", "functions", "networks")) == []


def test_multus_does_not_find_the_kubelet_of_microk8s() -> None:
    [problem] = problems(pool(), distribution="microk8s")

    assert "microk8s has it elsewhere" in problem.text
    assert "`rdma: roce`" in problem.hint
    assert problems(shared("a"), distribution="microk8s") == []


def test_pools_that_may_have_the_same_nodes_are_told_at_the_second() -> None:
    [problem] = problems(pool(), shared("any"))

    assert "pools train and any reach their fabrics in different ways" in problem.text
    assert "selector" in problem.hint
    assert problem.at == ("nodePools", 1, "rdma")


def test_pools_that_are_kept_apart_or_share_alike_or_have_no_fabric_do_not_collide() -> None:
    assert problems(pool(), shared("other", pool="other")) == []
    assert problems(shared("a"), shared("b")) == []
    assert problems(pool(), NodePool(name="cpu")) == []


def test_two_pools_with_functions_on_the_same_nodes_collide() -> None:
    twin = pool("twin", network("rail1", range="10.57.0.0/24")).model_copy(update={"selector": {"pool": "train"}})

    assert len(problems(pool(), twin)) == 1


def test_a_range_that_pools_share_is_counted_for_all_of_them() -> None:
    two = (pool("a", nodes=16), pool("b", nodes=16))

    [problem] = problems(*two)

    assert (
        "pools a and b share the range 10.56.0.0/24: 254 addresses for pods, of which they may need 256" in problem.text
    )
    assert "larger range" in problem.hint
    assert problem.at == ("nodePools", 1, "rdma")


def test_a_range_that_is_just_large_enough_or_not_shared_is_none() -> None:
    just = network(
        exclude=[
            "10.56.0.0/25",
            "10.56.0.128/26",
            "10.56.0.192/27",
            "10.56.0.224/29",
            "10.56.0.232/30",
            "10.56.0.236/31",
        ]
    )

    assert pool("a", just, nodes=1).rdma.networks[0].free() == 16
    assert problems(pool("a", just, nodes=1), pool("b", just, nodes=1)) == []
    assert problems(pool("a", nodes=16), pool("b", network(range="10.57.0.0/24"), nodes=16)) == []


def test_the_smallest_part_of_a_shared_range_decides() -> None:
    small = network(exclude=["10.56.0.0/25", "10.56.0.128/26"])

    [problem] = problems(pool("a", nodes=4), pool("b", small, nodes=4))

    assert "62 addresses for pods, of which they may need 64" in problem.text


def test_networks_without_addresses_share_none() -> None:
    bare = [pool(name, {"name": "ib0", "interface": "ib0"}, kind="infiniband", nodes=1000) for name in "ab"]

    assert problems(*bare) == []
