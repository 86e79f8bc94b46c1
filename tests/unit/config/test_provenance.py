"""Values remember where they came from, and merging keeps this memory."""

from __future__ import annotations

import pytest

from platform_def.config.written.provenance import Traced, idle_nulls, merge, trace
from platform_def.errors import Source
from platform_def.yaml import parse


def traced(text: str, file: str = "a.yaml") -> Traced:
    return trace(parse(text, file=file), file)


def test_later_scalar_wins_and_the_chain_names_both_files() -> None:
    merged = merge(traced("a: {b: 1}", "base.yaml"), traced("a:\n  b: 2", "top.yaml"))

    found = merged.find(["a", "b"])

    assert found is not None
    assert found.value == 2
    assert found.chain == (Source("base.yaml", 1), Source("top.yaml", 2))


def test_maps_merge_deeply() -> None:
    merged = merge(traced("a: {b: {c: 1, d: 2}}"), traced("a: {b: {d: 3, e: 4}}"))

    assert merged.plain() == {"a": {"b": {"c": 1, "d": 3, "e": 4}}}


def test_null_removes_what_was_inherited() -> None:
    merged = merge(traced("a: {b: 1, c: 2}"), traced("a: {b: null}"))

    assert merged.plain() == {"a": {"c": 2}}
    assert list(idle_nulls(merged)) == []


def test_null_that_removes_nothing_is_a_problem_with_its_line() -> None:
    problems = list(idle_nulls(merge(traced("a: 1"), traced("a: 1\nb:\n"))))

    assert [str(problem.where) for problem in problems] == ["a.yaml:2"]
    assert "b: has no value" in problems[0].text


def test_lists_of_named_things_merge_by_name_and_keep_the_order_of_the_base() -> None:
    merged = merge(
        traced("- {name: x, size: 1}\n- {name: why, size: 2}"), traced("- {name: why, size: 3}\n- {name: z, size: 4}")
    )

    assert merged.plain() == [{"name": "x", "size": 1}, {"name": "why", "size": 3}, {"name": "z", "size": 4}]


def test_lists_of_scalars_are_replaced() -> None:
    assert merge(traced("[1, 2, 3]"), traced("[4]")).plain() == [4]


def test_list_items_are_found_by_index_and_by_name() -> None:
    value = traced("pools:\n- name: x\n- name: why\n  size: 5\n")

    by_index, by_name = value.find(["pools", 1, "size"]), value.find(["pools", "why", "size"])

    assert by_index is not None
    assert by_index is by_name
    assert value.locate(["pools", 1, "size"]) == Source("a.yaml", 4)


def test_a_missing_value_is_located_where_the_nearest_one_is() -> None:
    assert traced("a:\n  b:\n    c: 1\n").locate(["a", "b", "nothing"]) == Source("a.yaml", 2)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ([], 1),
        (["a"], 1),
        (["a", "b"], 2),
        (["a", "b", "c"], 3),
        (["list"], 4),
        (["list", 0], 5),
        (["list", 0, "name"], 5),
        (["list", 1], 6),
        (["list", "two", "size"], 7),
        (["list", 2], 4),
        (["list", -1], 4),
        (["list", "three"], 4),
        (["list", 1, "nothing"], 6),
        (["a", "b", "c", "d"], 3),
    ],
)
def test_a_place_is_the_line_of_its_key_or_of_its_item(path: list[str | int], line: int) -> None:
    value = traced("a:\n  b:\n    c: 1\nlist:\n- name: one\n- name: two\n  size: 5\n")

    assert value.locate(path) == Source("a.yaml", line)


def test_an_item_is_found_by_a_number_written_as_text_and_never_from_the_end() -> None:
    value = traced("- name: x\n- name: z\n")

    assert value.find(["1"]) is value.find([1]) is value.find(["z"])
    assert value.find([2]) is value.find([-1]) is value.find(["2"]) is None
    assert traced("'1': a\n").find(["1", "deeper"]) is None


def test_names_that_are_no_text_name_nothing() -> None:
    merged = merge(traced("- {name: 1}"), traced("- {name: 1, size: 2}"))

    assert merged.plain() == [{"name": 1, "size": 2}]
    assert traced("- {name: 1}\n- text\n").find(["1x"]) is None


@pytest.mark.parametrize(("base", "over"), [("[]", "[{name: x}]"), ("[{name: x}]", "[]"), ("[{name: x}]", "[z]")])
def test_a_list_with_an_item_that_has_no_name_is_replaced(base: str, over: str) -> None:
    assert merge(traced(base), traced(over)).plain() == traced(over).plain()


def test_a_map_replaces_a_scalar_and_a_scalar_a_map() -> None:
    assert merge(traced("a: 1"), traced("a: {b: 2}")).plain() == {"a": {"b": 2}}
    assert merge(traced("a: {b: 2}"), traced("a: 1")).plain() == {"a": 1}


def test_two_changes_of_one_item_are_both_made() -> None:
    merged = merge(traced("- {name: x, size: 1, kind: a}"), traced("- {name: x, size: 2}\n- {name: x, kind: b}"))

    assert merged.plain() == [{"name": "x", "size": 2, "kind": "b"}]


def test_a_null_takes_out_once_and_what_comes_later_starts_anew() -> None:
    removed = merge(traced("a: {b: 1}"), traced("a: null"))

    assert removed.plain() == {}
    assert merge(removed, traced("a: {c: 2}")).plain() == {"a": {"c": 2}}


def test_a_null_over_nothing_stays_to_be_told_and_gives_way_to_a_value() -> None:
    idle = merge(traced("{}"), traced("a: null", "top.yaml"))

    assert idle.plain() == {"a": None}
    assert merge(idle, traced("a: {b: 1}")).plain() == {"a": {"b": 1}}
    assert merge(idle, traced("a: null")).plain() == {"a": None}


def test_a_merged_value_names_each_file_once_and_the_last_line_of_its_key() -> None:
    base, top = traced("a: {b: 1}", "base.yaml"), traced("# later\na: {b: 2}", "top.yaml")

    merged = merge(merge(base, top), top)

    found = merged.find(["a", "b"])
    assert found is not None
    assert found.chain == (Source("base.yaml", 1), Source("top.yaml", 2))
    assert merged.locate(["a"]) == Source("top.yaml", 2)


def test_keys_of_the_base_keep_their_lines() -> None:
    merged = merge(traced("a: 1\nb: 2\n", "base.yaml"), traced("b: 3\n", "top.yaml"))

    assert merged.locate(["a"]) == Source("base.yaml", 1)
    assert merged.locate(["b"]) == Source("top.yaml", 1)


def test_every_idle_null_is_told_with_its_path_and_what_to_write() -> None:
    problems = list(idle_nulls(traced("a:\n  b:\nlist:\n- c:\n- x: 1\n  d:\n")))

    assert [problem.text for problem in problems] == [
        "a.b: has no value",
        "list.0.c: has no value",
        "list.1.d: has no value",
    ]
    assert [str(problem.where) for problem in problems] == ["a.yaml:2", "a.yaml:4", "a.yaml:6"]
    assert all("write {} for defaults" in problem.hint for problem in problems)


def test_a_value_below_its_key_is_where_it_begins_and_a_map_where_its_key_is() -> None:
    value = traced("a:\n  text\nb:\n  c: 1\n")

    assert value.locate(["a"]) == Source("a.yaml", 2)
    assert value.locate(["b"]) == Source("a.yaml", 3)
