"""Stack files: lines are kept, and whatever is ambiguous or hostile is refused with its place."""

import pytest

from platform_def.yaml import Node, YamlError, parse

LAUGHS = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{name}: &{name} [*{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}]\n"
    for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(YamlError) as caught:
        parse(text, file="stacks/a.yaml")
    return [f"{problem.where}: {problem.text}" for problem in caught.value.problems]


def test_every_value_knows_its_line() -> None:
    node = parse("# note\na: 1\nb:\n  - x\n  - {c: d}\n", file="a.yaml")

    assert isinstance(node.value, dict)
    assert node.key_lines == {"a": 2, "b": 3}
    assert node.value["a"] == Node(1, 2)
    assert isinstance(node.value["b"].value, list)
    assert [item.line for item in node.value["b"].value] == [4, 5]


def test_plain_data_has_no_lines() -> None:
    text = "a: [1, 1.5, true, ~, '1']\nb: {c: |\n    d\n}\n".replace("{c: |\n    d\n}", "\n  c: |\n    d")

    assert parse(text, file="a.yaml").plain() == {"a": [1, 1.5, True, None, "1"], "b": {"c": "d\n"}}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n"])
def test_an_empty_file_is_null(text: str) -> None:
    assert parse(text, file="a.yaml").value is None


def test_a_byte_order_mark_and_windows_line_ends_are_taken() -> None:
    assert parse(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", file="a.yaml").plain() == {"a": 1, "b": 2}


def test_an_alias_has_the_line_where_it_is_used() -> None:
    node = parse("a: &x\n  b: 1\nc: *x\n", file="a.yaml")

    assert isinstance(node.value, dict)
    assert node.value["c"].line == 3
    assert node.plain() == {"a": {"b": 1}, "c": {"b": 1}}


def test_aliased_data_is_not_shared() -> None:
    plain = parse("a: &x {b: 1}\nc: *x\n", file="a.yaml").plain()

    assert isinstance(plain, dict)
    assert plain["a"] is not plain["c"]


def test_all_problems_are_told_at_once_and_in_order() -> None:
    found = problems("a: 1\non: 2\na: !secret x\n")

    assert found == [
        "stacks/a.yaml:2: the key on is not a string",
        "stacks/a.yaml:3: the key 'a' is here twice; the first is at line 1",
        "stacks/a.yaml:3: the tag !secret is not allowed",
    ]


def test_no_more_problems_than_anyone_reads() -> None:
    assert len(problems("a: 1\n" * 10_000)) == 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: [1\nb: 2\n", ":2: while parsing a flow sequence: did not find expected ',' or ']'"),
        ("a:\n\tb: 1\n", ":2: a tab in the indentation"),
        ("a: 1\n---\nb: 2\n", ":3: a second document"),
        ("a: *b\n", ":1: the alias *b has no anchor before it"),
        ("a: &x [*x]\n", ":1: the alias *x contains itself"),
        ("a: 1\n*b : 1\n", ":2: the alias *b has no anchor before it"),
        ("a: &b x\n*b : 1\n", ":2: an alias as a key"),
        ("b: {<<: {a: 1}}\n", ":1: merge keys are not supported"),
        ("1: a\n", ":1: the key 1 is not a string"),
        ("~: a\n", ":1: the key ~ is not a string"),
        ("? [a]\n: b\n", ":1: a key must be a string, not a list or a map"),
        ("a: !!python/object:os.system x\n", ":1: the tag !!python/object:os.system is not allowed"),
        ("a: !!set {b}\n", ":1: the tag !!set is not allowed"),
        ("a: !!int x\n", ":1: !!int does not fit 'x'"),
        ("a: .nan\n", ":1: .nan is not a number that JSON knows"),
        ("a: 1\nb: x\x07\n", ":2: the character U+0007 is not allowed"),
        ('a: "\\0"\n', ":1: a control character in a string"),
        ('"\\e": 1\n', ":1: a control character in a key"),
        ("a: 1\nb: \udc80\n", ":2: the character U+DC80 is not allowed"),
        (b"a: 1\nb: \xff\n", ":2: not UTF-8"),
        ("a".encode("utf-16"), ":1: not UTF-8"),
        ("[" * 65 + "]" * 65, ":1: nested deeper than 64 levels"),
        ("[" * 500_000, ":1: nested deeper than 64 levels"),
        ("- " * 500_000, ":1: nested deeper than 64 levels"),
        (" " * (2**20 + 1), ": larger than 1 MiB"),
        (LAUGHS, ":6: more than 100000 values"),
        ("[" + "1," * 100_000 + "]", ":1: more than 100000 values"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str | bytes, expected: str) -> None:
    assert f"stacks/a.yaml{expected}" in problems(text)


def test_nesting_up_to_the_limit_is_read() -> None:
    node = parse("[" * 64 + "]" * 64, file="a.yaml")

    assert str(node.plain()) == "[" * 64 + "]" * 64


def test_a_hint_says_what_to_type() -> None:
    with pytest.raises(YamlError, match=r'hint: put it in quotes: "on":'):
        parse("on: 1\n", file="a.yaml")


def test_core_tags_are_taken() -> None:
    text = "!!map\na: !!str 1\nb: !!float 1\nc: !!seq []\nd: !!bool 'yes'\n"

    assert parse(text, file="a.yaml").plain() == {"a": "1", "b": 1, "c": [], "d": True}


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> branch\n",
        "a: 1\n=======\nb: 2\n",
        "a: 1\n>>>>>>> branch\nb: 2\n",
        "a: 1\n||||||| base\nb: 2\n",
        "a: 1\r\n<<<<<<< HEAD\r\nb: 2\r\n",
    ],
)
def test_marks_of_a_merge_are_called_that_at_their_line(text: str) -> None:
    assert problems(text) == ["stacks/a.yaml:2: a merge conflict of git that is not settled"]


def test_marks_inside_a_text_are_none() -> None:
    assert parse("a: |\n  <<<<<<< HEAD\n", file="a.yaml").plain() == {"a": "<<<<<<< HEAD\n"}
