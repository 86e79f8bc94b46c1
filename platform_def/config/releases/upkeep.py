"""What upstream does for the line of a release: until when it mends it, and the vulnerabilities that are known.

`unknown` is a value: it says that this was not found out, which is not the same as "none".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from platform_def.crds.versions import age


class Support(StrEnum):
    """What is known of a line's support where upstream names no day on which it ends."""

    CURRENT = "current line"
    """Upstream mends it, and has announced no end."""
    ENDED = "ended"
    """Upstream has archived or left it, or says that it mends newer lines alone."""
    UNKNOWN = "unknown"
    """Upstream does not say until when it mends a line."""


@dataclass(frozen=True)
class Vulnerability:
    """A published vulnerability of a line of releases."""

    id: str
    """As its advisory is called: `CVE-2026-45738`."""
    text: str
    """What an attacker can do, in a line of our own words."""
    fixed_in: str = ""
    """The first patch of this line without it; empty: the line has none."""


@dataclass(frozen=True)
class Upkeep:
    """What upstream does for a line of releases; its patches may share one."""

    support: date | Support = Support.UNKNOWN
    """The last day on which upstream mends the line, or what is known where no day is."""
    vulnerabilities: tuple[Vulnerability, ...] | None = None
    """Those of any patch of the line; None: unknown, not looked up."""

    def ended(self, on: date) -> bool:
        """Whether upstream no longer mends the line on that day."""
        return self.support is Support.ENDED or (isinstance(self.support, date) and self.support < on)

    def open_in(self, release: str) -> tuple[Vulnerability, ...]:
        """The known vulnerabilities that a release of the line has."""
        return tuple(each for each in self.vulnerabilities or () if not _reaches(release, each.fixed_in))

    @property
    def first_sound(self) -> str:
        """The first patch of the line without a known vulnerability; empty where there is none, or none is needed."""
        fixes = [each.fixed_in for each in self.vulnerabilities or ()]
        return max(fixes, key=lambda fix: age(fix)[1]) if all(fixes) and fixes else ""

    def sound(self, release: str, on: date) -> bool:
        """Whether upstream mends the line on that day, as far as is known, and the release lacks no known fix."""
        return not self.ended(on) and not self.open_in(release)


def _reaches(release: str, fix: str) -> bool:
    """Whether a patch has the fix; one without a number, such as a commit, is taken to lack it."""
    return bool(fix) and age(release)[1] >= age(fix)[1]
