"""Rules of CRDs on objects: what they see, what they say, and where."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.cel.rules import Broken, Rules

RULES = "x-kubernetes-validations"


def broken(schema: dict[str, Any], value: Any, old: Any = None) -> list[tuple[str, str]]:
    """Path and text of the rules that `spec.value` breaks, where its schema is this one."""
    spec = {"type": "object", "properties": {"value": schema}}
    rules = Rules({"type": "object", "properties": {"spec": spec}})
    former = None if old is None else {"spec": {"value": old}}
    return [(".".join(map(str, each.path)), each.text) for each in rules.broken({"spec": {"value": value}}, former)]


def ruled(rule: str, **more: Any) -> dict[str, Any]:
    return {RULES: [{"rule": rule, "message": "broken", **more}]}


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
LIST = {"type": "array", "items": TEXT}


@pytest.mark.parametrize(
    ("schema", "kept", "breaking"),
    [
        ({**NUMBER, **ruled("self > 1")}, 2, 1),
        ({**fields(a=NUMBER, b=NUMBER), **ruled("self.a < self.b")}, {"a": 1, "b": 2}, {"a": 2, "b": 2}),
        ({**fields(a={**NUMBER, "default": 3}), **ruled("self.a > 2")}, {}, {"a": 1}),
        ({**fields(a={**NUMBER, "default": 3}), **ruled("self.a > 2")}, {"a": None}, {"a": 1}),
        ({**fields(namespace=TEXT), **ruled("self.__namespace__ == 'a'")}, {"namespace": "a"}, {"namespace": "b"}),
        ({**fields(namespace=TEXT), **ruled("self.namespace == 'a'")}, {"namespace": "a"}, {"namespace": "b"}),
        ({**fields(**{"a-b.c/d": TEXT}), **ruled("has(self.a__dash__b__dot__c__slash__d)")}, {"a-b.c/d": ""}, {}),
        ({"type": "number", **ruled("self * 2.0 > 1.0")}, 1, 0),
        ({"x-kubernetes-int-or-string": True, **ruled("type(self) == int ? self > 1 : self == 'x'")}, "x", 1),
        ({"type": "string", "format": "duration", **ruled("self < duration('1h')")}, "59m", "1h30m"),
        ({"type": "string", "format": "duration", **ruled("self < duration('25h')")}, "1 day", "2 days"),
        (
            {"type": "string", "format": "date-time", **ruled("self < timestamp('2026-01-01T00:00:00Z')")},
            "2025-12-31T23:59:59.123456789Z",
            "2026-01-01T00:00:00+00:00",
        ),
        ({"type": "string", "format": "date", **ruled("self.getFullYear() == 2026")}, "2026-02-03", "2025-02-03"),
        ({"type": "string", "format": "byte", **ruled("size(self) < 3")}, "YQ==", "YWJjZA=="),
        ({"type": "object", "additionalProperties": NUMBER, **ruled("self.all(k, self[k] > 0)")}, {"a": 1}, {"a": 0}),
        ({**LIST, **ruled("self.all(x, self.exists_one(y, x == y))")}, ["a", "b"], ["a", "a"]),
        ({**fields(a={**TEXT, "nullable": True}), **ruled("has(self.a) && self.a == null")}, {"a": None}, {"a": "x"}),
        ({**fields(a=TEXT), "allOf": [ruled("self.a != 'x'")]}, {"a": "y"}, {"a": "x"}),
    ],
)
def test_a_rule_sees_the_object_as_the_server_shows_it(schema: dict[str, Any], kept: Any, breaking: Any) -> None:
    assert broken(schema, kept) == []
    assert broken(schema, breaking) == [("spec.value", "broken")]


def test_rules_hold_wherever_their_schema_stands() -> None:
    number = {**NUMBER, **ruled("self > 1")}
    schema = fields(listed={"type": "array", "items": number}, named={"type": "object", "additionalProperties": number})

    assert broken(schema, {"listed": [2, 1], "named": {"a": 0}}) == [
        ("spec.value.listed.1", "broken"),
        ("spec.value.named.a", "broken"),
    ]
    assert broken(schema, {"listed": [2, None]}) == []


def test_a_rule_says_its_message_or_itself() -> None:
    assert broken({**NUMBER, RULES: [{"rule": "self > 1"}]}, 1) == [("spec.value", "breaks the rule self > 1")]
    said = {"rule": "self > 1", "message": "plain", "messageExpression": "'%d is too few'.format([self])"}
    assert broken({**NUMBER, RULES: [said]}, 1) == [("spec.value", "1 is too few")]
    empty = {"rule": "self > 1", "message": "plain", "messageExpression": "''"}
    assert broken({**NUMBER, RULES: [empty]}, 1) == [("spec.value", "plain")]


@pytest.mark.parametrize(("path", "shown"), [(".a", "spec.value.a"), ("['a.b']", "spec.value.a.b")])
def test_a_rule_points_at_the_field_that_it_names(path: str, shown: str) -> None:
    schema = {**fields(a=NUMBER, **{"a.b": NUMBER}), **ruled("false", fieldPath=path)}

    assert broken(schema, {"a": 1}) == [(shown, "broken")]


def test_what_a_rule_reads_and_is_not_there_is_an_error() -> None:
    assert broken({**fields(a=TEXT), **ruled("self.a == 'x'")}, {}) == [
        ("spec.value", 'no such key: "a", where a rule is evaluated')
    ]


def test_a_rule_about_changes_needs_the_former_object() -> None:
    schema = {**TEXT, **ruled("self == oldSelf")}

    assert broken(schema, "b") == []
    assert broken(schema, "b", old="b") == []
    assert broken(schema, "b", old="a") == [("spec.value", "broken")]


def test_a_rule_may_ask_whether_there_was_an_object() -> None:
    schema = {**TEXT, **ruled("oldSelf.hasValue() ? oldSelf.value() == self : self == 'new'", optionalOldSelf=True)}

    assert broken(schema, "new") == []
    assert broken(schema, "other") == [("spec.value", "broken")]
    assert broken(schema, "b", old="b") == []
    assert broken(schema, "b", old="a") == [("spec.value", "broken")]


def test_items_are_the_same_by_the_keys_of_their_list() -> None:
    item = fields(name=TEXT, size={**NUMBER, **ruled("self >= oldSelf")})
    keyed = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    old = [{"name": "a", "size": 2}, {"name": "b", "size": 1}]

    assert broken(keyed, [{"name": "b", "size": 1}, {"name": "c", "size": 0}], old) == []
    assert broken(keyed, [{"name": "b", "size": 5}, {"name": "a", "size": 1}], old) == [("spec.value.1.size", "broken")]
    assert broken({**keyed, "x-kubernetes-list-type": "atomic"}, [{"name": "a", "size": 1}], old) == []


@pytest.mark.parametrize(
    ("kind", "keys", "old", "new"),
    [
        ("set", [], ["a", "b"], ["b", "a"]),
        ("map", ["name"], [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]),
    ],
)
def test_lists_without_an_order_are_compared_without_one(kind: str, keys: list[str], old: Any, new: Any) -> None:
    items = fields(name=TEXT) if keys else TEXT
    schema = {"type": "array", "items": items, "x-kubernetes-list-type": kind, "x-kubernetes-list-map-keys": keys}

    assert broken({**schema, **ruled("self == oldSelf")}, new, old) == []
    assert broken({**schema, **ruled("self == oldSelf")}, new[:1], old) == [("spec.value", "broken")]


def test_a_rule_that_does_not_compile_is_told_where_it_stands_and_not_with_every_object() -> None:
    assert broken({**TEXT, **ruled("self ==")}, "a") == []


@pytest.mark.parametrize("value", ["\ud800", 2**70, float("nan"), {1: {None: []}}])
def test_values_of_any_shape_get_an_answer(value: Any) -> None:
    assert broken({**fields(a=TEXT), **ruled("size(self.a) > 0 || true")}, {"a": value}) == []


def test_a_long_rule_is_cut_where_it_is_shown() -> None:
    rule = " && ".join(["size(self) > 1"] * 40)
    [found] = Rules({**fields(), **ruled(rule)}).broken({})

    assert isinstance(found, Broken)
    assert len(found.rule) < 200
