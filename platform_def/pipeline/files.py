"""The files of a rendered stack: one an object, and the index that says which are ours."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.errors import Source, visible
from platform_def.manifests.rendered import DELIVERY, JOBS, RenderedObject, RenderedStack
from platform_def.pipeline.output.index import FILE, Index, digests
from platform_def.pipeline.output.layout import Placed, lay_out, path_of


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
    files = {path: content_of(objects[id(place)]) for path, place in lay_out(placed).items()}
    index = Index(
        stack=stack.name,
        files=digests(files),
        components=dict(_facts(stack)),
        images=stack.images,
        waves=stack.waves,
        cluster=dict(_of_cluster(stack)),
    )
    return files | {FILE: index.encode()}


def content_of(item: RenderedObject) -> bytes:
    """The file: one line for its reader, then the object."""
    change = "that" if _is_the_users(item) else "the stack"
    return f"# Made by platformctl from {_maker(item)}; change {change}, not this file.\n{item.text}".encode()


def _maker(item: RenderedObject) -> str:
    """The component, job or file of the user's, and the overlays; never the stack, whose builds others share."""
    makers = {JOBS: f"the job {item.job}", DELIVERY: "delivery"}
    own = item.origin if _is_the_users(item) else item.component
    text = ", ".join(dict.fromkeys([makers.get(item.component, own), *item.overlays]))
    return visible(text).replace("\n", r"\n")


def _is_the_users(item: RenderedObject) -> bool:
    """Whether its origin is a file of the repository: a construct's begins with its component."""
    return item.component not in (JOBS, DELIVERY) and not item.origin.startswith(f"{item.component}/")


def _of_cluster(stack: RenderedStack) -> Iterator[tuple[str, object]]:
    yield "kubernetes", str(stack.platform.kubernetes)
    if stack.platform.registry:
        yield "registry", stack.platform.registry
    if stack.platform.mirrors:
        yield "mirrors", dict(stack.platform.mirrors)


def _facts(stack: RenderedStack) -> Iterator[tuple[str, dict[str, object]]]:
    for name, fact in sorted(stack.facts.items()):
        plain: dict[str, object] = {"namespace": fact.namespace, "release": fact.release}
        component = stack.components.get(name)
        kept = (
            [{key: value for key, value in each._asdict().items() if value} for each in component.stored]
            if component
            else []
        )
        yield name, plain | ({"provided": True} if fact.provided else {}) | ({"data": kept} if kept else {})
