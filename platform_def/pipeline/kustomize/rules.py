"""What a kustomization may say, here and in every kustomization that it builds on.

A build depends on the repository alone: remote resources, Helm, plug-ins and scripts are refused everywhere. Overlays
change objects, and neither rename them nor change selectors: generators, prefixes and namespaces are refused there too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platform_def.errors import ConfigError, PlatformError, Problem, Source, nearest
from platform_def.pipeline.kustomize.kustomization import Kustomization, read
from platform_def.pipeline.user_files import followed, is_there, reading
from platform_def.yaml import Node

Use = Literal["overlay", "application"]

_PLAIN = frozenset(
    {"apiVersion", "kind", "metadata", "patches", "images", "replicas", "labels", "commonAnnotations", "resources"}
)
_BUILDING = _PLAIN | frozenset(
    {"components", "configMapGenerator", "secretGenerator", "generatorOptions", "namespace", "namePrefix", "nameSuffix",
     "configurations", "replacements", "sortOptions", "openapi", "crds"}
)  # fmt: skip
_WHY = {
    "helmCharts": "Helm charts are fetched at build time",
    "helmGlobals": "Helm charts are fetched at build time",
    "generators": "plug-ins are not run",
    "transformers": "plug-ins are not run",
    "validators": "plug-ins are not run",
    "namePrefix": "it would rename the component's objects",
    "nameSuffix": "it would rename the component's objects",
    "namespace": "set `namespace:` of the component in the stack file",
    "configMapGenerator": "generated names change with their content",
    "secretGenerator": "a Secret's content must not be in the repository",
    "patchesStrategicMerge": "kustomize has deprecated it: use `patches`",
    "patchesJson6902": "kustomize has deprecated it: use `patches`",
    "bases": "kustomize has deprecated it: use `resources`",
    "vars": "kustomize has deprecated it: use `replacements`",
    "commonLabels": "it would change selectors, which never change once released: use `labels`",
}
_REMOTE = ("://", "git@", "github.com/", "gitlab.com/", "bitbucket.org/", "?ref=", "git::")
_TYPE_NAMES: dict[type, str] = {str: "text", dict: "a map", list: "a list"}
_ITEMS: dict[str, type] = {
    "resources": str,
    "components": str,
    "configurations": str,
    "crds": str,
    "patches": dict,
    "images": dict,
    "replicas": dict,
    "labels": dict,
    "replacements": dict,
    "configMapGenerator": dict,
}
_INSIDE: dict[str, dict[str, type]] = {
    "patches": {"path": str, "patch": str, "target": dict},
    "images": {"name": str, "newName": str},
    "replicas": {"name": str},
    "labels": {"fields": list},
}
_NEEDED = {"patches": ("patch", "path"), "images": ("name",), "replicas": ("name",)}
"""Fields of which an item needs one."""


@dataclass(frozen=True)
class _Place:
    """What a tree of kustomizations is for, and the folders that its paths must not leave."""

    use: Use
    top: Path
    root: Path


def checked(folder: Path, root: Path, *, use: Use) -> list[Kustomization]:
    """The kustomization of a folder, then those it builds on; ConfigError with everything that is refused in them."""
    place = _Place(use, folder, root)
    found: dict[Path, Kustomization] = {}
    problems: list[Problem] = []
    todo = [folder]
    while todo:
        path = todo.pop(0)
        if path in found:
            continue
        try:
            one = found[path] = read(path, root)
        except PlatformError as error:
            problems += error.problems
            continue
        wrong = list(_problems(one, place))
        problems += wrong
        todo += [] if wrong else [target for target in _targets(one, place) if target.is_dir()]
    if problems:
        raise ConfigError(problems)
    return list(found.values())


def _problems(found: Kustomization, place: _Place) -> Iterator[Problem]:
    odd = [*_keys(found, place.use), *_types(found), *_endless(found)]
    yield from odd
    if not odd:
        yield from _kind(found, place)
        yield from _paths(found, place)
        if place.use == "overlay":
            yield from _selectors(found)


def _endless(found: Kustomization) -> Iterator[Problem]:
    """Pipes, sockets and devices: kustomize would read them, and may never end."""
    with reading(found.file):
        for base, _, names in os.walk(found.folder):
            for path in (Path(base, name) for name in names):
                if path.exists() and not path.is_file() and not path.is_dir():
                    file = f"{found.file.rpartition('/')[0]}/{path.relative_to(found.folder).as_posix()}"
                    yield Problem("is neither a file nor a folder", Source(file), "remove it")


def _keys(found: Kustomization, use: Use) -> Iterator[Problem]:
    allowed = _PLAIN if use == "overlay" else _BUILDING
    for key in found.fields:
        if key not in allowed or key == "secretGenerator":
            why = _WHY.get(key)
            text = f"`{key}` is refused in an {use}: {why}" if why else f"`{key}` is not known in an {use}"
            where = Source(found.file, found.node.key_lines.get(key, found.node.line))
            yield Problem(text, where, "" if why else nearest(key, allowed))


def _types(found: Kustomization) -> Iterator[Problem]:
    """What is not of the type that kustomize reads: it would answer in the words of its own source code."""
    for key, wanted in _ITEMS.items():
        node = found.fields.get(key)
        if node is None:
            continue
        if not isinstance(node.value, list):
            yield Problem(f"`{key}` is a list", found.source(node))
            continue
        for item in node.value:
            if not isinstance(item.value, wanted):
                yield Problem(f"every item of `{key}` is {_TYPE_NAMES[wanted]}", found.source(item))
            elif isinstance(item.value, dict):
                yield from _inside(found, key, item)


def _inside(found: Kustomization, key: str, item: Node) -> Iterator[Problem]:
    fields = item.value if isinstance(item.value, dict) else {}
    for name, wanted in _INSIDE.get(key, {}).items():
        if name in fields and not isinstance(fields[name].value, wanted):
            yield Problem(f"`{name}` in `{key}` is {_TYPE_NAMES[wanted]}", found.source(fields[name]))
    needed = _NEEDED.get(key, ())
    if needed and not any(name in fields for name in needed):
        yield Problem(f"an item of `{key}` has no `{'` or `'.join(needed)}`", found.source(item))
    target = fields["target"].value if "target" in fields else None
    for name, node in target.items() if isinstance(target, dict) else ():
        if not isinstance(node.value, str | None):
            yield Problem(f"`{name}` of a target is text", found.source(node), "put it in quotes")


def _kind(found: Kustomization, place: _Place) -> Iterator[Problem]:
    node = found.fields.get("kind")
    where = Source(found.file, node.line if node else 1)
    component = node is not None and node.value == "Component"
    if place.use == "overlay" and found.folder == place.top and not component:
        hint = "write apiVersion: kustomize.config.k8s.io/v1alpha1 and kind: Component"
        yield Problem("an overlay is a kustomize Component", where, hint)
    if place.use == "overlay" and found.folder != place.top and component:
        yield Problem("a folder under `resources` is a Kustomization", where, "write kind: Kustomization")


def _selectors(found: Kustomization) -> Iterator[Problem]:
    """Labels that kustomize would write into selectors as well."""
    why = "it would change selectors, which never change once released"
    for item in found.items("labels"):
        fields = item.value if isinstance(item.value, dict) else {}
        include = fields.get("includeSelectors")
        if include is not None and include.value not in (False, None):
            text = f"`includeSelectors` is refused in an overlay: {why}"
            yield Problem(text, found.source(include), "leave it out; `includeTemplates: true` labels the pods")
        specs = fields["fields"].value if "fields" in fields else []
        for spec in specs if isinstance(specs, list) else []:
            if "elector" in str(spec.plain()):
                yield Problem(f"a selector among `fields` is refused in an overlay: {why}", found.source(spec))


def _entries(found: Kustomization) -> list[Node]:
    """Everything that names a file or a folder."""
    patches = [patch.value for patch in found.items("patches") if isinstance(patch.value, dict)]
    paths = [patch["path"] for patch in patches if "path" in patch]
    return [*found.items("resources"), *found.items("components"), *paths]


def _targets(found: Kustomization, place: _Place) -> Iterator[Path]:
    for entry in _entries(found):
        yield _target(found, str(entry.value), place)


def _target(found: Kustomization, text: str, place: _Place) -> Path:
    """Where a path leads: an overlay is built as a copy of its folder, with files in the place of links."""
    path = found.folder / text
    return Path(os.path.normpath(path)) if place.use == "overlay" else followed(path)


def _paths(found: Kustomization, place: _Place) -> Iterator[Problem]:
    for entry in _entries(found):
        text = str(entry.value)
        shown, where = f"'{text[:80]}'", found.source(entry)
        target = _target(found, text, place)
        if any(mark in text for mark in _REMOTE):
            yield Problem(
                f"{shown} is remote: a build reads the repository alone", where, "copy it into the repository"
            )
        elif not followed(target).is_relative_to(followed(place.root)):
            yield Problem(f"{shown} is outside the repository", where)
        elif place.use == "overlay" and not target.is_relative_to(place.top):
            yield Problem(
                f"{shown} is outside the overlay's own folder", where, "put a copy of it or a link to it there"
            )
        elif not is_there(target):
            yield Problem(f"{shown} is not there", where)
        elif place.use == "application" and not target.is_dir() and not target.is_relative_to(found.folder):
            hint = "name the folder, with a kustomization.yaml in it"
            yield Problem(f"{shown} is a file outside the folder of its kustomization", where, hint)
