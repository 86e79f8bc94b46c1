"""Runs commands as whole processes and takes the operating system's own figures."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
"""As a user has it: with PYTHONDONTWRITEBYTECODE every run would compile the program anew."""


@dataclass(frozen=True)
class Figures:
    """Medians of several runs of one command."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    """Of the largest process of the command's tree."""

    def __str__(self) -> str:
        return f"{self.seconds:7.2f} s  {self.cpu_seconds:7.2f} s CPU  {self.peak_mib:6.0f} MiB"


def measure(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    runs: int = 3,
    before: Callable[[], None] = lambda: None,
    environment: Mapping[str, str] | None = None,
) -> Figures:
    """Medians over `runs`; `before` runs ahead of each and is not counted. A failing command ends the benchmark."""
    taken = [_once(command, cwd, before, environment or {}) for _ in range(runs)]
    return Figures(*(statistics.median(values) for values in zip(*taken, strict=True)))


def _once(
    command: Sequence[str | Path], cwd: Path, before: Callable[[], None], environment: Mapping[str, str]
) -> tuple[float, float, float]:
    before()
    started = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=cwd,
        env={**_ENVIRONMENT, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"{command[0]} failed: {said.decode(errors='replace')[-2000:]}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
