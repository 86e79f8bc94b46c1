"""What runs of the cluster tests came to, test by test, in build/proofs/report.json: what `make ledger` and CI's table read.

A later run adds to it; what a module was found to be at other inputs is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.proofs.rendering import Made, read_made

REPORT = "build/proofs/report.json"
LEFT_OUT = "left out: "
"""How the reason of a skip begins where this run had no time for a test, or for building a program that it needs."""
BUILDS_ALL = ": `make cluster-tools` builds all"
"""How it ends where a program was not built."""
TIME_OVER = f"{LEFT_OUT}the time of this run is over: `make cluster-test` runs it"


@dataclass
class Test:
    """One test."""

    outcome: str = "not run"
    """`passed`, `failed`, `not run`, or `skipped`."""
    reason: str = ""
    """Why it was skipped."""
    seconds: float = 0.0

    @property
    def unproven(self) -> bool:
        """Whether the run says nothing about it, or that it fails."""
        return self.outcome in ("failed", "not run") or self.left_out

    @property
    def left_out(self) -> bool:
        """Whether it was due and this run had no time for it, or for a program."""
        return self.outcome == "not run" or self.reason.startswith(LEFT_OUT)

    @property
    def late(self) -> bool:
        """Whether it was due and this run did not come to it; programs of the floor are always built."""
        return self.outcome == "not run" or self.reason == TIME_OVER


@dataclass
class Record:
    """One module in a run."""

    inputs: str
    commit: str
    run: str
    """The run of CI that it is part of; empty outside of CI."""
    state: str
    """`floor`, `again`, `due` or `standing`."""
    by_stack: bool = False
    needed: dict[str, str] = field(default_factory=dict)
    """All tests that prove the module, in whichever lane; each with its stack, where it is proven stack by stack."""
    tests: dict[str, Test] = field(default_factory=dict)
    """Those that were chosen."""
    stacks: dict[str, str] = field(default_factory=dict)
    """The hash of each stack that a test had."""
    roots: dict[str, Made] = field(default_factory=dict)
    """What its tests had the code make, by key."""


def read_report(file: Path) -> dict[str, Record]:
    """The records by module; none where there was no run."""
    if not file.exists():
        return {}
    known = json.loads(file.read_text(encoding="utf-8"))
    return {module: _record(each) for module, each in known.items()}


def _record(known: Mapping[str, Any]) -> Record:
    tests = {name: Test(**each) for name, each in known["tests"].items()}
    return Record(
        **{**known, "tests": tests, "roots": {key: read_made(each) for key, each in known.get("roots", {}).items()}}
    )


def add_to_report(file: Path, records: Mapping[str, Record]) -> dict[str, Record]:
    """The report with these in it, written: tests that ran again replace what they were, as far as inputs and run are the same."""
    known = read_report(file)
    for module, record in records.items():
        before = known.get(module)
        if before and (before.inputs, before.run) == (record.inputs, record.run):
            record.tests = {**before.tests, **record.tests}
            record.needed = {**before.needed, **record.needed}
            record.stacks = {**before.stacks, **record.stacks}
            record.roots = {**before.roots, **record.roots}
        known[module] = record
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({module: asdict(each) for module, each in sorted(known.items())}, indent=1)
    file.write_text(text, encoding="utf-8")
    return known
