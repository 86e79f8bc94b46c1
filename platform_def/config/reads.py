"""A record of what is read: of facts by builds, of fields in doubt by what judges a configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_READS: ContextVar[set[str] | None] = ContextVar("reads", default=None)


def note(what: str) -> None:
    """Record a read inside `observed()`."""
    reads = _READS.get()
    if reads is not None:
        reads.add(what)


@contextmanager
def observed() -> Iterator[set[str]]:
    """Record what is read inside the block."""
    reads: set[str] = set()
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)
