"""What `platformctl explain` says of an object: who made it, when it is applied, what it needs and what needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from platform_def.errors import ConfigError, nearest
from platform_def.manifests.graph import Edge, Graph
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.code import code_digest
from platform_def.pipeline.files import path_in_stack
from platform_def.pipeline.synth import Options, render

Row = dict[str, object]
OUTPUT = "dist"


def explain_object(root: Path, stack: str, what: str, *, state: Path) -> list[Row]:
    """A row for each object `Kind/name` or `Kind/namespace/name`, or of a file; ConfigError where there is none.

    `state`: the folder with results of earlier runs.
    """
    rendered = render(Options(root, (stack,), state / "cache", code_digest(state))).stacks[0]
    found = _in_file(what, root, rendered) if _is_file(what, root) else _called(what, rendered)
    graph = Graph.of(rendered)
    return [_row(item, rendered, graph) for item in found]


def _is_file(what: str, root: Path) -> bool:
    """Whether it names a file: kinds of objects begin with a capital letter."""
    return what.endswith((".yaml", ".yml", ".json")) and (not what[:1].isupper() or (root / what).is_file())


def _called(what: str, stack: RenderedStack) -> list[RenderedObject]:
    kind, _, rest = what.partition("/")
    namespace, _, name = rest.rpartition("/")
    found = [
        item
        for item in stack.objects()
        if item.kind == kind and item.name == name and (not namespace or item.namespace == namespace)
    ]
    if not found:
        names = [f"{item.kind}/{item.name}" for item in stack.objects()]
        raise ConfigError(f"{stack.name} has no {what}", hint=nearest(what, names))
    return found


def _in_file(what: str, root: Path, stack: RenderedStack) -> list[RenderedObject]:
    """The objects of a file of `dist/` or of a folder of the user's, by its path from here or from the repository."""
    below = os.path.relpath(os.path.realpath(what), os.path.realpath(root))
    files = {id(item): {f"{OUTPUT}/{stack.name}/{path_in_stack(item)}", item.origin} for item in stack.objects()}
    found = [item for item in stack.objects() if files[id(item)] & {what, below}]
    if not found:
        asked = what if what.startswith(f"{OUTPUT}/") else below
        hint = nearest(asked, set().union(*files.values()))
        match asked.split("/"):
            case ["dist", other, _, *_] if other != stack.name:
                hint = f"it belongs to the stack {other}: platformctl explain {other} {what}"
        raise ConfigError(f"{stack.name} has no object in {what}", hint=hint)
    return found


def _row(item: RenderedObject, stack: RenderedStack, graph: Graph) -> Row:
    return {
        "object": str(item),
        "apiVersion": item.api_version,
        "component": item.component,
        "part": item.part,
        "wave": _wave(item, stack),
        "made by": item.origin,
        "overlays": ", ".join(item.overlays) or "none",
        "needs": list(_needs(item, stack, graph)),
        "needed by": [f"{edge.source}: {_short(edge, stack)}" for edge in graph.needed_by(item)],
    }


def _wave(item: RenderedObject, stack: RenderedStack) -> int | None:
    return stack.waves.get(f"{item.component}/{item.part}")


def _needs(item: RenderedObject, stack: RenderedStack, graph: Graph) -> Iterator[str]:
    for edge in graph.edges(item):
        yield f"{edge.target}: {_short(edge, stack)}"
    for name in graph.missing(item):
        yield f"{name.kind} {name.name}: named in {name.path}; not of this stack"


def _short(edge: Edge, stack: RenderedStack) -> str:
    gave_way = edge.gives_way and (_wave(edge.target, stack) or 0) > (_wave(edge.source, stack) or 0)
    return edge.why + (" (may come later)" if edge.weak else " (and comes later)" if gave_way else "")
