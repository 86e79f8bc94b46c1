"""`make lint` finds phrases that a native reader stumbles over, in all that people read and in nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from maintenance import english
from maintenance.english import KEPT, PHRASES, found, main, odd
from tests.acceptance.repository import PROJECT

SAMPLES = (
    "nobody",
    "nobody's",
    "whoever",
    "for ever",
    "anew",
    "somebody else",
    "of others",
    "for want of",
    "bears",
    "borne",
    "told so",
    "mildest",
    "by the clock",
    "in silence",
)


def write(root: Path, file: str, text: str) -> list[str]:
    """What is found in a folder with this one file."""
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text, encoding="utf-8")
    return [*found(root)]


@pytest.mark.parametrize("phrase", SAMPLES)
def test_every_phrase_is_found_however_it_is_written(phrase: str) -> None:
    assert [each.phrase for each in odd(f"It is {phrase.upper()}, here.")] == [phrase]


def test_every_pattern_has_a_sample() -> None:
    assert {each.instead for phrase in SAMPLES for each in odd(phrase)} == {*PHRASES.values()}


def test_a_phrase_over_two_lines_is_told_at_its_first() -> None:
    ((line, phrase, _),) = odd("One.\nIt waits for\n  ever.", line=10)

    assert (line, phrase) == (11, "for ever")


@pytest.mark.parametrize("text", ["a bearer token", "waits-anew", "forever", "told apart", "NOBODY_ELSE", "another"])
def test_names_and_other_words_are_left_alone(text: str) -> None:
    assert [*odd(text)] == []


def test_of_code_strings_and_comments_are_read_and_names_are_not(tmp_path: Path) -> None:
    instead = PHRASES["nobody('s)?"]
    code = '"""Waits\n\nfor ever."""\n\nnobody = f"asks nobody"  # made anew\n'

    assert write(tmp_path, "platform_def/a.py", code) == [
        f"platform_def/a.py:3: 'for ever': write {PHRASES['for ever']}",
        f"platform_def/a.py:5: 'nobody': write {instead}",
        f"platform_def/a.py:5: 'anew': write {PHRASES['anew']}",
    ]


def test_of_the_changelog_only_the_topmost_section_is_read(tmp_path: Path) -> None:
    text = "# Changes\n\n## 0.2.0\n\nMade anew.\n\n## 0.1.0\n\nNobody.\n"

    assert [line.split(":")[1] for line in write(tmp_path, "CHANGELOG.md", text)] == ["5"]


def test_of_examples_of_rules_only_the_cases_are_read(tmp_path: Path) -> None:
    text = "- case: A pod for nobody\n  breaking: |\n    metadata: {name: nobody}\n"

    assert [line.split(":")[1] for line in write(tmp_path, "platform_def/checks/examples/a.yaml", text)] == ["1"]


def test_generated_pages_are_left_to_their_sources(tmp_path: Path) -> None:
    assert write(tmp_path, "docs/reference/checks/a.md", "Nobody.\n") == []


def test_the_command_prints_what_is_found_and_ends_in_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(english, "ROOT", tmp_path)

    assert main() == 0
    assert capsys.readouterr().out == ""
    write(tmp_path, "README.md", "It bears one.\n")
    assert main() == 1
    assert capsys.readouterr().out == "README.md:1: 'bears': write supports, has, tolerates, withstands\n"


def test_what_is_kept_is_still_there() -> None:
    for file, phrases in KEPT.items():
        there = {each.phrase for line, text in english.texts(PROJECT / file) for each in odd(text, line)}

        assert there == phrases, file
