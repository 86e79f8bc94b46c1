"""The files and lines that findings speak of: files that synth writes, the user's own folders, and overlays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from platform_def.checks.rule import Finding
from platform_def.errors import PlatformError
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.files import content_of, laid_out, path_in_stack
from platform_def.pipeline.overlays import overlay
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


def text_in(stack: RenderedStack, root: Path) -> Callable[[str], bytes | None]:
    """The text of a file of the output, as it will be written, or of the repository; None where there is none."""
    under = f"dist/{stack.name}/"

    @cache
    def items() -> Mapping[str, RenderedObject]:
        with suppress(PlatformError):  # told when they are to be written, if no finding says it better
            return laid_out(stack)
        return {}

    def text_of(file: str) -> bytes | None:
        if file.startswith(under):
            item = items().get(file.removeprefix(under))
            return content_of(item) if item else None
        with suppress(OSError):
            return (root / file).read_bytes()
        return None

    return text_of


def at_overlays(findings: tuple[Finding, ...], stack: RenderedStack, root: Path) -> tuple[Finding, ...]:
    """The findings; those that an overlay caused, with its file and line."""
    if not findings:
        return findings
    items = {(item.component, *item.key): item for item in stack.objects() if item.overlays}
    placed = []
    for finding in findings:
        item = items.get((finding.component, *finding.key))
        where = overlay.place_of(root, item, finding.path) if item else None
        placed.append(replace(finding, file=where.file, line=where.line) if where else finding)
    return tuple(sorted(placed, key=lambda finding: finding.order))


def file_in(stack: RenderedStack, own: frozenset[str]) -> Callable[[RenderedObject], str]:
    """The file to look into: of the user's own applications theirs, else the one in dist/."""
    return lambda item: item.origin if item.component in own else f"dist/{stack.name}/{path_in_stack(item)}"
