"""Documents one by one, with their lines."""

from __future__ import annotations

import pytest

from platform_def.yaml import load_all, load_each

THREE = "a: 1\n---\n# nothing\n---\nb:\n- c\n- d: 2\n"


def test_documents_are_those_of_the_whole_with_the_lines_of_their_values() -> None:
    documents, problems = load_each(THREE, file="it.yaml")

    assert [each.value for each in documents] == load_all(THREE)
    assert problems == []
    assert documents[1].line_of(("b",)) == 5
    assert documents[1].line_of(("b", 1, "d")) == 7
    assert documents[1].line_of(("b", 7)) == 5


def test_a_document_that_cannot_be_read_hides_no_other_and_has_its_own_line() -> None:
    documents, problems = load_each("a: 1\n---\nb: [\n---\nc: 3\n", file="it.yaml")

    assert [each.value for each in documents] == [{"a": 1}, {"c": 3}]
    assert [str(each.where) for each in problems] == ["it.yaml:4"]


@pytest.mark.parametrize("text", ["%YAML 1.1\n---\na: 1\n", "a: |\n  ---\n", "---\na: 1\n...\n---\nb: 2\n", b"a: 1"])
def test_texts_that_cannot_be_cut_simply_are_read_as_ever(text: str | bytes) -> None:
    assert [each.value for each in load_each(text, file="it.yaml")[0]] == load_all(text)


def test_bytes_that_are_no_text_are_a_problem() -> None:
    assert "UTF-8" in load_each(b"\xff", file="it.yaml")[1][0].text
