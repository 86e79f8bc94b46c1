"""Files in the output folder that synth did not write, where an engine reads: applied, unseen by any check.

The writer of `dist/` knows them; it tells the findings.
"""

from __future__ import annotations

from platform_def.checks.about import About

FOREIGN_FILE = About(
    id="foreign-file",
    severity="error",
    title="A stack's folder of `dist/` holds nothing but what synth wrote",
    why="An engine applies all of that folder: a file added by hand reaches the cluster, and no check has seen it.",
    fix="remove it; manifests of your own go into a folder that the stack names: components: {mine: {path: apps/mine}}",
    without_stack="not at all",
    waivable=False,
)
