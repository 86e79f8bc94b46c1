"""The parts in which a component is delivered, and the one that an object belongs to by its kind."""

from __future__ import annotations

from typing import Literal

Part = Literal["crds", "main", "after"]

CRD = "CustomResourceDefinition"


def part_of(kind: str) -> Part:
    """`crds` for definitions, which nothing else may wait behind; `main` for all other kinds."""
    return "crds" if kind == CRD else "main"
