"""The choice: what the changed files reach, without what the trace of a recorded run says no changed line is executed by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.choice.changes import UnknownCommitError, changed_files, changed_lines
from tests.choice.reach import Reach, Reaches, joined
from tests.choice.repository import Repository
from tests.choice.traced import Traced, kept

FILE = "build/choice/chosen.json"
SHOWN = 5
"""How many names the line has."""


@dataclass(frozen=True)
class Choice:
    """What to run, and why."""

    why: str
    everything: bool = False
    tests: Sequence[str] = ()
    """Files of which all tests run."""
    parts: Sequence[str] = ()
    """Files of which those tests run that are about one of these, or about none of their kind."""
    about: Sequence[str] = ()
    others: Sequence[str] = ()
    """Components and stacks that the change does not reach."""

    def write(self, root: Path) -> None:
        """Keep it for the processes that run tests."""
        (root / FILE).parent.mkdir(parents=True, exist_ok=True)
        (root / FILE).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, root: Path) -> Choice:
        """What was kept."""
        return cls(**json.loads((root / FILE).read_text(encoding="utf-8")))


def choose(root: Path, commit: str) -> Choice:
    """The tests that a change since `commit` may break."""
    try:
        changed = changed_files(root, commit)
    except UnknownCommitError as error:
        return Choice(f"all tests: {error}", everything=True)
    repository = Repository(root)
    reaches = Reaches(repository)
    reach = joined(reaches.of(path) for path in changed)
    repository.keep()
    if reach.everything:
        return Choice(f"all {len(repository.tests)} files of tests: {reach.everything}", everything=True)
    scanning = {each for each in repository.tests if repository.scans(each)} if changed else set()
    untouched = _untouched(root, reaches, {*reach.tests, *reach.parts} - {*changed})
    tests, parts = {*reach.tests} - untouched | scanning, {*reach.parts} - untouched - scanning
    known = {*repository.components, *repository.stacks}
    said = (
        f"{len(tests)} of {len(repository.tests)} files of tests, and of {len(parts)} what is about {_few(reach.about)}"
    )
    why = f"{said if parts else said.partition(',')[0]}: {len(changed)} files changed ({_few(changed)}); "
    why += f"{len(scanning)} read the whole repository, {len(untouched)} are left by the trace of lines"
    return Choice(why, False, sorted(tests), sorted(parts), sorted(reach.about), sorted(known - reach.about))


def _untouched(root: Path, reaches: Reaches, tests: Set[str]) -> set[str]:
    """Of these files of tests those that, by the kept trace, execute nothing that changed since it was recorded."""
    traced = kept(root)
    try:
        changed = changed_files(root, traced.commit) if traced else []
    except UnknownCommitError:
        return set()
    if traced is None or not traced.tests:
        return set()
    reached: set[str] = set()
    for path in changed:
        reach = _reached(root, path, traced, reaches)
        if reach.everything:
            return set()
        reached |= {*reach.tests, *reach.parts, path}
    return {*tests} & traced.tests - reached


def _reached(root: Path, path: str, traced: Traced, reaches: Reaches) -> Reach:
    """What a change since the recorded run reaches: of a watched file, who executes its lines."""
    lines = changed_lines(root, traced.commit, path) if path in traced.lines else None
    if lines is None or not (root / path).is_file():
        return reaches.of(path)
    return Reach(tests=traced.of(path, lines))


def _few(names: Iterable[str]) -> str:
    found = sorted(names)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"{', '.join(found[:SHOWN])}{more}" or "none"
