"""What is left of a configuration that is wrong in part, what is in doubt, and what is reported of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from pydantic import Field, model_validator

from platform_def.config.model import MisfitError, Model, conflict
from platform_def.config.written.provenance import trace
from platform_def.config.written.salvage import Salvaged, salvage
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
        ("stock: {a: {name: a, sizeLimitt: 3}}\n", {("stock", "a")}),
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


def test_a_list_goes_as_a_whole_so_that_no_item_changes_its_place() -> None:
    found = rest("items: [{sizeLimit: 2}, {name: b}]\n")

    assert (found.value, found.doubts) == (Shop(), frozenset({("items", 0)}))


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
