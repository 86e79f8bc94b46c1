"""What of a stack goes together."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.model import MisfitError
from platform_def.config.stack import Stack
from platform_def.config.written.explain import details_of

WHOLE = {"model": "a100-80gb", "perNode": 8}
SHARED = WHOLE | {"sharing": {"mode": "time-slicing"}}
RENAMED = WHOLE | {"sharing": {"mode": "time-slicing", "rename": True}}
CUT = WHOLE | {"mig": {"layout": {"1g.10gb": 7}}}
MIXED = WHOLE | {"mig": {"strategy": "mixed", "layout": {"1g.10gb": 7}}}

CEPHFS = {
    "driver": "cephfs",
    "clusterId": "ceph",
    "monitors": ["10.0.0.1"],
    "filesystem": "ml",
    "secret": {"existing": "a/b"},
}


def stack(**fields: Any) -> Stack:
    return Stack.from_file({"apiVersion": "platform-def/v1", "cluster": {"name": "c", "kubernetes": "1.36"}, **fields})


def misfit(**fields: Any) -> MisfitError:
    with pytest.raises(ValidationError) as caught:
        stack(**fields)
    [detail] = details_of(caught.value)
    error = detail["ctx"]["error"]
    assert isinstance(error, MisfitError)
    return error


def pools(*gpus: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [
        {"name": f"p{place}", "selector": {"pool": str(place)}} | ({"gpu": gpu} if gpu else {})
        for place, gpu in enumerate(gpus)
    ]


@pytest.mark.parametrize(
    ("fields", "said", "at"),
    [
        (
            {"nodePools": [{"name": "a"}, {"name": "b"}, {"name": "a"}]},
            "two node pools are called 'a'",
            ("nodePools", 2),
        ),
        ({"teams": [{"name": "a"}, {"name": "a"}]}, "two teams are called 'a'", ("teams", 1)),
        (
            {"teams": [{"name": "a"}, {"name": "b", "namespace": "team-a"}]},
            "two team namespaces are called 'team-a'",
            ("teams", 1),
        ),
        (
            {"nodePools": [{"name": n, "selector": {"pool": s}} for n, s in (("a", "x"), ("b", "y"), ("c", "x"))]},
            "pools a and c have one selector",
            ("nodePools", 2, "selector"),
        ),
        (
            {"storage": {n: {"driver": "existing", "default": True} for n in "ba"}},
            "only one storage class can be the default, not a and b",
            ("storage", "a", "default"),
        ),
        (
            {"storage": {"a": {"driver": "existing"}, "b": {"className": "a", **CEPHFS}}},
            "its class is called 'a', as that of storage.a is",
            ("storage", "b", "className"),
        ),
        (
            {"storage": {"a": {"driver": "existing"}}, "storageKinds": {"fast": "b"}},
            "storage 'b' is not in the stack; entries: a",
            ("storageKinds", "fast"),
        ),
        (
            {"storage": {"a": {"driver": "existing"}}, "storageKinds": {"shared": "a"}},
            "storage 'a' cannot be mounted by many nodes: it can be ReadWriteOnce",
            ("storageKinds", "shared"),
        ),
    ],
)
def test_what_there_may_be_once_is_told_at_the_second(fields: dict[str, Any], said: str, at: tuple[Any, ...]) -> None:
    error = misfit(**fields)

    assert said in str(error)
    assert error.at == at


def test_two_entries_may_stand_for_one_class_that_the_cluster_has() -> None:
    storage = {"a": {"driver": "existing", "className": "x"}, "b": {"driver": "existing", "className": "x"}}

    assert len(stack(storage=storage).storage) == 2


def test_pools_without_a_selector_are_not_compared_and_one_default_is_allowed() -> None:
    storage = {"a": {"driver": "existing", "default": True}, "b": {"driver": "existing"}}

    assert len(stack(nodePools=[{"name": "a"}, {"name": "b"}], storage=storage).storage) == 2


@pytest.mark.parametrize(
    ("gpus", "place"),
    [((WHOLE, SHARED), 1), ((SHARED, WHOLE), 0), ((None, WHOLE, CUT), 2), ((CUT, WHOLE), 0)],
)
def test_parts_of_cards_under_the_name_of_whole_ones_are_told_at_their_pool(gpus: Any, place: int) -> None:
    error = misfit(nodePools=pools(*gpus))

    whole = next(each["name"] for each in pools(*gpus) if each.get("gpu") is WHOLE)
    assert error.at == ("nodePools", place, "gpu")
    assert f"pool p{place} " in str(error)
    assert f"which pool {whole} uses for whole cards" in str(error)


def test_a_pool_that_shares_is_told_to_rename_and_one_that_cuts_to_mix() -> None:
    shares, cuts = str(misfit(nodePools=pools(WHOLE, SHARED))), str(misfit(nodePools=pools(WHOLE, CUT)))

    assert "shares GPUs under the name nvidia.com/gpu" in shares
    assert "write `sharing: {rename: true}` there, so that the parts are nvidia.com/gpu.shared" in shares
    assert "cuts GPUs" in cuts
    assert "write `strategy: mixed` there, so that the parts are named after their profile" in cuts


@pytest.mark.parametrize("gpus", [(WHOLE, RENAMED), (WHOLE, MIXED), (SHARED, CUT), (SHARED, SHARED), (WHOLE, None)])
def test_other_parts_live_beside_whole_cards(gpus: Any) -> None:
    assert len(stack(nodePools=pools(*gpus)).node_pools) == 2


def test_another_format_is_refused() -> None:
    with pytest.raises(ValidationError, match="platform-def/v1"):
        stack(apiVersion="platform-def/v2")


def test_nothing_is_assumed_of_nodes_that_nobody_said() -> None:
    pool = stack(nodePools=[{"name": "a"}]).node_pools[0]

    assert (pool.nodes, pool.memlock_unlimited, pool.gbps, pool.rdma.kind) == (1, False, None, "none")


def test_the_branch_main_is_delivered_every_ten_minutes_from_dist_unless_said_otherwise() -> None:
    delivery = stack().delivery

    assert (delivery.engine, delivery.revision, delivery.path, delivery.interval_minutes) == (
        "none",
        "main",
        "dist",
        10,
    )


def test_a_component_is_either_there_or_retired() -> None:
    assert misfit(components={"emissary": {}}, retire={"emissary": "moved"}).at == ("retire", "emissary")
    assert stack(components={"emissary": {}}, retire={"katib": "nobody tunes"}).retire == {"katib": "nobody tunes"}


def test_the_namespace_of_a_team_is_not_retired() -> None:
    teams = [{"name": "vision"}, {"name": "speech", "namespace": "talk"}]

    assert misfit(teams=teams, retire={"team-vision": "over"}).at == ("retire", "team-vision")
    assert misfit(teams=teams, retire={"talk": "over"}).at == ("retire", "talk")
    assert stack(teams=teams, retire={"team-speech": "renamed"}).retire == {"team-speech": "renamed"}


def test_dist_may_lie_in_a_folder_of_the_repository_and_nowhere_else() -> None:
    delivery = {"engine": "flux", "repository": "https://git.example.com/a.git"}

    assert stack(delivery={**delivery, "path": "platform/v1..2/dist"}).delivery.path == "platform/v1..2/dist"
    for path in ("../dist", "a/../dist", "a/./dist"):
        with pytest.raises(ValidationError, match=r"has '\.' or '\.\.' in it"):
            stack(delivery={**delivery, "path": path})


def test_everything_that_a_stack_has_twice_is_told_at_once() -> None:
    pool = {"name": "p", "selector": {"pool": "p"}}
    with pytest.raises(ValidationError) as caught:
        stack(
            nodePools=[pool, pool, {**pool, "name": "q"}],
            teams=[{"name": "a"}, {"name": "a"}, {"name": "b", "namespace": "team-a"}],
            storage={"d": {**CEPHFS, "default": True}, "e": {**CEPHFS, "default": True, "className": "d"}},
            storageKinds={"fast": "x"},
            components={"keda": {}},
            retire={"keda": "over"},
        )

    assert [(str(each["ctx"]["error"]), each["ctx"]["error"].at) for each in details_of(caught.value)] == [
        ("two node pools are called 'p'", ("nodePools", 1)),
        ("pools p and q have one selector: their nodes would be counted twice", ("nodePools", 2, "selector")),
        ("keda is retired, and `components` names it", ("retire", "keda")),
        ("two teams are called 'a'", ("teams", 1)),
        ("two team namespaces are called 'team-a'", ("teams", 2)),
        ("its class is called 'd', as that of storage.d is", ("storage", "e", "className")),
        ("storage 'x' is not in the stack; entries: d, e", ("storageKinds", "fast")),
        ("only one storage class can be the default, not d and e", ("storage", "e", "default")),
    ]
