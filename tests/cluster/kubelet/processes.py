"""The processes of containers, in namespaces as container runtimes make them: each container has one of its own, whose first
process is its program, or all of a pod share one, with the pause program as its first process.

The kernel gives the first process of a namespace no signal that it has no handler for but SIGKILL, and ends all others with it. In
the shared one what is started has no parent, as in a cluster: the pod's programs tell themselves apart by that.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_PROCESSES = 0x20000000
_OWN = "/proc/self/ns/pid"
_PAUSE = ("unshare", "--pid", "--fork", "--kill-child", "sh", "-c", "echo here && exec sleep infinity")


class Processes:
    """The namespace that containers share, for as long as the pod lives."""

    def __init__(self) -> None:
        self._pause = subprocess.Popen(_PAUSE, stdout=subprocess.PIPE, text=True)
        assert self._pause.stdout is not None
        assert self._pause.stdout.readline() == "here\n", "no namespace of processes"

    @property
    def namespace(self) -> str:
        """Path of the namespace."""
        return f"/proc/{self._pause.pid}/ns/pid_for_children"

    def close(self) -> None:
        """End all of them."""
        self._pause.kill()
        self._pause.wait()
        assert self._pause.stdout is not None
        self._pause.stdout.close()


@contextmanager
def apart() -> Iterator[None]:
    """Have what this thread starts meanwhile be the first process of a new namespace; that can be one process alone."""
    _call("unshare", _NEW_PROCESSES)
    try:
        yield
    finally:
        _enter(_OWN)


@contextmanager
def among(namespace: str) -> Iterator[None]:
    """Have what this thread starts meanwhile run in a namespace."""
    _enter(namespace)
    try:
        yield
    finally:
        _enter(_OWN)


def _enter(namespace: str) -> None:
    handle = os.open(namespace, os.O_RDONLY)
    try:
        _call("setns", handle, _NEW_PROCESSES)
    finally:
        os.close(handle)


def _call(name: str, *arguments: int) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: no namespace of processes")
