"""Reads kustomization files and refuses what would make a build depend on more than the repository.

Remote resources, Helm, plug-ins and scripts are refused everywhere; generators, prefixes and namespaces in overlays
too, because they rename objects behind the component's back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platform_def.errors import ConfigError, Problem, Source, nearest
from platform_def.yaml import Node, parse

FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")

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


@dataclass(frozen=True)
class Kustomization:
    """One kustomization file."""

    folder: Path
    file: str
    """Its path as messages name it."""
    node: Node

    def items(self, key: str) -> list[Node]:
        """The list under a key; empty when absent."""
        found = self.node.value.get(key) if isinstance(self.node.value, dict) else None
        return found.value if found is not None and isinstance(found.value, list) else []

    def source(self, node: Node) -> Source:
        """The place of a node."""
        return Source(self.file, node.line)


def kustomization_file(folder: Path) -> Path | None:
    """The kustomization file of a folder, if it has one."""
    return next((folder / name for name in FILES if (folder / name).is_file()), None)


def read(folder: Path, root: Path, *, use: Literal["overlay", "application"]) -> Kustomization:
    """Read and check a folder's kustomization; raises ConfigError with everything that is refused in it."""
    path = kustomization_file(folder)
    shown = folder.relative_to(root).as_posix()
    if path is None:
        raise ConfigError("has no kustomization.yaml", where=Source(shown))
    file = path.relative_to(root).as_posix()
    found = Kustomization(folder, file, parse(path.read_bytes(), file=file))
    if not isinstance(found.node.value, dict):
        raise ConfigError("a kustomization is a map", where=Source(file, found.node.line))
    problems = [*_keys(found, use), *_kind(found, use), *_paths(found, root)]
    if problems:
        raise ConfigError(problems)
    return found


def _keys(found: Kustomization, use: str) -> Iterator[Problem]:
    allowed = _PLAIN if use == "overlay" else _BUILDING
    assert isinstance(found.node.value, dict)
    for key in found.node.value:
        if key not in allowed or (key == "secretGenerator"):
            why = _WHY.get(key)
            text = f"`{key}` is refused in an {use}: {why}" if why else f"`{key}` is not known in an {use}"
            place = Source(found.file, found.node.key_lines.get(key, found.node.line))
            yield Problem(text, place, "" if why else nearest(key, allowed))


def _kind(found: Kustomization, use: str) -> Iterator[Problem]:
    assert isinstance(found.node.value, dict)
    kind = found.node.value.get("kind")
    if use == "overlay" and (kind is None or kind.value != "Component"):
        hint = "write apiVersion: kustomize.config.k8s.io/v1alpha1 and kind: Component"
        yield Problem("an overlay is a kustomize Component", Source(found.file, kind.line if kind else 1), hint)


def _paths(found: Kustomization, root: Path) -> Iterator[Problem]:
    entries = [*found.items("resources"), *found.items("components")]
    entries += [
        patch.value["path"]
        for patch in found.items("patches")
        if isinstance(patch.value, dict) and "path" in patch.value
    ]
    for entry in entries:
        text = str(entry.value)
        if any(mark in text for mark in _REMOTE):
            yield Problem(
                f"'{text[:80]}' is remote: a build reads the repository alone",
                found.source(entry),
                "copy it into the repository",
            )
            continue
        target = (found.folder / text).resolve()
        if not target.is_relative_to(root.resolve()):
            yield Problem(f"'{text[:80]}' is outside the repository", found.source(entry))
        elif not target.exists():
            yield Problem(f"'{text[:80]}' is not there", found.source(entry))
