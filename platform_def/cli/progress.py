"""One line that follows a long run on a terminal; nothing where no one watches."""

from __future__ import annotations

import shutil
import sys
import time

from platform_def.pipeline.build.stacks import Progress

_SOON_SECONDS = 5.0
"""Before that no one asks how long it takes, and a guess would be wrong."""
_MINUTES = 99
"""Seconds above which minutes are told."""


class Ticker:
    """Rewrites one line of stderr, at most ten times a second."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._started = time.monotonic()
        self._next = 0.0
        self._cached = 0

    def __call__(self, progress: Progress) -> None:
        """Show how far the run is."""
        self._cached += progress.cached
        if not self._live or (time.monotonic() < self._next and progress.done < progress.total):
            return
        self._next = time.monotonic() + 0.1
        width = shutil.get_terminal_size().columns - 1
        left = self._left(progress)
        line = f"building {progress.done}/{progress.total} ({self._cached} cached){left}  {progress.what}"
        sys.stderr.write(f"\r\x1b[K{line[:width]}")
        sys.stderr.flush()

    def _left(self, progress: Progress) -> str:
        """How long it will still take, once enough has been done to guess that."""
        passed = time.monotonic() - self._started
        if passed < _SOON_SECONDS or not progress.done:
            return ""
        seconds = passed / progress.done * max(progress.total - progress.done, 0)
        return f", {seconds / 60:.0f} min left" if seconds > _MINUTES else f", {seconds:.0f} s left"

    def done(self) -> None:
        """Clear the line."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
