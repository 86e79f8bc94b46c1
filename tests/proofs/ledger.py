"""What was proven, and at which inputs: a small file for each module, so that branches never change the same one.

`make ledger` writes the files from the report of a run. Each is sealed: one that was edited by hand is an error.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tests.proofs.rendering import Made, read_made
from tests.proofs.report import REPORT, Record, read_report

FOLDER = "ledger"
"""Below the folder of the tests."""


class LedgerError(Exception):
    """An entry cannot be believed; the text names its file and says what to do."""


@dataclass(frozen=True)
class Entry:
    """A module of tests that passed."""

    module: str
    inputs: str
    """The hash of what it read."""
    minutes: float
    """What its tests took."""
    commit: str
    """Where it was proven."""
    stacks: Mapping[str, str] = field(default_factory=dict)
    """Of a module that is proven stack by stack: the hash of each one that was."""
    roots: Sequence[Made] = ()
    """What its tests had the code make, and what that became."""

    @property
    def seal(self) -> str:
        """A hash of everything else."""
        return hashlib.sha256(json.dumps(["proven", asdict(self)], sort_keys=True).encode()).hexdigest()[:20]


def read_ledger(tests: Path) -> dict[str, Entry]:
    """The entries of a folder of tests by module; raises LedgerError for one that `make ledger` has not written so."""
    return {entry.module: entry for file in sorted((tests / FOLDER).glob("*.json")) for entry in [_read(file)]}


def write_entry(tests: Path, entry: Entry) -> None:
    """Write the file of one module."""
    (tests / FOLDER).mkdir(exist_ok=True)
    text = json.dumps({**asdict(entry), "seal": entry.seal}, indent=1, sort_keys=True)
    (tests / FOLDER / _name(entry.module)).write_text(f"{text}\n", encoding="utf-8")


def _name(module: str) -> str:
    return f"{module.removesuffix('.py').replace('/', '.')}.json"


def _read(file: Path) -> Entry:
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
        seal = known.pop("seal")
        entry = Entry(**{**known, "roots": [read_made(each) for each in known["roots"]]})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LedgerError(f"{file}: not an entry of the ledger ({error}); remove it: its proof is due then") from None
    if seal != entry.seal or file.name != _name(entry.module):
        raise LedgerError(f"{file}: edited by hand; remove it: its proof is due then, and `make ledger` writes it")
    return entry


def proven(records: Mapping[str, Record]) -> Iterator[Entry]:
    """The entries that records are worth: what ran whole and passed, and of tests of every stack the stacks that did."""
    for module, record in sorted(records.items()):
        missing = [name for name in record.needed if name not in record.tests or record.tests[name].unproven]
        without = {record.needed[name] for name in missing}
        whole = "" not in without if record.by_stack else not missing
        if whole and any(each.outcome == "passed" for each in record.tests.values()):
            minutes = round(sum(each.seconds for each in record.tests.values()) / 60, 2)
            stacks = {name: value for name, value in record.stacks.items() if name not in without}
            roots = [record.roots[key] for key in sorted(record.roots)]
            yield Entry(module, record.inputs, minutes, record.commit, stacks, roots)


def _joined(before: Entry | None, entry: Entry) -> Entry:
    """The entry, with the stacks that stood on the ledger and did not run."""
    if before is None or not entry.stacks or before.inputs != entry.inputs:
        return entry
    return replace(entry, stacks={**before.stacks, **entry.stacks}, minutes=max(before.minutes, entry.minutes))


def main(root: Path, folder: str = "tests/cluster") -> int:
    """Write the entries that the last runs are worth."""
    tests = root / folder
    known, found = read_ledger(tests), list(proven(read_report(root / REPORT)))
    for entry in found:
        write_entry(tests, _joined(known.get(entry.module), entry))
    print(f"{len(found)} modules written into {folder}/{FOLDER}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
