"""Where in an overlay a change is written: the file and line that a message points to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from platform_def.errors import PlatformError, Source
from platform_def.manifests.rendered import RenderedObject
from platform_def.pipeline.kustomize.kustomization import Kustomization
from platform_def.pipeline.overlays.targets import patches_of
from platform_def.pipeline.user_files import reading
from platform_def.yaml import Node, load_all, parse

_BLOCK = re.compile(r"[|>][-+0-9]*[ \t]*(#.*)?$")
"""The end of a line after which a block of text begins."""
_STEP = re.compile(r"""\[["']([^"']*)["']\]|[^.\[\]]+""")

Steps = tuple[str, ...]


def steps_of(path: str) -> Steps:
    """The steps of a path as findings write it: `spec.containers[0].image`."""
    return tuple(found[1] or found[0] for found in _STEP.finditer(path))


def pointer_steps(pointer: str) -> Steps:
    """The steps of a JSON pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def place_in(found: Kustomization, item: RenderedObject, path: str) -> Source | None:
    """The line of the overlay that decides the value at `path` of an object; None when none does."""
    steps = steps_of(path)
    best: tuple[int, Source] | None = None
    for patch in patches_of(found, item):
        score, source = place_of_step(found, patch, steps)
        if score and (best is None or score >= best[0]):
            best = (score, source)
    return best[1] if best else _place_of_entry(found, item, steps)


def place_of_step(found: Kustomization, patch: Node, steps: Steps) -> tuple[int, Source]:
    """How many of the steps a patch writes out, and its line that does; 0 with the patch's own line when none."""
    own = found.source(patch)
    best = (0, own)
    with suppress(PlatformError):
        for reached, line in _lines(*text_of(found, patch), steps):
            if reached > best[0]:
                best = (reached, Source(line.file, line.line))
    return best


def text_of(found: Kustomization, patch: Node) -> tuple[str, Source]:
    """The text of a patch, and the place of its first line."""
    fields = patch.value if isinstance(patch.value, dict) else {}
    if "path" in fields:
        file = f"{found.file.rpartition('/')[0]}/{fields['path'].value}"
        with reading(file):
            return (found.folder / str(fields["path"].value)).read_text(encoding="utf-8", errors="replace"), Source(
                file, 1
            )
    node = fields["patch"]
    return str(node.value), Source(found.file, node.line + _is_block(found, node))


def _is_block(found: Kustomization, node: Node) -> bool:
    with reading(found.file):
        lines = found.path.read_text(encoding="utf-8", errors="replace").splitlines()
    return node.line <= len(lines) and _BLOCK.search(lines[node.line - 1]) is not None


def _lines(text: str, start: Source, steps: Steps) -> Iterator[tuple[int, Source]]:
    """Lines of a patch that lie on the way of the steps, with how many of them they share."""
    node = parse(text, file=start.file)
    below = start.line - 1
    if isinstance(node.value, list):
        for operation in node.value:
            fields = operation.value if isinstance(operation.value, dict) else {}
            if "path" in fields:
                pointer = pointer_steps(str(fields["path"].value))
                shared = _shared(pointer, steps)
                if shared and shared in (len(pointer), len(steps)):
                    yield shared, Source(start.file, below + fields["path"].line)
    else:
        yield from ((count, Source(start.file, below + line)) for count, line in _walk(node, steps, 0))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right and not (left.isdigit() and right.isdigit()) and "-" not in (left, right):
            break
        count += 1
    return count


def _walk(node: Node, steps: Steps, count: int) -> Iterator[tuple[int, int]]:
    """A strategic patch names items of lists by their key, not by their number: every item is looked into."""
    if isinstance(node.value, list):
        rest = steps[1:] if steps and steps[0].isdigit() else steps
        for item in node.value:
            yield from _walk(item, rest, count)
    elif isinstance(node.value, dict) and steps and steps[0] in node.value:
        yield count + 1, node.key_lines.get(steps[0], node.line)
        yield from _walk(node.value[steps[0]], steps[1:], count + 1)


def _place_of_entry(found: Kustomization, item: RenderedObject, steps: Steps) -> Source | None:
    """The line of an entry of `images`, `replicas`, `labels` or `commonAnnotations` that may have written the value."""
    last = steps[-1] if steps else ""
    if last == "image":
        for entry in found.items("images"):
            fields = entry.value if isinstance(entry.value, dict) else {}
            if str(fields.get("newName", fields["name"]).value) in item.text:
                return found.source(entry)
    if last == "replicas":
        entries = [entry.value for entry in found.items("replicas") if isinstance(entry.value, dict)]
        return next((found.source(entry["name"]) for entry in entries if entry["name"].value == item.name), None)
    if "labels" in steps or "matchLabels" in steps:
        return next((found.source(entry) for entry in found.items("labels")), None)
    if "annotations" in steps and "commonAnnotations" in found.fields:
        return found.source(found.fields["commonAnnotations"])
    return None


def place_of_added(found: Kustomization, item: RenderedObject) -> Source:
    """The file under `resources` that holds an object, or else the line that lists them."""
    for entry in found.items("resources"):
        path = found.folder / str(entry.value)
        file = f"{found.file.rpartition('/')[0]}/{entry.value}"
        if path.is_file():
            with suppress(PlatformError), reading(file):
                if any(_is(document, item) for document in load_all(path.read_bytes(), file=file)):
                    return Source(file)
    node = found.fields.get("resources")
    return found.source(node) if node is not None else Source(found.file)


def _is(document: object, item: RenderedObject) -> bool:
    if not isinstance(document, dict):
        return False
    metadata = document.get("metadata")
    return document.get("kind") == item.kind and isinstance(metadata, dict) and metadata.get("name") == item.name
