"""Rendered stacks, a file each, below build/renders/STATE: the first process that asks renders, the others read.

A test reads only the stacks that it looks at; a process that renders all of them is one of its own, whose memory is free
again when it ends.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.renders.state import REPOSITORY, state_of

if TYPE_CHECKING:
    from platform_def.manifests.rendered import RenderedStack

ROOTS: Mapping[str, Path] = {"stacks": REPOSITORY, "coverage": REPOSITORY / "tests" / "coverage"}
"""The repository's own stacks, and those that have every component at every release."""
FOLDER = REPOSITORY / "build" / "renders"
KEPT = 6
"""States that are kept, those used last; each holds up to 100 MiB."""


def names_of(place: str) -> list[str]:
    """`PLACE/NAME` of the stacks of one root, known before anything is rendered."""
    return sorted(f"{place}/{file.stem}" for file in (ROOTS[place] / "stacks").glob("*.yaml"))


class NotRenderedError(AssertionError):
    """A stack could not be rendered; the text is what the process that tried has printed."""


@dataclass
class Store:
    """The rendered stacks of some roots in one folder."""

    roots: Mapping[str, Path] = field(default_factory=lambda: ROOTS)
    folder: Path = FOLDER
    _states: dict[str, str] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)

    def get(self, stack: str, *, beside: Iterable[str] = ()) -> RenderedStack:
        """The stack `PLACE/NAME`; where it must be rendered, those `beside` it, which will be asked for too, are as well."""
        file = self._filled(stack, beside)
        found: RenderedStack = pickle.loads(file.read_bytes())  # written by this project's own code
        return found

    def digest(self, stack: str, *, beside: Iterable[str] = ()) -> str:
        """A hash of the files that the stack becomes."""
        return self._filled(stack, beside).with_suffix(".digest").read_text()

    def _filled(self, stack: str, beside: Iterable[str]) -> Path:
        place, _, name = stack.partition("/")
        file = self.file_of(stack)
        if not file.exists():
            also = [other for where, _, other in (each.partition("/") for each in beside) if where == place]
            self._fill(place, sorted({name, *also}))
        os.utime(file.parent)
        return file

    def file_of(self, stack: str) -> Path:
        """Where the stack is kept, or will be, as the files are now when this process asks first."""
        place, _, name = stack.partition("/")
        if place not in self._states:
            self._states[place] = state_of(self.roots[place])
        return self.folder / self._states[place] / f"{name}.pickle"

    def _fill(self, place: str, names: Sequence[str]) -> None:
        if place in self._failed:
            raise NotRenderedError(self._failed[place])
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            missing = [name for name in names if not self.file_of(f"{place}/{name}").exists()]
            if not missing:
                return
            self._prune()
            target = self.folder / self._states[place]
            command = [sys.executable, "-m", "tests.renders.fill", str(self.roots[place]), str(target), *missing]
            done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if done.returncode:
            self._failed[place] = f"{place}: {' '.join(missing)} cannot be rendered:\n{done.stdout}{done.stderr}"
            raise NotRenderedError(self._failed[place])

    def _prune(self) -> None:
        states = [path for path in self.folder.iterdir() if path.is_dir() and path.name != "builds"]
        for old in sorted(states, key=lambda path: path.stat().st_mtime)[: -KEPT + 1]:
            shutil.rmtree(old)
