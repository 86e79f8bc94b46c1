"""Fuzz: what we write, PyYAML, kubectl, kustomize and we read as the same; what we read, kubectl reads the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml as pyyaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from platform_def import tools
from platform_def.yaml import YamlError, dump, load, load_all, load_each, quick, scalars
from platform_def.yaml.each import deepest
from platform_def.yaml.exact import Reader
from platform_def.yaml.reader import MANIFEST

FUZZ = settings(database=None, suppress_health_check=[HealthCheck.too_slow])
# Each is a process: an eighth of the others' number, and no shrinking, for the assertion shows what differs.
FUZZ_KUBECTL = settings(FUZZ, max_examples=max(1, FUZZ.max_examples // 8), phases=[Phase.explicit, Phase.generate])

HEAD = "apiVersion: example.com/v1\nkind: Fuzz\nmetadata: {name: x}\ndata:\n"
NASTY = [
    "y",
    "on",
    "~",
    "1e3",
    "08",
    "0o17",
    "1_000",
    "=",
    "<<",
    "a: b",
    "a #b",
    "a\n",
    "a\n\n",
    " a\n",
    "a \nb",
    "\ta\nb",
    "---",
]
NASTY += [
    "a\nb",
    "#a\nb\n",
    "\u2028",
    "\x85",
    "\ufeff",
    "\U0001f600",
    "x" * 1100,
    "\x00",
    "a\r\nb",
    "10Gi",
    "1.0",
    "null",
    "'\"\\",
]

texts = st.sampled_from(NASTY) | st.text() | st.text(alphabet="ab \n\t:#-'\"|&*!%@`{}[],?01.eE_+~")
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
words = st.sampled_from(sorted(word for word in scalars.WORDS if word))
spelled = st.text(alphabet="0123456789012301--++__..eExXoObBaAfFnNyYtTrRuUsSlL~:=", min_size=1, max_size=24)
lines = st.lists(
    st.sampled_from(
        ["a: 1", "b:", "- a", "- b: x", "  c: 'd'", "  - e", "  f:", "    g: |", "    h", "", "# i", "  ", "---"]
    )
    | st.sampled_from(
        ["- - j", "  - k:", "a: {}", '"l": "m"', "n: |-", "   o: p", "x: |+", "\tq", "  # r", "y: on", "- |", "s"]
    )
    | st.sampled_from(
        [
            "a: 't",
            "  u'",
            "   v''",
            'a: "w',
            '  x"',
            "  1",
            "   y  ",
            '   \\"z"',
            "- 'a",
            "    b' ",
            "  c #",
            "a: d ",
            "  :e",
        ]
    ),
    max_size=12,
)


def kubectl(text: str) -> Any:
    """What the pinned kubectl makes of a manifest, without a cluster; whole doubles come back as floats."""
    command: list[str | Path] = [tools.kubectl_path(), "annotate", "--local", "-o", "json", "-f", "-", "fuzz=1"]
    return json.loads(
        tools.run(command, stdin=text), parse_int=lambda digits: int(digits) if len(digits) < 16 else float(digits)
    )


def exact(text: str) -> Any:
    reader = Reader(text, "a.yaml", MANIFEST, strict=False)
    nodes = reader.documents()
    reader.finish()
    return [node.plain() for node in nodes if node.value is not None]


@FUZZ
@given(values)
def test_both_our_readers_and_pyyaml_read_what_we_write(value: Any) -> None:
    text = dump(value)

    assert load(text) == value
    assert exact(text) == ([] if value is None else [value])
    assert pyyaml.safe_load(text) == value
    assert pyyaml.load(text, Loader=pyyaml.CSafeLoader) == value


@FUZZ
@given(values)
def test_writing_what_was_read_gives_the_same_bytes(value: Any) -> None:
    text = dump(value)

    assert dump(load(text)) == text


@FUZZ_KUBECTL
@given(st.lists(values, min_size=20, max_size=60))
def test_kubectl_reads_what_we_write(written: list[Any]) -> None:
    text = dump({"apiVersion": "example.com/v1", "kind": "Fuzz", "metadata": {"name": "x"}, "data": written})

    assert kubectl(text)["data"] == written


@FUZZ_KUBECTL
@given(st.lists(spelled | words, min_size=100, max_size=200))
def test_kubectl_and_we_read_plain_scalars_the_same(tokens: list[str]) -> None:
    good = [token for token in tokens if readable(f"- {token}")]
    text = HEAD + "".join(f"- {token}\n" for token in good)

    assert dict(zip(good, data(load(text)), strict=True)) == dict(zip(good, data(kubectl(text)), strict=True))


@FUZZ_KUBECTL
@given(st.lists(spelled | words, min_size=100, max_size=200))
def test_kubectl_and_we_name_plain_keys_the_same(tokens: list[str]) -> None:
    good = [token for token in tokens if readable(f"- {token}: 1")]
    text = HEAD + "".join(f"- {token}: 1\n" for token in good)

    assert dict(zip(good, data(load(text)), strict=True)) == dict(zip(good, data(kubectl(text)), strict=True))


@FUZZ
@given(lines)
def test_the_fast_reader_agrees_with_the_exact_one_or_gives_up(parts: list[str]) -> None:
    text = "".join(f"{part}\n" for part in parts)
    fast = quick.documents(text, depth=MANIFEST.depth)

    assert fast is None or fast == exact(text)


@FUZZ
@given(lines.map(lambda parts: "".join(f"{part}\n" for part in parts)) | values.map(dump))
def test_the_fast_reader_knows_the_lines_that_the_exact_one_does(text: str) -> None:
    for document in load_each(text, file="a.yaml")[0]:
        fast = quick.places(document.text, depth=MANIFEST.depth)
        nodes = Reader(document.text, "", MANIFEST, strict=False).documents()
        node = next(node for node in nodes if node.value is not None)
        if fast:
            assert [fast.line_of(path) + 1 for path in places_in(document.value)] == [
                deepest(node, path) for path in places_in(document.value)
            ]


def places_in(value: Any, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of a value, and from each of them one that leads to nothing."""
    yield from (above, (*above, "nothing", 0), (*above, 99, "nothing"))
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from places_in(inner, (*above, step))


@FUZZ
@given(st.text(alphabet="ab \n\t:#-'\"|&*!%@`{}[],?01.\x00\ud800é") | st.binary())
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    try:
        load_all(text)
    except YamlError:
        return


def test_kustomize_keeps_what_we_write(tmp_path: Path) -> None:
    kept = [text for text in NASTY if text != "\x85"]  # kustomize 5.8 writes this one bare, and reads it as a blank
    value = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x"},
        "data": {f"k{i}": t for i, t in enumerate(kept)},
    }
    (tmp_path / "x.yaml").write_text(dump(value), encoding="utf-8", newline="")
    (tmp_path / "kustomization.yaml").write_text("resources: [x.yaml]\n", encoding="utf-8")

    assert load(tools.kustomize_build(tmp_path)) == value


def data(manifest: Any) -> list[tuple[bool, Any]]:
    """The values, with what Python's == does not tell: 1 from true."""
    return [(isinstance(value, bool), value) for value in manifest["data"]]


def readable(text: str) -> bool:
    """Whether it is a list of one in Kubernetes' eyes; what is not (`-`, `a:`, `.nan`) would spoil the whole call."""
    try:
        read = load(text)
    except YamlError:
        return False
    return isinstance(read, list) and len(read) == 1
