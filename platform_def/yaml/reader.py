"""Text in, with two strictnesses: `parse` for what a user types, `load` for manifests, read as kubectl reads them."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from platform_def.errors import Problem, Source
from platform_def.yaml import quick
from platform_def.yaml.errors import YamlError
from platform_def.yaml.nodes import JsonValue, Limits, Node

if TYPE_CHECKING:
    from platform_def.yaml.exact import Reader

STACK = Limits(depth=64, values=100_000, aliased=100_000)
STACK_BYTES = 2**20
MANIFEST = Limits(depth=200, values=50_000_000, aliased=100_000)
MANIFEST_BYTES = 2**28


def parse(text: str | bytes, *, file: str) -> Node:
    """One document as nodes with lines; YamlError lists everything wrong with it. An empty file is a null at line 1."""
    reader = exact_reader(_decoded(text, file, STACK_BYTES), file, STACK, strict=True)
    documents = reader.documents()
    if len(documents) > 1:
        hint = "a stack file holds one document: remove the '---' and what follows"
        reader.report(documents[1].line, "a second document", hint=hint)
    reader.finish()
    return documents[0] if documents else Node(None, 1)


def load(text: str | bytes, *, file: str = "<string>") -> JsonValue:
    """The one document of a manifest as plain data, null for an empty text; YamlError where kubectl would refuse it."""
    documents = load_all(text, file=file)
    if len(documents) > 1:
        raise YamlError("several documents where one is expected", where=Source(file))
    return documents[0] if documents else None


def load_all(text: str | bytes, *, file: str = "<string>") -> list[JsonValue]:
    """Every document of a manifest as plain data, without the empty ones; YamlError as for `load`."""
    text = _decoded(text, file, MANIFEST_BYTES)
    documents = quick.documents(text, depth=MANIFEST.depth)
    if documents is not None:
        return documents
    reader = exact_reader(text, file, MANIFEST, strict=False)
    nodes = reader.documents()
    reader.finish()
    return [node.plain() for node in nodes if node.value is not None]


def exact_reader(text: str, file: str, limits: Limits, *, strict: bool) -> Reader:
    """The exact reader, imported here alone: PyYAML takes longer than a file in the simple style."""
    from platform_def.yaml.exact import Reader

    return Reader(text, file, limits, strict=strict)


def _decoded(text: str | bytes, file: str, size: int) -> str:
    if len(text) > size:
        raise YamlError(f"larger than {size // 2**20} MiB", where=Source(file))
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as problem:
        line = text.count(b"\n", 0, problem.start) + 1
        raise YamlError(Problem("not UTF-8", Source(file, line), "save the file as UTF-8")) from None
