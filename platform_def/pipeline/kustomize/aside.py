"""Files that kustomize reads as something else than objects: kustomizations, patches, settings, contents of maps.

A patch has the name of an object and a part of it, so that a reader who takes it for one finds everything missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platform_def.errors import PlatformError
from platform_def.pipeline.kustomize.kustomization import kustomization_file
from platform_def.yaml import load_each

_PATHS = ("patches", "patchesJson6902", "replacements")
"""Lists of maps, whose `path` may name such a file."""
_NAMES = ("patchesStrategicMerge", "configurations", "crds")
"""Lists of such files; of the first, an item may be the patch itself."""
_GENERATORS = ("configMapGenerator", "secretGenerator")
_PLAIN = frozenset({"apiVersion", "kind", "metadata", "resources", "bases", "sortOptions", "buildMetadata"})
"""What a kustomization says that changes no object."""
_BUILT_ON = ("resources", "bases", "components")
_PART = "Component"
"""Kind of a kustomization that only others build."""


@dataclass(frozen=True)
class Aside:
    """What a tool reads of a tree, kustomize or another, and what is not applied as it is."""

    files: frozenset[Path]
    folders: tuple[Path, ...]
    """Those that a user gives to the tool: nothing else in the tree builds on them."""
    changed: frozenset[Path] = frozenset()
    """Files of objects that it gives other names, namespaces, labels or contents: what they name is settled later."""


def read_aside(files: Iterable[Path]) -> Aside:
    """Of the files of a tree, the kustomizations, and what they read so and none reads as a resource."""
    given = frozenset(files)
    aside: set[str] = set()
    objects: set[str] = set()
    built_on: set[str] = set()
    folders: list[Path] = []
    builds: dict[str, tuple[bool, list[str]]] = {}
    for folder in sorted({file.parent for file in given}):
        for file, said in _maps(folder):
            builds[_full(folder)] = (bool(said.keys() - _PLAIN), [_full(folder, each) for each in _built_on(said)])
            aside |= {_full(file), *(_full(folder, name) for name in _aside(said))}
            objects |= {_full(folder, name) for name in _texts(said.get("resources"))}
            built_on |= {_full(folder, name) for name in _built_on(said)}
            folders += [folder] if file in given and said.get("kind") != _PART else []
    changed = _changed(builds)
    return Aside(
        frozenset(file for file in given if _full(file) in aside - objects),
        tuple(folder for folder in folders if _full(folder) not in built_on),
        frozenset(file for file in given if _full(file) in changed),
    )


def _changed(builds: Mapping[str, tuple[bool, list[str]]]) -> set[str]:
    """Files and folders that a kustomization which changes objects builds on, directly or not."""
    todo = [path for changes, paths in builds.values() if changes for path in paths]
    found: set[str] = set()
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += builds.get(path, (False, []))[1]
    return found


def _built_on(said: dict[str, Any]) -> Iterator[str]:
    return (name for field in _BUILT_ON for name in _texts(said.get(field)))


def _full(*steps: Path | str) -> str:
    return os.path.normpath(Path.cwd().joinpath(*steps))


def _maps(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The kustomization of a folder with its file; what cannot be read is reported where the file is read itself."""
    try:
        file = kustomization_file(folder)
        if file is None or file.is_symlink():
            return
        documents, _ = load_each(file.read_bytes(), file=file.as_posix())
    except (OSError, PlatformError):
        return
    yield from ((file, each.value) for each in documents if isinstance(each.value, dict))


def _aside(said: dict[str, Any]) -> Iterator[str]:
    for field in _PATHS:
        yield from _texts([each.get("path") for each in _items(said.get(field))])
    for field in _NAMES:
        yield from _texts(said.get(field))
    yield from _texts([openapi.get("path")] if isinstance(openapi := said.get("openapi"), dict) else None)
    for field in _GENERATORS:
        for generator in _items(said.get(field)):
            yield from (name.rpartition("=")[2] for name in _texts(generator.get("files")))


def _items(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    """File names: one line each, as a patch that stands in the list itself is not."""
    found = value if isinstance(value, list) else []
    return [each for each in found if isinstance(each, str) and each and "\n" not in each and "\0" not in each]
