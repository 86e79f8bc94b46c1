"""How a pool reaches its fabric: the short form, what belongs together, and addresses that suffice."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.pools import NodePool
from platform_def.config.rdma import Rdma

RAIL = {"name": "rail0", "interface": "ens1f0np0", "range": "10.56.0.0/16"}


def sriov(*networks: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"kind": "roce", "mode": "sriov", "functions": 8, "networks": list(networks or (RAIL,)), **changes}


def pool(rdma: object, nodes: int = 2) -> NodePool:
    return NodePool.from_file({"name": "train", "nodes": nodes, "rdma": rdma})


def test_one_word_means_shared_adapters() -> None:
    assert pool("roce").rdma == Rdma(kind="roce", mode="shared")
    assert pool("none").rdma == NodePool(name="train").rdma == Rdma()


def test_a_pool_reads_back_what_it_writes() -> None:
    for rdma in ("none", "roce", {"kind": "infiniband", "hostNetwork": True}, sriov()):
        assert NodePool.model_validate_json(pool(rdma).model_dump_json()) == pool(rdma)


def test_shared_adapters_are_one_resource_and_functions_one_a_network() -> None:
    rails = sriov(RAIL, {"name": "rail-1", "pciAddress": "0000:86:00.0", "range": "10.57.0.0/16"})

    assert pool("infiniband").rdma.resources() == ("rdma/hca_shared",)
    assert pool(rails).rdma.resources() == ("rdma/sriov_rail0", "rdma/sriov_rail_1")
    assert pool("none").rdma.resources() == ()


@pytest.mark.parametrize(
    ("rdma", "inside"),
    [
        ("roce", True),
        ("infiniband", False),
        ({"kind": "roce", "hostNetwork": False}, False),
        ({"kind": "infiniband", "hostNetwork": True}, True),
        (sriov(), False),
        ("none", False),
    ],
)
def test_roce_is_used_through_the_nodes_network_unless_pods_have_functions(rdma: object, inside: bool) -> None:
    assert pool(rdma).rdma.in_host_network is inside


@pytest.mark.parametrize(
    ("rdma", "why"),
    [
        ("ethernet", "Input should be 'none', 'infiniband' or 'roce'"),
        ({"mode": "sriov", "functions": 1, "networks": [RAIL]}, "say which fabric it is"),
        ({"kind": "roce", "functions": 8}, "functions, networks and netns belong to `mode: sriov`"),
        ({"kind": "roce", "netns": "shared"}, "functions, networks and netns belong to `mode: sriov`"),
        ({"kind": "roce", "mode": "sriov"}, "sriov needs `functions:`"),
        ({"kind": "roce", "mode": "sriov", "functions": 8}, "sriov needs `functions:`"),
        (sriov(hostNetwork=True), "a pod in the node's network gets no interface of its own"),
        (sriov({**RAIL, "pciAddress": "0000:86:00.0"}), "either `interface:` or `pciAddress:`"),
        (sriov({"name": "rail0", "range": "10.56.0.0/16"}), "either `interface:` or `pciAddress:`"),
        (sriov({"name": "rail0", "interface": "ens1"}), "network rail0 needs `range:`: RoCE packets carry IP"),
        (sriov({**RAIL, "range": "10.56.0.1/16"}), "'10.56.0.1/16' has bits set beyond its prefix"),
        (sriov({**RAIL, "range": "rail"}), "'rail' is no network"),
        (sriov({**RAIL, "exclude": ["10.57.0.0/28"]}), "exclude: 10.57.0.0/28 is not in the range"),
        (sriov({**RAIL, "exclude": ["fd00::/120"]}), "exclude: fd00::/120 is not in the range"),
        (sriov({**RAIL, "gateway": "10.57.0.1"}), "gateway: 10.57.0.1 is no address in the range"),
        (sriov({**RAIL, "gateway": "router"}), "gateway: router is no address in the range"),
        (sriov({**RAIL, "routes": ["10.0.0.0/8"]}), "routes lead through a `gateway:`"),
        (sriov({"name": "a", "interface": "ib0", "gateway": "10.0.0.1"}, kind="infiniband"), "belong to a `range:`"),
        (sriov({"name": "a", "interface": "ib0", "vlan": 5}, kind="infiniband"), "a vlan, which InfiniBand has not"),
        (sriov(RAIL, {**RAIL, "interface": "ens2", "range": "10.57.0.0/16"}), "two networks are called 'rail0'"),
        (sriov(RAIL, {**RAIL, "name": "rail1", "range": "10.57.0.0/16"}), "are one port, ens1f0np0"),
        (sriov(RAIL, {**RAIL, "name": "b", "interface": "ens2"}), "networks rail0 and b have addresses in common"),
    ],
)
def test_what_does_not_belong_together_is_refused(rdma: object, why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        pool(rdma)

    assert why in str(caught.value)


def test_a_range_must_hold_every_function_of_every_node() -> None:
    small = {**RAIL, "range": "10.56.0.0/27", "exclude": ["10.56.0.0/29"], "gateway": "10.56.0.30"}

    assert pool(sriov(small), nodes=2).rdma.networks[0].free() == 21
    with pytest.raises(
        ValidationError, match="rail0 has 21 addresses for pods, and 3 nodes with 8 functions may need 24"
    ):
        pool(sriov(small), nodes=3)


def test_the_router_is_never_given_to_a_pod() -> None:
    (network,) = pool(sriov({**RAIL, "exclude": ["10.56.0.0/28"], "gateway": "10.56.1.1"})).rdma.networks

    assert network.kept() == ["10.56.0.0/28", "10.56.1.1/32"]
