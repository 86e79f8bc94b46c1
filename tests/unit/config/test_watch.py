"""What is noted when parts of a value are read: those in doubt alone, and what is beside them never."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pydantic import Field

from platform_def.config.model import Model
from platform_def.config.reads import independently, judged, note, observed
from platform_def.config.written.watch import watched, watching


class Pool(Model):
    name: str
    size: int = 1
    labels: dict[str, str] = Field(default_factory=dict)


DOOR = Pool(name="door")


class Site(Model):
    pools: tuple[Pool, ...] = ()
    stores: dict[str, Pool] = Field(default_factory=dict)
    door: Pool = DOOR
    words: tuple[str, ...] = ("a", "b")
    notes: list[str] = Field(default_factory=list)
    owner: str = "li"


def site() -> Site:
    pools = (Pool(name="a"), Pool(name="b"), Pool(name="c"))
    return Site(pools=pools, stores={"s": Pool(name="s"), "t": Pool(name="t")})


def noted(value: Site, read: Callable[[Site], object]) -> set[str]:
    with observed() as reads:
        read(value)
    return reads


Names = dict[tuple[str | int, ...], str]
ITEM: Names = {("pools", 1, "size"): "size of b"}
UNNAMED: Names = {("pools", 1): "b", ("pools", 1, "name"): "any name"}
ENTRY: Names = {("stores", "s", "size"): "size of s"}


@pytest.mark.parametrize(
    ("names", "read", "found"),
    [
        ({("owner",): "owner"}, lambda value: value.owner, {"owner"}),
        ({("owner",): "owner"}, lambda value: value.pools, set()),
        (ITEM, lambda value: [each.name for each in value.pools], set()),
        (ITEM, lambda value: value.pools[0].size, set()),
        (ITEM, lambda value: value.pools[1].labels, set()),
        (ITEM, lambda value: [each.size for each in value.pools], {"size of b"}),
        ({("pools", 1): "b"}, lambda value: [each.name for each in value.pools], set()),
        ({("pools", 1): "b"}, lambda value: value.pools[1].labels, {"b"}),
        (UNNAMED, lambda value: next(each for each in value.pools if each.name == "c"), set()),
        (UNNAMED, lambda value: len(value.pools), set()),
        (UNNAMED, lambda value: [each.name for each in value.pools], {"any name"}),
        (UNNAMED, lambda value: value.pools[1].name, set()),
        (ENTRY, lambda value: [*value.stores], set()),
        (ENTRY, lambda value: value.stores["t"].size, set()),
        (ENTRY, lambda value: value.stores["s"].labels, set()),
        (ENTRY, lambda value: value.stores["s"].size, {"size of s"}),
        ({("stores", "s"): "s"}, lambda value: "s" in value.stores, {"s"}),
        ({("stores", "u"): "u"}, lambda value: value.stores.get("u"), {"u"}),
        ({("stores", "u"): "u"}, lambda value: value.stores.get("v"), set()),
        ({("stores", "u"): "u"}, lambda value: value.stores["s"].size, set()),
        ({("stores", "u"): "u"}, lambda value: len(value.stores), {"u"}),
        ({("stores", "u"): "u"}, lambda value: sorted(value.stores), {"u"}),
        ({("stores", "u"): "u"}, lambda value: next(iter(value.stores)), set()),
        ({("door", "size"): "size"}, lambda value: value.door.labels, set()),
        ({("door", "size"): "size"}, lambda value: value.door.size, {"size"}),
        ({("words", 1): "word"}, lambda value: value.words, {"word"}),
        ({("notes", 0): "first"}, lambda value: value.notes, {"first"}),
    ],
)
def test_only_what_is_in_doubt_is_noted(names: Names, read: Callable[[Site], object], found: set[str]) -> None:
    assert noted(watched(site(), names), read) == found


def test_a_watched_value_is_what_it_was() -> None:
    value = watched(site(), {**ITEM, **ENTRY})

    assert [each.name for each in value.pools] == ["a", "b", "c"]
    assert value.stores["s"] == watched(Pool(name="s"), {("size",): "size of s"})
    assert len(value.stores) == 2
    assert value.model_dump() == site().model_dump()
    assert isinstance(value.pools[1], Pool)


def test_a_default_that_values_share_is_not_watched_itself() -> None:
    noted(watched(site(), {("door", "size"): "size"}), lambda value: value.door.size)

    assert noted(site(), lambda value: value.door.size) == set()


def test_a_class_is_watched_once() -> None:
    made = watching(Site, ITEM)

    assert watching(made, ITEM) is made
    assert watching(Site, {}) is Site
    assert noted(watched(watched(site(), ITEM), {("owner",): "owner"}), lambda value: value.pools[1].size) == set()


def test_what_was_read_for_one_question_does_not_count_for_the_next() -> None:
    def question(name: str) -> Iterator[str]:
        note(name)
        yield name

    def questions() -> Iterator[str]:
        note("before")
        return independently(question(name) for name in ("a", "b"))

    with judged() as reads:
        seen = [(each, {*reads}) for each in questions()]
    with observed() as kept:
        list(questions())

    assert seen == [("a", {"before", "a"}), ("b", {"before", "b"})]
    assert reads == {"before"}
    assert kept == {"before", "a", "b"}
