"""Node pools: what a node offers in every mode, and what a pod asks for to get one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from platform_def.config.pools import NodePool, asked, memory_blocks, offered, places, virtual, whole_cards


def pool(model: str = "a100-80gb", **gpu: Any) -> NodePool:
    return NodePool.from_file({"name": "train", "nodes": 2, "gpu": {"model": model, "perNode": 8, **gpu}})


def shared(mode: str, **more: Any) -> dict[str, Any]:
    return {"sharing": {"mode": mode, **more}}


@pytest.mark.parametrize(
    ("gpu", "node", "pod", "fits"),
    [
        ({}, {"nvidia.com/gpu": 8}, {"nvidia.com/gpu": 1}, 8),
        (shared("time-slicing", replicas=4), {"nvidia.com/gpu": 32}, {"nvidia.com/gpu": 1}, 32),
        (
            shared("time-slicing", replicas=4, rename=True),
            {"nvidia.com/gpu.shared": 32},
            {"nvidia.com/gpu.shared": 1},
            32,
        ),
        (shared("mps", replicas=10), {"nvidia.com/gpu": 80}, {"nvidia.com/gpu": 1}, 80),
        (shared("mps", replicas=10, rename=True), {"nvidia.com/gpu.shared": 80}, {"nvidia.com/gpu.shared": 1}, 80),
        ({"mig": {"layout": {"1g.10gb": 7}}}, {"nvidia.com/gpu": 56}, {"nvidia.com/gpu": 1}, 56),
        (
            {"mig": {"strategy": "mixed", "layout": {"3g.40gb": 1, "1g.10gb+me": 4}}},
            {"nvidia.com/mig-1g.10gb.me": 32, "nvidia.com/mig-3g.40gb": 8},
            {"nvidia.com/mig-1g.10gb.me": 1},
            32,
        ),
        (
            {"mig": {"strategy": "mixed", "layout": {"1g.10gb": 7}}, **shared("time-slicing", replicas=2, rename=True)},
            {"nvidia.com/mig-1g.10gb.shared": 112},
            {"nvidia.com/mig-1g.10gb.shared": 1},
            112,
        ),
        (
            shared("vgpu", replicas=4),
            {"tencent.com/vcuda-core": 800, "tencent.com/vcuda-memory": 2304},
            {"tencent.com/vcuda-core": 25, "tencent.com/vcuda-memory": 72},
            32,
        ),
    ],
    ids=["whole", "slices", "slices-renamed", "mps", "mps-renamed", "mig", "mig-mixed", "mig-slices", "vgpu"],
)
def test_what_a_node_offers_and_a_pod_asks_for(
    gpu: dict[str, Any], node: dict[str, int], pod: dict[str, int], fits: int
) -> None:
    nodes = pool(**gpu)

    assert offered(nodes) == node
    assert asked(nodes, 1) == pod
    assert places(nodes) == fits


def test_other_accelerators_are_counted_by_their_own_name() -> None:
    nodes = NodePool.from_file({"name": "amd", "accelerator": {"resource": "amd.com/gpu", "perNode": 8}})

    assert offered(nodes) == {"amd.com/gpu": 8}
    assert asked(nodes, 2) == {"amd.com/gpu": 2}
    assert places(nodes) == 8


def test_nodes_without_accelerators_offer_none() -> None:
    nodes = NodePool.from_file({"name": "cpu"})

    assert offered(nodes) == asked(nodes, 1) == {}
    assert places(nodes) == 0


def test_asking_for_none_names_no_resource() -> None:
    assert asked(pool(), 0) == {}


@pytest.mark.parametrize(
    ("gpu", "whole"),
    [({}, True), (shared("vgpu"), False), (shared("mps"), False), ({"mig": {"layout": {"1g.10gb": 7}}}, False)],
)
def test_only_undivided_cards_are_whole(gpu: dict[str, Any], whole: bool) -> None:
    assert whole_cards(pool(**gpu)) is whole


def test_virtual_gpus_are_told_from_other_shares() -> None:
    assert virtual(pool(**shared("vgpu")))
    assert not virtual(pool(**shared("mps")))


@pytest.mark.parametrize(
    ("model", "memory_gib", "blocks"),
    [("a100-80gb", None, 288), ("t4", None, 57), ("v100-32gb", None, 115), ("odd", None, None), ("odd", 16, 57)],
)
def test_memory_is_counted_in_blocks_of_256_mib_less_a_tenth(
    model: str, memory_gib: int | None, blocks: int | None
) -> None:
    gpu = pool(model, **({"memoryGib": memory_gib} if memory_gib else {})).gpu

    assert gpu is not None
    assert memory_blocks(gpu) == blocks


@given(st.integers(2, 100), st.integers(1, 16), st.integers(1, 1024))
def test_shares_of_virtual_gpus_never_need_more_than_their_card(replicas: int, cards: int, memory_gib: int) -> None:
    gpu = {"model": "any", "perNode": cards, "memoryGib": memory_gib, "sharing": {"mode": "vgpu", "replicas": replicas}}
    nodes = NodePool.from_file({"name": "v", "gpu": gpu})
    blocks = memory_blocks(nodes.gpu) if nodes.gpu else None
    share = asked(nodes, 1)

    assert 1 <= share["tencent.com/vcuda-core"] <= 100 // replicas
    assert share["tencent.com/vcuda-memory"] >= 1
    assert blocks is not None
    assert share["tencent.com/vcuda-memory"] * replicas <= max(blocks, replicas)


def test_a_share_of_a_card_whose_memory_is_unknown_still_asks_for_some() -> None:
    nodes = pool("odd", **shared("vgpu"))

    assert offered(nodes) == {"tencent.com/vcuda-core": 800}
    assert asked(nodes, 1) == {"tencent.com/vcuda-core": 50, "tencent.com/vcuda-memory": 1}


@pytest.mark.parametrize(
    ("gpu", "why"),
    [
        (shared("mps", replicas=49), "MPS serves at most 48 clients"),
        (shared("vgpu", replicas=101), "a card has 100 virtual cores"),
        (shared("vgpu", rename=True), "rename has no effect with vgpu"),
        (shared("time-slicing", replicas=1), "greater than or equal to 2"),
        ({"mig": {"layout": {"1g.10gb": 7}}, **shared("mps")}, "MPS cannot be combined with MIG"),
        ({"mig": {"layout": {"1g.10gb": 7}}, **shared("vgpu")}, "virtual GPUs cannot be combined with MIG"),
        ({"mig": {"layout": {"1g.10gb": 1, "3g.40gb": 1}}}, "strategy 'single' wants one profile"),
        ({"mig": {"layout": {"8g.10gb": 1}}}, "'8g.10gb' is not a MIG profile"),
        ({"mig": {"layout": {}}}, "layout needs a profile"),
    ],
)
def test_impossible_ways_to_share_are_refused(gpu: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        pool(**gpu)
