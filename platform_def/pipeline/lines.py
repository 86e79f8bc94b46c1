"""The lines that findings speak of, in the files that synth writes and in those of the user's own folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from platform_def.checks.rule import Finding
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import steps
from platform_def.yaml import Document, YamlError, load_each


def at_lines(findings: Iterable[Finding], text_of: Callable[[str], bytes | None]) -> Iterator[Finding]:
    """The findings with their lines, as far as a text can be had of the file and the object found in it."""

    @cache
    def documents(file: str) -> list[Document]:
        text = text_of(file)
        return load_each(text, file=file)[0] if text is not None else []

    for finding in findings:
        found = None if finding.line or not finding.file else _document(documents(finding.file), finding)
        yield replace(finding, line=line_in(found, finding.path)) if found else finding


def line_in(document: Document, path: str, *, within: tuple[str | int, ...] = ()) -> int:
    """The line of a path below a place of a document; 0 where the text cannot be read a second time."""
    try:
        return document.line_of((*within, *steps(path)))
    except YamlError:
        return 0


def _document(documents: list[Document], finding: Finding) -> Document | None:
    """The object of the finding: a stack may have given it its namespace."""
    return next((each for each in documents if _is(each.value, finding)), None)


def _is(value: Any, finding: Finding) -> bool:
    metadata = mapping(mapping(value).get("metadata"))
    _, kind, namespace, name = finding.key
    named = (mapping(value).get("kind"), metadata.get("name")) == (kind, name)
    return named and metadata.get("namespace", namespace) in (namespace, None)
