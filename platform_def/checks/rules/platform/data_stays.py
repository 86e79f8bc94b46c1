"""Data does not follow when a stack names another database, bucket or volume for it (`pipeline/changes`)."""

from __future__ import annotations

from platform_def.checks.about import About

DATA_STAYS = About(
    id="data-stays",
    severity="warning",
    title="Data that a component keeps is moved by hand when the stack names another place for it",
    why="Neither synth nor an engine copies data: the component starts with an empty database or bucket, and what "
    "it had stays where it was.",
    fix="dump the data before you merge the change, and restore it in the new place",
    without_stack="not at all",
)
