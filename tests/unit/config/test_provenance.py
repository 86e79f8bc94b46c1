"""Values remember where they came from, and merging keeps this memory."""

from __future__ import annotations

from platform_def.config.provenance import Traced, idle_nulls, merge, trace
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
