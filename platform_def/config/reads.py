"""A record of what is read: of facts by builds, of fields in doubt by what judges a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
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


class _Judged(set[str]):
    """What was read for the answer that comes next."""


@contextmanager
def judged() -> Iterator[set[str]]:
    """Record what is read for each answer: between questions asked `independently` the record forgets."""
    reads = _Judged()
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)


def independently(questions: Iterable[Iterable[T]]) -> Iterator[T]:
    """The answers to questions of which none depends on what was read for another."""
    for question in questions:
        reads = _READS.get()
        before = {*reads} if isinstance(reads, _Judged) else None
        yield from question
        if isinstance(reads, _Judged) and before is not None:
            reads &= before
