"""The place of a finding: its overlay or line, and what in the stack asks for the object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from platform_def.checks.rule import Finding
from platform_def.config.written import provenance
from platform_def.errors import Source
from platform_def.manifests.rendered import DELIVERY, JOBS, RenderedObject, RenderedStack
from platform_def.pipeline.files import text_in
from platform_def.pipeline.findings.causes import asked_in
from platform_def.pipeline.findings.lines import line_of
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.overlays.overlay import place_of
from platform_def.yaml import Document, load_each


class Places:
    """The places of one stack's findings; files are read once."""

    def __init__(self, stack: RenderedStack, loaded: Loaded, root: Path):
        self._stack, self._loaded, self._root = stack, loaded, root
        self._text_of = text_in(stack, root)
        self._documents: dict[str, list[Document]] = {}

    def placed(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings with stack, file, line and the place that asks for their object, sorted."""
        return sorted(map(self.place, findings), key=lambda finding: finding.order)

    def place(self, finding: Finding) -> Finding:
        """The finding with all that can be said of its place."""
        item = self._items.get((finding.component, *finding.key))
        decided = place_of(self._root, item, finding.path) if item else None
        file, line = (decided.file, decided.line) if decided else (finding.file, finding.line)
        if file and not line:
            line = line_of(self._documents_in(file), finding)
        made = item if file and file.startswith(f"dist/{self._stack.name}/") else None
        asked = self._asked(made, finding) if made else None
        return replace(finding, stack=self._stack.name, file=file, line=line, asked=asked)

    @cached_property
    def _items(self) -> dict[tuple[str, str, str, str, str], RenderedObject]:
        return {(item.component, *item.key): item for item in self._stack.objects()}

    def _documents_in(self, file: str) -> list[Document]:
        if file not in self._documents:
            text = self._text_of(file)
            self._documents[file] = load_each(text, file=file)[0] if text is not None else []
        return self._documents[file]

    def _asked(self, item: RenderedObject, finding: Finding) -> Source | None:
        return asked_in(_path(item, self._loaded), finding, item, self._loaded)


def unwritten(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of a run that writes nothing: what asks for the object is there, its file in dist/ may not be."""
    for finding in findings:
        yield replace(finding, unwritten=finding.asked is not None)


def _path(item: RenderedObject, loaded: Loaded) -> provenance.Path:
    """The place in the stack that asks for an object."""
    if item.component == DELIVERY:
        return ("delivery",)
    served = [str(raw.get("name")) for raw in loaded.stack.serving]
    if item.component in served:
        return ("serving", served.index(item.component))
    if item.component != JOBS:
        return ("components", item.component)
    index = next((index for index, raw in enumerate(loaded.stack.jobs) if raw.get("name") == item.job), None)
    return ("jobs",) if index is None else ("jobs", index)
