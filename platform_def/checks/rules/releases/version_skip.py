"""Upgrades go through every minor version, unless the stack says that a larger step is meant (`pipeline/changes`)."""

from __future__ import annotations

from platform_def.checks.about import About

VERSION_SKIP = About(
    id="version-skip",
    severity="warning",
    title="Kubernetes and components are upgraded one minor version at a time",
    why="Control planes take one minor version at a time. Many operators convert stored objects or databases in one "
    "release only and drop that code in the next, so what was never converted cannot be read afterwards.",
    fix="upgrade to the versions in between first, one commit each",
    without_stack="not at all",
)
