"""The processes of a pod whose containers see each other's: a namespace with the pause program as its first process.

What is started there has no parent of its own, as in a cluster: the pod's programs tell themselves apart by that.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_PROCESSES = 0x20000000
_PAUSE = ("unshare", "--pid", "--fork", "--kill-child", "sh", "-c", "echo here && exec sleep infinity")


class Processes:
    """The namespace, for as long as the pod lives."""

    def __init__(self) -> None:
        self._pause = subprocess.Popen(_PAUSE, stdout=subprocess.PIPE, text=True)
        assert self._pause.stdout is not None
        assert self._pause.stdout.readline() == "here\n", "no namespace of processes"

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Have what this thread starts meanwhile run there."""
        _enter(f"/proc/{self._pause.pid}/ns/pid_for_children")
        try:
            yield
        finally:
            _enter("/proc/self/ns/pid")

    def close(self) -> None:
        """End all of them."""
        self._pause.kill()
        self._pause.wait()
        assert self._pause.stdout is not None
        self._pause.stdout.close()


def _enter(namespace: str) -> None:
    handle = os.open(namespace, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(handle, _NEW_PROCESSES) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
    finally:
        os.close(handle)
