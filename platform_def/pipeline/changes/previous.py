"""What the objects of a stack were before: those in dist/ on disk, or in a folder that the user names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from platform_def.checks.recent import Recent
from platform_def.errors import ConfigError, PlatformError
from platform_def.manifests.rendered import JOBS, RenderedObject, RenderedStack
from platform_def.pipeline.applications.foreign import foreign_stack
from platform_def.pipeline.files import digest_of, path_in_stack
from platform_def.pipeline.output import index
from platform_def.yaml import load

LARGEST_BYTES = 8 << 20
"""As much text of former objects is held as manifests."""


@dataclass(frozen=True)
class Previous:
    """Where the objects of a stack are as they were."""

    objects: Callable[[RenderedStack], Iterable[RenderedObject]]
    """Those of a stack; unchanged ones may be missing. A new stack has none."""
    indexes: Callable[[str], Sequence[index.Index]]
    """What its index said: none of a new stack, two where git has a conflict."""
    files: Callable[[str, Collection[str]], Mapping[str, bytes]]
    """The contents of files in a stack's folder; what is not there is left out."""
    delivered: bool
    """Whether a cluster may already have them; dist/ on disk may be part of the change itself."""


Read = Callable[[Collection[str]], Mapping[str, bytes]]
"""The contents of files in a stack's folder; what is not there is left out."""


def on_disk(out: Path) -> Previous:
    """What synth last wrote into the output folder."""

    files, parsed = partial(_read, out), Parsed()

    def objects(stack: RenderedStack) -> Iterator[RenderedObject]:
        return changed(stack, index.read(out, stack.name), partial(files, stack.name), parsed)

    return Previous(objects, lambda stack: index.read(out, stack), files, delivered=False)


def _read(out: Path, stack: str, paths: Collection[str]) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    for path in paths:
        with suppress(OSError), open(f"{out}/{stack}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - of thousands
            found[path] = file.read()
    return found


def in_folder(previous: Path) -> Previous:
    """What a folder for each stack holds, made by this tool or not."""
    if not previous.is_dir():
        raise ConfigError(f"there is no folder {previous}", hint="name one like dist/, with a folder for each stack")

    def objects(stack: RenderedStack) -> Iterable[RenderedObject]:
        folder = previous / stack.name
        return objects_in(folder, stack, namespace="default") if folder.is_dir() else ()

    return Previous(objects, lambda stack: index.read(previous, stack), partial(_read, previous), delivered=True)


def objects_in(path: Path, stack: RenderedStack, *, namespace: str) -> Iterable[RenderedObject]:
    """The objects in a file or folder; ConfigError where any of it cannot be read."""
    found = foreign_stack([str(path)], kubernetes=stack.platform.kubernetes, namespace=namespace)
    if found.problems:
        raise ConfigError(found.problems)
    return found.stack.objects()


class Parsed:
    """Manifests by the text of their files: what many stacks of a run had alike is read once."""

    def __init__(self) -> None:
        self._contents = index.KnownContents()
        self._known: Recent[str, Sequence[dict[str, Any]]] = Recent(LARGEST_BYTES)

    def of(self, content: bytes, expected: str = "") -> dict[str, Any] | None:
        """The object in a file, of which the index has the hash; None where it holds none that can be read."""
        key = self._contents.digest(content, (expected,))
        found = self._known.get(key)
        if found is None:
            found = [*_manifest(content)]
            self._known.put(key, found, len(content))
        return found[0] if found else None


def changed(
    stack: RenderedStack, indexes: Iterable[index.Index], read: Read, parsed: Parsed
) -> Iterator[RenderedObject]:
    """The objects in the files of these indexes that the stack now renders differently.

    Unreadable files are skipped: comparing dist/ reports files that were edited or damaged. `parsed` is shared by the
    stacks of a run.
    """
    known = {
        _identity(path): (path, digest)
        for one in indexes
        for path, digest in one.files.items()
        if not path.startswith(f"{JOBS}/")
    }
    wanted = {}
    for item in stack.objects():
        found = known.get(item.once(_identity_of)) if item.component != JOBS else None
        if found is not None and found[1] != digest_of(item):
            wanted[found[0]] = (item, found[1])
    before = read(wanted) if wanted else {}
    for path, (item, said) in wanted.items():
        manifest = parsed.of(before.get(path, b""), said)
        if manifest is not None:
            yield RenderedObject(manifest, item.component, item.part, path)


def _identity(path: str) -> str:
    """Namespace and file name: the object, whatever component has it."""
    return "/".join(path.split("/")[-2:])


def _identity_of(item: RenderedObject) -> str:
    with suppress(PlatformError):  # laying out the files reports an object without a name
        return _identity(path_in_stack(item))
    return ""


def _manifest(content: bytes) -> Iterator[dict[str, Any]]:
    """The object in a file, if there is one."""
    with suppress(PlatformError):
        found = load(content)
        if isinstance(found, dict):
            yield found
