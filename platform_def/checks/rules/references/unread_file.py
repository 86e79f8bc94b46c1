"""Files below `stacks/` that no run reads; `pipeline/unread.py` tells the findings."""

from __future__ import annotations

from platform_def.checks.about import About

UNREAD_FILE = About(
    id="unread-file",
    severity="warning",
    title="Every file below `stacks/` is a stack, or extended by one",
    why="A stack is a file directly in `stacks/` that ends in .yaml or .yml. Another file there is read only where a "
    "stack extends it: a cluster that it declares gets nothing, and a base that it means to be changes nothing.",
    fix="for a cluster of its own move it to stacks/NAME.yaml; as a base, name it under `extends:` of a stack",
    without_stack="not at all",
    waivable=False,
)
