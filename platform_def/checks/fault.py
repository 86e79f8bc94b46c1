"""What a rule sees in one object."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]


class Fault(NamedTuple):
    """What a rule sees in one object."""

    path: str
    """Where in the object (`spec.replicas`); empty for the object as a whole."""
    text: str
    hint: str | None = None
    """What to write instead; empty: the text says it all; None: what the rule says in general."""
    severity: Severity | None = None
    """Where it is not the rule's own."""
    uncovered: bool = False
    """Whether the object's fields could not be checked: it is reported, so that nothing is skipped silently."""
