"""Folders and files on disk: listing, reading, linking, removing. Symbolic links are never followed below the root.

All paths are strings relative to a root, with `/` between names.
"""

# Strings and os calls: a fleet has 20,000 files, and a Path object costs more than the system call it is for.
# ruff: noqa: PTH101, PTH102, PTH105, PTH108, PTH106

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from platform_def.errors import PlatformError

FILE_MODE = 0o644
FOLDER_MODE = 0o755

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HINTS = {
    errno.ENOSPC: "make room on that disk, then run it again",
    errno.EDQUOT: "make room in your quota, then run it again",
    errno.EROFS: "that file system is mounted read-only",
    errno.EACCES: "who runs this must own that folder or may write to it",
    errno.EPERM: "who runs this must own that folder or may write to it",
}


@dataclass(slots=True)
class Listing:
    """What lies below a root: `files` by path with inode, links and pipes (`odd`) among them, and folders."""

    files: dict[str, int] = field(default_factory=dict)
    odd: set[str] = field(default_factory=set)
    folders: list[str] = field(default_factory=list)


@contextmanager
def translated(doing: str, *, drafts: Path | None = None) -> Iterator[None]:
    """Turn an OSError into the PlatformError `cannot <doing>`; the one seam where that happens in this package.

    `drafts`: the folder in which the output is prepared, which may lie on another disk; what fails there says so.
    """
    try:
        yield
    except OSError as error:
        file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
        if drafts and Path(file).is_relative_to(drafts):
            doing, file = f"{doing}: it is prepared in {drafts}, and that cannot be written", ""
        place = f": {file}" if file else ""
        text = f"cannot {doing}: {error.strerror or error}{place}"
        raise PlatformError(text, hint=hint_for(error)) from error


def hint_for(error: OSError) -> str:
    """What a user can do about it; empty where that is not known."""
    return _HINTS.get(error.errno or 0, "")


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let an OSError name this file where it names none: a write knows only a descriptor."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise


def listing(root: str, below: str = "", *, skip: Collection[str] = ()) -> Listing:
    """All files and folders of `root`, or of its folder `below`, parents first; `skip` names folders to pass by."""
    found = Listing()
    todo = [below + "/" if below else ""]
    while todo:
        prefix = todo.pop()
        with os.scandir(f"{root}/{prefix}") as entries:
            for entry in entries:
                path = prefix + entry.name
                if not entry.is_dir(follow_symlinks=False):
                    found.files[path] = entry.inode()
                    if not entry.is_file(follow_symlinks=False):
                        found.odd.add(path)
                elif path not in skip:
                    found.folders.append(path)
                    todo.append(path + "/")
    return found


class Signature(NamedTuple):
    """What files look like without being read, by names, sizes, times and inodes: equal means untouched."""

    strict: str
    loose: str
    """The same without the time that a new or lost hard link changes as well."""


def signatures(
    root: Path, known: Mapping[str, Signature] = MappingProxyType({}), *, but: Collection[str] = ()
) -> dict[str, Signature]:
    """The signature of each folder in `root` and, under '', of what else lies there; nothing where `root` is missing.

    Those of `known` are not taken again, and those of `but` not at all.
    """
    loose: list[str] = []
    folders: list[str] = []
    found: dict[str, Signature] = {}
    try:
        times = _scan(root, "", loose, folders)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found[""] = _signed(loose, times)
    for folder in folders:
        name = folder.rstrip("/")
        if name in but:
            continue
        found[name] = known[name] if name in known else _signature(root, folder)
    return found


def seen(root: str, folder: str) -> tuple[Listing, Signature]:
    """All that lies below a folder of `root`, as `listing` has it, and the folder's signature: one look at both."""
    found = Listing()
    loose: list[str] = []
    times: list[str] = []
    todo = [f"{folder}/"]
    while todo:
        below: list[str] = []
        times += _scan(root, todo.pop(), loose, below, found)
        found.folders += [each.rstrip("/") for each in below]
        todo += below
    return found, _signed(loose, times)


def fingerprint(root: Path) -> str:
    """The signature of a whole tree, taken when everything is in place."""
    return combined(signatures(root))


def combined(found: Mapping[str, Signature]) -> str:
    """The signature of a whole tree, from those of its folders."""
    lines = [f"{name}\0{each.strict}" for name, each in sorted(found.items())]
    return sha256(os.fsencode("\n".join(lines))).hexdigest() if found else "missing"


def _signature(root: Path, folder: str) -> Signature:
    loose: list[str] = []
    times: list[str] = []
    todo = [folder]
    while todo:
        with suppress(FileNotFoundError, NotADirectoryError):
            times += _scan(root, todo.pop(), loose, todo)
    return _signed(loose, times)


def _scan(
    root: str | Path, prefix: str, loose: list[str], folders: list[str], listed: Listing | None = None
) -> list[str]:
    """Add the files of one folder, as they look, and the folders in it; the times of their last change of any kind."""
    times = []
    with os.scandir(f"{root}/{prefix}") as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(f"{path}/")
            else:
                status = entry.stat(follow_symlinks=False)
                loose.append(f"{path}\0{status.st_mode} {status.st_size} {status.st_mtime_ns} {status.st_ino}")
                times.append(f"{path}\0{status.st_ctime_ns}")
                if listed is not None:
                    listed.files[path] = status.st_ino
                    if not stat.S_ISREG(status.st_mode):
                        listed.odd.add(path)
    return times


def _signed(loose: list[str], times: list[str]) -> Signature:
    said = os.fsencode("\n".join(sorted(loose)))
    changed = os.fsencode("\n".join(sorted(times)))
    return Signature(sha256(b"%s\0\0%s" % (said, changed)).hexdigest(), sha256(said).hexdigest())


def read(path: str, expected_size: int = 0) -> bytes | None:
    """A regular file's bytes, None if it is a link; the size is a guess that saves a system call."""
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
    try:
        chunks = [os.read(descriptor, max(expected_size, 4096) + 1)]
        while chunks[-1] and len(chunks[0]) != expected_size:
            chunks.append(os.read(descriptor, 1 << 20))
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def write_file(path: str, content: bytes) -> None:
    """Make a new file, with the same rights whatever the umask is."""
    descriptor = os.open(path, _CREATE, FILE_MODE)
    try:
        with naming(path):
            _set_mode(descriptor, FILE_MODE)
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def folders_of(files: Iterable[str]) -> set[str]:
    """Every folder that the files lie in, at any depth."""
    folders: set[str] = set()
    for file in files:
        folder = file.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def make_folders(root: str, folders: Iterable[str]) -> None:
    """Make `root` and these folders, of which no parent may be left out; a link or file there is NotADirectoryError."""
    Path(root).parent.mkdir(parents=True, exist_ok=True)
    for path in (root, *(f"{root}/{folder}" for folder in sorted(folders))):
        try:
            os.mkdir(path, FOLDER_MODE)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
        else:
            _set_mode(path, FOLDER_MODE)


def _set_mode(target: str | int, mode: int) -> None:
    """Where a file system knows no rights, as vfat, there are none to set."""
    with suppress(PermissionError):
        os.chmod(target, mode)


def link(source: str, target: str) -> None:
    """Give a file or link a second name, or copy it where that is impossible."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        shutil.copy2(source, target, follow_symlinks=False)


def discard(path: str) -> None:
    """Remove a folder, or whatever is in its place, with all that is in it; nothing there is fine."""
    try:
        if stat.S_ISDIR(os.lstat(path).st_mode):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    except FileNotFoundError:
        return


def replace(source: str, target: str) -> None:
    """Move a file or link over `target`, across mounts too; a source that is gone was moved before."""
    try:
        os.replace(source, target)
    except FileNotFoundError:
        if os.path.lexists(source):
            raise
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        folder, _, name = target.rpartition("/")
        draft = f"{folder}/.{name[:200]}.platformctl"
        discard(draft)
        shutil.copy2(source, draft, follow_symlinks=False)
        os.replace(draft, target)
        os.unlink(source)


def prune(root: str, removed: Iterable[str]) -> None:
    """Remove the folders that the removed files leave empty, never `root` itself."""
    for folder in sorted(folders_of(removed), reverse=True):
        with suppress(OSError):
            os.rmdir(f"{root}/{folder}")
