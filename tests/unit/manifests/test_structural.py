"""Structural schemas judge as the API server does: unknown fields, defaults, nulls, then values."""

from __future__ import annotations

from typing import Any

import pytest

from .structural import judge, texts

TEXT = {"type": "string"}


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "good", "bad", "said"),
    [
        ({"type": "string", "enum": ["a", "b"]}, "a", "c", "'c' is not one of 'a', 'b'"),
        ({"type": "integer", "minimum": 2}, 2, 1, "1 is not at least 2"),
        ({"type": "integer", "maximum": 2}, 2, 3, "3 is not at most 2"),
        ({"type": "integer", "minimum": 2, "exclusiveMinimum": True}, 3, 2, "2 is not more than 2"),
        ({"type": "integer", "maximum": 2, "exclusiveMaximum": True}, 1, 2, "2 is not less than 2"),
        ({"type": "integer", "minimum": 2, "exclusiveMinimum": False}, 2, 1, "1 is not at least 2"),
        ({"type": "integer", "multipleOf": 3}, 6, 7, "7 is not a multiple of 3"),
        ({"type": "string", "minLength": 2}, "ab", "a", "'a' is shorter than 2 characters"),
        ({"type": "string", "maxLength": 2}, "ab", "abc", "'abc' is longer than 2 characters"),
        ({"type": "string", "pattern": "^a+$"}, "aa", "b", "'b' does not match ^a+$"),
        ({"type": "array", "items": TEXT, "minItems": 1}, ["a"], [], "is empty"),
        ({"type": "array", "items": TEXT, "maxItems": 1}, ["a"], ["a", "b"], "has more than 1 items"),
        (
            {"type": "object", "additionalProperties": TEXT, "minProperties": 1},
            {"a": ""},
            {},
            "has fewer than 1 fields",
        ),
        (
            {"type": "object", "additionalProperties": TEXT, "maxProperties": 1},
            {"a": ""},
            {"a": "", "b": ""},
            "has more than 1 fields",
        ),
        ({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, ["a"], ["a", "a"], "holds an item twice"),
        ({"type": "integer", "format": "int32"}, 2**31 - 1, 2**31, "2147483648 does not fit into int32"),
        ({"type": "integer", "format": "int32"}, -(2**31), -(2**31) - 1, "-2147483649 does not fit into int32"),
        ({"type": "integer", "format": "int64"}, 2**63 - 1, 2**63, "9223372036854775808 does not fit into int64"),
        ({"type": "integer", "format": "int32", "minimum": 0}, 0, -1, "-1 is not at least 0"),
        ({"type": "integer", "format": "int32", "maximum": 9}, 9, 10, "10 is not at most 9"),
        ({"type": "number", "format": "float"}, 1.5, 1e39, "1e+39 does not fit into float"),
        ({"type": "string", "format": "ipv4"}, "10.0.0.1", "fd00::1", "'fd00::1' is not a valid ipv4"),
        (
            {"type": "string", "format": "date-time"},
            "2026-01-02T03:04:05Z",
            "today",
            "'today' is not a valid date-time",
        ),
        ({"type": "string", "format": "byte"}, "Zm9v", "Zm9", "'Zm9' is not a valid base64 text"),
        ({"type": "string", "nullable": True}, None, 1, "must be a string, not 1"),
        ({"type": "string"}, "a", None, "must be a string, not null"),
        ({"type": "string"}, "a", True, "must be a string, not true"),
        ({"type": "boolean"}, False, "a", "must be true or false, not 'a'"),
        ({"type": "number"}, 1.5, "a", "must be a number, not 'a'"),
        ({"type": "integer"}, 1, 1.5, "must be an integer, not 1.5"),
        ({"type": "array", "items": TEXT}, [], {}, "must be a list, not a map"),
        ({"type": "object", "additionalProperties": TEXT}, {}, [], "must be a map, not a list"),
        ({"x-kubernetes-int-or-string": True}, "50%", True, "must be an integer or a string, not true"),
        ({"x-kubernetes-int-or-string": True}, 5, 1.5, "must be an integer or a string, not 1.5"),
        ({"not": {"enum": ["a"]}, "type": "string"}, "b", "a", "is what the schema rules out: a map"),
    ],
)
def test_each_keyword_takes_what_fits_and_says_what_does_not(schema: Any, good: Any, bad: Any, said: str) -> None:
    assert texts(schema, good) == []
    assert [text for text in texts(schema, bad) if said in text] != []
    assert len(texts(schema, bad)) == 1


def test_an_unknown_field_is_found_at_every_depth_and_a_known_one_suggested() -> None:
    schema = fields(items={"type": "array", "items": fields(image=TEXT)})

    [found] = judge(schema, {"items": [{}, {"imaeg": "a"}]})

    assert (found.path, found.text, found.hint) == ("spec.items[1].imaeg", "unknown field", "did you mean 'image'?")


def test_fields_that_are_preserved_are_not_unknown_but_those_below_a_known_one_are() -> None:
    schema = fields(known=fields(a=TEXT)) | {"x-kubernetes-preserve-unknown-fields": True}

    assert texts(schema, {"other": {"deep": 1}}) == []
    assert texts(schema, {"known": {"b": 1}}) == ["spec.known.b: unknown field"]


def test_a_list_that_preserves_keeps_fields_of_its_items() -> None:
    items = {"type": "array", "items": fields(a=TEXT), "x-kubernetes-preserve-unknown-fields": True}

    assert texts(items, [{"b": 1}]) == []
    assert texts(items | {"x-kubernetes-preserve-unknown-fields": False}, [{"b": 1}]) == ["spec[0].b: unknown field"]


@pytest.mark.parametrize(
    ("closed", "value", "wrong"),
    [
        ({"additionalProperties": TEXT}, {"any": "a"}, []),
        ({"additionalProperties": TEXT}, {"any": 1}, ["spec.any: must be a string, not 1"]),
        ({"additionalProperties": True}, {"any": 1, "list": [1]}, []),
        ({"additionalProperties": True}, {"any": {"deep": 1}}, ["spec.any.deep: unknown field"]),
        ({"additionalProperties": True}, {"any": [{"deep": 1}]}, ["spec.any[0].deep: unknown field"]),
        ({"additionalProperties": True, "x-kubernetes-preserve-unknown-fields": True}, {"any": {"deep": 1}}, []),
        ({}, {"any": 1}, ["spec.any: unknown field"]),
    ],
)
def test_maps_say_what_they_hold(closed: dict[str, Any], value: Any, wrong: list[str]) -> None:
    assert texts({"type": "object", **closed}, value) == wrong


def test_a_required_field_is_missed_unless_a_default_fills_it() -> None:
    schema = fields(a=TEXT, b=TEXT | {"default": "x"}) | {"required": ["a", "b"]}

    assert texts(schema, {}) == ["spec.a: is missing"]
    assert texts(schema, {"a": "y"}) == []


def test_null_takes_the_default_where_there_is_one() -> None:
    choice = TEXT | {"enum": ["x", "y"]}

    assert texts(fields(a=choice | {"default": "x"}), {"a": None}) == []
    assert texts(fields(a=choice), {"a": None}) != []
    assert texts(fields(a=choice | {"default": "x"}), {"a": "z"}) == ["spec.a: 'z' is not one of 'x', 'y'"]


def test_two_items_with_the_same_keys_are_one() -> None:
    schema = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": fields(port={"type": "integer"}, protocol=TEXT | {"default": "TCP"}),
    }

    assert texts(schema, [{"port": 1}, {"port": 1, "protocol": "UDP"}, {"port": 2}]) == []
    assert texts(schema, [{"port": 1}, {"port": 2}, {"port": 1, "protocol": "TCP"}]) == [
        "spec: [0] and [2] are the same entry (port 1, protocol TCP)"
    ]
    assert texts(schema, [{"port": 1}, {"port": "1"}]) == ["spec[1].port: must be an integer, not '1'"]


def test_a_list_that_is_replaced_as_a_whole_may_hold_an_item_twice() -> None:
    assert texts({"type": "array", "items": TEXT, "x-kubernetes-list-type": "atomic"}, ["a", "a"]) == []


def test_a_resource_inside_has_a_type_and_metadata_of_its_own() -> None:
    schema = fields(a=TEXT) | {"x-kubernetes-embedded-resource": True}
    inner = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "it"}}

    assert texts(schema, inner) == []
    assert texts(schema, {"metadata": {"label": {}}}) == [
        "spec.apiVersion: is missing",
        "spec.kind: is missing",
        "spec.metadata.label: unknown field",
    ]
    assert texts(schema, inner | {"kind": ""}) == ["spec.kind: is empty"]


def test_rules_of_metadata_are_kept_beside_what_it_always_is() -> None:
    root = fields(metadata=fields(name=TEXT | {"maxLength": 3}))

    assert texts(root, whole=True) == []
    assert texts(root, whole=True, metadata={"name": "long"}) == ["metadata.name: 'long' is longer than 3 characters"]
    assert texts(root, whole=True, metadata={"nam": "it"}) == ["metadata.nam: unknown field"]


def test_without_a_schema_only_metadata_is_judged() -> None:
    assert texts({}, {"any": 1}, whole=True) == []
    assert texts({}, whole=True, metadata={"nam": "it"}) == ["metadata.nam: unknown field"]


EITHER = fields(a=TEXT, b=TEXT)


@pytest.mark.parametrize(
    ("rule", "value", "wrong"),
    [
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": ""}, []),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, ["spec: needs one of a, b"]),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": "", "b": ""},
            ["spec: fits more than one of the alternatives of which it must fit exactly one"],
        ),
        ({"anyOf": [{"required": ["a", "b"]}, {"required": ["a"]}]}, {}, ["spec: needs one of a, a and b"]),
        ({"allOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": ""}, ["spec.b: is missing"]),
        ({"not": {"required": ["a", "b"]}}, {"a": "", "b": ""}, ["spec: is what the schema rules out: a map"]),
        (
            {"allOf": [{"properties": {"a": {"maxLength": 1}}}]},
            {"a": "xy"},
            ["spec.a: 'xy' is longer than 1 characters"],
        ),
        ({"allOf": [{"properties": {"a": {"maxLength": 1}}}]}, {"b": "xy"}, []),
        ({"allOf": [{"properties": {"a": {"type": "integer"}}}]}, {}, []),
        ({"allOf": [{"not": {"required": ["a"]}}]}, {"a": ""}, ["spec: is what the schema rules out: a map"]),
    ],
)
def test_rules_on_values_are_joined(rule: dict[str, Any], value: Any, wrong: list[str]) -> None:
    assert texts(EITHER | rule, value) == wrong


def test_alternatives_that_fail_for_other_reasons_give_each_of_them_as_a_hint() -> None:
    schema = TEXT | {"anyOf": [{"maxLength": 1}, {"pattern": "^x"}]}

    [found] = judge(schema, "abc")

    assert found.text == "fits none of the alternatives that it may have"
    assert found.hint == "spec: 'abc' is longer than 1 characters; or spec: 'abc' does not match ^x"


def test_a_rule_speaks_of_items_and_values_below() -> None:
    listed = {"type": "array", "items": EITHER, "allOf": [{"items": {"required": ["a"]}}]}
    mapped = {
        "type": "object",
        "additionalProperties": EITHER,
        "allOf": [{"additionalProperties": {"required": ["a"]}}],
    }

    assert texts(listed, [{}]) == ["spec[0].a: is missing"]
    assert texts(mapped, {"x": {}}) == ["spec.x.a: is missing"]


def test_a_rule_knows_the_defaults_of_the_level_that_it_speaks_of() -> None:
    level = fields(a=TEXT | {"default": "x"})
    listed = {"type": "array", "items": level, "allOf": [{"items": {"required": ["a"]}}]}
    refusing = level | {"allOf": [{"properties": {"a": {"enum": ["y"]}}}]}
    agreeing = level | {"allOf": [{"properties": {"a": {"enum": ["x"]}}}]}

    assert texts(level | {"allOf": [{"required": ["a"]}]}, {}) == []
    assert texts(listed, [{}]) == []
    assert texts(refusing, {}) == ["spec.a: is missing"]
    assert texts(refusing, {"a": "y"}) == []
    assert texts(agreeing, {}) == []


def test_a_number_or_text_that_says_so_in_alternatives_is_not_judged_twice() -> None:
    schema = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}

    assert texts(schema, 5) == texts(schema, "a") == []
    assert texts(schema, []) == ["spec: must be an integer or a string, not a list"]
    assert texts(schema | {"anyOf": [{"maximum": 3}, {"type": "string"}]}, 5) != []


def test_an_amount_is_told_as_one() -> None:
    from platform_def.crds.schema import QUANTITY

    schema = {"x-kubernetes-int-or-string": True, "pattern": QUANTITY["pattern"]}

    assert texts(schema, "500m") == []
    assert texts(schema, "4gb") == ["spec: '4gb' is not a valid quantity (2, 500m, 4Gi)"]


def test_names_are_formats_from_1_34_on() -> None:
    schema = TEXT | {"format": "k8s-short-name"}

    assert texts(schema, "Not A Name", minor=33) == []
    assert texts(schema, "Not A Name", minor=34) != []


def test_a_format_of_another_type_is_not_checked() -> None:
    assert texts({"type": "boolean", "format": "ipv4"}, True) == []
    assert texts({"type": "integer", "format": "ipv4"}, 1) == []
    assert texts({"type": "string", "format": "int32"}, "a") == []
    assert texts({"type": "string", "format": "unheard-of"}, "a") == []


def test_an_alternative_that_fails_twice_gives_one_reason() -> None:
    schema = TEXT | {"anyOf": [{"maxLength": 1, "pattern": "^x"}, {"enum": ["y"]}]}

    [found] = judge(schema, "abc")

    assert found.hint.count("; or ") == 1


def test_a_list_keyed_by_what_its_items_do_not_have_is_still_judged() -> None:
    schema = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    }

    assert texts(schema, [{"name": "a"}, {"name": "b"}]) == []
    assert texts(schema, [{"name": "a"}, {"name": "a"}]) == ["spec: [0] and [1] are the same entry (name a)"]
