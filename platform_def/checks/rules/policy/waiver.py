"""Waivers are as carefully kept as what they let pass: `checks/waivers.py` tells the findings."""

from __future__ import annotations

from platform_def.checks.about import About

WAIVER = About(
    id="waiver",
    severity="warning",
    title="Every waiver applies to a finding, gives a reason, and has not expired",
    why="A waiver that nothing needs any more lets the same mistake pass unseen when it comes back.",
    fix="remove it",
    waivable=False,
)
