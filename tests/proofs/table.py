"""The last lines of CI: what ran and how long, what stood on the ledger and since when, what was due and did not run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.proofs.plan import MOST_COMMITS, Plan
from tests.proofs.report import Record

LANES = "build/proofs/lanes"
"""A line for each lane that has ended, which .ci/run writes: its seconds, a tabulator, its name."""


def table(
    plan: Plan, records: Mapping[str, Record], *, floor_late: Sequence[str] = (), too_old: Sequence[str] = ()
) -> Iterator[str]:
    """The lines."""
    yield "profiles: floor, which is never cut, and rest, which is what is due as far as the minutes go"
    yield from _lanes(plan.root / LANES)
    yield f"{'proof':42}{'state':10}{'passed':>7}{'failed':>7}{'skipped':>8}{'left out':>9}{'minutes':>9}"
    for module, record in sorted(records.items(), key=lambda each: plan.order(each[0])):
        yield _row(module, record)
    yield from _skipped(records)
    yield from _standing(plan, records)
    yield from _left_out(plan, records)
    for name in floor_late:
        yield f"THE FLOOR DOES NOT FIT: {name} did not run"
    for module in too_old:
        yield f"DUE FOR TOO LONG: {module} has not run for more than {MOST_COMMITS} commits; run it, then `make ledger`"


def _lanes(file: Path) -> Iterator[str]:
    if not file.exists():
        return
    yield f"{'lane':69}{'minutes':>9}"
    for line in file.read_text().splitlines():
        seconds, _, name = line.partition("\t")
        yield f"{name:69}{float(seconds) / 60:9.1f}"
    yield ""


def _row(module: str, record: Record) -> str:
    tests = record.tests.values()
    count = Counter("left out" if each.left_out else each.outcome for each in tests)
    minutes = sum(each.seconds for each in tests) / 60
    numbers = f"{count['passed']:7}{count['failed']:7}{count['skipped']:8}{count['left out']:9}"
    return f"{module:42}{record.state:10}{numbers}{minutes:9.1f}"


def _skipped(records: Mapping[str, Record]) -> Iterator[str]:
    """Why tests were skipped that the machine, not the time, does not let run."""
    reasons = Counter(
        (each.reason, module)
        for module, record in records.items()
        for each in record.tests.values()
        if each.outcome == "skipped" and not each.left_out
    )
    for (reason, module), count in sorted(reasons.items()):
        yield f"skipped, {count} of {module}: {reason}"


def _standing(plan: Plan, records: Mapping[str, Record]) -> Iterator[str]:
    """What was left because it is proven: whole modules, and stacks of one that is proven stack by stack."""
    for module, entry in sorted(plan.ledger.items()):
        if not (plan.tests / module).is_file() or module in records:
            continue
        if plan.state(module) == "standing":
            yield f"on the ledger since {entry.commit[:10]}: {module} ({entry.minutes:.1f} minutes)"
    for module, record in sorted(records.items()):
        held = plan.ledger.get(module)
        if record.by_stack and held:
            left = sorted(each for each in held.stacks if plan.state(module, each) == "standing")
            if left:
                yield f"on the ledger since {held.commit[:10]}: {module} with {len(left)} stacks"


def _left_out(plan: Plan, records: Mapping[str, Record]) -> Iterator[str]:
    """What was due and did not run, each with its minutes and the reason."""
    for module, record in sorted(records.items()):
        reasons = Counter(each.reason or "the run ended before" for each in record.tests.values() if each.left_out)
        held = plan.ledger.get(module)
        minutes = f"{held.minutes:.1f} minutes" if held else "never proven"
        age = plan.commits_due(module) if reasons else None
        since = f", due for {age} commits" if age else ""
        for reason, count in sorted(reasons.items()):
            yield f"DUE AND NOT RUN: {count} of {len(record.tests)} tests of {module} ({minutes}{since}): {reason}"
