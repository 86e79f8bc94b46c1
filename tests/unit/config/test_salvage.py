"""What is left of a configuration that is wrong in part, what is in doubt, and what is reported of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field, model_validator

from platform_def.config.model import MisfitError, Model, Name, conflict
from platform_def.config.reads import independently
from platform_def.config.written.provenance import trace
from platform_def.config.written.salvage import MOST_SALVAGED, Salvaged, in_python, salvage
from platform_def.config.written.watch import names_of
from platform_def.yaml import parse


class Item(Model):
    name: str
    size_limit: int = 1


class Shop(Model):
    elsewhere: ClassVar[dict[str, str]] = {"clerks": "write `staff: {count: …}`"}

    items: list[Item] = Field(default_factory=list)
    stock: dict[str, Item] = Field(default_factory=dict)
    staff: int = 0
    opening: str = "noon"
    closing: str = "night"

    @model_validator(mode="after")
    def _hours(self) -> Shop:
        if self.opening == self.closing:
            raise MisfitError("it never opens", "opening")
        if self.staff > 100:
            raise ValueError("too many")
        return self


class Town(Model):
    shop: Shop
    mayor: str = ""


def rest(text: str, model: type[Any] = Shop, **more: Any) -> Salvaged[Any]:
    traced = trace(parse(text.encode(), file="f.yaml"), "f.yaml")
    plain = traced.plain()
    assert isinstance(plain, dict)
    return salvage(model, plain, traced, **more)


def told(found: Salvaged[Any]) -> list[str]:
    return [problem.text for problem in found.problems]


def test_what_is_right_is_taken_as_it_is() -> None:
    assert rest("staff: 3\n") == Salvaged(Shop(staff=3), (), frozenset())


def test_a_field_that_means_nothing_puts_nothing_in_doubt() -> None:
    found = rest("colour: red\nstaff: 3\n")

    assert (found.value, told(found), found.doubts) == (Shop(staff=3), ["colour: unknown field"], frozenset())


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ("stafff: 3\n", {("staff",)}),
        ("clerks: 3\n", {("staff",)}),
        ("stafff: 3\nstaff: 4\n", set()),
        ("staff: many\n", {("staff",)}),
        ("stock: {a: {name: a, sizeLimitt: 3}}\n", {("stock", "a", "sizeLimit")}),
        ("stock: {a: {name: a, sizeLimit: x}}\n", {("stock", "a", "sizeLimit")}),
        ("items: [{name: a}, {name: b, sizeLimit: x}]\n", {("items", 1, "sizeLimit")}),
        ("items: [{name: a}, 3]\n", {("items", 1), ("items", 1, "name")}),
        ("stock: {a: {name: a, colour: red}}\n", set()),
    ],
)
def test_what_a_wrong_part_belongs_to_or_may_mean_is_in_doubt(text: str, doubts: set[tuple[str, ...]]) -> None:
    assert rest(text).doubts == doubts


def test_a_wrong_value_leaves_what_stands_beside_it() -> None:
    found = rest("staff: many\nopening: dawn\n")

    assert found.value == Shop(opening="dawn")


def test_an_entry_without_a_required_field_goes_and_the_others_stay() -> None:
    found = rest("stock: {a: {sizeLimit: 2}, b: {name: b}}\n")

    assert (found.value, told(found)) == (Shop(stock={"b": Item(name="b")}), ["stock.a.name: is missing"])


def test_an_item_without_a_name_leaves_one_behind_so_that_no_item_changes_its_place() -> None:
    found = rest("items: [{sizeLimit: 2}, {name: b}]\n")

    assert found.value == Shop(items=[Item(name="unknown-0"), Item(name="b")])
    assert found.doubts == {("items", 0), ("items", 0, "name")}


def test_an_unknown_field_of_an_item_leaves_the_item() -> None:
    assert rest("items: [{name: a, colour: red}]\n").value == Shop(items=[Item(name="a")])


def test_values_that_do_not_go_together_are_told_beside_an_unknown_field() -> None:
    found = rest("colour: red\nopening: night\n")

    assert told(found) == ["colour: unknown field", "opening: it never opens"]


def test_nothing_is_concluded_from_a_value_that_was_taken_out() -> None:
    """The default of `closing` stands in for the wrong value, and does not go with the rest."""
    found = rest("closing: 3\nopening: night\n")

    assert told(found) == ["closing: text is wanted, not 3"]


def test_a_value_that_is_wrong_as_a_whole_is_given_up() -> None:
    found = rest("staff: 200\n")

    assert (found.value, told(found)) == (None, ["too many"])


def test_a_default_stands_in_for_what_is_missing() -> None:
    found = rest("mayor: Ann\n", Town, defaults={"shop": {"staff": 1}})

    assert (found.value, told(found)) == (Town(shop=Shop(staff=1), mayor="Ann"), ["shop: is missing"])
    assert found.doubts == {("shop",)}


def test_a_default_stands_in_for_what_is_wrong() -> None:
    found = rest("shop: 3\nmayor: Ann\n", Town, defaults={"shop": {}})

    assert (found.value, told(found)) == (Town(shop=Shop(), mayor="Ann"), ["shop: a map is wanted, not 3"])


def test_a_default_that_is_wrong_itself_ends_the_search() -> None:
    assert rest("mayor: Ann\n", Town, defaults={"shop": {"staff": 200}}).value is None


def test_the_places_are_those_of_the_file() -> None:
    traced = trace(parse(b"a:\n  b:\n    colour: red\n", file="f.yaml"), "f.yaml")
    (problem,) = salvage(Shop, {"colour": "red"}, traced, under=("a", "b")).problems

    assert (problem.text, str(problem.where)) == ("a.b.colour: unknown field", "f.yaml:3")


class Kitchen(Model):
    cooks: int = 0
    tables: int = 0
    opening: str = "noon"
    closing: str = "night"

    @conflict
    def _hours(self) -> Iterator[ValueError]:
        if self.opening == self.closing:
            yield MisfitError("it never opens", "opening")
        if self.cooks > self.tables:
            yield MisfitError("cooks without tables", "cooks")

    @conflict
    def _few(self) -> Iterator[ValueError]:
        if self.tables > 100:
            raise ValueError("too many tables")
        if self.tables > 10:
            yield ValueError("many tables")


def test_all_conflicts_of_a_model_are_told_at_once() -> None:
    assert told(rest("cooks: 300\ntables: 200\nopening: a\nclosing: a\n", Kitchen)) == [
        "opening: it never opens",
        "cooks: cooks without tables",
        "too many tables",
    ]


def test_a_conflict_is_told_beside_a_wrong_field_that_was_not_read_to_find_it() -> None:
    found = rest("cooks: 3\ntables: many\nopening: a\nclosing: a\n", Kitchen)

    assert told(found) == ["tables: a whole number is wanted, not 'many'", "opening: it never opens"]
    assert found.value == Kitchen(closing="a")
    assert type(found.value) is Kitchen


def test_what_a_class_is_made_from_is_asked_first_and_alone_where_that_is_wrong() -> None:
    class Bakery(Kitchen):
        ovens: int = 0

        @conflict
        def _ovens(self) -> Iterator[ValueError]:
            if not self.ovens:
                yield ValueError("no oven")

    assert told(rest("tables: 11\n", Bakery)) == ["many tables"]
    assert told(rest("tables: 1\n", Bakery)) == ["no oven"]


class Card(Model):
    cores: int = 1
    model: str


class Node(Model):
    name: str
    card: Card | None = None
    cards: int = 0
    size_gib: int = 0

    @conflict
    def _one_way(self) -> Iterator[ValueError]:
        if self.card and self.cards:
            yield ValueError("say it once")


class Disk(Model):
    driver: Literal["disk"]
    size: int = 0


class Share(Model):
    driver: Literal["share"]
    host: str


class Hall(Model):
    nodes: tuple[Node, ...] = ()
    volumes: dict[Name, Annotated[Disk | Share, Field(discriminator="driver")]] = Field(default_factory=dict)
    chores: list[dict[str, int]] = Field(default_factory=list)
    words: list[str] = Field(default_factory=list)
    card: Card = Card(model="t4")
    main: str = ""

    @conflict
    def _names(self) -> Iterator[ValueError]:
        seen: set[str] = set()
        for index, node in enumerate(self.nodes):
            if node.name in seen:
                yield MisfitError(f"two are called {node.name}", "nodes", index)
            seen.add(node.name)

    @conflict
    def _sizes(self) -> Iterator[ValueError]:
        yield from independently(self._size(index, node) for index, node in enumerate(self.nodes))

    def _size(self, index: int, node: Node) -> Iterator[ValueError]:
        if node.size_gib > 9:
            yield MisfitError("too large", "nodes", index, "sizeGib")

    @conflict
    def _known(self) -> Iterator[ValueError]:
        if self.main and self.main not in self.volumes:
            yield MisfitError(f"no volume {self.main}; {names_of(self.volumes)}", "main")


def hall(text: str, **more: Any) -> tuple[list[str], set[tuple[str | int, ...]], Any]:
    found = rest(text, Hall, **more)
    return told(found), set(found.doubts), found.value


def test_an_item_keeps_what_is_right_and_tells_all_that_is_wrong_with_it() -> None:
    lines, doubts, value = hall("nodes: [{name: a, sizeGib: x, card: {model: t4}, cards: 2}, {name: b, sizeGib: 3}]\n")

    assert lines == ["nodes[0].sizeGib: a whole number is wanted, not 'x'", "nodes[0]: say it once"]
    assert doubts == {("nodes", 0, "sizeGib"), ("nodes", 0)}
    assert value.nodes == (Node(name="a"), Node(name="b", size_gib=3))


def test_a_field_of_an_item_goes_alone() -> None:
    lines, doubts, value = hall("nodes: [{name: a, cards: 2, sizeGib: x}, {name: b, sizeGib: 12}]\n")

    assert lines == ["nodes[0].sizeGib: a whole number is wanted, not 'x'", "nodes[1].sizeGib: too large"]
    assert value.nodes == (Node(name="a", cards=2), Node(name="b"))
    assert doubts == {("nodes", 0, "sizeGib"), ("nodes", 1, "sizeGib")}


def test_what_a_model_of_an_item_lacks_takes_that_model_out() -> None:
    lines, doubts, value = hall("nodes: [{name: a, card: {cores: x}}]\n")

    assert lines == ["nodes[0].card.cores: a whole number is wanted, not 'x'", "nodes[0].card.model: is missing"]
    assert (doubts, value.nodes) == ({("nodes", 0, "card")}, (Node(name="a"),))


def test_of_two_of_one_name_both_are_in_doubt_and_one_may_be_called_anything() -> None:
    lines, doubts, value = hall("nodes: [{name: a, cards: 1}, {name: b}, {name: a, cards: 2}]\n")

    assert lines == ["nodes[2]: two are called a"]
    assert [node.name for node in value.nodes] == ["a", "b", "unknown-2"]
    assert doubts == {("nodes", 0), ("nodes", 2), ("nodes", 2, "name")}


def test_two_of_one_name_are_told_beside_an_item_without_one() -> None:
    lines, _, value = hall("nodes: [{name: a}, {name: a}, 3]\n")

    assert lines == ["nodes[2]: a map is wanted, not 3", "nodes[1]: two are called a"]
    assert [node.name for node in value.nodes] == ["a", "unknown-1", "unknown-2"]


def test_an_entry_is_judged_as_what_it_says_that_it_is() -> None:
    lines, doubts, value = hall("volumes: {a: {driver: disk, siz: 3}, b: {driver: share, size: 3}, c: {driver: cd}}\n")

    assert lines == [
        "volumes.a.siz: unknown field",
        "volumes.b.host: is missing",
        "volumes.b.size: unknown field",
        "volumes.c: one of disk, share is wanted, not cd",
    ]
    assert value.volumes == {"a": Disk(driver="disk")}
    assert doubts == {("volumes", "a", "size"), ("volumes", "b", "host"), ("volumes", "b"), ("volumes", "c")}


@pytest.mark.parametrize(
    ("volumes", "main", "line"),
    [
        ("{a: {driver: share}}", "b", ["main: no volume b; ['a']"]),
        ("{a: {driver: share}}", "a", []),
        ("{A_b: {driver: disk}}", "b", []),
    ],
)
def test_an_entry_that_is_left_out_is_known_by_its_name(volumes: str, main: str, line: list[str]) -> None:
    lines, _, _ = hall(f"volumes: {volumes}\nmain: {main}\n")

    assert lines[1:] == line


def test_an_entry_whose_name_is_wrong_puts_the_whole_map_in_doubt() -> None:
    lines, doubts, value = hall("volumes: {A_b: {driver: disk}, c: {driver: disk}}\n")

    assert (len(lines), doubts, value.volumes) == (1, {("volumes",)}, {"c": Disk(driver="disk")})


def test_items_that_are_no_models_keep_their_places_as_empty_maps_and_texts_go_with_their_list() -> None:
    lines, doubts, value = hall("chores: [1, {sweep: 3}]\nwords: [a, 3]\n")

    assert lines == ["chores[0]: a map is wanted, not 1", "words[1]: text is wanted, not 3"]
    assert (value.chores, value.words) == ([{}, {"sweep": 3}], [])
    assert doubts == {("chores", 0), ("words", 1), ("words",)}


def test_a_default_stands_in_for_a_field_of_a_part() -> None:
    lines, doubts, value = hall("card: {cores: 3, model: 1}\n", defaults={"card": {"model": "any"}})

    assert lines == ["card.model: text is wanted, not 1"]
    assert (value.card, doubts) == (Card(cores=3, model="any"), {("card", "model")})


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (("main",), ("main",)),
        (("nodes", 0, "sizeGib"), ("nodes", 0, "size_gib")),
        (("nodes", 0), ("nodes", 0)),
        (("volumes", "sizeGib", "size"), ("volumes", "sizeGib", "size")),
        (("card", "cores"), ("card", "cores")),
        (("none", "sizeGib"), ("none", "sizeGib")),
    ],
)
def test_paths_get_the_names_that_fields_have_in_python(
    path: tuple[str | int, ...], found: tuple[str | int, ...]
) -> None:
    assert in_python(Hall, path) == found


@pytest.mark.parametrize(
    ("count", "doubts"),
    [(MOST_SALVAGED, {("items", index) for index in range(MOST_SALVAGED)}), (MOST_SALVAGED + 1, {("items",)})],
)
def test_items_are_salvaged_as_long_as_they_are_few(count: int, doubts: set[tuple[str | int, ...]]) -> None:
    """A field with very many errors goes as a whole: each is reported, and no item costs a search of its own."""
    found = rest(f"items: [{'{name: a, size: 1}, ' * count}{{name: b}}]\nstaff: 3\nstok: {{}}\n")

    assert len(told(found)) == count + 1
    assert {path[:2] for path in found.doubts if path[0] == "items"} == doubts
    assert found.value is not None
    assert (found.value.staff, len(found.value.items)) == (3, count + 1 if count == MOST_SALVAGED else 0)
