"""Whether the server kept what it was sent: fields behind a feature gate that is off are dropped without a word."""

from __future__ import annotations

from typing import Any

from tests.cluster.client import Manifest


def lost_fields(sent: Manifest, stored: Manifest) -> list[str]:
    """Paths of filled fields that are not stored; values are not compared, since the server normalises them."""
    # Secret: the server turns stringData into data.
    return _lost({key: value for key, value in sent.items() if key not in ("stringData", "status")}, stored, "")


def _lost(sent: Any, stored: Any, path: str) -> list[str]:
    if isinstance(sent, dict):
        if not isinstance(stored, dict):
            return [path]
        return [
            lost
            for key, value in sent.items()
            if not _is_empty(value)
            for lost in (_lost(value, stored[key], f"{path}.{key}") if key in stored else [f"{path}.{key}"])
        ]
    if isinstance(sent, list):
        if not isinstance(stored, list) or len(stored) < len(sent):
            return [path]
        return [lost for index, value in enumerate(sent) for lost in _lost(value, stored[index], f"{path}[{index}]")]
    return []


def _is_empty(value: Any) -> bool:
    """Null, false, zero, and collections of nothing else: what Go leaves out when it writes an object."""
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    if isinstance(value, list):
        return not value
    return not value
