from __future__ import annotations

from tests.cluster.stored import lost_fields


def test_a_field_that_is_not_stored_is_lost() -> None:
    assert lost_fields({"spec": {"a": 1, "b": {"c": "x"}}}, {"spec": {"a": 1, "b": {}}}) == [".spec.b.c"]


def test_a_field_in_a_list_is_named_by_its_index() -> None:
    assert lost_fields({"items": [{"a": 1}, {"b": 1}]}, {"items": [{"a": 1}, {"a": 1}]}) == [".items[1].b"]


def test_a_shorter_list_is_a_loss() -> None:
    assert lost_fields({"items": [1, 2]}, {"items": [1]}) == [".items"]


def test_defaults_and_normalised_values_are_no_loss() -> None:
    assert lost_fields({"cpu": "1000m"}, {"cpu": "1", "added": True}) == []


def test_empty_values_may_vanish() -> None:
    assert lost_fields({"a": {}, "b": [], "c": False, "d": None, "e": {"f": ""}}, {}) == []


def test_a_secrets_text_becomes_data() -> None:
    assert lost_fields({"kind": "Secret", "stringData": {"a": "b"}}, {"kind": "Secret", "data": {"a": "Yg=="}}) == []
