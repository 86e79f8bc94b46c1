"""A light TypedDict is typing's to whoever checks types, and says as much of its fields as typing's does."""

from __future__ import annotations

import subprocess
import sys
import typing
from pathlib import Path
from typing import Annotated, Any, NotRequired, Required

import pytest

from platform_def import apis
from platform_def.crds.hints import Field, fields
from platform_def.crds.schema import Minimum
from platform_def.crds.structure import Structure
from platform_def.crds.typed_dict import TypedDict, is_typed_dict


class Light(TypedDict, total=False):
    size: Required[Annotated[int, Minimum(1)]]
    """How large."""
    names: list[str]
    inner: Inner


class Inner(TypedDict):
    depth: int
    note: NotRequired[str]


class Derived(Light):
    more: str
    size: str  # type: ignore[misc]


class Both(Derived, Inner, total=False):
    last: bool


Called = TypedDict("Called", {"from": "Required[Annotated[str, Minimum(2)]]", "x-y": "list[Inner]"}, total=False)


class Typing(typing.TypedDict, total=False):
    size: Required[Annotated[int, Minimum(1)]]
    """How large."""
    names: list[str]
    inner: Inner


def said(cls: type) -> dict[str, bool]:
    """Field → whether it is required."""
    return {field.name: field.required for field in fields(cls)}


def test_fields_are_those_that_typing_finds() -> None:
    def shown(field: Field) -> tuple[str, bool, str]:
        return field.name, field.required, field.doc

    assert [shown(field) for field in fields(Light)] == [shown(field) for field in fields(Typing)]
    assert Structure("").of(Light) == Structure("").of(Typing)


def test_required_fields_follow_total_of_the_type_that_has_them() -> None:
    assert said(Light) == {"size": True, "names": False, "inner": False}
    assert said(Inner) == {"depth": True, "note": False}
    assert said(Derived) == {"size": True, "names": False, "inner": False, "more": True}
    assert said(Both) == {**said(Derived), **said(Inner), "last": False}


def test_a_field_that_is_written_again_replaces_that_of_the_base() -> None:
    assert Structure("").of(Derived)["properties"]["size"]["type"] == "string"


def test_docstrings_of_a_base_come_along() -> None:
    docs = {field.name: field.doc for field in fields(Both)}

    assert docs["size"] == "How large."


def test_a_type_made_by_a_call_belongs_to_the_module_that_calls() -> None:
    assert Called.__module__ == __name__
    assert said(Called) == {"from": True, "x-y": False}


def test_a_value_is_a_plain_dict() -> None:
    made: Any = Inner(depth=1)

    assert type(made) is dict
    assert made == {"depth": 1}


@pytest.mark.parametrize(
    ("value", "expected"),
    [(Light, True), (Called, True), (Typing, True), (TypedDict, False), (dict, False), (int, False), ({}, False)],
)
def test_types_of_both_kinds_are_told_from_other_classes(value: object, expected: bool) -> None:
    assert is_typed_dict(value) is expected


def test_mypy_takes_it_for_typing_s(tmp_path: Path) -> None:
    (tmp_path / "authored.py").write_text(
        "from __future__ import annotations\n"
        "from typing import Required\n"
        "from platform_def.apis.kubeflow.training_v1 import ElasticPolicy\n"
        "from platform_def.crds.typed_dict import TypedDict\n"
        "class Spec(TypedDict, total=False):\n"
        "    size: Required[int]\n"
        "    policy: ElasticPolicy\n"
        "Odd = TypedDict('Odd', {'from': 'int'}, total=False)\n"
        "good: Spec = {'size': 1, 'policy': {'minReplicas': 2}}\n"
        "odd: Odd = {'from': 1}\n"
        "a: Spec = {'sise': 1, 'size': 1}\n"
        "b: Spec = {}\n"
        "c: Spec = {'size': 'x'}\n"
        "d: Spec = {'size': 1, 'policy': {'minReplica': 2}}\n"
        "e: Odd = {'from': 'x'}\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(tmp_path / "cache"),
            str(tmp_path / "authored.py"),
        ],
        capture_output=True,
        text=True,
    )
    lines = [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line]

    assert lines == ["11", "12", "13", "14", "15"], done.stdout


def test_api_modules_take_the_light_one() -> None:
    found = (path for folder in apis.__path__ for path in Path(folder).rglob("*_*.py"))
    heavy = "from typing import "
    slow = [
        path.name
        for path in found
        if any(line.startswith(heavy) and "TypedDict" in line for line in path.read_text(encoding="utf-8").splitlines())
    ]

    assert slow == [], "their import takes four times as long"
