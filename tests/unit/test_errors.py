"""Messages: what a terminal would obey or hide is shown, and no value begins a message of its own."""

from __future__ import annotations

import pytest

from platform_def.errors import Problem, Source, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, žluťoučký, 日本", "plain, žluťoučký, 日本"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\u200bb", r"a\u200bb"),
        ("gpj.\u202eexe", r"gpj.\u202eexe"),
        ("a\xa0b", r"a\xa0b"),
        ("a\rb", r"a\rb"),
        ("a\udcffb", r"a\udcffb"),
        ("a\nerror: b", r"a\nerror: b"),
        ("circle:\n  a needs b", "circle:\n  a needs b"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_every_part_of_a_problem_is_visible() -> None:
    problem = Problem("text \x1b[1m", Source("stacks/\u202ea.yaml", 3), "hint \u2066")

    assert str(problem) == "error: stacks/\\u202ea.yaml:3: text \\x1b[1m\n  hint: hint \\u2066"
