"""One run at a time for an output folder. The kernel lets the lock go with its process, however that ends."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shlex
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from platform_def.errors import LockedError, PlatformError
from platform_def.pipeline.output.tree import hint_for

FILE = "lock"
_POLL_SECONDS = 0.1


@contextmanager
def lock(state: Path, *, wait_seconds: float = 60.0, on_wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock in the folder `state`, which is made if missing.

    While another run has it, `on_wait` is called once with its name; after `wait_seconds` LockedError names it as well.
    """
    descriptor = _acquire(state, wait_seconds, on_wait)
    try:
        _sign(descriptor)
        yield
    finally:
        os.close(descriptor)


def _acquire(state: Path, wait_seconds: float, on_wait: Callable[[str], None] | None) -> int:
    deadline = time.monotonic() + wait_seconds
    while True:
        descriptor = _try(state / FILE)
        if descriptor is not None:
            return descriptor
        holder = _holder(state / FILE)
        if time.monotonic() >= deadline:
            raise LockedError(f"{holder} is at work here", hint="wait for it to end, or end it")
        if on_wait is not None:
            on_wait(f"waiting for {holder}")
            on_wait = None
        time.sleep(_POLL_SECONDS)


def _try(path: Path) -> int | None:
    """A descriptor that holds the lock; None while another has it, or if the file was replaced meanwhile."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        hint = hint_for(error) or "that folder must be writable; --check needs no lock"
        raise PlatformError(f"cannot lock {path.parent}: {error.strerror}", hint=hint) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine, there = os.fstat(descriptor), path.stat()
        if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
            return descriptor
    except BlockingIOError:
        pass
    except FileNotFoundError:
        pass
    except OSError as error:
        os.close(descriptor)
        if error.errno == errno.EINTR:
            return None
        raise PlatformError(f"cannot lock {path}: {error.strerror}") from error
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _sign(descriptor: int) -> None:
    """Who holds the lock is a courtesy: a full disk must not stop a run that would have nothing to write."""
    holder = {"pid": os.getpid(), "host": socket.gethostname(), "command": shlex.join(sys.argv)}
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode() + b"\n", 0)
    except OSError:
        return


def _holder(path: Path) -> str:
    try:
        match json.loads(path.read_bytes()):
            case {"pid": int(pid), "host": str(host), "command": str(command)}:
                return f"another run (process {pid} on {host}: {command})"
    except (OSError, ValueError):
        pass
    return "another run"
