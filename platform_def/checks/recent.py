"""What many stacks of a run share, held up to a size: what is asked for again and again stays."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key; each has a size, and never are more held than `largest` in all.

    They are of two generations: where the younger has half of all, the older goes, and the younger takes its place.
    What is asked for becomes young.
    """

    def __init__(self, largest: int):
        self._half, self._size = largest // 2, 0
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        """The value of a key, where it is still held."""
        found = self._young.get(key)
        if found is None:
            found = self._old.pop(key, None)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: K, value: V, size: int = 1) -> None:
        """Hold a value; one that is larger than a generation is not held."""
        if size > self._half:
            return
        if self._size + size > self._half:
            self._old, self._young, self._size = self._young, {}, 0
        replaced = self._young.get(key)
        self._young[key] = (value, size)
        self._size += size - (replaced[1] if replaced else 0)
