"""Where an object's file goes: `<component>/<part>/<namespace or _cluster>/<kind>[.<group>]-<name>.yaml`.

A path is a function of its own object and part alone, so that adding an object never renames the file of another.
Paths are lower case throughout: two that differ by case alone would be one file on some file systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from platform_def.errors import ConfigError, Problem, Source

LONGEST = 200
"""Bytes of a file or folder name; most file systems end at 255, some tools add suffixes."""

CLUSTER = "_cluster"
"""The folder of what has no namespace; no namespace can have this name."""

_ODD = re.compile(rb"[^a-z0-9.-]|^\.|\.\Z")


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """One object with what decides its path; `namespace` is None for a cluster-scoped object."""

    manifest: Mapping[str, object]
    component: str
    part: str
    namespace: str | None
    source: Source | None = None
    origin: str = ""
    """What made it, where that is no place in a file."""


def path_of(manifest: Mapping[str, object], *, component: str, part: str, namespace: str | None) -> str:
    """The path of an object's file, relative to its stack's folder.

    `part` may be empty, which leaves its folder out. An object without a name of its own, as with `generateName`,
    raises ConfigError.
    """
    kind, name = manifest.get("kind"), _metadata(manifest).get("name")
    if not isinstance(kind, str) or not kind:
        raise ConfigError(f"an object of {component} has no kind")
    if not isinstance(name, str) or not name:
        if "generateName" in _metadata(manifest):
            raise ConfigError(
                f"{kind} of {component} has generateName, so no file can stand for it", hint="give it a name"
            )
        raise ConfigError(f"{kind} of {component} has no metadata.name")
    return _path(component, part, namespace, str(manifest.get("apiVersion", "")).rpartition("/")[0], kind, name)


@lru_cache(maxsize=16384)
def _path(component: str, part: str, namespace: str | None, group: str, kind: str, name: str) -> str:
    """Asked several times for each object, and for the same ones in each stack of a fleet."""
    qualified = f"{kind}.{group}" if group else kind
    file = _name(f"{_encoded(qualified.lower())}-{_encoded(name)}", ".yaml")
    space = CLUSTER if namespace is None else _name(_encoded(namespace))
    return "/".join([*(_folder(folder) for folder in (component, part) if folder), space, file])


def lay_out(objects: Iterable[PlacedObject]) -> dict[str, PlacedObject]:
    """Every object by its path; all objects without a path and all pairs that want the same one are one ConfigError."""
    laid: dict[str, PlacedObject] = {}
    problems: list[Problem] = []
    for placed in objects:
        try:
            path = path_of(placed.manifest, component=placed.component, part=placed.part, namespace=placed.namespace)
        except ConfigError as error:
            problems += [Problem(problem.text, placed.source, problem.hint) for problem in error.problems]
            continue
        first = laid.setdefault(path, placed)
        if first is not placed:
            problems.append(
                Problem(f"two objects want {path}: {_title(first)} and {_title(placed)}", placed.source or first.source)
            )
    if problems:
        raise ConfigError(problems)
    return laid


def _metadata(manifest: Mapping[str, object]) -> Mapping[str, object]:
    metadata = manifest.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _title(placed: PlacedObject) -> str:
    name = "/".join(filter(None, (placed.namespace, str(_metadata(placed.manifest).get("name")))))
    maker = placed.source or placed.origin
    origin = f" ({maker})" if maker else ""
    return f"{placed.manifest.get('apiVersion')} {placed.manifest.get('kind')} {name} of {placed.component}{origin}"


def _encoded(text: str) -> str:
    return _ODD.sub(lambda match: b"%%%02x" % match[0][0], text.encode(errors="surrogatepass")).decode()


def _folder(name: str) -> str:
    """Components of the tool's own, `_delivery` and `_jobs`, keep their underscore."""
    return _name("_" + _encoded(name[1:]) if name.startswith("_") else _encoded(name))


def _name(stem: str, suffix: str = "") -> str:
    if len(stem) + len(suffix) <= LONGEST:
        return stem + suffix
    tail = "-" + sha256(stem.encode()).hexdigest()[:16] + suffix
    return stem[: LONGEST - len(tail)] + tail
