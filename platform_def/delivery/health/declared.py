"""What the API types declare about health; imports the module of the kind that is asked for, or those of all."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.crds.catalogue import api_of, entries, known
from platform_def.crds.health import AnyHealth


def declared_health(group: str, kind: str) -> AnyHealth | None:
    """The health of a kind; None for kinds that are ready when they exist, and for unknown kinds."""
    api = api_of(group, kind)
    return api.health if api else None


def kinds_with_health() -> Iterator[tuple[str, str, AnyHealth]]:
    """Group and kind of every custom resource of the catalogue that declares its health, sorted."""
    kinds = {(entry.group, entry.kind) for name in known() for entry in entries(name)}
    for group, kind in sorted(kinds):
        if health := declared_health(group, kind):
            yield group, kind, health
