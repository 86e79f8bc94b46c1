"""MIG by card: a node of which some cards are cut one way, some another, and some not at all."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.devices import devices, gpu_quota
from platform_def.config.pools import NodePool, asked, mig_devices, offered, places, profiles, uncut, whole_cards
from platform_def.config.teams import Team

CARDS = {
    "0": {"2g.20gb": 3, "1g.10gb": 1},
    "1": {"4g.40gb": 1, "3g.40gb": 1},
    "2-7": {},
}


def pool(cards: Any = CARDS, *, count: int = 8, **gpu: Any) -> NodePool:
    mig = {"strategy": "mixed", "cards": cards}
    return NodePool.from_file({"name": "mixed", "gpu": {"model": "a100-80gb", "perNode": count, "mig": mig, **gpu}})


def wrong(cards: Any = CARDS, *, count: int = 8, mig: dict[str, Any] | None = None, **gpu: Any) -> str:
    said = {"strategy": "mixed", "cards": cards} if mig is None else mig
    with pytest.raises(ValidationError) as raised:
        NodePool.from_file({"name": "p", "gpu": {"model": "a100-80gb", "perNode": count, "mig": said, **gpu}})
    return str(raised.value)


def test_a_node_offers_whole_cards_beside_devices_of_each_profile() -> None:
    assert offered(pool()) == {
        "nvidia.com/gpu": 6,
        "nvidia.com/mig-1g.10gb": 1,
        "nvidia.com/mig-2g.20gb": 3,
        "nvidia.com/mig-3g.40gb": 1,
        "nvidia.com/mig-4g.40gb": 1,
    }
    assert profiles(pool()) == ["1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb"]


def test_devices_of_one_profile_on_several_cards_are_counted_together() -> None:
    two = pool({"0-1": {"1g.10gb": 7}, "2": {"1g.10gb": 2, "3g.40gb": 1}}, count=3)
    gpu = two.gpu

    assert gpu is not None
    assert mig_devices(gpu) == {"1g.10gb": 16, "3g.40gb": 1}
    assert (uncut(gpu), whole_cards(two)) == (0, False)
    assert "nvidia.com/gpu" not in offered(two)


def test_a_pod_without_a_profile_gets_whole_cards_where_there_are_some() -> None:
    assert asked(pool(), 2) == {"nvidia.com/gpu": 2}
    assert asked(pool(), 1, "3g.40gb") == {"nvidia.com/mig-3g.40gb": 1}
    assert (places(pool()), places(pool(), "2g.20gb")) == (6, 3)
    assert whole_cards(pool())


def test_a_pod_without_a_profile_gets_the_first_where_every_card_is_cut() -> None:
    cut = pool({"0": {"2g.20gb": 3}, "1": {"1g.10gb": 7}}, count=2)

    assert asked(cut, 1) == {"nvidia.com/mig-1g.10gb": 1}


def test_quotas_count_whole_cards_and_each_profile_apart() -> None:
    found = [(each.title, each.kind, each.key, each.per_node, each.several) for each in devices(pool())]

    assert found == [
        ("a100-80gb", "gpus", "", 6, True),
        ("a100-80gb 1g.10gb", "mig", "1g.10gb", 1, False),
        ("a100-80gb 2g.20gb", "mig", "2g.20gb", 3, False),
        ("a100-80gb 3g.40gb", "mig", "3g.40gb", 1, False),
        ("a100-80gb 4g.40gb", "mig", "4g.40gb", 1, False),
    ]
    team = Team.from_file({"name": "vision", "quota": {"gpus": 2, "mig": {"2g.20gb": 1}}})
    assert gpu_quota(team, [pool()]) == {
        "nvidia.com/gpu": 2,
        "nvidia.com/mig-1g.10gb": 0,
        "nvidia.com/mig-2g.20gb": 1,
        "nvidia.com/mig-3g.40gb": 0,
        "nvidia.com/mig-4g.40gb": 0,
    }


@pytest.mark.parametrize(
    ("cards", "why"),
    [
        ({"0": {"1g.10gb": 7}, "1-6": {}}, 'cards: card 7 is not named; write `"7": {}` for one that stays whole'),
        ({"0-7": {"1g.10gb": 7}, "3": {}}, "cards: card 3 is named twice"),
        ({"0-8": {"1g.10gb": 7}}, "cards: there is no card 8: perNode is 8, and the first card is 0"),
        ({"0-7": {}}, "cards: no card is cut; leave `mig` out"),
        ({"3-1": {}}, "'3-1' ends before it begins"),
        ({"first": {}}, "should match pattern"),
        ({"0": {"1g": 1}}, "'1g' is not a MIG profile"),
        ({"0": {"1g.10gb": 8}}, "less than or equal to 7"),
    ],
)
def test_every_card_is_named_once(cards: Any, why: str) -> None:
    assert why in wrong(cards)


def test_a_range_of_cards_needs_mixed_names_and_a_layout_of_its_own() -> None:
    cards = {"0-7": {"1g.10gb": 7}}

    assert "cards need `strategy: mixed`" in wrong(mig={"cards": cards})
    both = {"strategy": "mixed", "cards": cards, "layout": {"1g.10gb": 7}}
    assert "write either `layout`, for all cards, or `cards`" in wrong(mig=both)
    assert "layout needs a profile, such as {1g.10gb: 7}" in wrong(mig={})


def test_cards_that_differ_are_not_shared() -> None:
    text = "sharing cannot be combined with mig.cards"

    assert text in wrong(sharing={"mode": "time-slicing", "replicas": 2})
