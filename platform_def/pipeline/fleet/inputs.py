"""Hashes of the files and folders that stacks are made of.

Each is taken once a run, before its path is read: what is changed meanwhile counts for the next run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from platform_def.pipeline.user_files import leaves


class Inputs:
    """What is read of one repository."""

    def __init__(self, root: Path):
        self.root = root
        self._digests: dict[str, str] = {}
        self._after: dict[str, str] = {}
        self._files: dict[tuple[str, str], str] = {}

    def of(self, path: str) -> str:
        """The hash of a file, or of a folder with all below it, by its path from the root; empty: it cannot be read."""
        if path not in self._digests:
            self._digests[path] = self._now(path)
        return self._digests[path]

    def stayed(self, path: str) -> bool:
        """Whether its hash is still that, asked once what was to be read has been read."""
        if path not in self._after:
            self._after[path] = self._now(path)
        return bool(self._after[path]) and self._after[path] == self._digests.get(path)

    def is_there(self, path: str) -> bool:
        """Whether there is anything at a path, a link that leads nowhere among it."""
        return os.path.lexists(self.root / path)

    def _now(self, path: str) -> str:
        with suppress(OSError):  # told when it is read
            return digest(self.root, (path,))
        return ""

    def take(self, paths: Iterable[str]) -> None:
        """Take in what is about to be read."""
        for path in paths:
            self.of(path)

    def known(self, found: Mapping[str, str]) -> None:
        """Take over hashes that another process took before it read; a path of which two differ has not stayed."""
        for path, each in found.items():
            if self._digests.setdefault(path, each) != each:
                self._digests[path] = ""

    def file(self, named: str, real: str) -> str:
        """The hash of a file that a path is to lead to; empty where it leads elsewhere, or to no file."""
        key = (named, real)
        if key not in self._files:
            self._files[key] = ""
            with suppress(OSError):
                if os.path.realpath(named) == real and os.path.isfile(real):  # noqa: PTH113 - asked for each stack
                    self._files[key] = hashlib.sha256(Path(real).read_bytes()).hexdigest()
        return self._files[key]


def digest(root: Path, paths: Iterable[str]) -> str:
    """A hash of names and contents of files, and of folders with all below them; paths are from the root."""
    made = hashlib.sha256()
    for given in paths:
        for path in _files(root / given, root):
            name = os.fsencode(path.relative_to(root) if path.is_relative_to(root) else path)
            # Of a device, and of what is refused because it leaves the repository, no more than the link.
            whole = path.is_file() and not (path.is_symlink() and leaves(path, root))
            content = path.read_bytes() if whole else os.fsencode(path.readlink()) if path.is_symlink() else b""
            made.update(b"%s\0%d\0%s" % (name, len(content), content))
    return made.hexdigest()


def _files(path: Path, root: Path) -> Iterator[Path]:
    """The file, or all below the folder, and it; links inside the repository are followed, each folder once.

    Folders and pipes count by name: where a file belongs they are refused.
    """
    if not path.is_dir() or leaves(path, root):
        if os.path.lexists(path):
            yield path
        return
    seen: set[str] = set()
    for base, folders, files in os.walk(path, followlinks=True):
        real = os.path.realpath(base)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        linked = [name for name in folders if os.path.islink(f"{base}/{name}")]  # noqa: PTH114 - cheaper than a Path
        outside = [name for name in linked if leaves(Path(base, name), root)]
        folders[:] = sorted(set(folders).difference(outside))
        yield Path(base)
        yield from (Path(base, name) for name in sorted([*files, *outside]))
