"""Two folders change places in one atomic step: Linux' renameat2 with RENAME_EXCHANGE.

ext4, xfs, btrfs and tmpfs can do it; vfat and many network file systems can't, nor can it cross a mount.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
from pathlib import Path

_EXCHANGE = 2
_AT_FDCWD = -100
_SYSCALL = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347}
_MOUNTS = Path("/proc/self/mountinfo")

CANNOT = frozenset(
    {
        errno.EINVAL,
        errno.ENOSYS,
        errno.EOPNOTSUPP,
        errno.EXDEV,
        errno.EBUSY,
        errno.EPERM,
        errno.EACCES,
        errno.EMLINK,
    }
)
"""What the kernel says where folders can't be moved or files not linked, though files may still be replaced."""


def exchange(one: str, other: str) -> None:
    """Let two existing paths change places at once; an OSError with an errno of CANNOT where that is impossible."""
    libc = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if hasattr(libc, "renameat2"):
        failed = libc.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, ctypes.c_uint(_EXCHANGE))
    elif os.uname().sysname == "Linux" and platform.machine() in _SYSCALL:
        number = ctypes.c_long(_SYSCALL[platform.machine()])
        failed = libc.syscall(number, _AT_FDCWD, first, _AT_FDCWD, second, ctypes.c_uint(_EXCHANGE))
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), one, None, other)
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), one, None, other)


def supported(probe: str) -> bool:
    """Whether the file system can exchange, tried on two empty folders in the folder `probe`, which is gone after."""
    pair = f"{probe}/a", f"{probe}/b"
    try:
        for each in pair:
            Path(each).mkdir(parents=True, exist_ok=True)
        exchange(*pair)
    except OSError as error:
        if error.errno not in CANNOT:
            raise
        return False
    finally:
        for each in (*pair, probe):
            if Path(each).is_dir():
                Path(each).rmdir()
    return True


def mounted(folder: str) -> bool:
    """Whether something is mounted on `folder` or below it; False where the kernel does not list mounts."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return False
    points = [re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), line.split(b" ")[4]) for line in lines]
    here = os.fsencode(folder)
    return any(point == here or point.startswith(here + b"/") for point in points)
