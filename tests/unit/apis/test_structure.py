from __future__ import annotations

import sys
from types import ModuleType
from typing import Annotated, Any, Literal, Required, TypedDict

import pytest

from platform_def.apis.core import core_v1
from platform_def.crds.schema import (
    AnyOf,
    AnyValue,
    Cel,
    Default,
    Doc,
    EmbeddedResource,
    EmptyObject,
    Int32,
    IntOrString,
    ListMap,
    ListType,
    Maximum,
    MinLength,
    Nullable,
    OpenObject,
    Other,
    Pattern,
    Quantity,
    Ref,
    Requires,
    Shape,
    Time,
)
from platform_def.crds.structure import Structure


class Inner(TypedDict, total=False):
    size: Int32


class Words(TypedDict, total=False):
    name: Required[str]
    """What it
    is called."""
    count: Annotated[Int32, Maximum(9), Default(3)]
    mode: Literal["b", "a"]
    other: Literal["a", "b"]
    level: Literal[2, 1]
    inner: list[Inner]
    table: dict[str, Inner]
    when: Time
    share: float
    port: IntOrString
    memory: Quantity
    anything: AnyValue
    loose: object
    open: OpenObject
    closed: EmptyObject
    maybe: str | None
    perhaps: Annotated[Nullable[Inner], Default({})]
    ports: Annotated[list[Inner], ListMap("size")]
    tags: Annotated[list[Annotated[str, MinLength(1)]], ListType("set")]
    rules: Annotated[Inner, Cel("self.size > 0", "too small"), Cel("true", optional_old_self=False)]
    whole: Annotated[OpenObject, EmbeddedResource()]
    keys: Annotated[dict[str, str], Requires("a")]
    either: Annotated[Inner, AnyOf({"required": ["size"]})]
    secret: Annotated[str, Ref("Secret", key="key")]
    exact: Annotated[object, Shape({"type": "string", "x-odd": 1})]
    odd: Annotated[str, Other("x-new", True)]
    pod: core_v1.LocalObjectReference


def properties(cls: type, *, core: str = "1.31") -> dict[str, Any]:
    found: dict[str, Any] = Structure(core).typed_dict(cls)["properties"]
    return found


@pytest.mark.parametrize(
    ("field", "schema"),
    {
        "name": {"type": "string", "description": "What it is called."},
        "count": {"type": "integer", "format": "int32", "maximum": 9, "default": 3},
        "mode": {"type": "string", "enum": ["b", "a"]},
        "other": {"type": "string", "enum": ["a", "b"]},
        "level": {"type": "integer", "enum": [2, 1]},
        "table": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"size": {"type": "integer", "format": "int32"}},
            },
        },
        "when": {"type": "string", "format": "date-time"},
        "share": {"type": "number"},
        "port": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
        "anything": {"x-kubernetes-preserve-unknown-fields": True},
        "loose": {"x-kubernetes-preserve-unknown-fields": True},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "closed": {"type": "object"},
        "maybe": {"type": "string", "nullable": True},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "x-kubernetes-list-type": "set"},
        "whole": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-embedded-resource": True,
        },
        "keys": {"type": "object", "additionalProperties": {"type": "string"}, "required": ["a"]},
        "secret": {"type": "string"},
        "exact": {"type": "string", "x-odd": 1},
        "odd": {"type": "string", "x-new": True},
        "pod": {
            "type": "object",
            "properties": {"name": {"type": "string", "default": ""}},
            "x-kubernetes-map-type": "atomic",
        },
    }.items(),
)
def test_annotation_becomes_keyword(field: str, schema: dict[str, Any]) -> None:
    assert properties(Words)[field] == schema


def test_required_fields_are_listed() -> None:
    assert Structure("1.31").typed_dict(Words)["required"] == ["name"]


def test_list_map_names_its_keys() -> None:
    ports = properties(Words)["ports"]

    assert ports["x-kubernetes-list-type"] == "map"
    assert ports["x-kubernetes-list-map-keys"] == ["size"]


def test_cel_rules_keep_their_order_and_leave_the_shared_type_alone() -> None:
    found = properties(Words)

    assert found["rules"]["x-kubernetes-validations"] == [
        {"rule": "self.size > 0", "message": "too small"},
        {"rule": "true", "optionalOldSelf": False},
    ]
    assert "x-kubernetes-validations" not in found["either"]


def test_quantity_refuses_a_fraction_that_is_no_text() -> None:
    assert properties(Words)["memory"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]


def test_default_of_a_nullable_object_is_kept() -> None:
    perhaps = properties(Words)["perhaps"]

    assert (perhaps["nullable"], perhaps["default"]) == (True, {})


class Equal(TypedDict, total=False):
    whole: Annotated[int, Default(1)]
    yes: Annotated[bool, Default(True)]
    fraction: Annotated[float, Default(1.0)]


def test_equal_defaults_of_other_types_are_told_apart() -> None:
    found = properties(Equal)

    assert [type(found[field]["default"]) for field in ("whole", "yes", "fraction")] == [int, bool, float]


Odd = TypedDict("Odd", {"from": "Required[Annotated[str, Doc('Where from.')]]", "x-y": "list[Inner]"}, total=False)


def test_functional_form_holds_any_name() -> None:
    schema = Structure("1.31").typed_dict(Odd)

    assert schema["required"] == ["from"]
    assert schema["properties"]["from"] == {"type": "string", "description": "Where from."}
    assert "x-y" in schema["properties"]


class Base(TypedDict, total=False):
    old: Required[str]
    """From the base."""


class Derived(Base, total=False):
    new: str


def test_inherited_fields_keep_their_docs_and_are_required() -> None:
    schema = Structure("1.31").typed_dict(Derived)

    assert schema["properties"]["old"]["description"] == "From the base."
    assert schema["required"] == ["old"]


class Chain(TypedDict, total=False):
    next: Chain


class Mixed(TypedDict, total=False):
    value: str | int


class Several(TypedDict, total=False):
    value: Literal["a", 1]


class Set(TypedDict, total=False):
    value: set[str]


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Chain, "contains itself"),
        (Mixed, "Mixed.value: a union is only for None"),
        (Several, "values of one type"),
        (Set, "Set.value: no schema follows"),
        (dict, "is not a TypedDict"),
    ],
)
def test_type_without_a_schema_is_refused_by_name(cls: type, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Structure("1.31").typed_dict(cls)


def test_core_type_needs_a_kubernetes_version() -> None:
    with pytest.raises(TypeError, match="no Kubernetes version"):
        Structure("").typed_dict(Words)


def test_types_that_were_evaluated_at_once_work_too() -> None:
    module = ModuleType("eager_types")
    sys.modules["eager_types"] = module
    source = (
        "from typing import Annotated, Literal, NotRequired, TypedDict\n"
        "from platform_def.crds.schema import Minimum\n"
        "class Eager(TypedDict):\n"
        "    a: Annotated[int, Minimum(1)]\n"
        "    b: NotRequired[Literal['x']]\n"
        "    c: NotRequired[str | None]\n"
    )
    exec(source, vars(module))
    schema = Structure("").typed_dict(module.Eager)
    del sys.modules["eager_types"]

    assert schema["required"] == ["a"]
    assert schema["properties"] == {
        "a": {"type": "integer", "minimum": 1},
        "b": {"type": "string", "enum": ["x"]},
        "c": {"type": "string", "nullable": True},
    }


def test_pattern_stands_as_written() -> None:
    assert Structure("").of(Annotated[str, Pattern(r"^\d+$")]) == {"type": "string", "pattern": r"^\d+$"}


def test_doc_word_is_a_description() -> None:
    assert Structure("").of(Annotated[str, Doc("Said.")]) == {"type": "string", "description": "Said."}
