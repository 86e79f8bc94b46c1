"""Reads objects that no check has seen yet: what is not of the type that is asked for counts as empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any


def mapping(value: object) -> Mapping[str, Any]:
    """A map."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Any]:
    """A list."""
    return value if isinstance(value, list) else ()


def text(value: object) -> str:
    """A text."""
    return value if isinstance(value, str) else ""


def at(value: object, path: str) -> object:
    """What stands at a dotted path of maps; None where it ends early."""
    for step in _steps(path):
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


@lru_cache(4096)
def _steps(path: str) -> list[str]:
    """Rules ask for the same few hundred paths again and again."""
    return path.split(".")


def server_written(manifest: Mapping[str, Any]) -> list[str]:
    """Fields of the metadata that the API server writes alone, and refuses an apply for that names others."""
    metadata = mapping(manifest.get("metadata"))
    fields = ("uid", "resourceVersion", "managedFields", "selfLink", "deletionTimestamp")
    return [f"metadata.{field}" for field in fields if metadata.get(field) is not None]
