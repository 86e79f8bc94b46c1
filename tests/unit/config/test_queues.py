"""What queues have, pool by pool: never more than there is, in the order of the pools."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.pools import NodePool
from platform_def.config.queues import Shares, shares
from platform_def.config.teams import Team

GPU = "nvidia.com/gpu"


def pool(name: str, nodes: int = 1, **gpu: Any) -> NodePool:
    card = gpu.get("gpu") or {"model": "a100-80gb", "perNode": 8}
    return NodePool.from_file({"name": name, "nodes": nodes, "selector": {"pool": name}, "gpu": card})


def team(name: str, queue: str = "", borrow: Any = None, **quota: Any) -> Team:
    more = {"quota": quota} if quota else {}
    return Team.from_file({"name": name, "queue": queue or name, "borrow": borrow, **more})


LI = "li@example.com"


def with_member(most: dict[str, Any], **fields: Any) -> Team:
    return Team.from_file({"name": "vision", "queue": "vision", "members": [{"name": LI, "quota": most}], **fields})


def of_member(found: Shares) -> dict[str, int | None]:
    queue = found.queue("team-vision-li")
    assert queue is not None
    assert set(queue.own.values()) <= {0}
    return {place[0]: amount for place, amount in queue.borrowing.items()}


def divided(*teams: Team, pools: tuple[NodePool, ...] = (pool("first", 2), pool("second", 2))) -> Shares:
    return shares(teams, pools)


def own(found: Shares, queue: str) -> dict[str, int]:
    chosen = found.queue(queue)
    assert chosen is not None
    return {place[0]: amount for place, amount in chosen.own.items()}


def test_a_quota_is_taken_from_the_pools_in_their_order() -> None:
    found = divided(team("vision", gpus=20), team("speech", gpus=8))

    assert own(found, "vision") == {"first": 16, "second": 4}
    assert own(found, "speech") == {"first": 0, "second": 8}


def test_what_no_queue_owns_is_left_to_those_who_borrow() -> None:
    found = divided(team("vision", gpus=20), team("free"))

    assert found.rest == {("first", GPU): 0, ("second", GPU): 12}
    assert own(found, "free") == {"first": 0, "second": 0}


def test_a_team_borrows_what_its_quota_says_and_one_without_a_quota_all_there_is() -> None:
    found = divided(team("vision", gpus=8, borrow={"gpus": 4}), team("speech", gpus=8), team("free"))
    limits = {queue.name: set(queue.borrowing.values()) for queue in found.queues}

    assert limits == {"vision": {4}, "speech": {0}, "free": {None}}


def test_the_most_that_a_queue_has_is_bounded_by_the_pool() -> None:
    (vision, free) = divided(team("vision", gpus=8, borrow={"gpus": 99}), team("free")).queues
    place = ("first", GPU)

    assert (vision.most(place, 16), free.most(place, 16)) == (16, 16)
    assert divided(team("vision", gpus=8, borrow={"gpus": 4})).queues[0].most(place, 16) == 12


def test_teams_of_one_queue_share_it() -> None:
    (queue,) = divided(team("speech", "language", gpus=4), team("text", "language", gpus=2, borrow={"gpus": 3})).queues

    assert queue.own["first", GPU] == 6
    assert queue.borrowing["first", GPU] == 3
    assert queue.homes == ("team-speech", "team-text")


def test_numbers_by_pool_come_first() -> None:
    found = divided(team("vision", gpus=12), team("speech", gpus={"first": 10}))

    assert own(found, "speech") == {"first": 10, "second": 0}
    assert own(found, "vision") == {"first": 6, "second": 6}


def test_the_part_of_some_pools_is_what_the_whole_gives_them() -> None:
    pools = (pool("first", 2), pool("second", 2))
    teams = (
        team("vision", gpus=20, borrow={"gpus": {"first": 2, "second": 6}}),
        team("speech", gpus=8, borrow={"gpus": 1}),
    )
    found = divided(*teams, pools=pools).on(pools[1:])
    vision, speech = found.queues

    assert found.there == {("second", GPU): 16}
    assert found.rest == {("second", GPU): 4}
    assert (vision.own, vision.borrowing) == ({("second", GPU): 4}, {("second", GPU): 6})
    assert (vision.lent, speech.lent) == ({GPU: 6}, {GPU: 1})
    assert vision.most_anywhere(GPU, found.there) == 10
    assert divided(*teams, pools=pools).on(pools) == divided(*teams, pools=pools)


def test_quotas_beyond_what_there_is_get_their_part_of_it() -> None:
    found = divided(team("vision", gpus=12), team("speech", gpus=4), pools=(pool("first"),))

    assert (own(found, "vision"), own(found, "speech")) == ({"first": 6}, {"first": 2})
    assert [queue.unmet for queue in found.queues] == [{GPU: 6}, {GPU: 2}]


def test_kinds_of_devices_are_counted_apart() -> None:
    slices = pool("slices", gpu={"model": "t4", "perNode": 4, "sharing": {"mode": "time-slicing", "replicas": 2}})
    found = divided(
        team("vision", gpus=4, borrow={"slices": 3}), team("speech", slices=5), pools=(pool("first"), slices)
    )

    assert own(found, "vision") == {"first": 4, "slices": 0}
    assert own(found, "speech") == {"first": 0, "slices": 5}
    assert found.queues[0].borrowing == {("first", GPU): 0, ("slices", GPU): 3}


@pytest.mark.parametrize("quotas", [(3, 3, 3), (1, 1, 16), (16, 16, 16), (0, 5, 40)])
def test_all_amounts_together_are_what_the_pools_have(quotas: tuple[int, ...]) -> None:
    found = divided(*(team(f"t{index}", gpus=amount) for index, amount in enumerate(quotas)))

    for place, amount in found.there.items():
        assert sum(queue.own[place] for queue in found.queues) + found.rest[place] == amount


def test_a_member_has_their_quota_of_the_team_s_share_first_of_what_the_team_owns() -> None:
    found = divided(with_member({"gpus": 6}, quota={"gpus": {"first": 2, "second": 4}}, borrow={"gpus": 1}))
    vision = found.queue("vision")
    assert vision is not None

    assert (vision.below, vision.share, vision.above) == (("team-vision-li",), "vision-share", None)
    assert own(found, "vision") == {"first": 2, "second": 4}
    assert found.rest == {("first", GPU): 14, ("second", GPU): 12}
    assert of_member(found) == {"first": 2, "second": 4}


def test_a_member_has_no_more_than_the_team_and_what_it_may_borrow() -> None:
    found = divided(with_member({"gpus": 12}, quota={"gpus": 4}, borrow={"gpus": {"first": 2}}))
    (vision, li) = found.queues

    assert of_member(found) == {"first": 6, "second": 0}
    assert (vision.unmet, li.unmet, li.lent) == ({}, {GPU: 6}, {GPU: 6})
    assert of_member(divided(with_member({"gpus": {"second": 1}}, quota={"gpus": 20}))) == {"first": 0, "second": 1}


def test_a_member_without_limits_of_devices_has_all_that_the_team_has() -> None:
    bounded = divided(with_member({"cpu": "8"}, quota={"gpus": 4}, borrow={"gpus": 2}))
    without = divided(with_member({"cpu": "8"}))

    assert of_member(bounded) == {"first": 6, "second": 2}
    assert bounded.queues[1].lent == {GPU: 6}
    assert of_member(without) == {"first": None, "second": None}
    assert without.queues[1].lent == {GPU: None}


def test_a_member_s_part_of_some_pools_is_what_the_whole_gives_them() -> None:
    pools = (pool("first", 2), pool("second", 2))
    found = divided(with_member({"gpus": 6}, quota={"gpus": {"first": 2, "second": 8}}), pools=pools)
    li = found.on(pools[1:]).queue("team-vision-li")
    assert li is not None

    assert (li.borrowing, li.lent) == ({("second", GPU): 4}, {GPU: 4})
    assert li.above == found.on(pools[1:]).queue("vision")
    assert found.on(pools) == found


def test_teams_without_a_queue_have_no_part() -> None:
    found = shares([Team.from_file({"name": "vision", "quota": {"gpus": 8}})], [pool("first")])

    assert found.queues == ()
    assert found.rest == {("first", GPU): 8}
