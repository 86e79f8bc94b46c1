"""Our emitter: sorted, stable, and read back as the same by everyone."""

import math
from enum import StrEnum
from typing import Any

import pytest

from platform_def.yaml import UnwritableError, dump, dump_all

DOUBTFUL_WORDS = (
    "y N on No TRUE null ~ 1 1e3 08 0o17 0x1f 1_000 .5 +1 -1 .inf nan 1:30 2001-01-01 = << 1.2.3 10.0.0.1 "
    "a: - ? *a &a !a {a [a %a @a `a | > #a --- ... é"
)


def test_kubernetes_order_at_the_top_and_sorted_below() -> None:
    value = {
        "status": {},
        "spec": {"b": 1, "a": [{"z": 1, "kind": "x"}]},
        "kind": "K",
        "metadata": {},
        "apiVersion": "v1",
    }

    assert dump(value) == (
        "apiVersion: v1\nkind: K\nmetadata: {}\nspec:\n  a:\n  - kind: x\n    z: 1\n  b: 1\nstatus: {}\n"
    )


def test_without_kubernetes_order_keys_are_only_sorted() -> None:
    assert dump({"kind": "a", "b": "c"}, kubernetes=False) == "b: c\nkind: a\n"


def test_documents_are_separated() -> None:
    assert dump_all([{"a": 1}, {"b": 2}]) == "a: 1\n---\nb: 2\n"


def test_the_order_of_insertion_does_not_matter() -> None:
    assert dump({"a": {"x": 1, "y": 2}, "b": 3}) == dump({"b": 3, "a": {"y": 2, "x": 1}})


@pytest.mark.parametrize("text", [*DOUBTFUL_WORDS.split(), "", "a: b", "a #b", " a", "a ", "- a", "a\tb"])
def test_doubtful_strings_are_quoted(text: str) -> None:
    assert dump({"a": text}).startswith('a: "')


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a b",
        "http://a:80/b?c=d#e",
        "--flag=true",
        "-v",
        "/dev/nvidia0",
        "a.b/c",
        "500m",
        "10Gi",
        "0s",
        "it's",
        "_a",
        "yes!",
    ],
)
def test_clear_strings_stay_plain(text: str) -> None:
    assert dump({"a": text}) == f"a: {text}\n"


def test_single_quotes_spare_escapes() -> None:
    assert dump({"a": "^\\d+\"'$"}) == "a: '^\\d+\"''$'\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\ny\n", "a: |\n  x\n  y\n"),
        ("x\n\n y", "a: |-\n  x\n\n   y\n"),
        ("x\n\n", "a: |+\n  x\n\n"),
        ("\nx\n", "a: |\n\n  x\n"),
        ("x \ny\n", 'a: "x \\ny\\n"\n'),
        (" x\ny\n", 'a: " x\\ny\\n"\n'),
        ("\n", 'a: "\\n"\n'),
        ("x\r\ny\n", 'a: "x\\r\\ny\\n"\n'),
        ("x\u2028\ny\n", 'a: "x\\u2028\\ny\\n"\n'),
    ],
)
def test_several_lines_are_a_literal_block_where_that_is_exact(text: str, expected: str) -> None:
    assert dump({"a": text}) == expected


def test_literal_blocks_follow_the_indentation() -> None:
    assert dump([{"a": ["x\ny\n", {"b": "x\ny"}]}]) == "- a:\n  - |\n    x\n    y\n  - b: |-\n      x\n      y\n"


def test_numbers_and_constants() -> None:
    value: list[Any] = [0, -1, 2**53, 2**63 - 1, 1.5, 1.0, 1e21, 1e-7, True, False, None, {}, []]

    assert dump(value) == (
        "- 0\n- -1\n- 9007199254740992\n- 9223372036854775807\n- 1.5\n- 1\n- 1.0e+21\n- 1.0e-07\n- true\n- false\n- null\n- {}\n- []\n"
    )


def test_a_string_enum_is_its_string() -> None:
    class Color(StrEnum):
        RED = "red"

    assert dump({Color.RED: Color.RED}) == "red: red\n"


def test_a_very_long_key_is_marked_as_one() -> None:
    assert dump({"a": {"k" * 1100: 1}}) == f"a:\n  ? {'k' * 1100}\n  : 1\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [{"b": math.nan}]}, r"a\[0\]\.b: nan is not a number that JSON knows"),
        ({"a": -math.inf}, "a: -inf is not a number"),
        ({"a": {"b": 2**63}}, r"a\.b: 9223372036854775808 is beyond 64 bits"),
        ({"a": {1: "b"}}, "a: the key 1 is not a string"),
        ({"a": 1, 2: 3}, "the value: the key 2 is not a string"),
        ({"a": ("b",)}, "a: tuple is neither"),
        ({"a": "\ud800"}, "a: half of a surrogate pair"),
        ({"\udc00": 1}, "half of a surrogate pair"),
        (object(), "the value: object is neither"),
    ],
)
def test_what_cannot_be_written_is_named_with_its_path(value: Any, expected: str) -> None:
    with pytest.raises(UnwritableError, match=expected):
        dump(value)


def test_endless_data_is_refused() -> None:
    value: list[Any] = []
    value.append(value)

    with pytest.raises(UnwritableError, match="nested deeper than 200 levels"):
        dump(value)
