"""`python -m tests.temporary` empties a folder for the temporary files of `make test`, and prints its name.

In memory where there is room, for tests make and remove many small files; pytest keeps those of three runs, on a disk.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from tests.memory import in_memory

LEAST_BYTES = 8 << 30
"""A run writes two gigabytes, and each of its processes holds as much beside; such a folder may have half of the memory."""


def folder_of_a_run(checkout: Path) -> Path:
    """The folder, the same one each time for a checkout; its name is short, and programs may be run from it."""
    memory = in_memory()
    usable = memory and shutil.disk_usage(memory).free >= LEAST_BYTES and not os.statvfs(memory).f_flag & os.ST_NOEXEC
    name = f"pd-{os.getuid()}-{hashlib.sha256(str(checkout).encode()).hexdigest()[:6]}"
    folder = (memory if memory and usable else Path(tempfile.gettempdir())) / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


if __name__ == "__main__":
    print(folder_of_a_run(Path.cwd()))
