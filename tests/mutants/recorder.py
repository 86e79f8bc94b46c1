"""A plugin of pytest (`-p tests.mutants.recorder`) that writes down which test executes which line, and how long it computes.

Each process of a run writes what it saw; the one that leads the run makes one trace of it, where all tests ran and passed.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import coverage
import pytest

from tests.choice.changes import commit_of
from tests.choice.traced import keep
from tests.mutants.trace import FOLDERS, ROOT, TESTS, kept_trace, merged

PARTS = ROOT / "build" / "mutants" / "parts"
"""A file for each process of the run that goes on."""


def pytest_configure(config: pytest.Config) -> None:
    """Before anything of the project is imported."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Leader())
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Recorder(getattr(config, "workerinput", {}).get("workerid", "alone")))


class Leader:
    """Gathers what the processes wrote; what a run of some tests, or one that fails, has seen is not kept."""

    def __init__(self) -> None:
        self.ran: set[str] = set()
        self.commit = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test."""
        self.ran.add(report.nodeid)

    def pytest_sessionstart(self) -> None:
        """Forget what a run left that was ended by hand."""
        self.commit = commit_of(ROOT)
        shutil.rmtree(PARTS, ignore_errors=True)
        PARTS.mkdir(parents=True)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """The processes have written by now."""
        known = merged(json.loads(part.read_text(encoding="utf-8")) for part in sorted(PARTS.iterdir()))
        if exitstatus == pytest.ExitCode.OK and _files() <= _of_tests(self.ran):
            kept_trace().write_text(json.dumps(known), encoding="utf-8")
            if self.commit and self.commit == commit_of(ROOT):
                watched = _of_tests(known["seconds"]) - _of_tests(self.ran - known["seconds"].keys())
                keep(ROOT, self.commit, known["lines"], watched)
        shutil.rmtree(PARTS)


def _of_tests(names: Iterable[str]) -> set[str]:
    """The files of tests."""
    return {name.partition("::")[0] for name in names}


def _files() -> set[str]:
    return {file.relative_to(ROOT).as_posix() for each in TESTS for file in (ROOT / each).rglob("test_*.py")}


class Recorder:
    """Each test is a context of its own, with what its fixtures do; tests that mutants are not shown run unwatched.

    So do those marked `slow`: watched they take three times as long, and mutants die of quicker ones.
    """

    def __init__(self, name: str):
        self.out = PARTS / f"{name}.json"
        self.coverage = coverage.Coverage(data_file=None, include=[f"{folder}/*" for folder in FOLDERS])
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """One test, with setup and teardown."""
        if not item.nodeid.startswith(TESTS) or item.get_closest_marker("slow"):
            return (yield)
        self.coverage.start()
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - began
            self.coverage.stop()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was found."""
        data = self.coverage.get_data()
        lines = {
            Path(file).relative_to(session.config.rootpath).as_posix(): {
                line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        self.out.write_text(json.dumps({"lines": lines, "seconds": self.seconds}), encoding="utf-8")
