"""The files of a rendered stack: one an object, and the index that says which are ours."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.errors import Source
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.output.index import FILE, Index, digests
from platform_def.pipeline.output.layout import Placed, lay_out, path_of

JOBS, DELIVERY = "_jobs", "_delivery"


def path_in_stack(item: RenderedObject) -> str:
    """Path of an object's file in its stack's folder."""
    return path_of(item.manifest, component=item.component, part=_folder(item), namespace=item.namespace)


def _folder(item: RenderedObject) -> str:
    """Components have parts, jobs are called by their names, delivery objects lie together."""
    return "" if item.component == DELIVERY else item.job or item.part


def files_of(stack: RenderedStack) -> dict[str, bytes]:
    """File contents by path in the stack's folder; raises ConfigError when two objects want one path."""
    objects: dict[int, RenderedObject] = {}
    placed = []
    for item in stack.objects():
        place = Placed(item.manifest, item.component, _folder(item), item.namespace, Source(item.origin))
        objects[id(place)] = item
        placed.append(place)
    files = {path: objects[id(place)].text.encode() for path, place in lay_out(placed).items()}
    index = Index(
        stack=stack.name,
        files=digests(files),
        components=dict(_facts(stack)),
        images=stack.images,
        waves=stack.waves,
    )
    return files | {FILE: index.encode()}


def _facts(stack: RenderedStack) -> Iterator[tuple[str, dict[str, object]]]:
    for name, fact in sorted(stack.facts.items()):
        plain: dict[str, object] = {"namespace": fact.namespace, "release": fact.release}
        yield name, plain | ({"provided": True} if fact.provided else {})
