"""Programs under AGPL, SSPL or a source-available licence are installed knowingly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.rules.releases.facts import released
from platform_def.manifests.rendered import RenderedObject

_TOLD = re.compile(r"AGPL-|SSPL-|BUSL-|LicenseRef-RSAL|Elastic-")
"""Beginnings of SPDX identifiers: network copyleft, and licences that restrict who may use the program for what."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item, fact in released(context):
        for part, terms in fact.licenses:
            # Where one may choose, one of the choices may be free of such terms.
            if all(_TOLD.search(choice) for choice in terms.split(" OR ")):
                whose = fact.component if part == fact.component else f"{part}, a part of {fact.component},"
                yield item, Fault("", f"{whose} is licensed under {terms}")


RELEASE_LICENSE = StackRule(
    id="release-license",
    severity="warning",
    title="Programs with restrictive licences are installed deliberately",
    why="AGPL and SSPL ask for the source of what you offer with them; BSL and RSAL forbid some uses of a program.",
    fix="let it be approved where your organization asks for that, then waive the finding with that as the reason",
    check=_check,
    without_stack="not at all",
)
