"""Pools whose pods get virtual functions, and their networks."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import Fabric
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.fabrics import (
    addressed,
    functions_of,
    network_name,
    networks_namespace,
    networks_namespaces,
)


def pool(**network: Any) -> NodePool:
    fabric = {"kind": "infiniband", "mode": "sriov", "functions": 8, "networks": [{"name": "rail0", **network}]}
    return NodePool.from_file({"name": "train", "selector": {"pool": "train"}, "rdma": fabric})


def test_only_pools_whose_pods_get_functions_have_them() -> None:
    plain = NodePool.from_file({"name": "a", "rdma": "roce"})

    assert [each.name for each in functions_of(Platform(node_pools=(plain, pool(interface="ib0"))))] == ["train"]


def test_a_network_bears_both_names() -> None:
    train = pool(interface="ib0")

    assert network_name(train, train.rdma.networks[0]) == "train-rail0"


def test_networks_live_where_those_are_who_define_them() -> None:
    given = [("networks", "b"), ("networks", "a"), ("attach", "c")]
    provisions = tuple(
        Provision.of(Fabric.from_file({"part": part, "namespace": namespace}), namespace) for part, namespace in given
    )

    assert networks_namespaces(Platform(provisions=provisions)) == ["a", "b"]
    assert networks_namespace(Platform(provisions=provisions)) == "a"
    assert networks_namespaces(Platform()) == []
    assert networks_namespace(Platform()) == "sriov-cni"


def test_networks_with_ranges_have_addresses() -> None:
    bare, ranged = pool(interface="ib0"), pool(interface="ib0", range="10.56.0.0/24")

    assert not addressed((bare,))
    assert addressed((bare, ranged))
    assert not addressed(())
