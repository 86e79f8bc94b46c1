"""The files of a rendered stack: one an object, and the index that says which are ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from platform_def.errors import PlatformError, Source, visible
from platform_def.manifests.rendered import DELIVERY, JOBS, RenderedObject, RenderedStack
from platform_def.pipeline.output.index import FILE, Index, digest
from platform_def.pipeline.output.layout import PlacedObject, lay_out, path_of


def path_in_stack(item: RenderedObject) -> str:
    """Path of an object's file in its stack's folder."""
    return item.once(_path)


def _path(item: RenderedObject) -> str:
    return path_of(item.manifest, component=item.component, part=_folder(item), namespace=item.namespace)


def _folder(item: RenderedObject) -> str:
    """Components have parts, jobs are called by their names, delivery objects lie together."""
    return "" if item.component == DELIVERY else item.job or item.part


class Contents:
    """What files hold: each is made once and held once, however many stacks have it."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, str], bytes] = {}

    def of(self, item: RenderedObject) -> bytes:
        """The content of an object's file."""
        key = (item.once(_head), item.text)
        found = self._contents.get(key)
        if found is None:
            found = self._contents[key] = _joined(*key)
        return found


def files_of(stack: RenderedStack, contents: Contents | None = None) -> dict[str, bytes]:
    """File contents by path in the stack's folder; raises ConfigError when two objects want one path.

    What is in `contents` already, from another stack, is not made again.
    """
    made = contents or Contents()
    items = laid_out(stack)
    files = {path: made.of(item) for path, item in items.items()}
    index = Index(
        stack=stack.name,
        files={path: digest_of(item) for path, item in items.items()},
        components=dict(_facts(stack)),
        images=stack.images,
        waves=stack.waves,
        cluster=dict(_of_cluster(stack)),
    )
    return files | {FILE: index.encode()}


def laid_out(stack: RenderedStack) -> dict[str, RenderedObject]:
    """The objects of a stack by the paths of their files; raises ConfigError when two want one path."""
    every = [*stack.objects()]
    with suppress(PlatformError):
        found = {path_in_stack(item): item for item in every}
        if len(found) == len(every):
            return found
    return _laid_out(every)


def _laid_out(every: Iterable[RenderedObject]) -> dict[str, RenderedObject]:
    """The same where something is wrong, which it tells."""
    objects: dict[int, RenderedObject] = {}
    placed = []
    for item in every:
        place = PlacedObject(item.manifest, item.component, _folder(item), item.namespace, Source(item.origin))
        objects[id(place)] = item
        placed.append(place)
    return {path: objects[id(place)] for path, place in lay_out(placed).items()}


def content_of(item: RenderedObject) -> bytes:
    """The file: one line for its reader, then the object."""
    return _joined(item.once(_head), item.text)


def digest_of(item: RenderedObject) -> str:
    """The hash of an object's file, as the index has it; the content is not held for that."""
    return item.once(_digest)


def _digest(item: RenderedObject) -> str:
    return digest(content_of(item))


def _joined(head: str, text: str) -> bytes:
    return f"{head}{text}".encode()


def _head(item: RenderedObject) -> str:
    change = "that" if _is_the_users(item) else "the stack"
    return f"# Made by platformctl from {_maker(item)}; change {change}, not this file.\n"


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


def file_in(stack: RenderedStack, own: frozenset[str]) -> Callable[[RenderedObject], str]:
    """The file to look into: of the user's own applications theirs, else the one in dist/."""
    return lambda item: item.origin if item.component in own else f"dist/{stack.name}/{path_in_stack(item)}"
