"""Manifests: plain data as kubectl sees it, whichever reader does the work."""

import pytest

from platform_def.yaml import YamlError, load, load_all, quick


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("y", True),
        ("Off", False),
        ("oN", "oN"),
        ("~", None),
        ("017", 15),
        ("0o17", 15),
        ("08", 8),
        ("0x1F", 31),
        ("-0b11", -3),
        ("0b-11", -3),
        ("+0x1f", 31),
        ("-9223372036854775809", -9223372036854775808.0),
        ("1_000", 1000),
        ("1e3", 1000),
        ("1.50", 1.5),
        ("1e400", "1e400"),
        ("18446744073709551615", 18446744073709551615.0),
        (".5", 0.5),
        ("._5", "._5"),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("=", "="),
        ("1.2.3", "1.2.3"),
        ("'on'", "on"),
        ("!!str on", "on"),
        ("!!binary aGk=", "hi"),
        ("!local 1", "1"),
    ],
)
def test_a_scalar_means_what_kubectl_makes_of_it(scalar: str, value: object) -> None:
    read = load(f"a: {scalar}\n")

    assert isinstance(read, dict)
    assert read["a"] == value
    assert isinstance(read["a"], bool) == isinstance(value, bool)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("on", "true"),
        ("017", "15"),
        ("1.50", "1.5"),
        ("1e6", "1e+06"),
        ("'1.50'", "1.5 "),
        ("2001-01-01", "2001-01-01"),
    ],
)
def test_a_plain_key_becomes_the_name_that_kubectl_gives_it(key: str, name: str) -> None:
    assert load(f"{key}: x\n") == {name.strip() if not key.startswith("'") else key.strip("'"): "x"}


def test_whole_floats_become_integers_as_in_json() -> None:
    read = load("[1.0, 1e3, -0.0]")

    assert [type(value) for value in read] == [int, int, int] if isinstance(read, list) else False


def test_merge_keys_override_what_stands_before_them() -> None:
    read = load("x: &x {a: 1, b: 1}\ny: &y {a: 2, c: 2}\nz:\n  a: 0\n  <<: [*x, *y]\n  b: 9\n")

    assert isinstance(read, dict)
    assert read["z"] == {"a": 1, "b": 9, "c": 2}


def test_empty_documents_are_left_out() -> None:
    assert load_all("---\n---\na: 1\n---\n# nothing\n---\nnull\n---\nb: 2\n") == [{"a": 1}, {"b": 2}]


def test_load_takes_one_document() -> None:
    assert load("---\na: 1\n") == {"a": 1}
    assert load("") is None
    with pytest.raises(YamlError, match="several documents"):
        load("a: 1\n---\nb: 2\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", "m.yaml:3: the key 'a' is here twice; the first is at line 1"),
        ("on: 1\ntrue: 2\n", "m.yaml:2: the key 'true' is here twice; the first is at line 1"),
        ("null: 1\n", "m.yaml:1: a key must be a string"),
        ("18446744073709551615: 1\n", "m.yaml:1: a key must be a string"),
        ("a: .inf\n", "m.yaml:1: .inf is not a number that JSON knows"),
        ("a: {<<: 1}\n", "m.yaml:1: a merge key takes a map or a list of maps"),
        ("a: [\n", "m.yaml:2: while parsing a flow node"),
        ("a: " + "[" * 201 + "]" * 201, "m.yaml:1: nested deeper than 200 levels"),
    ],
)
def test_what_kubectl_refuses_is_refused_with_its_line(text: str, expected: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(text, file="m.yaml")

    assert f"error: {expected}" in str(caught.value)


def test_aliases_that_multiply_are_refused() -> None:
    text = "a: &a [" + "1," * 1000 + "]\nb: &b [" + "*a," * 50 + "]\nc: [" + "*b," * 50 + "]\n"

    with pytest.raises(YamlError, match="do aliases multiply them"):
        load(text)


def test_the_usual_style_takes_the_fast_reader() -> None:
    text = (
        "# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 'it''s'\n  labels: {}\ndata:\n"
        '  script: |-\n    #!/bin/sh\n\n      exit 0\n  quoted: "a\\tb"\n  "on": "1"\n'
        "list:\n- a: 1\n  b:\n  - - x\n    - []\n"
        "- --flag=http://host:80/\n---\nkind: Secret\nempty:\n"
    )
    first = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "it's", "labels": {}},
        "data": {"script": "#!/bin/sh\n\n  exit 0", "quoted": "a\tb", "on": "1"},
        "list": [{"a": 1, "b": [["x", []]]}, "--flag=http://host:80/"],
    }

    assert quick.documents(text, depth=10) == [first, {"kind": "Secret", "empty": None}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: b\n  c\n", {"a": "b c"}),
        ("a: b\n  `c` is\n  [d]\n  'e\n", {"a": "b `c` is [d] 'e"}),
        ("a: 1\n\n\n  c \n  d\ne: f\n", {"a": "1\n\nc d", "e": "f"}),
        ("- b\n c\n- - d\n    e\n", ["b c", ["d e"]]),
        ("- a: b\n   c\n", [{"a": "b c"}]),
        ('a: "b: #\n  c\n\n  \\"d\\""\ne: f\n', {"a": 'b: # c\n"d"', "e": "f"}),
        ("a: 'b''\n  - c: d'\n", {"a": "b' - c: d"}),
    ],
)
def test_wrapped_scalars_take_the_fast_reader(text: str, value: object) -> None:
    assert quick.documents(text, depth=10) == [value]
    assert load(text + "---\n") == value


@pytest.mark.parametrize(
    "text",
    [
        "a: [1]\n",
        "a: &x 1\n",
        "a: !!str 1\n",
        "a: b # note\n",
        "a: b\n - c\n",
        "a: b\n  -c\n",
        "a: b\n  # note\n  c\n",
        "a: b\nc\n",
        "a:\n  b\n",
        "a: b\n  c: d\n",
        "- b\nc\n",
        "a: >\n  b\n",
        'a: "b\n  c" # note\n',
        'a: "b\\\n  c"\n',
        'a: "b\nc"\n',
        "a: 'b\n",
        "a: 1\na: 2\n",
        "a: 1\n  b: 2\n",
        "- a\nb: 1\n",
        "a: b: c\n",
        "a: |2\n  b\n",
        "a: |\n  b",
        "a:\tb\n",
        "a: b\r\n",
        "a: \x85\n",
        "a: .nan\n",
        "null: a\n",
        "- -\n",
        "--- a\n",
        "...\n",
        "%YAML 1.1\n",
        "? a\n",
        "a\n",
    ],
)
def test_anything_else_is_left_to_the_exact_reader(text: str) -> None:
    assert quick.documents(text, depth=10) is None


def test_an_alias_is_a_key_where_its_anchor_is_a_string() -> None:
    assert load_all("a: &app web\nb: {*app : 1}\n") == [{"a": "web", "b": {"web": 1}}]


@pytest.mark.parametrize("text", ["a: &b [x]\n*b : 1\n", "a: &b {x: y}\n*b : 1\n", "a: &b 1\n*b : 1\n"])
def test_an_alias_of_something_else_is_no_key(text: str) -> None:
    with pytest.raises(YamlError, match="an alias as a key"):
        load_all(text)


def test_an_alias_as_a_key_that_is_there_already_is_told() -> None:
    with pytest.raises(YamlError, match="the key 'web' is here twice; the first is at line 2"):
        load_all("a: &app web\nweb: 1\n*app : 2\n")
