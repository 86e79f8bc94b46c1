"""Grammars of names, at the edges where a rule of the server's ends."""

from __future__ import annotations

import pytest

from platform_def.manifests.names import GRAMMARS, hook_path_problem, port_name_problem, subdomain_problem


@pytest.mark.parametrize("name", ["a", "http", "h2c-web", "8o", "0-a"])
def test_a_port_has_a_name_with_a_letter(name: str) -> None:
    assert port_name_problem(name) == ""


@pytest.mark.parametrize("name", ["8080", "8-0", "a--b", "-a", "a-", "Http", "a" * 16])
def test_what_names_no_port(name: str) -> None:
    assert port_name_problem(name)


@pytest.mark.parametrize("path", ["/", "/validate", "/validate/", "/a/b.c"])
def test_a_path_of_a_webhook(path: str) -> None:
    assert hook_path_problem(path) == ""


@pytest.mark.parametrize(
    ("path", "why"), [("validate", "must begin with /"), ("/a//b", "empty part"), ("//", "empty part"), ("/A", "'A'")]
)
def test_what_is_no_path_of_a_webhook(path: str, why: str) -> None:
    assert why in hook_path_problem(path)


def test_a_star_stands_for_any_where_it_may() -> None:
    assert GRAMMARS["any-label"]("*") == GRAMMARS["account"]("*") == GRAMMARS["url-pattern"]("*") == ""
    assert GRAMMARS["any-label"]("a*")
    assert GRAMMARS["account"]("a*")
    assert GRAMMARS["any-label"]("Web")
    assert GRAMMARS["account"]("Web")


def test_a_name_that_is_none_is_told_what_it_may_hold() -> None:
    assert subdomain_problem("Web_1") == (
        "'Web_1' may have only lower-case letters, digits, dashes and dots, with a letter or digit at both ends of each "
        "part"
    )


@pytest.mark.parametrize(
    ("field", "last"), [(0, 59), (1, 23), (2, 31), (3, 12), (4, 6)], ids=["minute", "hour", "day", "month", "weekday"]
)
def test_a_schedule_counts_as_far_as_a_calendar_does(field: int, last: int) -> None:
    def schedule(value: int) -> str:
        return " ".join(str(value) if place == field else "*" for place in range(5))

    assert GRAMMARS["cron"](schedule(last)) == ""
    assert GRAMMARS["cron"](schedule(last + 1))
