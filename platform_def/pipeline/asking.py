"""The places in stack files that ask for objects: the lines to change, also where dist/ is not written yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from platform_def.checks.rule import Finding
from platform_def.config.written.provenance import Path
from platform_def.manifests.rendered import DELIVERY, JOBS, RenderedObject, RenderedStack
from platform_def.pipeline.changes.lines import asked_in
from platform_def.pipeline.load import Loaded


def asked(
    findings: Iterable[Finding], loaded: Loaded, stack: RenderedStack, *, refused: bool = False
) -> Iterator[Finding]:
    """The findings of a stack with its name and, of those in files of dist/, the place that asks for the object.

    `refused`: an error keeps those files from being written.
    """
    items = {(item.component, *item.key): item for item in stack.objects()}
    for finding in findings:
        item = items.get((finding.component, *finding.key))
        made = bool(item and finding.file and finding.file.startswith(f"dist/{stack.name}/"))
        where = asked_in(_path(item, loaded), finding, item, loaded) if item and made else None
        yield replace(finding, stack=stack.name, asked=where, unwritten=made and refused)


def _path(item: RenderedObject, loaded: Loaded) -> Path:
    if item.component == DELIVERY:
        return ("delivery",)
    served = [str(raw.get("name")) for raw in loaded.stack.serving]
    if item.component in served:
        return ("serving", served.index(item.component))
    if item.component != JOBS:
        return ("components", item.component)
    index = next((index for index, raw in enumerate(loaded.stack.jobs) if raw.get("name") == item.job), None)
    return ("jobs",) if index is None else ("jobs", index)
