"""Releases that left the catalogue: what is said to someone who names one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from platform_def.config.component import ComponentConfig
from platform_def.config.releases.upkeep import Support, Upkeep, Vulnerability
from platform_def.config.releases.withdrawn import Withdrawn
from platform_def.version import RELEASED

HOLES = (Vulnerability("CVE-1", "reads", "1.2.3"), Vulnerability("CVE-2", "writes", "1.2.9"))


@pytest.mark.parametrize(
    ("upkeep", "why"),
    [
        (Upkeep(RELEASED - timedelta(1)), f"upstream's support ended on {RELEASED - timedelta(1)}"),
        (Upkeep(Support.ENDED, HOLES), "upstream's support ended and it has CVE-2"),
        (Upkeep(Support.CURRENT, HOLES), "it has CVE-2"),
        (Upkeep(), "'1.2.9' replaced it"),
    ],
)
def test_the_refusal_says_why_what_to_write_and_what_changes(upkeep: Upkeep, why: str) -> None:
    gone = Withdrawn("1.2.4", instead="1.2.9", changes="nothing but the image", upkeep=upkeep)
    text = f"release '1.2.4' is no longer offered: {why}. Write '1.2.9'; what changes: nothing but the image"

    assert gone.refusal() == text


def test_a_configuration_that_names_it_is_refused_and_another_is_not() -> None:
    class Config(ComponentConfig):
        withdrawn = (Withdrawn("1.2.4", instead="1.2.9", changes="nothing", upkeep=Upkeep()),)

    assert Config().release == ""
    with pytest.raises(ValueError, match=r"release '1\.2\.4' is no longer offered"):
        Config(release="1.2.4")
    with pytest.raises(ValueError, match=r"release '1\.2\.5' is not known"):
        Config(release="1.2.5")
