"""How a pool reaches its fabric: the short form, what belongs together, and addresses that suffice."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.pools import NodePool
from platform_def.config.rdma import Network, Rdma, range_problem

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
        ("ethernet", "Input should be 'none', 'infiniband', 'roce' or 'efa'"),
        ({"interface": "ens1"}, "say which fabric it is: `kind: roce`, `kind: infiniband` or `kind: efa`"),
        ({"hca": ["mlx5_0"]}, "say which fabric it is"),
        ({"gidIndex": 0}, "say which fabric it is"),
        ({"resource": "nvidia.com/roce"}, "say which fabric it is"),
        ({"kind": "efa", "hostNetwork": True}, "pods reach EFA by its device plugin alone"),
        ({"kind": "efa", "gidIndex": 0}, "leave out mode, hostNetwork, hca and gidIndex"),
        ({"kind": "efa", "hca": ["mlx5_0"]}, "leave out mode, hostNetwork, hca and gidIndex"),
        (sriov(resource="nvidia.com/roce"), "with sriov each network is a resource"),
        ({"kind": "roce", "devices": 2}, "`devices` goes with `kind: efa` or `resource:`"),
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


@pytest.mark.parametrize(
    ("fields", "free"),
    [
        ({}, 254),
        ({"exclude": ["10.56.0.0/28"]}, 238),
        ({"gateway": "10.56.0.1"}, 253),
        ({"exclude": ["10.56.0.0/25", "10.56.0.128/25"]}, 0),
        ({"range": "10.56.0.0/31"}, 0),
        ({"range": "fd00::/120"}, 254),
    ],
)
def test_addresses_for_pods_are_those_of_the_range_less_its_ends_and_what_is_kept(
    fields: dict[str, Any], free: int
) -> None:
    network = Network.from_file(RAIL | {"range": "10.56.0.0/24"} | fields)

    assert network.free() == free


def test_a_network_without_addresses_has_none_to_give() -> None:
    network = Network.from_file({"name": "ib0", "interface": "ib0"})

    assert (network.free(), network.kept()) == (0, [])


def test_a_range_is_enough_when_it_is_just_enough() -> None:
    two = Rdma.from_file(sriov({**RAIL, "range": "10.56.0.0/27"}, functions=15))

    assert range_problem(two, 2) == ""
    assert "network rail0 has 30 addresses for pods, and 3 nodes with 15 functions may need 45" in range_problem(two, 3)
    assert range_problem(Rdma(kind="roce"), 1000) == ""


def test_the_port_is_what_the_nodes_call_it() -> None:
    by_address = Network.from_file({"name": "a", "pciAddress": "0000:3b:00.0"})

    assert (Network.from_file(RAIL).port, by_address.port) == ("ens1f0np0", "0000:3b:00.0")


@pytest.mark.parametrize(
    ("rdma", "shared", "functions"),
    [("none", False, False), ("roce", True, False), ("infiniband", True, False), (sriov(), False, True)],
)
def test_pods_share_adapters_or_get_functions(rdma: object, shared: bool, functions: bool) -> None:
    found = pool(rdma).rdma

    assert (found.shared, found.sriov) == (shared, functions)


@pytest.mark.parametrize(
    "rdma",
    [
        sriov({**RAIL, "gateway": "10.56.0.1", "routes": ["10.0.0.0/8"], "exclude": ["10.56.0.0/28"], "vlan": 4094}),
        sriov({"name": "ib0", "interface": "ib0"}, kind="infiniband"),
        sriov(netns="shared"),
        sriov(hostNetwork=False),
        sriov(RAIL, {"name": "a", "interface": "ens2", "range": "10.57.0.0/16"}),
    ],
)
def test_what_belongs_together_is_taken(rdma: dict[str, Any]) -> None:
    assert pool(rdma).rdma.sriov


@pytest.mark.parametrize(
    ("rdma", "why"),
    [
        (True, "which fabric?"),
        ({"hostNetwork": True}, "say which fabric it is"),
        ({"hostNetwork": False}, "say which fabric it is"),
        ({"networks": [RAIL]}, "say which fabric it is"),
        ({"kind": "roce", "networks": [RAIL]}, "belong to `mode: sriov`"),
        ({"kind": "roce", "mode": "sriov", "networks": [RAIL]}, "sriov needs `functions:`"),
        (sriov({**RAIL, "routes": ["10.0.0.1/8"], "gateway": "10.56.0.1"}), "has bits set beyond its prefix"),
        (sriov({"name": "a", "interface": "ib0", "routes": ["10.0.0.0/8"]}, kind="infiniband"), "belong to a `range:`"),
        (
            sriov({"name": "a", "interface": "ib0", "exclude": ["10.0.0.0/8"]}, kind="infiniband"),
            "belong to a `range:`",
        ),
        (sriov({**RAIL, "vlan": 0}), "greater than or equal to 1"),
        (sriov({**RAIL, "vlan": 4095}), "less than or equal to 4094"),
        (sriov(functions=0), "greater than or equal to 1"),
        (sriov(functions=128), "less than or equal to 127"),
        (sriov({**RAIL, "name": "r" * 33}), "at most 32"),
        (sriov({**RAIL, "interface": "e" * 16}), "should match pattern"),
        (sriov({**RAIL, "range": "x" * 70}), f"'{'x' * 60}' is no network: write it as 10.56.0.0/16"),
        (
            sriov(RAIL, {**RAIL, "name": "rail-0", "interface": "b"}, {**RAIL, "name": "rail_0"}),
            "'rail_0' is not a name",
        ),
    ],
)
def test_more_that_does_not_belong_together_is_refused(rdma: object, why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        pool(rdma)

    assert why in str(caught.value)


def test_a_network_is_a_resource_whose_name_a_variable_can_have() -> None:
    network = Network.from_file(RAIL | {"name": "rail-a-1"})

    assert (network.resource, network.resource_name) == ("rdma/sriov_rail_a_1", "sriov_rail_a_1")


def test_only_adapters_that_another_plugin_offers_have_a_name_and_a_number() -> None:
    assert pool("efa").rdma.resources() == ("vpc.amazonaws.com/efa",)
    assert pool({"kind": "roce", "resource": "nvidia.com/roce"}).rdma.resources() == ("nvidia.com/roce",)
    assert [pool(rdma).rdma.elsewhere for rdma in ("efa", "roce", {"kind": "roce", "resource": "nvidia.com/roce"})] == [
        True,
        False,
        True,
    ]
    assert [pool(rdma).rdma.pinned for rdma in ("none", "efa", "roce", "infiniband")] == [False, False, True, True]
