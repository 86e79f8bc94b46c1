"""Which points are tried: a seeded choice, spread over modules and operators."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from tests.mutants.points import Point


def sample(points: Iterable[Point], size: int, *, seed: int = 0) -> list[Point]:
    """Some of the points, in the order of their places.

    Each module and operator is a layer. A layer of n points gives about as many as the square root of n says, so that
    the many dropped arguments do not crowd out the few turned conditions. What is chosen follows from the names of the
    points alone: a change elsewhere hardly moves the choice, and a smaller sample is a part of every larger one.
    """
    layers: defaultdict[tuple[str, str], list[tuple[float, Point]]] = defaultdict(list)
    for point in points:
        layers[point.path, point.operator].append((_draw(point, seed), point))
    ranked: list[tuple[float, str, Point]] = []
    for layer in layers.values():
        layer.sort(key=lambda pair: (pair[0], pair[1].name))
        ranked += [((rank + draw) / len(layer) ** 0.5, point.name, point) for rank, (draw, point) in enumerate(layer)]
    ranked.sort(key=lambda triple: triple[:2])
    return sorted((point for *_, point in ranked[:size]), key=lambda point: (point.path, point.lines.start, point.name))


def _draw(point: Point, seed: int) -> float:
    """A number from 0 to 1, the same on every machine."""
    digest = hashlib.sha256(f"{seed} {point.operator} {point.name}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64
