"""Starts Node in the background: most of the half second that importing cdk8s takes is waiting for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Thread

_LONGEST_SECONDS = 30.0


@contextmanager
def prefetched() -> Iterator[None]:
    """Import cdk8s beside what the block imports.

    Hold Ctrl-C off meanwhile: importlib may keep its lock when one comes at the wrong moment, and two threads then wait
    for each other endlessly. The thread imports nothing of ours: of two modules that wait for each other, one would be
    seen half made.
    """
    import_module("platform_def.constructs")
    thread = Thread(target=_start, daemon=True)
    thread.start()
    yield
    thread.join(_LONGEST_SECONDS)


def _start() -> None:
    with suppress(Exception):  # who needs it imports it again, and tells what is wrong
        import_module("cdk8s")
