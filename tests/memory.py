"""Where the system keeps files in memory: many small ones are made and removed there for a third of what a disk's cost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
LEAST_BYTES = 1 << 30
"""Less is left to others: containers often have 64 MiB there."""


def in_memory() -> Path | None:
    """The folder, for `dir=` of `tempfile`; None, which is the usual place, where there is none or little room in it."""
    usable = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= LEAST_BYTES
    return MEMORY if usable else None
