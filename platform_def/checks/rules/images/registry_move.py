"""A change of `cluster.registry` renames no image that people wrote with the old one (`pipeline/changes`)."""

from __future__ import annotations

from platform_def.checks.about import About

REGISTRY_MOVE = About(
    id="registry-move",
    severity="error",
    title="Images on the host of the previous registry move on purpose",
    why="An image on the mirror's own host is pulled as written. With another registry, that host is one of many, "
    "so the image is rewritten to a path of the new registry where no one has pushed it, and new pods wait for it.",
    fix="write the image as the new registry has it, or say under `cluster.mirrors` where images of that host are",
    without_stack="not at all",
)
