"""What `replace:` of a stack names is needed: `pipeline/changes` tells the findings."""

from __future__ import annotations

from platform_def.checks.about import About

REPLACE = About(
    id="replace",
    severity="warning",
    title="Every entry of `replace:` is for a change that the API server refuses",
    why="An entry that stays lets the engine delete and recreate the object at the next change of it, though the API "
    "server would have taken that.",
    fix="take the entry out",
)
