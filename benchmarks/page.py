"""Writes figures and ratios of a run into a page, with the commit and the machine, so that a loss is seen in review.

Each benchmark has a section of its own, between two markers, and leaves the others as they are.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from timing import Figures

ROOT = Path(__file__).resolve().parent.parent
LOAD = os.getloadavg()[0]
"""Programs that wanted a processor in the minute before the benchmark began."""
HEAD = """# Speed

Written by `make bench PAGE=docs/speed.md`. Machines differ and are noisy: compare the ratios, which are taken in one
run. Where other programs ran at the same time, and the load was above the number of cores, only processor time and
memory say something.
"""


def write_section(file: Path, name: str, figures: Mapping[str, Figures], ratios: Mapping[str, tuple[str, str]]) -> None:
    """Put a benchmark's section into the page, in place of the one that is there.

    A ratio is named by two of the figures: the first is divided by the second.
    """
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = file.read_text(encoding="utf-8") if file.is_file() else HEAD
    before, found, rest = text.partition(begin)
    after = rest.partition(end)[2].strip() if found else ""
    body = f"{begin}\n{_section(name, figures, ratios)}{end}"
    file.write_text("\n\n".join(filter(None, (before.rstrip(), body, after))) + "\n", encoding="utf-8")


def _section(name: str, figures: Mapping[str, Figures], ratios: Mapping[str, tuple[str, str]]) -> str:
    lines = [f"## {name}", "", f"Commit {_commit()}; {_machine()}.", ""]
    lines += ["| | seconds | processor seconds | MiB |", "|---|---:|---:|---:|"]
    lines += [
        f"| {each} | {one.seconds:.2f} | {one.cpu_seconds:.2f} | {one.peak_mib:.0f} |" for each, one in figures.items()
    ]
    lines += ["", "| ratio | of time | of processor time | of memory |", "|---|---:|---:|---:|"]
    for each, (upper, lower) in ratios.items():
        one, other = figures[upper], figures[lower]
        times = f"{one.seconds / other.seconds:.2f} | {one.cpu_seconds / other.cpu_seconds:.2f}"
        lines.append(f"| {each} | {times} | {one.peak_mib / other.peak_mib:.2f} |")
    return "\n".join(lines) + "\n"


def _commit() -> str:
    """The commit that is checked out, and whether files of the program differ from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "platform_def", "stacks", "overlays")
    return f"`{git('rev-parse', '--short=12', 'HEAD')}`" + (" with changes" if changed else "")


def _machine() -> str:
    model = ""
    info = Path("/proc/cpuinfo")
    if info.is_file() and (found := re.search(r"^model name\s*:\s*(.*)$", info.read_text(), re.MULTILINE)):
        model = f" ({found[1]})"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    cores = f"{len(os.sched_getaffinity(0))} cores{model}"
    return f"{cores}, {memory} GiB, Python {platform.python_version()}, load {LOAD:.1f} as it began"
