"""`make mutants`: change the code in one place at a time, and list the changes that no test notices.

Ends with 1 when less than 90% of the mutants die; a whole run also when one survives that is not listed, or when a listed
one dies.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from tests.mutants.points import Point, points
from tests.mutants.sample import sample
from tests.mutants.survivors import LISTED, listed, stale
from tests.mutants.trace import FOLDERS, ROOT, Trace, trace

TABLES = "platform_def/manifests/schemas/server/"
"""What the API server refuses, as tables: a real server decides about those, on thousands of manifests."""
WHOLE = 600
"""Mutants of a whole run."""
LEAST = 0.9

FIRST = 30
"""Tests that are tried at once."""
SECONDS = 15
"""What the others may compute together: a mutant that survives them is taken to survive all."""


@dataclass(frozen=True)
class Result:
    """What became of a mutant."""

    point: Point
    outcome: str
    """`killed`, `timeout`, `survived`, or `untested`: no test executes it."""
    by: str
    """The test that noticed it."""
    seconds: float

    @property
    def alive(self) -> bool:
        """Whether no test noticed it."""
        return self.outcome in ("survived", "untested")


def main() -> None:
    """Print the survivors and the figures."""
    options = _options()
    found = list(points(ROOT, FOLDERS))
    chosen = sample([point for point in found if _wanted(point, options)], options.sample, seed=options.seed)
    print(f"{len(chosen)} of {len(found)} mutants of {', '.join(options.only or FOLDERS)}", flush=True)
    known = trace(options.jobs)
    results = []
    with (
        TemporaryDirectory(prefix="copies-", dir=ROOT / "build" / "mutants") as copies,
        # Tests that are killed leave their temporary files behind; not in the repository, where files have a meaning.
        TemporaryDirectory(prefix="platform-def-mutants-") as scratch,
    ):
        for result in _tried(chosen, known, options.jobs, folder=Path(copies), scratch=scratch):
            results.append(result)
            if options.verbose or result.alive:
                print(
                    f"{len(results):4} {result.outcome:9}{result.seconds:5.1f} s  {result.point.name}  {result.by}",
                    flush=True,
                )
    if options.json:
        options.json.write_text(json.dumps([_plain(result) for result in results], indent=1), encoding="utf-8")
    sys.exit(_report(results, stale(point.name for point in found)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=WHOLE, metavar="N", help="mutants that are tried")
    parser.add_argument("--seed", type=int, default=0, help="another one chooses others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes at a time")
    parser.add_argument("--only", nargs="*", default=[], metavar="PATH", help="files whose paths start so")
    parser.add_argument("--name", nargs="*", default=[], metavar="TEXT", help="mutants whose names hold one of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what became of each mutant")
    parser.add_argument("--verbose", action="store_true", help="print each mutant, not only those alive")
    return parser.parse_args()


def _wanted(point: Point, options: argparse.Namespace) -> bool:
    here = point.path.startswith(tuple(options.only)) if options.only else not point.path.startswith(TABLES)
    return here and (not options.name or any(text in point.name for text in options.name))


def _tried(chosen: Sequence[Point], known: Trace, jobs: int, *, folder: Path, scratch: str) -> Iterator[Result]:
    """The results in order, found in several copies of the repository at a time."""
    processes: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
    started = [_started(_copied(folder / str(job)), scratch) for job in range(jobs)]

    def control(process: subprocess.Popen[str], point: Point) -> None:
        # Tests that fail without a change would kill every mutant.
        task = {"path": point.path, "code": (ROOT / point.path).read_text(encoding="utf-8"), "number": 0}
        answer = _asked(process, task | {"batches": _batches(known.tests(point), known)})
        assert answer["outcome"] == "survived", f"{answer['by']} fails though nothing is changed"
        processes.put(process)

    def one(numbered: tuple[int, Point]) -> Result:
        number, point = numbered
        batches = _batches(known.tests(point), known)
        if not batches:
            return Result(point, "untested", "", 0)
        process = processes.get()
        try:
            task = {"path": point.path, "code": point.code(), "number": number, "batches": batches}
            answer = _asked(process, task)
        finally:
            processes.put(process)
        return Result(point, answer["outcome"], answer["by"], answer["seconds"])

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(control, started, chosen))
        yield from pool.map(one, enumerate(chosen, 1))
    for process in started:
        process.communicate()


def _batches(tests: Sequence[str], known: Trace) -> list[dict[str, Any]]:
    """Most mutants die in the first few tests; what they may compute follows from what they took before."""
    taken = accumulate(known.seconds[test] for test in tests[FIRST:])
    parts = [tests[:FIRST], [test for test, seconds in zip(tests[FIRST:], taken, strict=True) if seconds < SECONDS]]
    return [
        {"tests": part, "seconds": 15 + round(4 * sum(known.seconds[test] for test in part))} for part in parts if part
    ]


def _copied(target: Path) -> Path:
    """The files that git knows or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def _started(copy: Path, scratch: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.mutants.trial", *(folder.replace("/", ".") for folder in FOLDERS)],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "TMPDIR": scratch},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _asked(process: subprocess.Popen[str], task: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(task) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def _report(results: Sequence[Result], no_longer_there: Sequence[str]) -> int:
    reasons = listed()
    alive = [result for result in results if result.alive]
    new = [result for result in alive if result.point.name not in reasons]
    wrong = [result for result in results if not result.alive and result.point.name in reasons]
    for folder in FOLDERS:
        here = [result for result in results if result.point.path.startswith(folder)]
        if here:
            print(f"{folder:28}{_share(here):>20}")
    print(f"{'together':28}{_share(results):>20}, of the survivors {len(alive) - len(new)} listed")
    print("survivors by operator:", dict(Counter(result.point.operator for result in alive).most_common()))
    for result in new:
        print(f"not listed, {result.outcome}: {result.point.name}  [{result.point.operator}]")
    for result in wrong:
        print(f"listed, but noticed by {result.by or result.outcome}: {result.point.name}")
    for name in no_longer_there:
        print(f"listed, but the code is another one now: {name}")
    if new or wrong or no_longer_there:
        print(f"Write tests that notice them, or mend {LISTED.relative_to(ROOT)}.")
    killed = 1 - len(alive) / len(results) if results else 1
    # A small share says whether tests still notice things; that each survivor is listed is asked of a whole run.
    exact = len(results) >= WHOLE and (new or wrong or no_longer_there)
    return 1 if killed < LEAST or exact else 0


def _share(results: Sequence[Result]) -> str:
    killed = sum(not result.alive for result in results)
    return f"{killed} of {len(results)} die, {killed / len(results):.1%}" if results else "none"


def _plain(result: Result) -> dict[str, object]:
    point = result.point
    return {
        "name": point.name,
        "operator": point.operator,
        "line": point.lines.start,
        "outcome": result.outcome,
        "by": result.by,
        "seconds": round(result.seconds, 2),
    }


if __name__ == "__main__":
    main()
