"""What a run of CI does with each proof: the floor always, what the ledger does not hold as far as the minutes go.

Two profiles: *floor* is never cut; *rest* is what is due. What stands on the ledger is left, but for three modules that
are run again each time, chosen by the commit, as are the stacks of the floor and where the rest begins.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.proofs.inputs import Inputs, Known
from tests.proofs.ledger import Entry
from tests.proofs.rendering import Answer, Made, Renders, Root

FLOOR = (
    "engines/test_flux.py",
    "test_apply.py",
    "engines/test_argocd.py",
    "test_control_plane.py",
    "test_training.py",
    "test_gateways.py",
)
"""One Flux, every stack that changed with a tenth of the others, one Argo CD, the control plane, one training job, one gateway."""
BY_STACK = ("test_apply.py",)
"""Modules of the floor that are proven stack by stack."""
TENTH = 10
AGAIN = 3
MOST_COMMITS = 30
"""For so many commits a proof may be due on main without having run."""


@dataclass
class Plan:
    """The states of modules, and of the stacks of those that are proven by stack."""

    root: Path
    tests: Path
    inputs: Inputs
    stacks: Mapping[str, str]
    ledger: Mapping[str, Entry]
    commit: str
    renders: Renders
    _hashes: dict[tuple[str, Known], str] = field(default_factory=dict)

    def hash_of(self, module: str, made: Iterable[Made] = ()) -> str:
        """What the module reads now, beside what it had the code make."""
        key = module, known(made)
        if key not in self._hashes:
            by_stack = module in BY_STACK
            self._hashes[key] = self.inputs.hash_of(self.tests / module, stacks=not by_stack, made=known(made))
        return self._hashes[key]

    @cached_property
    def _proven(self) -> Set[str]:
        """Modules that read what they did when they passed, and for which the code makes what it did; of the floor, which
        runs anyhow, those that are proven stack by stack."""
        asked = {module: entry for module, entry in self.ledger.items() if module not in FLOOR or module in BY_STACK}
        same = {module: entry for module, entry in asked.items() if self._reads_the_same(module, entry)}
        self.renders.ask(root for entry in same.values() for root in entry.roots)
        return {module for module, entry in same.items() if all(map(self.renders.unchanged, entry.roots))}

    @cached_property
    def _made_otherwise(self) -> Set[str]:
        """Modules for which the code no longer makes what it did when they passed."""
        self.renders.ask(root for entry in self.ledger.values() for root in entry.roots)
        return {name for name, entry in self.ledger.items() if not all(map(self.renders.unchanged, entry.roots))}

    def _reads_the_same(self, module: str, entry: Entry) -> bool:
        return (self.tests / module).is_file() and entry.inputs == self.hash_of(module, entry.roots)

    def state(self, module: str, stack: str = "") -> str:
        """`floor`, `again`, `due` or `standing`, of a module or of one stack in it."""
        entry = self.ledger.get(module)
        known = module in self._proven
        if module in BY_STACK and stack:
            changed = entry is not None and entry.stacks.get(stack) != self.stacks.get(stack)
            if changed or self._in_turn(stack):
                return "floor"
            return "standing" if known and not changed else "due"
        if module in FLOOR:
            return "floor"
        if not known:
            return "due"
        return "again" if module in self._again() else "standing"

    def order(self, module: str) -> tuple[int, str]:
        """A key to sort by: the floor in its order, then what is run again, then the rest in an order of this commit."""
        if module in FLOOR:
            return FLOOR.index(module), ""
        return len(FLOOR) + (self.state(module) != "again"), self._turn(module)

    def commits_due(self, module: str) -> int | None:
        """For how many commits a module that was proven has been due: 0 for one that is proven, or is to run again for
        all that; None where it never was, or git cannot tell."""
        entry = self.ledger.get(module)
        if entry is None:
            return None
        if module in self._proven:
            return 0
        file, made = self.tests / module, known(entry.roots)
        labels = (label.removeprefix("stack ") for label, _ in self.inputs.read_by(file, made=made))
        paths = [label for label in labels if (self.root / label).exists()]
        if module in self._made_otherwise:
            golden = self.inputs.golden_files(file) if made.rendered else ()
            seen = [*golden, *self.inputs.components(words(entry.roots))]
            paths += [os.path.relpath(path, self.root) for path in seen]
        changed = self._git("rev-list", f"{entry.commit}..HEAD", "--", *paths)
        if changed is None:
            return None
        commits = changed.split()
        # What was changed and changed back made it due for a while, and was not what makes it due now.
        stood = (each for each in commits if self._git("diff", "--quiet", entry.commit, f"{each}^", "--", *paths) == "")
        since = next(stood, commits[-1] if commits else "")
        later = self._git("rev-list", "--count", f"{since}..HEAD") if since else "-1"
        return int(later) + 1 if later else None

    def _again(self) -> Sequence[str]:
        return sorted(self._proven - {*FLOOR}, key=self._turn)[:AGAIN]

    def _in_turn(self, stack: str) -> bool:
        names = sorted(self.stacks)
        return stack in names and names.index(stack) % TENTH == int(_hash(self.commit), 16) % TENTH

    def _turn(self, name: str) -> str:
        return _hash(f"{self.commit} {name}")

    def branch(self) -> str:
        """The branch that is checked out; empty where none is, or git cannot tell."""
        return self._git("symbolic-ref", "--short", "-q", "HEAD") or ""

    def _git(self, *words: str) -> str | None:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None


def known(made: Iterable[Made]) -> Known:
    """Of what the things are that the code made for a module."""
    kinds = {type(each) for each in made}
    return Known(rendered=Root in kinds, asked=Answer in kinds)


def words(made: Iterable[Made]) -> set[str]:
    """The words of all questions."""
    return {word for each in made if isinstance(each, Answer) for word in each.words}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
