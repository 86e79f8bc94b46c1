"""Stack files as nobody would write them: texts garbled, values replaced, trees grown from the schema, plain malice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

from platform_def.reference.schema import stack_schema
from tests.acceptance.repository import PROJECT

Tree = Any
Path_ = tuple[str | int, ...]

BASES = {path.name: path.read_text(encoding="utf-8") for path in sorted((PROJECT / "stacks" / "base").glob("*.yaml"))}
"""Files for `stacks/base/`: what some seeds extend."""


def _texts() -> Iterator[str]:
    for folder in (PROJECT / "stacks", PROJECT / "tests" / "coverage" / "stacks"):
        for path in sorted(folder.glob("*.yaml")):
            text = path.read_text(encoding="utf-8")
            if len(text) < 6000 and _bases(text) <= BASES.keys():
                yield text


def _bases(text: str) -> set[str]:
    return {Path(base).name for base in yaml.safe_load(text).get("extends", ())}


def _objects() -> Iterator[Tree]:
    """One of each kind: which it is a line says, so that thousands of other files need not be parsed."""
    texts: dict[str, str] = {}
    for path in sorted((PROJECT / "dist").rglob("*.yaml")):
        if path.stat().st_size < 5000:
            text = path.read_text(encoding="utf-8")
            texts[f"\n{text}".partition("\nkind: ")[2].partition("\n")[0]] = text
    return map(yaml.safe_load, texts.values())


SEEDS = tuple(_texts())
TREES = tuple(yaml.safe_load(text) for text in SEEDS)
OBJECTS = tuple(_objects())

NAMES = (
    "a",
    "train",
    "vision",
    "shared",
    "kube-system",
    "default",
    "training-operator",
    "namespaces",
    "_all",
    "x" * 63,
)
TEXTS = (
    *("", " ", "\n", ".", "..", "../../x", "/etc/passwd", "a/../../../x", "~", "$HOME", "${x}", "a\0b", "\x1b[31m", "\u2028", "\ufeff"),
    *("C:\\x", "-rf", "--", "%s%n", "{{ x }}", "$(id)", "`id`", "'; --", "<!-- -->", "]]>", "null", "true", "1e3", "08", "0x1F"),
    *("ž" * 300, "x" * 64, "x" * 254, "x" * 9000, "a.b." * 99, "Å", "e\u0301", "\U0001f600", "\u202e", "\ud7ff", "ﬁ", "ı", "K", "٣"),
    *("1.36", "1.99", "nvidia.com/gpu", "gpu=train:NoSchedule", "10Gi", "-1", "1E+99", "0.0.0.0/0", "10.0.0.9-10.0.0.1", "::/0", "a:b:c@d"),
    *("registry.example.com/a:1", "a@sha256:" + "0" * 64, "http://[", "https://u@h/", "ssh://x", "ns/name", "a/b/c"),
)  # fmt: skip
NUMBERS = (
    0,
    -1,
    1,
    2,
    9,
    31,
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    10**400,
    -(10**40),
    0.1,
    1e300,
    float("nan"),
    float("inf"),
)

ODD: st.SearchStrategy[Tree] = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(NUMBERS),
    st.sampled_from((None, True, False)),
    st.builds(list),
    st.builds(dict),
    st.text(max_size=20),
    st.sampled_from(TEXTS).map(lambda text: [text, text]),
    st.sampled_from(TEXTS).map(lambda text: {text: text}),
    st.integers(3, 90).map(lambda depth: _nested(depth)),
    st.integers(100, 3000).map(lambda count: ["a"] * count),
)
"""Values that hardly any field takes."""

_MARKS = (
    *"{}[]:,-#&*!|>'\"%@`?\t\n\r \0\x07\ufeff\u2028\U0001f600",
    *("---\n", "...\n", "&a ", "*a", "<<: *a", "!!python/object:os.system ", "!!binary ", "%YAML 1.1\n", "? ", "|2-\n", "\r\n"),
    *("extends: [../../x]\n", "extends: [a.yaml]\n", "components: {x: {path: ../..}}\n", "null", "~", "1_000", "0o17", "2026-01-01"),
)  # fmt: skip


def _nested(depth: int) -> Tree:
    value: Tree = "x"
    for _ in range(depth):
        value = {"a": [value]}
    return value


# --- texts


@st.composite
def garbled(draw: st.DrawFn) -> str:
    """A valid stack file with a few places cut, doubled, moved or written over."""
    return garble(draw, draw(st.sampled_from(SEEDS)))


def garble(draw: st.DrawFn, text: str) -> str:
    """The text with a few places cut, doubled, moved or written over."""
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        put = draw(
            st.one_of(st.sampled_from(_MARKS), st.sampled_from(TEXTS), st.just(""), st.just(text[start:end] * 2))
        )
        at = draw(st.sampled_from((start, end)))
        text = text[:at] + put + text[end:]
    return text


@st.composite
def malicious(draw: st.DrawFn) -> str:
    """Texts that are small and become large: aliases of aliases, depth, length."""
    size = draw(st.integers(1, 5000))
    fan = draw(st.integers(2, 12))
    levels = draw(st.integers(1, 40))
    laughs = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * fan)}]" for n in range(1, levels))]
    merges = ["b0: &b0 {x: 1}", *(f"b{n}: &b{n} {{<<: [{', '.join([f'*b{n - 1}'] * fan)}]}}" for n in range(1, levels))]
    what = draw(
        st.sampled_from((
            "\n".join(laughs), "\n".join(merges), "[" * size, "{a: " * size, "- " * size, "[" * size + "]" * size, "&a " * size,
            "? " * size, "!" * size, "'" * size, f"x: &x [*x]{' ' * size}", "&a a: *a", "a: &a {a: *a}",
            "\n".join(f"k{n}: {n}" for n in range(size)), "\n".join("k: 1" for _ in range(size)), f"nodePools: [{'{name: a}, ' * size}]",
            f"components: {{{', '.join(f'x{n}: {{}}' for n in range(size))}}}", "x" * size * 200, f"x: {'9' * size}",
            f"nodePools: [{', '.join(f'{{name: p{n}, nodes: 1, gpu: {{model: t4, perNode: 1}}}}' for n in range(size // 4))}]",
            f"teams: [{', '.join(f'{{name: t{n}}}' for n in range(size // 4))}]",
            f"teams: [{{name: a, members: [{', '.join(f'{{name: m{n}}}' for n in range(size))}]}}]",
        ))
    )  # fmt: skip
    return draw(st.sampled_from(('apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n', ""))) + what


# --- trees


def _paths(value: Tree, path: Path_ = ()) -> Iterator[Path_]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _paths(item, (*path, key))


@st.composite
def replaced(draw: st.DrawFn) -> str:
    """A valid stack with a few values replaced, removed, called otherwise, or grown anew from the schema."""
    tree = json.loads(json.dumps(draw(st.sampled_from(TREES))))
    _change_some(draw, tree, ("odd", "text", *["grown"] * 4, "remove", "rename", "double"))
    return _written(draw, tree)


@st.composite
def replaced_objects(draw: st.DrawFn) -> str:
    """A few Kubernetes objects with values replaced, removed or called otherwise."""
    objects = json.loads(json.dumps(draw(st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=3))))
    _change_some(draw, objects, ("odd", "odd", "text", "remove", "rename", "double"))
    return "---\n".join(f"{_written(draw, each)}\n" for each in objects)


def _change_some(draw: st.DrawFn, tree: Tree, ways: tuple[str, ...]) -> None:
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([path for path in _paths(tree) if path] or [()]))
        holder = tree
        for step in path[:-1]:
            holder = holder[step]
        if path:
            _change(draw, holder, path, draw(st.sampled_from(ways)))


def _change(draw: st.DrawFn, holder: Tree, path: Path_, how: str) -> None:
    last = path[-1]
    if how == "odd":
        holder[last] = draw(ODD)
    elif how == "text":
        holder[last] = draw(st.sampled_from(TEXTS))
    elif how == "grown":
        holder[last] = draw(grown(schema_at(path), odd=False))
    elif how == "remove":
        del holder[last]
    elif how == "rename" and isinstance(holder, dict):
        holder[draw(st.sampled_from((*TEXTS, *NAMES)))] = holder.pop(last)
    elif isinstance(holder, list):
        holder.append(holder[draw(st.integers(0, len(holder) - 1))])


def _written(draw: st.DrawFn, tree: Tree) -> str:
    if draw(st.booleans()):
        return json.dumps(tree, ensure_ascii=draw(st.booleans()))
    return str(yaml.safe_dump(tree, allow_unicode=draw(st.booleans()), sort_keys=False))


@st.composite
def from_schema(draw: st.DrawFn) -> str:
    """A stack as the schema describes it, more or less."""
    tree = {
        "apiVersion": "platform-def/v1",
        "cluster": {"kubernetes": "1.36"},
        **draw(grown(schema(), odd=draw(st.booleans()))),
    }
    return _written(draw, tree)


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema of stack files."""
    return stack_schema()


def _followed(part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        part = schema()["$defs"][part["$ref"].rsplit("/", 1)[-1]]
    return part


def schema_at(path: Path_) -> dict[str, Any]:
    """The schema of the value there, empty where it says nothing."""
    part = _followed(schema())
    for step in path:
        key = "items" if isinstance(step, int) else "properties"
        choices = [_followed(each) for each in part.get("anyOf", part.get("oneOf", [part]))]
        found = next((each for each in choices if key in each or "additionalProperties" in each), {})
        inner = found.get("items") if isinstance(step, int) else found.get("properties", {}).get(step)
        inner = inner or found.get("additionalProperties")
        part = _followed(inner) if isinstance(inner, dict) else {}
    return part


@st.composite
def grown(draw: st.DrawFn, part: dict[str, Any], *, odd: bool, depth: int = 0) -> Tree:
    """A value for a part of the schema; with `odd` now and then one that it does not allow."""
    part = _followed(part)
    choices = part.get("anyOf") or part.get("oneOf")
    if odd and depth and draw(st.integers(0, 30)) == 0:
        return draw(ODD)
    if choices:
        return draw(grown(draw(st.sampled_from(choices)), odd=odd, depth=depth))
    if "const" in part:
        return part["const"]
    if "enum" in part:
        return draw(st.sampled_from(part["enum"]))
    kind = part.get("type")
    if kind == "object" or "properties" in part:
        return _object(draw, part, odd=odd, depth=depth)
    if kind == "array":
        count = draw(st.integers(part.get("minItems", 0), 3)) if depth < 8 else 0
        return [draw(grown(part.get("items", {}), odd=odd, depth=depth + 1)) for _ in range(count)]
    return _scalar(draw, kind, part)


def _object(draw: st.DrawFn, part: dict[str, Any], *, odd: bool, depth: int) -> Tree:
    properties = part.get("properties", {})
    required = set(part.get("required", ()))
    optional = sorted(properties.keys() - required)
    chosen = set(draw(st.lists(st.sampled_from(optional), max_size=6 - min(depth, 4)))) if optional else set()
    made = {
        name: draw(grown(properties[name], odd=odd, depth=depth + 1))
        for name in sorted(required | chosen)
        if name in properties
    }
    if isinstance(part.get("additionalProperties"), dict):
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=2)):
            made.setdefault(name, draw(grown(part["additionalProperties"], odd=odd, depth=depth + 1)))
    return made


def _scalar(draw: st.DrawFn, kind: str | None, part: dict[str, Any]) -> Tree:
    if kind == "boolean":
        return draw(st.booleans())
    if kind in ("integer", "number"):
        least, most = part.get("minimum", 0), part.get("maximum", 10**6)
        return draw(st.one_of(st.sampled_from((least, most)), st.integers(least, most)))
    if kind == "string" and "pattern" in part:
        return draw(st.from_regex(part["pattern"], fullmatch=True))
    if kind == "string":
        return draw(st.sampled_from((*NAMES, *TEXTS)))
    return draw(ODD) if kind is None else None
