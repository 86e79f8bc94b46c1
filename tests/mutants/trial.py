"""Runs the tests of one mutant after the other, in a copy of the repository: `python -m tests.mutants.trial PACKAGE…`.

A line of JSON comes in for each mutant and one goes out. What mutants cannot change is imported once; each mutant gets a
fork of that, which imports the changed project and starts Node itself where its tests build objects.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_BEFORE = (
    *("hypothesis", "jsonschema_rs", "orjson", "pydantic", "rich", "click", "yaml", "_pytest.assertion.rewrite"),
    *("platform_def.crds.catalogue", "platform_def.tools", "platform_def.yaml"),
)
"""What most trials need; of the project what lies below the mutated packages."""
_MEMORY_BYTES = 6 * 2**30
_PYTEST = (
    *("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
)
_BROKEN = 99
"""How a fork ends in which pytest itself could not work: no answer."""
_WALL_FACTOR = 6
"""Trials are limited in the time that they compute; a machine that is busy elsewhere kills no mutant."""


@dataclass(eq=False)
class Chosen:
    """Runs some tests alone, in their order; notes the first that fails."""

    tests: Sequence[str]
    failed: str = ""
    order: dict[str, int] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Parameters may change with the code: what is no longer there is no test that fails."""
        self.order = {test: place for place, test in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=self._place)

    def _place(self, item: pytest.Item) -> int:
        return self.order[item.nodeid]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test, or its fixtures."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that can't be imported."""
        if report.failed:
            self.failed = self.failed or report.nodeid


def main() -> None:
    """Answer until there is nothing more to do."""
    # Before anything: what is found is the copy, not the installed project.
    sys.path.insert(0, str(Path.cwd()))
    for name in _BEFORE:
        importlib.import_module(name)
    early = [name for name in sys.modules if name.startswith(tuple(sys.argv[1:]))]
    assert not early, f"imported before they are changed: {early}"
    for line in sys.stdin:
        task = json.loads(line)
        print(json.dumps(tried(task)), flush=True)


def tried(task: dict[str, Any]) -> dict[str, Any]:
    """Change the file, run the tests in their batches until one fails, and change it back."""
    file = Path(task["path"])
    before, stat = file.read_bytes(), file.stat()
    began = time.perf_counter()
    answer = {"outcome": "survived", "by": ""}
    try:
        file.write_text(task["code"], encoding="utf-8")
        # Compiled files are told apart by time and size: no two mutants have the same.
        os.utime(file, (task["number"], task["number"]))
        for batch in task["batches"]:
            outcome, by = _run(batch["tests"], batch["seconds"])
            if outcome != "survived":
                answer = {"outcome": outcome, "by": by}
                break
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return answer | {"seconds": time.perf_counter() - began}


def _run(tests: Sequence[str], seconds: int) -> tuple[str, str]:
    """Fork, run, and wait; `seconds` of computing are allowed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _in_child(tests, seconds, writer)
    os.close(writer)
    status = _waited(child, seconds * _WALL_FACTOR)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        by = pipe.read()
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed", "signal"
    code = os.WEXITSTATUS(status)
    assert code in (0, 5) or (by and code != _BROKEN), f"pytest ended with {code}: {by}"
    # 5: none of the tests is there any more, so none has failed.
    return ("survived" if code in (0, 5) else "killed"), by


def _in_child(tests: Sequence[str], seconds: int, writer: int) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    code = _BROKEN
    try:
        from hypothesis import settings

        # A slow machine is no mutant, and luck kills none.
        settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
        settings.load_profile("mutants")
        chosen = Chosen(tests)
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        code = int(pytest.main([*files, *_PYTEST], plugins=[chosen]))
        os.write(writer, chosen.failed.encode())
    except BaseException:
        os.write(writer, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _waited(child: int, seconds: float) -> int:
    """The child's status; it and all that it started are gone then."""
    end = time.monotonic() + seconds
    pause = 0.01
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if not pid and time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            return status
        if pid:
            break
        time.sleep(pause)
        pause = min(pause * 1.2, 0.1)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return status


if __name__ == "__main__":
    main()
