"""Releases that were offered and no longer are: a stack that still names one learns which to take, and what changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from platform_def.config.releases.upkeep import Support, Upkeep
from platform_def.version import RELEASED


@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """A release that left the catalogue."""

    version: str = field(kw_only=False)
    instead: str
    """A release that is offered: the nearest that upstream mends."""
    changes: str
    """What changes for someone who takes that one, as a clause: `ApplicationSets get a health in their status`."""
    upkeep: Upkeep
    """What upstream does for its line; clusters may still have it."""

    def refusal(self) -> str:
        """What is said to someone who names it."""
        why = " and ".join(self._why()) or f"'{self.instead}' replaced it"
        text = f"release '{self.version}' is no longer offered: {why}. Write '{self.instead}'"
        return f"{text}; what changes: {self.changes}"

    def _why(self) -> Iterator[str]:
        if self.upkeep.ended(RELEASED):
            day = "" if self.upkeep.support is Support.ENDED else f" on {self.upkeep.support}"
            yield f"upstream's support ended{day}"
        if found := self.upkeep.open_in(self.version):
            yield f"it has {', '.join(each.id for each in found)}"
