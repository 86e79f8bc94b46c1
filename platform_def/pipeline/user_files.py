"""Reading what the user's files name: what the operating system refuses becomes a message that names the file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platform_def.errors import ConfigError, Source


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Inside the block an OSError becomes a ConfigError of `file`, as messages name it."""
    try:
        yield
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror or error}", where=Source(file)) from None


def content_of(path: Path) -> bytes:
    """The content of a file; OSError for a pipe, socket or device, of which reading may never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    return path.read_bytes()


def followed(path: Path) -> Path:
    """The path without links; a link that leads back to itself stays, and is not there when asked."""
    return Path(os.path.realpath(path))


def leaves(path: Path, root: Path) -> bool:
    """Whether a path leads out of the repository, by itself or through a link."""
    return not followed(path).is_relative_to(followed(root))


def is_there(path: Path) -> bool:
    """Whether a path leads to anything; False also for names that no file system takes."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for a name that is too long
