"""Node pools: what a node offers in every mode, and what a pod asks for to get one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from platform_def.config.pools import (
    NodePool,
    asked,
    common,
    layer,
    memory_units,
    offered,
    overlap,
    places,
    profiles,
    virtual,
    whole_cards,
)
from platform_def.config.words.registered import layers

LAYER = layers()["gpu-manager"]


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
    assert memory_units(gpu, LAYER) == blocks


@given(st.integers(2, 100), st.integers(1, 16), st.integers(1, 1024))
def test_shares_of_virtual_gpus_never_need_more_than_their_card(replicas: int, cards: int, memory_gib: int) -> None:
    gpu = {"model": "any", "perNode": cards, "memoryGib": memory_gib, "sharing": {"mode": "vgpu", "replicas": replicas}}
    nodes = NodePool.from_file({"name": "v", "gpu": gpu})
    blocks = memory_units(nodes.gpu, LAYER) if nodes.gpu else None
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


@pytest.mark.parametrize(
    ("model", "memory"),
    [
        *[("p4", 8), ("k80", 12), ("p100", 16), ("v100", 16), ("a2", 16), ("a16", 16), ("p40", 24), ("a10", 24)],
        *[("a10g", 24), ("a30", 24), ("l4", 24), ("a100", 40), ("a40", 48), ("l40", 48), ("l40s", 48), ("h100", 80)],
        *[("a800", 80), ("h800", 80), ("h200-141gb", 141), ("x-8gb", 8)],
    ],
)
def test_memory_of_a_usual_card_is_known_by_its_name(model: str, memory: int) -> None:
    named, told = pool(model).gpu, pool("odd", memoryGib=memory).gpu

    assert named is not None
    assert told is not None
    assert memory_units(named, LAYER) == memory_units(told, LAYER)


def test_what_a_pool_says_of_memory_wins_over_the_name() -> None:
    told, plain = pool("a100-80gb", memoryGib=40).gpu, pool("a100").gpu

    assert told is not None
    assert plain is not None
    assert memory_units(told, LAYER) == memory_units(plain, LAYER)


@pytest.mark.parametrize(
    ("gpu", "listed"),
    [
        ({"mig": {"strategy": "mixed", "layout": {"3g.40gb": 1, "1g.10gb": 4}}}, ["1g.10gb", "3g.40gb"]),
        ({"mig": {"layout": {"1g.10gb": 7}}}, []),
        ({}, []),
    ],
)
def test_only_the_mixed_strategy_lets_containers_choose_a_profile(gpu: dict[str, Any], listed: list[str]) -> None:
    assert profiles(pool(**gpu)) == listed


def test_an_unknown_profile_is_the_first_and_a_known_one_itself() -> None:
    mixed = pool(mig={"strategy": "mixed", "layout": {"3g.40gb": 1, "1g.10gb": 4}})

    assert asked(mixed, 2, "3g.40gb") == {"nvidia.com/mig-3g.40gb": 2}
    assert asked(mixed, 1, "7g.80gb") == asked(mixed, 1) == {"nvidia.com/mig-1g.10gb": 1}
    assert (places(mixed, "3g.40gb"), places(mixed)) == (8, 32)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"pool": "a"}, {"pool": "b"}, False),
        ({"pool": "a"}, {"pool": "a", "zone": "x"}, True),
        ({"pool": "a", "zone": "x"}, {"pool": "a"}, True),
        ({}, {"pool": "a"}, True),
        ({"pool": "a"}, {"zone": "x"}, False),
    ],
)
def test_pools_overlap_where_one_selector_chooses_all_nodes_of_the_other(
    one: dict[str, str], other: dict[str, str], same: bool
) -> None:
    assert overlap(NodePool(name="a", selector=one), NodePool(name="b", selector=other)) is same


@pytest.mark.parametrize(
    ("sharing", "who"),
    [({"mode": "vgpu"}, "gpu-manager"), ({"mode": "vgpu", "layer": "hami"}, "hami"), ({"mode": "mps"}, "")],
)
def test_only_virtual_gpus_have_somebody_who_divides_them(sharing: dict[str, Any], who: str) -> None:
    assert layer(pool(sharing=sharing)) == who
    assert layer(NodePool(name="cpu")) == layer(pool()) == ""


def test_a_share_is_one_of_two_unless_the_pool_says_otherwise_and_is_not_renamed() -> None:
    assert offered(pool(**shared("time-slicing"))) == {"nvidia.com/gpu": 16}
    assert asked(pool(**shared("vgpu")), 3)["tencent.com/vcuda-core"] == 150


@pytest.mark.parametrize("profile", ["1g.5gb", "7g.80gb", "1g.10gb+me", "1g.10gb+me.all", "1g.10gb+gfx", "1g.10gb-me"])
def test_profiles_have_a_size_of_computing_and_of_memory(profile: str) -> None:
    assert pool(mig={"layout": {profile: 1}})


@pytest.mark.parametrize(
    ("gpu", "why"),
    [
        (shared("mps", layer="hami"), "layer 'hami' divides virtual GPUs, so the mode is vgpu, not mps"),
        (shared("time-slicing", replicas=129), "less than or equal to 128"),
        ({"perNode": 17}, "less than or equal to 16"),
        ({"perNode": 0}, "greater than or equal to 1"),
        ({"memoryGib": 0}, "greater than or equal to 1"),
        ({"memoryGib": 1025}, "less than or equal to 1024"),
        ({"mig": {"layout": {"1g.10gb": 8}}}, "less than or equal to 7"),
        ({"mig": {"layout": {"1g.10gb": 0}}}, "greater than or equal to 1"),
        ({"mig": {"layout": {f"{'9' * 50}": 1}}}, f"'{'9' * 40}' is not a MIG profile"),
        (
            {"hostLibraries": {"driver": "/opt/n"}, "mig": {"layout": {"1g.10gb": 7}}},
            "hostLibraries has whole cards alone",
        ),
        ({"hostLibraries": {"driver": "/opt/n"}, **shared("mps")}, "hostLibraries cannot be combined with MPS"),
        ({"hostLibraries": {"driver": "/opt/n"}, **shared("vgpu")}, "hostLibraries cannot be combined with vgpu"),
    ],
)
def test_more_that_is_impossible_is_refused(gpu: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        pool(**gpu)

    assert why in str(caught.value)


def test_a_pool_has_one_scheduler() -> None:
    gpu = {"model": "a100-80gb", "perNode": 8}
    whole = NodePool.from_file({"name": "p", "scheduler": "kai-scheduler", "gpu": gpu})
    plain = NodePool.from_file({"name": "q"})

    assert common([whole, plain]) == [plain]
    for who in ("hami", "gpu-manager"):
        divided = {**gpu, "sharing": {"mode": "vgpu", "layer": who}}
        with pytest.raises(ValidationError, match=f"{who} divides its cards and places their pods"):
            NodePool.from_file({"name": "p", "scheduler": "kai-scheduler", "gpu": divided})
    with pytest.raises(ValidationError, match="kai-scheduler"):
        NodePool.from_file({"name": "p", "scheduler": "volcano"})


def test_what_is_just_possible_is_taken() -> None:
    assert pool(**shared("mps", replicas=48))
    assert pool(**shared("vgpu", replicas=100))
    assert pool(hostLibraries={"driver": "/opt/n"}, **shared("time-slicing"))
    assert pool(mig={"layout": {"1g.10gb": 7}}, **shared("time-slicing", rename=True))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"taints": ["a=1:NoSchedule", "a=2:NoSchedule"]}, "two taints have one key and effect"),
        ({"nodes": -1}, "greater than or equal to 0"),
        ({"nodes": 100001}, "less than or equal to 100000"),
        ({"gbps": 0}, "greater than or equal to 1"),
        ({"gbps": 100001}, "less than or equal to 100000"),
    ],
)
def test_nodes_that_cannot_be_are_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        NodePool.from_file({"name": "p", **fields})


def test_a_key_may_have_several_effects_and_a_pool_no_nodes() -> None:
    nodes = NodePool.from_file({"name": "p", "nodes": 0, "taints": ["a:NoSchedule", "a:NoExecute"]})

    assert (nodes.nodes, len(nodes.taints)) == (0, 2)
    assert NodePool(name="p").nodes == 1


@pytest.mark.parametrize("price", [0, 1_000_001])
def test_a_price_is_a_number_above_nothing(price: float) -> None:
    with pytest.raises(ValidationError):
        NodePool.from_file({"name": "train", "pricePerHour": price})


def test_a_node_may_cost_little_or_much() -> None:
    assert [
        NodePool.from_file({"name": "train", "pricePerHour": each}).price_per_hour for each in (0.01, 1_000_000)
    ] == [
        0.01,
        1_000_000,
    ]
    assert NodePool(name="train").price_per_hour is None
