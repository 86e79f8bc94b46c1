"""Kinds of an older release, from the types of a newer one."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.crds.catalogue import definitions
from platform_def.crds.lacks import without
from platform_def.crds.structure import object_schema

NEWER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["mode", "size"],
            "properties": {
                "mode": {"type": "string", "enum": ["a", "b.c"]},
                "size": {"type": "integer"},
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
                    },
                },
                "one": {"type": "object", "x-kubernetes-validations": [{"rule": "true"}, {"rule": "false"}]},
                "many": {"type": "array", "maxItems": 32},
                "pairs": {"type": "object", "maxProperties": 16},
            },
        }
    },
}


def spec(*paths: str) -> dict[str, Any]:
    found: dict[str, Any] = without(NEWER, paths)["properties"]["spec"]
    return found


def test_a_field_is_gone_with_its_being_required() -> None:
    assert "size" not in spec("spec.size")["properties"]
    assert spec("spec.size")["required"] == ["mode"]
    assert "required" not in spec("spec.size", "spec.mode")


def test_a_field_of_each_item_is_gone() -> None:
    items = spec("spec.items[].note", "spec.items[].name")["properties"]["items"]["items"]

    assert items == {"type": "object", "properties": {}}


def test_one_value_of_an_enumeration_is_gone() -> None:
    assert spec("spec.mode=b.c")["properties"]["mode"] == {"type": "string", "enum": ["a"]}
    assert spec("spec.mode=b.c")["required"] == ["mode", "size"]


def test_rules_are_gone_and_their_field_stays() -> None:
    assert spec("spec.one!")["properties"]["one"] == {"type": "object"}


def test_one_rule_is_gone_and_the_others_stay() -> None:
    assert spec("spec.one!0")["properties"]["one"] == {
        "type": "object",
        "x-kubernetes-validations": [{"rule": "false"}],
    }
    assert spec("spec.one!0", "spec.one!0")["properties"]["one"] == {"type": "object"}


def test_a_list_or_a_map_takes_no_more_than_it_did() -> None:
    assert spec("spec.many<16")["properties"]["many"] == {"type": "array", "maxItems": 16}
    assert spec("spec.pairs<8")["properties"]["pairs"] == {"type": "object", "maxProperties": 8}


def test_a_field_cannot_be_left_out_yet() -> None:
    assert spec("spec.one?")["required"] == ["mode", "size", "one"]
    assert spec("spec.items[].note?")["properties"]["items"]["items"]["required"] == ["name", "note"]


def test_a_field_has_a_default_yet() -> None:
    assert spec("spec.mode:=a")["properties"]["mode"] == {"type": "string", "enum": ["a", "b.c"], "default": "a"}
    assert spec("spec.items[].note:=*")["properties"]["items"]["items"]["properties"]["note"]["default"] == "*"


def test_the_newer_schema_is_left_as_it_is() -> None:
    before = repr(NEWER)
    without(NEWER, ["spec.size", "spec.mode=b.c", "spec.one!", "spec.items[].note", "spec.one?", "spec.mode:=a"])

    assert repr(NEWER) == before


@pytest.mark.parametrize(
    "path",
    [
        "spec.absent",
        "spec.absent.deeper",
        "spec.mode=c",
        "spec.size=b",
        "spec.size!",
        "spec.size?",
        "spec.gone?",
        "spec.items[].absent",
        "spec.absent:=a",
        "spec.one!2",
        "spec.size!0",
        "spec.many<32",
        "spec.size<8",
    ],
)
def test_what_the_newer_release_has_not_cannot_be_lacking(path: str) -> None:
    with pytest.raises(ValueError, match=r"the newer release has no"):
        without(NEWER, [path])


def operations(release: str) -> list[str]:
    """What a patch of an EnvoyFilter may do, whose schema is kept as data."""
    (found,) = (each for each in definitions(f"istio-{release}") if each.api.kind == "EnvoyFilter")
    patches = object_schema(found.api)["properties"]["spec"]["properties"]["configPatches"]
    made: list[str] = patches["items"]["properties"]["patch"]["properties"]["operation"]["enum"]
    return made


def test_schemas_kept_as_data_lack_what_their_release_lacks() -> None:
    assert {*operations("1.31.1")} - {*operations("1.30.4")} == {"MERGE_AND_REPLACE_LIST"}
