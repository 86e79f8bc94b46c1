"""What is known of upstream's support and of vulnerabilities, and what follows for one release at one day."""

from __future__ import annotations

from datetime import date

import pytest

from platform_def.config.releases.upkeep import Support, Upkeep, Vulnerability

DAY = date(2026, 11, 26)
FIXED_EARLY, FIXED_LATE = Vulnerability("CVE-1", "reads", "3.4.2"), Vulnerability("CVE-2", "writes", "3.4.10")
NEVER_FIXED = Vulnerability("CVE-3", "runs")


@pytest.mark.parametrize(
    ("support", "ended"),
    [
        (date(2026, 11, 25), True),
        (DAY, False),
        (date(2026, 11, 27), False),
        (Support.ENDED, True),
        (Support.CURRENT, False),
        (Support.UNKNOWN, False),
    ],
)
def test_support_ends_after_its_last_day_and_not_where_no_end_is_known(support: date | Support, ended: bool) -> None:
    assert Upkeep(support).ended(DAY) is ended


@pytest.mark.parametrize(
    ("release", "found"),
    [
        ("3.4.1", ["CVE-1", "CVE-2", "CVE-3"]),
        ("3.4.2", ["CVE-2", "CVE-3"]),
        ("3.4.9", ["CVE-2", "CVE-3"]),
        ("3.4.10", ["CVE-3"]),
        ("3.4.10-experimental", ["CVE-3"]),
        ("d8b821e", ["CVE-1", "CVE-2", "CVE-3"]),
    ],
)
def test_a_patch_has_the_vulnerabilities_that_later_ones_fix(release: str, found: list[str]) -> None:
    upkeep = Upkeep(vulnerabilities=(FIXED_EARLY, FIXED_LATE, NEVER_FIXED))

    assert [each.id for each in upkeep.open_in(release)] == found


def test_the_first_sound_patch_has_every_fix() -> None:
    assert Upkeep(vulnerabilities=(FIXED_LATE, FIXED_EARLY)).first_sound == "3.4.10"
    assert Upkeep(vulnerabilities=(FIXED_EARLY, NEVER_FIXED)).first_sound == ""
    assert Upkeep(vulnerabilities=()).first_sound == ""
    assert Upkeep().first_sound == ""


def test_a_release_is_sound_while_it_is_maintained_and_has_every_fix() -> None:
    assert Upkeep(DAY, (FIXED_LATE,)).sound("3.4.10", DAY)
    assert not Upkeep(DAY, (FIXED_LATE,)).sound("3.4.9", DAY)
    assert not Upkeep(Support.ENDED, (FIXED_LATE,)).sound("3.4.10", DAY)
