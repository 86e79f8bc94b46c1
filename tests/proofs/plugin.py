"""A plugin of pytest (`-p tests.proofs.plugin`) that writes down what cluster tests came to; with `--proofs ci` it chooses them.

Then the floor runs however late it is, what stands on the ledger is left, what is due runs until PLATFORM_DEF_TESTS_UNTIL,
and the last lines say what ran, what stood on the ledger, and what was due and did not run.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Generator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import pytest

from tests.proofs.inputs import Inputs
from tests.proofs.ledger import LedgerError, read_ledger
from tests.proofs.plan import BY_STACK, MOST_COMMITS, Plan
from tests.proofs.rendering import Made, Renders, read_made, watch
from tests.proofs.report import REPORT, TIME_OVER, Record, Test, add_to_report, read_report
from tests.proofs.table import table
from tests.renders.store import NotRenderedError

UNTIL = "PLATFORM_DEF_TESTS_UNTIL"
"""Variable that says, in seconds since 1970, when no further test is begun, the floor's apart."""
RUN = "PLATFORM_DEF_RUN"
"""Variable that names a run of CI, whose lanes have one report."""
MAIN = "main"
FLOOR_SECONDS = 15 * 60
"""For how much longer than the rest tests of the floor may begin."""
NOT_FITTING, TOO_OLD = 6, 7
"""Exit codes: the floor was not done in time; a proof has been due for too many commits. Neither is tried once more."""

Items = dict[str, dict[str, str]]
"""By module the tests that were chosen, each with its stack."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """What is run, and where the proofs are."""
    parser.addoption("--proofs", choices=["all", "ci"], default="all", help="all tests, or the floor and what is due")
    parser.addini("proofs_folder", "folder of the tests whose modules are proofs", default="tests/cluster")
    parser.addini("proofs_given", "function that returns pins and stacks", default="tests.proofs.given:given")
    parser.addini("proofs_render", "function that renders stacks", default="platform_def.pipeline.synth:render")


def pytest_configure(config: pytest.Config) -> None:
    """A ledger that cannot be believed ends the run before it begins."""
    try:
        proofs = Proofs(config)
        config.pluginmanager.register(proofs, "proofs")
        config.add_cleanup(watch(config.getini("proofs_render"), proofs.note))
    except (LedgerError, NotRenderedError) as error:
        raise pytest.UsageError(str(error)) from None


class Proofs:
    """Chooses tests in the processes that run them, and gathers in the one that leads."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.ci = config.getoption("--proofs") == "ci"
        self.until = float(os.environ.get(UNTIL) or "inf")
        self.plan = _plan(config)
        self.worker = hasattr(config, "workerinput")
        self.needed: Items = {}
        self.chosen: Items = {}
        self.found: dict[str, Test] = {}
        self.begun: set[str] = set()
        self.running = ""
        self.roots: dict[str, dict[str, Made]] = {}
        self.unknown: set[str] = set()
        self.known: dict[str, Record] = {}

    def module_of(self, item: pytest.Item) -> str:
        """The module's path below the folder of the tests; empty for a test that is elsewhere or needs no cluster."""
        needs = item.get_closest_marker("cluster") or item.get_closest_marker("frameworks")
        inside = item.path.is_relative_to(self.plan.tests) and needs
        return item.path.relative_to(self.plan.tests).as_posix() if inside else ""

    def stack_in(self, module: str, item: pytest.Item) -> str:
        """The stack of a test in a module that is proven stack by stack."""
        return _stack_of(item) if module in BY_STACK else ""

    def state_of(self, item: pytest.Item) -> str:
        """What the plan says of a test."""
        module = self.module_of(item)
        return self.plan.state(module, _stack_of(item)) if module else ""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, None, None]:
        """The floor first; in CI without what stands on the ledger."""
        for item in items:
            if (module := self.module_of(item)) and not item.get_closest_marker("thorough"):
                self.needed.setdefault(module, {})[item.nodeid] = self.stack_in(module, item)
        yield
        if self.ci:
            left = [item for item in items if self.state_of(item) == "standing"]
            items[:] = [item for item in items if self.state_of(item) != "standing"]
            self.config.hook.pytest_deselected(items=left)
        places = {module: self.plan.order(module) for module in {self.module_of(item) for item in items} if module}
        items.sort(key=lambda item: places.get(self.module_of(item), (-1, "")))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what was chosen."""
        for item in session.items:
            if module := self.module_of(item):
                self.chosen.setdefault(module, {})[item.nodeid] = self.stack_in(module, item)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, object, object]:
        """A module may ask as it is imported, for what it has a test of."""
        if not isinstance(collector, pytest.Module) or not collector.path.is_relative_to(self.plan.tests):
            return (yield)
        self.running = collector.path.relative_to(self.plan.tests).as_posix()
        try:
            return (yield)
        finally:
            self.running = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """What is rendered meanwhile is of the test's module."""
        self.running = self.module_of(item)
        try:
            return (yield)
        finally:
            self.running = ""

    def note(self, root: Made | None) -> None:
        """Note what was made; a module that rendered what cannot be noted is taken to read all code."""
        if root is None:
            self.unknown.add(self.running)
        else:
            self.roots.setdefault(self.running, {})[root.key] = root

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """After the time of the run nothing of the rest begins; the floor goes on for a while, and then does not fit.

        One test of a module is its floor, of those that are proven stack by stack each of its stacks.
        """
        if not (module := self.module_of(item)):
            return
        floor = self.state_of(item) == "floor" and (module in BY_STACK or module not in self.begun)
        if time.time() > self.until + (FLOOR_SECONDS if self.ci and floor else 0):
            pytest.skip(TIME_OVER)
        self.begun.add(module)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up what each test took and came to."""
        found = self.found.setdefault(report.nodeid, Test("passed"))
        found.seconds = round(found.seconds + report.duration, 2)
        if report.failed:
            found.outcome = "failed"
        elif report.skipped and found.outcome == "passed":
            found.outcome, found.reason = "skipped", _reason(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """What a process chose; all choose the same."""
        needed, chosen, roots = getattr(node, "workeroutput", {}).get("proofs", ({}, {}, {}))
        self.needed |= needed
        self.chosen |= chosen
        for module, found in roots.items():
            self.roots.setdefault(module, {}).update({key: read_made(each) for key, each in found.items()})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report, and say by the exit code what no second try can mend."""
        if self.worker:
            roots = {name: {key: asdict(each) for key, each in found.items()} for name, found in self._noted().items()}
            self.config.workeroutput["proofs"] = [self.needed, self.chosen, roots]  # type: ignore[attr-defined]
            return
        if self.ci and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.plan.ledger:
            session.exitstatus = pytest.ExitCode.OK
        if self.config.option.collectonly or not self.chosen or not self._whole_modules():
            return
        self.known = add_to_report(self.plan.root / REPORT, self._records())
        if self.ci and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            if self.floor_left_out():
                session.exitstatus = NOT_FITTING
            elif self.too_old():
                session.exitstatus = TOO_OLD

    def _whole_modules(self) -> bool:
        """Whether the run saw all tests of its modules: of the whole folder, or of files in it."""
        words = self.config.args
        return words == [self.config.getini("proofs_folder")] or not (
            any("::" in word for word in words) or self.config.getoption("lf", default=False)
        )

    def _noted(self) -> dict[str, dict[str, Made]]:
        return {module: found for module, found in self.roots.items() if module and module not in self.unknown}

    def _records(self) -> dict[str, Record]:
        run, noted, known = os.environ.get(RUN, ""), self._noted(), read_report(self.plan.root / REPORT)
        records = {}
        for module, tests in self.chosen.items():
            by_stack, before = module in BY_STACK, known.get(module)
            roots = noted.get(module, {})
            earlier = before.roots if before and before.run == run else {}
            inputs = self.plan.hash_of(module, [*roots.values(), *earlier.values()])
            record = Record(inputs, self.plan.commit, run, self.plan.state(module), by_stack, roots=roots)
            record.needed = self.needed[module]
            record.tests = {name: self.found.get(name, Test()) for name in tests}
            record.stacks = {stack: self.plan.stacks[stack] for stack in tests.values() if stack}
            records[module] = record
        return records

    def floor_left_out(self) -> list[str]:
        """Tests of the floor that this run did not come to: of a module all, or those of the stacks of the floor."""
        left = []
        for module, tests in self.chosen.items():
            floor = [name for name, stack in tests.items() if self.plan.state(module, stack) == "floor"]
            late = [name for name in floor if self.found.get(name, Test()).late]
            if module in BY_STACK or len(late) == len(floor):
                left += late
        return left

    def too_old(self) -> list[str]:
        """Modules that were proven once, have been due on main for too long since, and were left out again."""
        if self.plan.branch() != MAIN:
            return []
        left = [name for name, each in self._of_this_run().items() if any(one.left_out for one in each.tests.values())]
        return [name for name in left if name in self.plan.ledger and (self.plan.commits_due(name) or 0) > MOST_COMMITS]

    def _of_this_run(self) -> dict[str, Record]:
        return {module: each for module, each in self.known.items() if each.run == os.environ.get(RUN, "")}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The table of the run."""
        if self.ci and self.known:
            terminalreporter.section("what was proven")
            for line in table(self.plan, self._of_this_run(), floor_late=self.floor_left_out(), too_old=self.too_old()):
                terminalreporter.write_line(line)


def _plan(config: pytest.Config) -> Plan:
    root = config.rootpath
    tests = root / config.getini("proofs_folder")
    module, _, function = str(config.getini("proofs_given")).partition(":")
    pins, stacks = getattr(import_module(module), function)(root)
    inputs = Inputs(root, pins=pins, stacks=stacks)
    renders = Renders(root, config.getini("proofs_render"))
    return Plan(root, tests, inputs, stacks, read_ledger(tests), _commit(root), renders)


def _commit(root: Path) -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _stack_of(item: pytest.Item) -> str:
    parameters = getattr(item, "callspec", None)
    stack = parameters.params.get("stack", "") if parameters else ""
    return stack if isinstance(stack, str) else ""


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
