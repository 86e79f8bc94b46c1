"""The lines that findings speak of, in the text of files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from platform_def.checks.rule import Finding
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import steps
from platform_def.yaml import Document, YamlError


def line_of(documents: Iterable[Document], finding: Finding) -> int:
    """The line of a finding in the documents of its file; 0 where its object is not among them."""
    found = next((each for each in documents if _is(each.value, finding)), None)
    return line_in(found, finding.path) if found else 0


def line_in(document: Document, path: str, *, within: tuple[str | int, ...] = ()) -> int:
    """The line of a path below a place of a document; 0 where the text cannot be read a second time."""
    try:
        return document.line_of((*within, *steps(path)))
    except YamlError:
        return 0


def _is(value: Any, finding: Finding) -> bool:
    """Whether it is the object of the finding: a stack may have given it its namespace."""
    metadata = mapping(mapping(value).get("metadata"))
    _, kind, namespace, name = finding.key
    named = (mapping(value).get("kind"), metadata.get("name")) == (kind, name)
    return named and metadata.get("namespace", namespace) in (namespace, None)
