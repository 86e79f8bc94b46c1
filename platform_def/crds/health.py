"""When an object of a kind is ready: declared once beside its type, for Argo CD (Lua) and Flux (CEL)."""

from __future__ import annotations

from dataclasses import dataclass

Value = str | bool | int


@dataclass(frozen=True, slots=True)
class HealthConditions:
    """Health read from `status.conditions`; each name is a condition's type whose status is `True`."""

    ready: tuple[str, ...] = ()
    """Healthy when all of these hold."""
    failed: tuple[str, ...] = ()
    """Degraded when one of these holds."""
    suspended: tuple[str, ...] = ()
    """Suspended when one of these holds."""
    false_is_failed: tuple[str, ...] = ()
    """Degraded when one of these is `False`."""
    generation: bool = False
    """Conditions count only when `status.observedGeneration` is the object's generation."""


@dataclass(frozen=True, slots=True)
class StateHealth:
    """Health read from one field, for kinds that say how it goes in a word, a number or a boolean."""

    path: str
    """`status.phase`."""
    ready: tuple[Value, ...]
    """Healthy when the field holds one of these; in progress while it holds none of those named here."""
    failed: tuple[Value, ...] = ()
    """Degraded."""
    suspended: tuple[Value, ...] = ()
    """Suspended."""


@dataclass(frozen=True, slots=True)
class FinalizerHealth:
    """Health read from a finalizer, for kinds whose controller writes no status and adds its finalizer last, after the
    object was carried out once. It says nothing of changes after that, and such an object never counts as failed."""

    name: str
    """`profile-finalizer`."""


AnyHealth = HealthConditions | StateHealth | FinalizerHealth

READY = HealthConditions(ready=("Ready",), generation=True)
