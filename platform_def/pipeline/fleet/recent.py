"""What many stacks of a run share, held up to a size: what was asked for last stays."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key; each has a size, and where all are more than `largest`, those not asked for the longest go."""

    def __init__(self, largest: int):
        self._largest, self._held = largest, 0
        self._found: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of a key, where it is still held."""
        found = self._found.get(key)
        if found is None:
            return None
        self._found.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Hold a value; one that is larger than all may be is let go at once."""
        if (old := self._found.pop(key, None)) is not None:
            self._held -= old[1]
        self._found[key] = (value, size)
        self._held += size
        while self._held > self._largest:
            self._held -= self._found.popitem(last=False)[1][1]
