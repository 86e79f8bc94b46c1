"""Starts Node in the background: most of the half second that importing cdk8s takes is waiting for it."""

from contextlib import suppress
from importlib import import_module
from threading import Thread


def prefetch() -> None:
    """Begin; whoever needs cdk8s waits for it, and tells what went wrong."""
    Thread(target=_start, daemon=True).start()


def _start() -> None:
    with suppress(Exception):
        import_module("platform_def.constructs.render")
