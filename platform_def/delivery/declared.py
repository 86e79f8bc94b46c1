"""What the API types declare about a kind's health; imports the module of that kind alone."""

from __future__ import annotations

from platform_def.crds.catalogue import api_of
from platform_def.crds.health import AnyHealth


def declared_health(group: str, kind: str) -> AnyHealth | None:
    """The health of a kind; None for kinds that are ready when they exist, and for those that nobody here knows."""
    api = api_of(group, kind)
    return api.health if api else None
