"""The preflight on nodes whose ports have virtual functions: how many, and the mode of the RDMA subsystem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.components.gpu.gpu_preflight.settings import node_settings
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from tests.components.gpu_preflight.test_gpu_preflight import Node

RAILS = [
    {"name": "rail0", "interface": "ens1f0np0", "range": "10.56.0.0/24"},
    {"name": "rail1", "pciAddress": "0000:86:00.0", "range": "10.57.0.0/24"},
]
MODULES = ("ib_uverbs", "rdma_ucm")


def pool(kind: str = "roce", **rdma: Any) -> NodePool:
    fabric = {"kind": kind, "mode": "sriov", "functions": 4, "networks": RAILS, **rdma}
    return NodePool.from_file({"name": "rails", "selector": {"pool": "rails"}, "rdma": fabric})


@pytest.fixture
def node(tmp_path: Path) -> Node:
    made = Node(tmp_path)
    for module in MODULES:
        made.write(f"sys/module/{module}/refcnt", "1")
    return made.write("sys/module/ib_core/parameters/netns_mode", "N\n")


def ports(node: Node, *counts: int) -> Node:
    for index, count in enumerate(counts):
        node.write(f"sys/bus/pci/devices/0000:{index:02}:00.0/sriov_numvfs", f"{count}\n")
    return node


def test_a_node_with_its_functions_passes_though_its_adapters_are_not_seen(node: Node) -> None:
    passed, said = ports(node, 4, 8).check(pool())

    assert passed
    assert "ok    virtual functions: 2 ports with 4 or more" in said
    assert "adapters" not in said


@pytest.mark.parametrize("counts", [(), (4,), (4, 2)])
def test_a_node_without_enough_functions_fails(node: Node, counts: tuple[int, ...]) -> None:
    passed, said = ports(node, *counts).check(pool())

    assert not passed
    assert "FAIL  virtual functions: the pool says 4 on 2 ports" in said


def test_the_mode_must_be_the_pools(node: Node) -> None:
    ports(node, 4, 4).write("sys/module/ib_core/parameters/netns_mode", "Y\n")
    _, said = node.check(pool())

    assert "FAIL  RDMA is in the shared namespace mode: rdma system set netns exclusive" in said
    assert node.fabric().check(pool(netns="shared"))[0]


def test_settings_make_the_functions_at_every_start() -> None:
    text = node_settings(pool(), Platform())

    assert "options ib_core netns_mode=0" in text
    assert "SRIOV_EN=1 NUM_OF_VFS=4" in text
    assert "ExecStart=/bin/sh -c 'echo 4 > /sys/class/net/ens1f0np0/device/sriov_numvfs'" in text
    assert "ExecStart=/bin/sh -c 'echo 4 > /sys/bus/pci/devices/0000:86:00.0/sriov_numvfs'" in text
    assert "port_guid" not in text


def test_infiniband_wants_guids_and_the_shared_mode_no_option() -> None:
    text = node_settings(pool("infiniband", netns="shared"), Platform())

    assert "virt_enabled 2" in text
    assert "netns_mode" not in text
